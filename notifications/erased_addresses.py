"""Addresses of people who left: they still get nothing, and nobody can read them back.

In the tables of suppressions and spam reports such an address stands as `<64 hex digits>@` and a
domain that cannot exist: HMAC-SHA256 of the address in lower case, under a key made from
SECRET_KEY. Codes under SECRET_KEY_FALLBACKS are known too: without the key that it was made under a
code is not recognised any more.

When somebody confirms such an address anew, the bar stands under the plain address again: the
question who may get mail, asked of everybody at every run, needs to know nothing of codes.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Lower
from django.dispatch import receiver

from notifications.models import SpamReport, Suppression

DOMAIN = "@erased.invalid"


def code_of(address: str) -> str:
    """What stands in place of the address."""
    return _code_under(settings.SECRET_KEY, address)


def _codes_of(address: str) -> list[str]:
    """What may stand in place of the address: under the present key, and under former ones."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return [_code_under(key, address) for key in keys]


def _code_under(secret: str, address: str) -> str:
    key = hashlib.sha256(b"notifications.erased_addresses:" + secret.encode()).digest()
    return hmac.new(key, address.lower().encode(), hashlib.sha256).hexdigest() + DOMAIN


def erased_among(barred: QuerySet[Any], addresses: Collection[str]) -> set[str]:
    """Of these addresses, those that `barred` knows by their codes. One query."""
    by_code = {code: address for address in addresses for code in _codes_of(address)}
    found = _by_lowered(barred).filter(lowered__in=by_code).values_list("lowered", flat=True)
    return {by_code[code] for code in found}


@transaction.atomic
def erase_address(address: str) -> None:
    """Put the code in the address's place wherever it is barred. Idempotent."""
    _swap(address, to_code=True)
    Suppression.objects.filter(email=code_of(address)).update(note="")


@receiver(email_confirmed, dispatch_uid="bar_returning_address")
def bar_again(email_address: EmailAddress, **kwargs: Any) -> None:
    """Somebody proved that an address is theirs: what barred it before it was erased bars it."""
    with transaction.atomic():
        _swap(email_address.email, to_code=False)


def _swap(address: str, *, to_code: bool) -> None:
    """Let the bars of an address stand under its code, or under itself again."""
    for model in (Suppression, SpamReport):
        rows = _by_lowered(model._default_manager.all())
        plain = rows.filter(lowered=address.lower())
        coded = rows.filter(lowered__in=_codes_of(address))
        if plain.exists():
            coded.delete()  # what stands plainly came later
        if to_code:
            plain.update(email=code_of(address))
        else:
            # Codes under several keys, once erased under each, become one address.
            coded.filter(pk__in=coded.order_by("-pk").values("pk")[1:]).delete()
            coded.update(email=address)


def _by_lowered(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows with their address in lower case, which has an index."""
    return rows.annotate(lowered=Lower("email"))
