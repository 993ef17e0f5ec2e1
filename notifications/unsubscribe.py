"""One-click unsubscribe (RFC 8058): its links, its headers, and whom they may act for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from marketplace.id_arrays import these
from marketplace.models import User
from notifications.models import Delivery
from notifications.promotions import PROMOTIONS, promotion_scopes, withdraw_promotions
from notifications.sources import Scope, registered_kinds, source_of
from notifications.unsubscribe_tokens import identity_in, token_of

# In place of a token, which is never so short.
STAND_IN = "-token-"
SUBJECT = quote("unsubscribe ")


def delivery_of(token: str) -> Delivery | None:
    """The delivery a token was made for (not stored where it was pruned); None for a bad token."""
    named = identity_in(token)
    if named is None or named.kind not in registered_kinds():
        return None
    return Delivery.objects.filter(pk=named.pk, kind=named.kind).first() or named


def unsubscribe_url(delivery: Delivery) -> str:
    """The address of the delivery's unsubscribe page."""
    return settings.SITE_URL + _path(token_of(delivery))


def _path(token: str) -> str:
    """A token is made of letters, digits, `-` and `_`: it stands in the path as it is."""
    return _pattern().replace(STAND_IN, token)


@lru_cache
def _pattern() -> str:
    """The path of the page, looked for once and not once a mail."""
    return reverse("notifications:unsubscribe", args=[STAND_IN])


def list_headers(delivery: Delivery) -> dict[str, str]:
    """The headers with which a mail program offers to unsubscribe by one click."""
    token = token_of(delivery)
    mailto = f"mailto:{settings.OPERATOR_EMAIL}?subject={SUBJECT + token}"
    return {
        "List-Unsubscribe": f"<{settings.SITE_URL}{_path(token)}>, <{mailto}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def scopes_of(delivery: Delivery) -> list[Scope]:
    """What the recipient can unsubscribe from, the narrowest first, in the active language.

    Empty where the mail's person is gone, or gets mail at another address by now: whoever reads
    the old mailbox today has nothing to switch off there.
    """
    if not _whose_mail_it_still_is([delivery]):
        return []
    scopes = source_of(delivery.kind).scopes(delivery)
    if any(scope.name == PROMOTIONS for scope in scopes):
        return scopes
    return [*scopes, *promotion_scopes(delivery)]


def unsubscribe_from(deliveries: Sequence[Delivery], scope: str) -> None:
    """The recipients of these mails of one kind want no more of this scope.

    Idempotent; committed as a whole; acts only for people who still use the mail's address.
    Promotions end by any mail, whoever sent it.
    """
    if not deliveries:
        return
    with transaction.atomic():
        entitled = _whose_mail_it_still_is(deliveries)
        if scope == PROMOTIONS:
            withdraw_promotions(entitled)
        else:
            source_of(deliveries[0].kind).unsubscribe(entitled, scope)


def _whose_mail_it_still_is(deliveries: Sequence[Delivery]) -> list[Delivery]:
    """Without those whose person has changed the e-mail address since. One query."""
    people = {delivery.user_id for delivery in deliveries if delivery.user_id is not None}
    addresses = dict(User.objects.filter(Q(pk__in=these(people))).values_list("pk", "email"))
    return [
        delivery
        for delivery in deliveries
        if delivery.user_id is None
        or "@" not in delivery.address  # a telephone number
        or addresses.get(delivery.user_id, "").lower() == delivery.address.lower()
    ]
