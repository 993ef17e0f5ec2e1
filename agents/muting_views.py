"""Pages on which a person hides companies, and shows them again."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from agents.muting import can_mute, mute_company, muted_companies, unmute_company
from marketplace.methods import require_form, require_POST, require_safe
from marketplace.people import signed_in

PAGE_SIZE = 50


@require_form
@login_required
def mute(request: HttpRequest, pk: int) -> HttpResponse:
    """Hide a company: a link (in a mail, say) asks first, the form acts."""
    user, now = signed_in(request), timezone.now()
    company = get_object_or_404(can_mute(user, now), pk=pk)
    if request.method != "POST":
        return render(request, "agents/mute.html", {"company": company})
    mute_company(user, company, now)
    text = _("“%(company)s” will not be shown to you again.")
    messages.success(request, text % {"company": company.title})
    return _back(request)


@require_POST
@login_required
def unmute(request: HttpRequest, pk: int) -> HttpResponse:
    """Let a company be shown again; sent twice, or for one that is not hidden, nothing happens."""
    unmute_company(signed_in(request), pk)
    messages.success(request, _("The company may be shown to you again."))
    return _back(request)


@require_safe
@login_required
def muted_list(request: HttpRequest) -> HttpResponse:
    """What the person has hidden, the last first."""
    pages = Paginator(muted_companies(signed_in(request)), PAGE_SIZE)
    page = pages.get_page(request.GET.get("page", "1"))
    return render(request, "agents/muted.html", {"page": page})


def _back(request: HttpRequest) -> HttpResponse:
    """To the page that the form stood on, when it is one of ours."""
    url = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(url) if is_ours and url[0] == "/" else redirect("agents:muted")
