"""What sellers see: their companies, and what they can do with them. Own ones only."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from listings.models import Company
from listings.publishing import (
    UnableToAddCompany,
    change_company,
    companies_of,
    draft_company,
    publish_company,
    withdraw_company,
)
from listings.seller_forms import OfferForm
from marketplace.methods import require_form, require_POST, require_safe
from marketplace.people import signed_in

OFFERS_A_PAGE = 50


@require_safe
@login_required
def mine(request: HttpRequest) -> HttpResponse:
    """My companies, each with its state."""
    own = companies_of(signed_in(request)).select_related("industry", "region")
    page = Paginator(own, OFFERS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "listings/mine.html", {"page": page})


@require_form
@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Enter a company: saved as a draft, or published at once."""
    form = OfferForm(_sent(request))
    if request.method == "POST" and form.is_valid():
        try:
            company = draft_company(signed_in(request), form.values, timezone.now())
        except UnableToAddCompany as error:
            form.add_error(None, str(error))
        else:
            return _saved(request, company)
    return render(request, "listings/offer_form.html", {"form": form})


@require_form
@login_required
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change a company of mine; one of a feed says why not."""
    company = get_object_or_404(companies_of(signed_in(request)), pk=pk)
    if company.source:
        return render(request, "listings/offer_of_feed.html", {"company": company}, status=403)
    form = OfferForm(_sent(request), instance=company)
    if request.method == "POST" and form.is_valid():
        return _saved(request, change_company(signed_in(request), pk, form.values))
    return render(request, "listings/offer_form.html", {"form": form, "company": company})


@require_POST
@login_required
def publish(request: HttpRequest, pk: int) -> HttpResponse:
    """Offer a company of mine; sent twice it does nothing more."""
    company = _found(publish_company(signed_in(request), pk))
    messages.success(request, _("“%(title)s” is published.") % {"title": company.title})
    return redirect("listings:mine")


@require_POST
@login_required
def withdraw(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a company of mine off the market; sent twice it does nothing more."""
    company = _found(withdraw_company(signed_in(request), pk))
    text = _("“%(title)s” is withdrawn: only you see its page now.")
    messages.success(request, text % {"title": company.title})
    return redirect("listings:mine")


def _sent(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _saved(request: HttpRequest, company: Company | None) -> HttpResponse:
    """To the company's page, which is its preview; by the button for it, published."""
    company = _found(company)
    if request.POST.get("publish") == "1":
        return publish(request, company.pk)
    messages.success(request, _("“%(title)s” is saved.") % {"title": company.title})
    return redirect("listings:company", company.pk)


def _found(company: Company | None) -> Company:
    if company is None:
        raise Http404
    return company
