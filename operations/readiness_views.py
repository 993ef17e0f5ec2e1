"""`/readyz`: for whoever sends requests here, such as a load balancer or a deployment."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from marketplace.methods import require_safe
from operations.readiness import readiness


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when database, migrations and Redis are there; 503 with the names of what is not."""
    state = readiness(now=timezone.now())
    body = {"ready": state.is_ready, "missing": state.missing}
    return JsonResponse(body, status=200 if state.is_ready else 503)
