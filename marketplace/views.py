"""The shell's own views: the language switch, the health check, the icon."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.i18n import set_language

from marketplace.methods import require_POST, require_safe


@require_POST
def switch_language(request: HttpRequest) -> HttpResponse:
    """Keep the chosen language in a cookie, as Django does, and in a signed-in account."""
    response = set_language(request)
    language = request.POST.get("language", "")
    user = request.user
    if user.is_authenticated and language in dict(settings.LANGUAGES):
        user.language = language
        user.save(update_fields=["language"])
    return response


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """`ok` while this process answers; whether its stores do is the business of the metrics."""
    return HttpResponse("ok", content_type="text/plain")


@require_safe
def favicon(_request: HttpRequest) -> HttpResponseRedirect:
    """The icon, for browsers that ask without having read a page, such as for a file."""
    return HttpResponseRedirect(static("marketplace/icon.svg"))
