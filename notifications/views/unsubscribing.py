"""The page behind the unsubscribe link: a POST acts; a GET only asks, as scanners fetch links."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications.unsubscribe import delivery_of, unsubscribe_from


# Mail programs post without a cookie; the signed token is what proves the right to act.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """Ask (GET) or act (POST, as often as it likes); 404 for a link we never made."""
    delivery = delivery_of(token)
    if delivery is None:
        return render(request, "notifications/unsubscribe_unknown.html", status=404)
    if request.method == "POST":
        unsubscribe_from(delivery)
    return render(request, "notifications/unsubscribe.html", {"is_done": request.method == "POST"})
