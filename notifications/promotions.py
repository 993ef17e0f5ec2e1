"""Promotions as a scope of unsubscribing: any mail's page ends them, a campaign's by one click.

An app whose deliveries are promotions registers a source that inherits from `PromotionSource`,
and asks `allowing_promotions` when it composes: that honours withdrawals for what is planned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from django.utils import timezone
from django.utils.translation import gettext as _

from marketplace.consent import Channel, PromotionConsent, withdraw_consents
from marketplace.id_arrays import these
from notifications.models import Delivery
from notifications.sources import Scope

PROMOTIONS = "promotions"


class PromotionSource:
    """The unsubscribing half of a message source whose every message is a promotion."""

    def scopes(self, delivery: Delivery) -> list[Scope]:
        """Promotions, on the channel of this delivery."""
        return promotion_scopes(delivery)

    def unsubscribe(self, deliveries: Sequence[Delivery], scope: str) -> None:
        """Whatever is left of a promotion, it is its recipient's consent that ends."""
        withdraw_promotions(deliveries)


def promotion_scopes(delivery: Delivery) -> list[Scope]:
    """Promotions on the delivery's channel, if its person ever agreed to them; one query.

    Withdrawn ones are off, so that a link that is opened twice answers alike.
    """
    if delivery.user_id is None:
        return []
    mine = PromotionConsent.objects.filter(user=delivery.user_id, channel=delivery.channel)
    withdrawals = list(mine.values_list("withdrawn_at", flat=True))
    return [Scope(PROMOTIONS, _label(delivery), None not in withdrawals)] if withdrawals else []


def withdraw_promotions(deliveries: Sequence[Delivery]) -> None:
    """End the consent of each delivery's own person on its own channel. A statement a channel."""
    people: defaultdict[str, set[int]] = defaultdict(set)
    for delivery in deliveries:
        if delivery.user_id is not None:
            people[delivery.channel].add(delivery.user_id)
    for channel, user_ids in people.items():
        withdraw_consents(user_ids, Channel(channel), timezone.now())


def allowing_promotions(deliveries: Sequence[Delivery]) -> set[int]:
    """The ids of those whose person's consent is in force on their channel. One query."""
    people = {delivery.user_id for delivery in deliveries if delivery.user_id is not None}
    in_force = PromotionConsent.objects.in_force().filter(user_id__in=these(people))
    agreed = set(in_force.values_list("user_id", "channel"))
    return {each.pk for each in deliveries if (each.user_id, each.channel) in agreed}


def _label(delivery: Delivery) -> str:
    """Says which channel ends: consent to the others stays."""
    match delivery.channel:
        case Channel.SMS:
            return _("Promotions by SMS")
        case Channel.PUSH:
            return _("Promotions by push message")
        case _other:
            return _("Promotions by e-mail")
