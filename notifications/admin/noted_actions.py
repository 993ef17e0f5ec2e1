"""Actions of a list that ask for a note first: a page in between, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import helpers
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from notifications.dead_letter_batches import act_in_batches
from notifications.dead_letters import Handled

# What one request can do before whoever waits for it gives up; the rest is the next request's.
MOST_ROWS = 20_000
MOST_SHOWN = 100
CONFIRMED = "confirmed"
# All rows in one field, as Django takes no more than a thousand fields in a form. They are those
# that were asked about: what came into the list since then is not acted on.
CHOSEN = "chosen"


Run = Callable[[list[Any], str], Handled]


class NoteForm(forms.Form):
    """Why the operator does this; kept with the action."""

    note = forms.CharField(
        label=_("Note"),
        max_length=200,
        widget=UnfoldAdminTextInputWidget(attrs={"autofocus": True}),
        help_text=_("Why? It is kept with the action, for whoever looks at this later."),
    )


@dataclass(frozen=True, slots=True)
class NotedAction:
    """What the page asks and what the button says; `run` gets the rows and the note."""

    name: str
    question: Any
    button: Any
    is_dangerous: bool = False

    def respond(
        self,
        model_admin: ModelAdmin,
        request: HttpRequest,
        rows: QuerySet[Any],
        run: Run,
    ) -> HttpResponse | None:
        """Ask first; once the note is there act, say what came of it, and go back to the list."""
        is_confirmed = CONFIRMED in request.POST
        form = NoteForm(request.POST if is_confirmed else None)
        ids = _chosen(request, rows)
        if is_confirmed and form.is_valid():
            act = partial(_with_note, run, form.cleaned_data["note"])
            tell(model_admin, request, act_in_batches(ids[:MOST_ROWS], rows, act))
            return None
        context = {
            **model_admin.admin_site.each_context(request),
            "title": self.button,
            "action": self,
            "form": form,
            "opts": model_admin.opts,
            **_selection(rows, ids),
        }
        return TemplateResponse(request, "notifications/admin/noted_action.html", context)


def _chosen(request: HttpRequest, rows: QuerySet[Any]) -> list[Any]:
    """The ids that the page asked about; before it has asked, those of `rows`, one too many."""
    if CHOSEN not in request.POST:
        return list(rows.order_by("pk").values_list("pk", flat=True)[: MOST_ROWS + 1])
    ids = []
    for text in request.POST[CHOSEN].split(","):
        # The page sends ids alone; what is none, somebody made up.
        with suppress(ValidationError):
            ids.append(rows.model._meta.pk.to_python(text if "\0" not in text else ""))
    return ids


def _selection(rows: QuerySet[Any], ids: list[Any]) -> dict[str, Any]:
    """What the page says about the rows, and sends back."""
    count = min(len(ids), MOST_ROWS)
    shown = ids[: min(count, MOST_SHOWN)]
    return {
        "rows": rows.filter(pk__in=shown).order_by("pk"),
        "count": count,
        "more": count - len(shown),
        "most_rows": MOST_ROWS if len(ids) > MOST_ROWS else None,
        "chosen": ",".join(str(pk) for pk in ids[:MOST_ROWS]),
        "first": ids[0] if ids else "",
        "names": {
            "chosen": CHOSEN,
            "confirmed": CONFIRMED,
            "checkbox": helpers.ACTION_CHECKBOX_NAME,
        },
    }


def _with_note(run: Run, note: str, chosen: list[Any]) -> Handled:
    return run(chosen, note)


def tell(model_admin: ModelAdmin, request: HttpRequest, handled: Handled) -> None:
    """How many were done, and how many were refused for which reason."""
    if handled.done:
        done = len(handled.done)
        text = ngettext("%(count)d is done.", "%(count)d are done.", done) % {"count": done}
        model_admin.message_user(request, text, messages.SUCCESS)
    for why, count in Counter(handled.refused.values()).most_common():
        text = ngettext(
            "%(count)d was refused: %(why)s", "%(count)d were refused: %(why)s", count
        ) % {"count": count, "why": why}
        model_admin.message_user(request, text, messages.WARNING)
