"""Where the rows behind a number stand: lists of the admin, for whoever may see them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone

from marketplace.models import User


class Links:
    """Addresses for one person; empty where the person may not see the list."""

    def __init__(self, user: User | AnonymousUser) -> None:
        self._user = user

    def list_of(self, label: str, **filters: Any) -> str:
        """The list of the model `app_label.model` where Django's lookups `filters` hold."""
        if not self._may_see(label):
            return ""
        address = reverse(f"admin:{label.replace('.', '_')}_changelist")
        values = {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in filters.items()
        }
        return f"{address}?{urlencode(values)}" if values else address

    def row_of(self, label: str, pk: Any) -> str:
        """The page of one row."""
        if not self._may_see(label):
            return ""
        return reverse(f"admin:{label.replace('.', '_')}_change", args=[pk])

    def deliveries(self, **filters: Any) -> str:
        """The ledger."""
        return self.list_of("notifications.delivery", **filters)

    def sent_between(self, start: datetime, end: datetime, **filters: Any) -> str:
        """What was handed over from `start` to before `end`, and sent."""
        return self.deliveries(
            state__exact="sent", dispatched_at__gte=start, dispatched_at__lt=end, **filters
        )

    def events_between(self, kind: str, start: datetime, end: datetime) -> str:
        """What providers reported of this kind."""
        return self.list_of(
            "notifications.deliveryevent",
            kind__exact=kind, happened_at__gte=start, happened_at__lt=end,
        )  # fmt: skip

    def _may_see(self, label: str) -> bool:
        app_label, model = label.split(".")
        verbs = ("view", "change")
        return any(self._user.has_perm(f"{app_label}.{verb}_{model}") for verb in verbs)


def bounds_of(day: date) -> tuple[datetime, datetime]:
    """When a day of the site's time zone begins, and when the next one does."""
    zone = timezone.get_default_timezone()
    midnight = datetime.min.time()
    next_day = day + timedelta(days=1)
    return datetime.combine(day, midnight, zone), datetime.combine(next_day, midnight, zone)
