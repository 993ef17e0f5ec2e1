"""Addresses of people who left: they still get nothing, and nobody can read them back.

In the tables of suppressions and spam reports such an address stands as `<64 hex digits>@` and a
domain that cannot exist: HMAC-SHA256 of the address in lower case, under a key made from
SECRET_KEY. PostgreSQL computes it, so that one statement compares many. With another SECRET_KEY
what was erased before is not recognised any more.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.conf import settings
from django.db.models import EmailField, Exists, F, Func, OuterRef, Q
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
    secret = b"notifications.erased_addresses:" + settings.SECRET_KEY.encode()
    key = hashlib.sha256(secret).digest().ljust(BLOCK, b"\0")
    return bytes(byte ^ 0x36 for byte in key), bytes(byte ^ 0x5C for byte in key)


def is_erased_in(model: Barring, address: str) -> Q:
    """True for rows whose `address` was barred when its person left.

    While nobody left, the database looks at one row for the whole query.
    """
    erased = model._default_manager.filter(email__endswith=DOMAIN)
    return Q(Exists(erased)) & Q(Exists(erased.filter(email=Erased(OuterRef(address)))))


def erase_address(address: str) -> None:
    """Put the code in the address's place wherever it is barred. Four statements, idempotent."""
    for model in (Suppression, SpamReport):
        rows = model._default_manager.annotate(lowered=Lower("email"))
        mine = rows.filter(lowered=address.lower())
        # Barred again since it was erased once: the newer row says more.
        known = mine.annotate(erased=Erased(F("email"))).values("erased")
        model._default_manager.filter(
            email__in=list(known.values_list("erased", flat=True))
        ).delete()
        mine.update(email=Erased(F("email")), **({"note": ""} if model is Suppression else {}))
