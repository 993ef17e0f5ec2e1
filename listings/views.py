"""Public pages: the start, and one company."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from listings.enquiries import UnableToSendEnquiry, send_enquiry
from listings.models import Company, CompanyStatus
from listings.search import similar_to
from listings.seller_forms import EnquiryForm
from marketplace.methods import require_form, require_safe
from marketplace.people import signed_in

NEWEST_ON_HOME = 6


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What Marktlotse is, and what came last."""
    newest = Company.objects.published(timezone.now()).newest_first()
    companies = newest.select_related("industry", "region")[:NEWEST_ON_HOME]
    return render(request, "listings/home.html", {"companies": companies})


@require_safe
def company(request: HttpRequest, pk: int) -> HttpResponse:
    """One company: published for everybody, otherwise for its seller and staff."""
    return render(request, "listings/company.html", _context(request, _visible(request, pk)))


@require_form
@login_required
def write(request: HttpRequest, pk: int) -> HttpResponse:
    """Write to the seller of a published company; whoever had to sign in first comes by GET."""
    shown = _visible(request, pk)
    if not _is_published(shown):
        raise Http404
    form = EnquiryForm(request.POST) if request.method == "POST" else EnquiryForm()
    if form.is_valid():
        try:
            send_enquiry(shown, signed_in(request), form.cleaned_data["message"], timezone.now())
        except UnableToSendEnquiry as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Your message is on its way. The answer comes by mail."))
            return redirect("listings:company", pk)
    return render(request, "listings/company.html", _context(request, shown, form))


def _context(
    request: HttpRequest, company: Company, form: EnquiryForm | None = None
) -> dict[str, Any]:
    return {
        "company": company,
        "similar": similar_to(company, timezone.now()),
        "form": form or EnquiryForm(),
        "is_public": _is_published(company),
        "is_own": request.user.is_authenticated and company.seller_id == request.user.pk,
        "canonical_url": settings.SITE_URL + reverse("listings:company", args=[company.pk]),
    }


def _visible(request: HttpRequest, pk: int) -> Company:
    found = Company.objects.get_queryset().select_related(
        "industry__parent", "region__parent", "seller"
    )
    shown = found.filter(pk=pk).first()
    if shown is None or not _may_see(request, shown):
        raise Http404
    return shown


def _may_see(request: HttpRequest, company: Company) -> bool:
    if _is_published(company):
        return True
    user = request.user
    return user.is_authenticated and (user.is_staff or company.seller_id == user.pk)


def _is_published(company: Company) -> bool:
    is_published = company.status == CompanyStatus.PUBLISHED
    return is_published and bool(company.published_at) and company.published_at <= timezone.now()  # type: ignore[operator]
