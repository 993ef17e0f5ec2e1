"""What `check --deploy` says about this app: who runs the site must be told, by law and by us."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning, register

from marketplace.legal import missing_texts


@register(deploy=True)
def check_operator(**kwargs: Any) -> list[CheckMessage]:
    """A warning for an operator without an address, and one for legal texts that are missing."""
    found: list[CheckMessage] = []
    if not settings.OPERATOR_ADDRESS:
        found.append(
            Warning(
                "OPERATOR_ADDRESS is not set: imprint and mails lack it.", id="marketplace.W001"
            )
        )
    if missing := missing_texts():
        found.append(
            Warning(
                "The operator's legal texts are incomplete.",
                hint=f"OPERATOR_TEXTS_DIR has no {', '.join(missing)}.",
                id="marketplace.W002",
            )
        )
    return found
