"""What every page may name: the site and who runs it."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    """The operator, as the imprint names it, and whether this is a developer's machine."""
    return {
        "operator_name": settings.OPERATOR_NAME,
        "operator_address": settings.OPERATOR_ADDRESS,
        "operator_email": settings.OPERATOR_EMAIL,
        "has_outbox": settings.IS_DEVELOPMENT and settings.EMAIL_PROVIDER == "outbox",
    }
