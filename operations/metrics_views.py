"""The address that Prometheus reads."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from marketplace.methods import require_safe
from operations.metrics import CONTENT_TYPE, exposition


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For bearers of METRICS_TOKEN and for staff; to others there is no such page."""
    if authorization := request.headers.get("Authorization", ""):
        if not _is_bearer(authorization):
            wrong = HttpResponse("Unauthorized", status=401, content_type="text/plain")
            wrong["WWW-Authenticate"] = "Bearer"
            return wrong
    elif not (request.user.is_active and request.user.is_staff):
        raise Http404
    return HttpResponse(exposition(now=timezone.now()), content_type=CONTENT_TYPE)


def _is_bearer(authorization: str) -> bool:
    """Whether it carries the token; compared in a time that tells nothing."""
    scheme, _, token = authorization.partition(" ")
    wanted: str = settings.METRICS_TOKEN
    is_same = hmac.compare_digest(token.strip().encode(), wanted.encode())
    return bool(wanted) and scheme.lower() == "bearer" and is_same
