"""What the ledger knows about a person: their messages, and what bars them."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet

from marketplace.models import User
from marketplace.personal_data import Parts
from notifications.erased_addresses import erase_address
from notifications.ledger.cancelling import cancel_messages_to
from notifications.models import Delivery, DeliveryEvent, Reason, SpamReport, Suppression

EXPORTED = (
    "id",
    "kind",
    "channel",
    "address",
    "state",
    "reason",
    "created_at",
    "dispatched_at",
    "finished_at",
)


class DeliveryKeeper:
    """Answers for deliveries and suppressions; see `PersonalDataKeeper`."""

    def export(self, user: User) -> Parts:
        """Every message with its state and times, events, and what bars the address."""
        events = DeliveryEvent.objects.filter(delivery__user=user).order_by("pk")
        return {
            "deliveries": _of(user).order_by("pk").values(*EXPORTED),
            "delivery_events": events.values("delivery_id", "kind", "address", "happened_at"),
            "suppressions": Suppression.objects.filter(email__iexact=user.email).values(
                "email", "cause", "created_at"
            ),
            "spam_reports": SpamReport.objects.filter(email__iexact=user.email).values(
                "email", "reported_at"
            ),
        }

    def erase(self, user: User, now: datetime) -> None:
        """What waits is cancelled; what was sent and reported bears no address any more.

        A message that a worker hands over this very moment keeps its address until it is pruned.
        """
        cancel_messages_to(user.pk, reason=Reason.ACCOUNT_DELETED, now=now)
        DeliveryEvent.objects.filter(delivery__user=user).update(address="", detail="", raw={})
        _of(user).exclude(finished_at=None).update(address="", last_answer="")
        if user.email:
            erase_address(user.email)


def _of(user: User) -> QuerySet[Delivery]:
    return Delivery.objects.filter(user=user)
