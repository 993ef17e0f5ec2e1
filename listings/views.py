"""Public pages: the start, the search, one company."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from listings.forms import CriteriaForm
from listings.models import Company, CompanyStatus
from listings.paging import Page, page_of

NEWEST_ON_HOME = 6


def home(request: HttpRequest) -> HttpResponse:
    """What Marktlotse is, and what came last."""
    newest = Company.objects.published(timezone.now()).newest_first()
    companies = newest.select_related("industry", "region")[:NEWEST_ON_HOME]
    return render(request, "listings/home.html", {"companies": companies})


def companies(request: HttpRequest) -> HttpResponse:
    """Search: the filters stand in the URL, errors at their fields."""
    form = CriteriaForm(request.GET)
    page = Page([], "", "")
    if form.is_valid():
        found = Company.objects.published(timezone.now()).filter(form.criteria.q())
        page = page_of(
            found.select_related("industry", "region"),
            after=request.GET.get("after", ""),
            before=request.GET.get("before", ""),
        )
    return render(request, "listings/companies.html", {"form": form, "page": page})


def company(request: HttpRequest, pk: int) -> HttpResponse:
    """One company: published for everybody, otherwise for its seller and staff."""
    found = Company.objects.get_queryset().select_related("industry__parent", "region__parent")
    shown = found.filter(pk=pk).first()
    if shown is None or not _may_see(request, shown):
        raise Http404
    return render(request, "listings/company.html", {"company": shown})


def _may_see(request: HttpRequest, company: Company) -> bool:
    is_published = company.status == CompanyStatus.PUBLISHED
    if is_published and company.published_at and company.published_at <= timezone.now():
        return True
    user = request.user
    return user.is_authenticated and (user.is_staff or company.seller_id == user.pk)
