"""The page of one delivery: its story in time order, and links to its person and its run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from marketplace.admin import ReadOnlyAdmin
from notifications.delivery_story import in_words, steps_of
from notifications.models import Delivery, State

SUBJECT_PAGES: dict[str, str] = {}
"""By kind of mail the admin's page of what `subject_id` names: each app enters its own."""


class DeliveryPageAdmin(ReadOnlyAdmin):
    """Only the workers write here; people read what happened."""

    change_form_after_template = "notifications/admin/delivery_story.html"
    readonly_fields: Sequence[Any] = ("in_words", "person", "belongs_to", "next_attempt")
    fieldsets: Any = (
        (
            None,
            {"fields": ("in_words", "kind", "channel", "address", "person", "belongs_to")},
        ),
        (
            _("Attempts"),
            {
                "fields": (
                    "attempts",
                    "next_attempt",
                    "expires_at",
                    "provider",
                    "provider_message_id",
                    "last_answer",
                )
            },
        ),
        (
            _("For those who look into the works"),
            {"fields": ("state", "idempotency_key", "lease_expires_at"), "classes": ("collapse",)},
        ),
    )

    @display(description=_("what became of it"))
    def in_words(self, delivery: Delivery) -> str:
        """A sentence instead of a state."""
        return in_words(delivery)

    @display(description=_("person"))
    def person(self, delivery: Delivery) -> str:
        """A link to the person's page, which says why they get mail or not."""
        if delivery.user is None:
            return "–"
        return _link("admin:marketplace_user_change", delivery.user.pk, str(delivery.user))

    @display(description=_("next attempt"))
    def next_attempt(self, delivery: Delivery) -> Any:
        """Only while it waits for one: the column keeps what it last held."""
        return delivery.next_attempt_at if delivery.state == State.PENDING else None

    @display(description=_("belongs to"))
    def belongs_to(self, delivery: Delivery) -> str:
        """A link to the run, or whatever planned it."""
        if delivery.subject_id is None:
            return "–"
        page, name = SUBJECT_PAGES.get(delivery.kind), str(delivery.subject_id)
        return _link(page, delivery.subject_id, f"{delivery.kind} {name}") if page else name

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        row = self.get_object(request, object_id)
        story = {"steps": steps_of(row)} if row is not None else {}
        return super().change_view(request, object_id, form_url, {**(extra_context or {}), **story})


def _link(page: str, pk: int, text: str) -> str:
    return format_html(
        '<a class="text-primary-600 dark:text-primary-400" href="{}">{}</a>',
        reverse(page, args=[pk]),
        text,
    )
