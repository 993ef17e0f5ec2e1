"""What providers reported, as it came."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from marketplace.admin import ReadOnlyAdmin
from notifications.admin.ledger import CappedPaginator
from notifications.models import DeliveryEvent


@admin.register(DeliveryEvent)
class DeliveryEventAdmin(ReadOnlyAdmin):
    """Events are stored by the webhooks alone."""

    list_display = ("happened_at", "provider", "kind", "address", "detail", "delivery")
    list_filter = ("kind", "provider")
    list_select_related = ("delivery",)
    paginator = CappedPaginator
    search_fields = ("=provider_event_id", "=delivery__idempotency_key")
    search_help_text = _("The provider's whole event id, or the delivery's idempotency key.")
    ordering = ("-id",)
    show_full_result_count = False
