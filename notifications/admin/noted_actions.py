"""Actions of a list that ask for a note first: a page in between, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import helpers
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from notifications.dead_letters import Handled

# Each row is a hidden field of the page; Django takes a thousand fields in a form.
MOST_ROWS = 500
CONFIRMED = "confirmed"


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
        run: Callable[[list[Any], str], Handled],
    ) -> HttpResponse | None:
        """Ask first; once the note is there act, say what came of it, and go back to the list."""
        is_confirmed = CONFIRMED in request.POST
        form = NoteForm(request.POST if is_confirmed else None)
        chosen = list(rows[: MOST_ROWS + 1])
        is_cut = len(chosen) > MOST_ROWS
        if is_confirmed and form.is_valid():
            tell(model_admin, request, run(chosen[:MOST_ROWS], form.cleaned_data["note"]))
            return None
        context = {
            **model_admin.admin_site.each_context(request),
            "title": self.button,
            "action": self,
            "form": form,
            "rows": chosen[:MOST_ROWS],
            "most_rows": MOST_ROWS if is_cut else None,
            "opts": model_admin.opts,
            "checkbox_name": helpers.ACTION_CHECKBOX_NAME,
            "confirmed_name": CONFIRMED,
        }
        return TemplateResponse(request, "notifications/admin/noted_action.html", context)


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
