"""The page behind the unsubscribe link: a POST acts; a GET only asks, as scanners fetch links."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from marketplace.methods import require_form
from marketplace.models import User
from notifications.models import Delivery
from notifications.sources import DEFAULT_SCOPE, Scope
from notifications.unsubscribe import delivery_of, scopes_of, unsubscribe_from


# Mail programs post without a cookie; the sealed token is what proves the right to act.
@csrf_exempt
@never_cache
@require_form
def unsubscribe(request: HttpRequest, token: str, scope: str = DEFAULT_SCOPE) -> HttpResponse:
    """Ask (GET) or act (POST, as often as it likes); 404 for a link we never made."""
    delivery = delivery_of(token)
    if delivery is None:
        return render(request, "notifications/unsubscribe_unknown.html", status=404)
    with translation.override(_language_of(delivery)):
        return _answer(request, token, delivery, scope)


def _answer(request: HttpRequest, token: str, delivery: Delivery, wanted: str) -> HttpResponse:
    offered = scopes_of(delivery)
    asked = _named(offered, wanted)
    if asked is None and offered:
        return render(request, "notifications/unsubscribe_unknown.html", status=404)
    is_done = request.method == "POST" and asked is not None
    if asked is not None and is_done:
        # What the page names is what ends: a mail without a scope of its own offers the next.
        unsubscribe_from([delivery], asked.name)
        offered = scopes_of(delivery)
        asked = _named(offered, wanted) or asked
    others = [scope for scope in offered if scope != asked and not scope.is_off]
    context = {"token": token, "asked": asked, "others": others, "is_done": is_done}
    response = render(request, "notifications/unsubscribe.html", context)
    response["Content-Language"] = translation.get_language() or ""
    # The address holds the token: it goes to no other site.
    response["Referrer-Policy"] = "no-referrer"
    return response


def _named(scopes: Sequence[Scope], wanted: str) -> Scope | None:
    """The scope of this name; the narrowest there is where a mail has no own one any more."""
    named = next((scope for scope in scopes if scope.name == wanted), None)
    if named is None and wanted == DEFAULT_SCOPE:
        return next(iter(scopes), None)
    return named


def _language_of(delivery: Delivery) -> str | None:
    """The recipient's language; the browser's where the account is gone."""
    languages = User.objects.filter(pk=delivery.user_id or 0).values_list("language", flat=True)
    return languages.first() or translation.get_language()
