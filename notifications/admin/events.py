"""What providers reported, as it came."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from marketplace.admin import ReadOnlyAdmin
from marketplace.admin.lookups import ADDRESS, ANYTHING, Lookup, by_number, people_at
from notifications.admin.filters import ProviderFilter
from notifications.models import Delivery, DeliveryEvent
from notifications.providers import PROVIDERS


def _of_person(rows: QuerySet[DeliveryEvent], text: str) -> QuerySet[DeliveryEvent]:
    return rows.filter(delivery__user__in=people_at(text))


def _named(rows: QuerySet[DeliveryEvent], text: str) -> QuerySet[DeliveryEvent]:
    """Events of the delivery with this key; where there is none, the event with this id."""
    delivery = Delivery.objects.filter(idempotency_key=text).only("pk").first()
    if delivery is not None:
        return rows.filter(delivery=delivery.pk)
    # The index begins with the provider.
    return rows.filter(provider__in=sorted(PROVIDERS), provider_event_id=text)


@admin.register(DeliveryEvent)
class DeliveryEventAdmin(ReadOnlyAdmin):
    """Events are stored by the webhooks alone."""

    list_display = ("happened_at", "provider", "kind", "address", "detail", "delivery")
    list_filter = ("kind", ProviderFilter)
    list_select_related = ("delivery",)
    lookups = (
        by_number(),
        Lookup(_("whole address"), ADDRESS, _of_person),
        Lookup(_("provider's whole event id, or the delivery's whole key"), ANYTHING, _named),
    )
