"""The search page: whole without script, in parts for htmx."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django_htmx.http import push_url, replace_url, retarget

from listings.forms import SearchForm
from listings.ordering import ORDERS, Order, order_called
from listings.search import Found, find
from listings.search_filters import FilterLink, active_filters, kept_query, narrower
from marketplace.methods import require_safe

# What htmx asks for, and the template that is just that.
PARTS = {"results": "listings/results.html", "search": "listings/search.html"}
WHOLE = "listings/companies.html"


@require_safe
def companies(request: HttpRequest) -> HttpResponse:
    """Search: the filters stand in the URL, errors at their fields."""
    form, order = SearchForm(request.GET), order_called(request.GET.get("sort", ""))
    context: dict[str, Any] = {"form": form, "order": order}
    if form.is_valid():
        found = find(
            form.criteria,
            order,
            timezone.now(),
            after=request.GET.get("after", ""),
            before=request.GET.get("before", ""),
        )
        context |= _results(request, form, order, found)
    return _answer(request, context)


def _results(request: HttpRequest, form: SearchForm, order: Order, found: Found) -> dict[str, Any]:
    params = request.GET
    return {
        "found": found,
        "page": found.page,
        "search_query": kept_query(params),
        "active": active_filters(form, params),
        "sorts": [
            (choice, FilterLink(str(choice.label), kept_query(params, sort=[choice.key])))
            for choice in ORDERS.values()
        ],
        "narrower_industries": narrower(form, params, "industries", found.industries),
        "narrower_regions": narrower(form, params, "regions", found.regions),
    }


def _answer(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    """The page, or the part that is to be replaced; with errors always the part with the form."""
    htmx = request.htmx  # type: ignore[attr-defined]
    part = PARTS.get(htmx.target or "") if htmx and not htmx.history_restore_request else None
    if part and context["form"].errors:
        part = PARTS["search"]
    response = render(request, part or WHOLE, context)
    patch_vary_headers(response, ["HX-Request", "HX-Target"])
    if part:
        _name_the_url(request, response)
        if part == PARTS["search"]:
            retarget(response, "#search")
    return response


def _name_the_url(request: HttpRequest, response: HttpResponse) -> None:
    """The address bar shows the search; each pause while typing is no page of the history."""
    htmx = request.htmx  # type: ignore[attr-defined]
    cursors = {name: request.GET[name] for name in ("after", "before") if request.GET.get(name)}
    query = "&".join(filter(None, [kept_query(request.GET), urlencode(cursors)]))
    url = reverse("listings:companies") + (f"?{query}" if query else "")
    if htmx.trigger_name == "keywords" or htmx.current_url_abs_path == url:
        replace_url(response, url)
    else:
        push_url(response, url)
