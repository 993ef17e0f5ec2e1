"""Deliveries an operator should look at: dead letters, and those of which nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from notifications import dead_letters
from notifications.admin.filters import KindFilter, ProviderFilter
from notifications.admin.ledger import DeliveryAdmin
from notifications.admin.noted_actions import NotedAction
from notifications.models import DeadLetter, Delivery, State, UncertainDelivery

Rows = QuerySet[Any]

REQUEUE = NotedAction(
    "requeue",
    _("Send these again, with all their attempts? Barred addresses are left out."),
    _("Send again"),
)
DISCARD = NotedAction(
    "discard",
    _("Discard these for good? They stay in the ledger as not sent."),
    _("Discard"),
    is_dangerous=True,
)
COUNT_AS_SENT = NotedAction(
    "count_as_sent",
    _("Count these as sent? They are not sent again."),
    _("Count as sent"),
)
SEND_AGAIN = NotedAction(
    "send_again",
    _("Send these again? Whoever has got the mail already gets it a second time."),
    _("Send again"),
    is_dangerous=True,
)


class TroubleAdmin(DeliveryAdmin):
    """A part of the ledger, with actions for operators who may change it."""

    state: State
    list_filter: Sequence[Any] = (KindFilter, "reason", ProviderFilter)
    sortable_by: Any = ("age", "dispatched_at")

    def get_queryset(self, request: HttpRequest) -> Rows:
        return super().get_queryset(request).filter(state=self.state)

    def has_handle_permission(self, request: HttpRequest) -> bool:
        """Rows are never edited; who has the right to change them may act on them."""
        codename = f"{self.opts.app_label}.change_{self.opts.model_name}"
        return bool(request.user.has_perm(codename))

    @display(description=_("age"), ordering="dispatched_at")
    def age(self, row: Delivery) -> str:
        """Since it ended, or was handed over."""
        since = row.finished_at or row.dispatched_at or row.created_at
        return timesince(since, depth=1)

    def respond(self, request: HttpRequest, rows: Rows, action: NotedAction) -> HttpResponse | None:
        """Ask for the note, then do what is named."""
        run = getattr(dead_letters, action.name)
        operator = str(request.user)
        return action.respond(
            self,
            request,
            rows.order_by("pk"),
            lambda chosen, note: partial(run, operator=operator, now=timezone.now())(
                chosen, note=note
            ),
        )


@admin.register(DeadLetter)
class DeadLetterAdmin(TroubleAdmin):
    """Deliveries that failed for good."""

    state = State.DEAD
    list_display = ("address", "kind", "reason", "last_answer", "attempts", "event", "age")
    actions = ("requeue", "discard")

    @admin.action(description=_("Send again"), permissions=["handle"])
    def requeue(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Back into the queue."""
        return self.respond(request, queryset, REQUEUE)

    @admin.action(description=_("Discard"), permissions=["handle"])
    def discard(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """Out of this list."""
        return self.respond(request, queryset, DISCARD)


@admin.register(UncertainDelivery)
class UncertainDeliveryAdmin(TroubleAdmin):
    """Deliveries of which nobody knows whether the provider took them."""

    state = State.UNCERTAIN
    list_display = (
        "address",
        "kind",
        "last_answer",
        "provider",
        "attempts",
        "dispatched_at",
        "age",
    )
    list_filter = (KindFilter, ProviderFilter)
    actions = ("count_as_sent", "send_again")

    @admin.action(description=_("Count as sent"), permissions=["handle"])
    def count_as_sent(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """The operator knows that the provider has them."""
        return self.respond(request, queryset, COUNT_AS_SENT)

    @admin.action(description=_("Send again"), permissions=["handle"])
    def send_again(self, request: HttpRequest, queryset: Rows) -> HttpResponse | None:
        """The operator knows that the provider has not got them."""
        return self.respond(request, queryset, SEND_AGAIN)
