"""Addresses of people who left: they still get nothing, and nobody can read them back.

In the tables of suppressions and spam reports such an address stands as `<64 hex digits>@` and a
domain that cannot exist: HMAC-SHA256 of the address in lower case, under a key made from
SECRET_KEY. PostgreSQL computes it, so that one statement compares many. With another SECRET_KEY
what was erased before is not recognised any more.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db.models import EmailField, Exists, F, Func, OuterRef, Q, QuerySet
from django.db.models.functions import Lower

from notifications.models import SpamReport, Suppression

DOMAIN = "@erased.invalid"
BLOCK = 64  # bytes of a block of SHA-256
HMAC_SQL = (
    "encode(sha256(%s::bytea || sha256(%s::bytea || convert_to(lower(%s), 'UTF8'))), 'hex') || %s"
)
Barring = type[SpamReport] | type[Suppression]


class Erased(Func):
    """What stands in place of the address that the expression names."""

    output_field = EmailField()

    def as_sql(  # type: ignore[override]
        self, compiler: Any, connection: Any, **kwargs: Any
    ) -> tuple[str, list[Any]]:
        """RFC 2104, written with PostgreSQL's own `sha256`."""
        [source] = self.get_source_expressions()
        sql, params = compiler.compile(source)
        inner, outer = _pads()
        written = HMAC_SQL.replace("lower(%s)", f"lower({sql})")
        return f"({written})", [outer, inner, *params, DOMAIN]


def _pads() -> tuple[bytes, bytes]:
    """The key as HMAC wants it, before the inner and the outer hash."""
    key = _key().ljust(BLOCK, b"\0")
    return bytes(byte ^ 0x36 for byte in key), bytes(byte ^ 0x5C for byte in key)


def _key() -> bytes:
    return hashlib.sha256(
        b"notifications.erased_addresses:" + settings.SECRET_KEY.encode()
    ).digest()


def is_erased_in(model: Barring, address: str) -> Q:
    """True for rows whose `address` was barred when its person left.

    While nobody left, the database looks at one row for the whole query.
    """
    codes = _by_lowered(model._default_manager.filter(email__endswith=DOMAIN))
    return Q(Exists(codes)) & Q(Exists(codes.filter(lowered=Erased(OuterRef(address)))))


def erased_among(barred: QuerySet[Any], addresses: Collection[str]) -> set[str]:
    """Of these addresses, those that `barred` knows by their codes. One query."""
    by_code = {erased(address): address for address in addresses}
    found = _by_lowered(barred).filter(lowered__in=by_code).values_list("lowered", flat=True)
    return {by_code[code] for code in found}


def erased(address: str) -> str:
    """What `Erased` answers, computed here."""
    code = hmac.new(_key(), address.lower().encode(), hashlib.sha256)
    return code.hexdigest() + DOMAIN


def erase_address(address: str) -> None:
    """Put the code in the address's place wherever it is barred. Idempotent."""
    for model in (Suppression, SpamReport):
        rows = _by_lowered(model._default_manager.all())
        mine = rows.filter(lowered=address.lower())
        if mine.exists():
            # Barred again since it was erased once: the newer row says more.
            rows.filter(lowered=erased(address)).delete()
        mine.update(email=Erased(F("email")), **({"note": ""} if model is Suppression else {}))


def _by_lowered(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows with their address in lower case, which has an index."""
    return rows.annotate(lowered=Lower("email"))
