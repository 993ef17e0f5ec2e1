"""Which pages of the admin the benchmark asks for: every list in every way it can be asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from marketplace.models import User
from notifications.models import Delivery
from tests.benchmarks.timing import Ask

# A number, an address, a key, a provider's id, words, and something that fits nothing.
SEARCHES = (
    "4711",
    "person77@example.com",
    "nobody@example.com",
    "digest:500000",
    "9f1c2d34-0000-4000-8000-000000000000",
    "delivered-123456",
    "person 12",
    "brewery lake",
    "%",
)
# With the home's: the admin's charts, and both halves of the page for a wall.
BOARDS = ("/admin/", "/operations/", "/operations/figures/")
LINK = re.compile(r'href="(/admin/[^"]+(?:\?[^"]+|/change/))"')


def every_admin_page(client: Client) -> Iterator[tuple[str, Ask]]:
    """Every page by name, and how to ask for it; `client` is somebody with every right."""
    for path in BOARDS:
        yield path, _asking(client, path)
    for path in _links_of_boards(client):
        yield f"link {path}", _asking(client, path)
    person = User.objects.filter(deliveries__isnull=False).order_by("pk").first()
    assert person is not None
    yield "person's page", _asking(client, _page_of(person))
    sent = Delivery.objects.filter(events__kind="clicked").order_by("-pk").first()
    assert sent is not None
    yield "delivery's page", _asking(client, _page_of(sent))
    for model in admin.site._registry:
        yield from _list_in_every_way(client, model)


def _asking(client: Client, path: str) -> Ask:
    return lambda chance: client.get(path, follow=True)


def _links_of_boards(client: Client) -> list[str]:
    """Where the dashboard's numbers lead, each kind of list once."""
    links: dict[str, str] = {}
    for path in BOARDS:
        for link in LINK.findall(client.get(path).content.decode()):
            # Hours and days differ in their values alone: a first and a last one will do.
            shape = re.sub(r"=[^&;]*\d[^&;]*", "=", link)
            links.setdefault(f"{shape} first", unescape(link))
            links[f"{shape} last"] = unescape(link)
    return sorted(set(links.values()))


def _list_in_every_way(client: Client, model: type[Model]) -> Iterator[tuple[str, Ask]]:
    """First, second and last page, each filter, order and search, and the page of a row."""
    label = model._meta.label
    path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    yield label, _asking(client, path)
    answer: Any = client.get(path, follow=True)
    if shown := answer.context_data.get("cl"):
        for query in sorted(set(_queries(shown))):
            yield f"{label} {query}", _asking(client, path + query)
    if (row := model._default_manager.order_by("pk").last()) is not None:
        yield f"{label} row", _asking(client, _page_of(row))


def _queries(shown: ChangeList) -> Iterator[str]:
    last = shown.paginator.num_pages
    if last > 1:
        yield from ("?p=2", f"?p={last}", f"?p={last + 1}")
    for spec in shown.filter_specs:
        yield from (str(choice["query_string"]) for choice in spec.choices(shown))
    for number, column in enumerate(shown.list_display):
        if shown.sortable_by is None or column in shown.sortable_by:
            yield from (f"?o={number}", f"?o=-{number}")
    if shown.search_fields:
        yield from (f"?q={text}" for text in SEARCHES)


def _page_of(row: Model) -> str:
    options = row._meta
    return reverse(f"admin:{options.app_label}_{options.model_name}_change", args=[row.pk])
