"""Alerts and dashboard under docs/ speak only of what /metrics really tells."""

import json
import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from agents.models import ReportRun
from notifications.limiter.server import server
from notifications.measures import HASH, REQUEST_TIME, SEND_TIME
from notifications.models import ProviderQuota
from operations import pulse
from operations.metrics import exposition

DOCS = Path(settings.BASE_DIR) / "docs"
ALERTS = DOCS / "monitoring" / "alerts.yml"
DASHBOARD = DOCS / "monitoring" / "grafana-dashboard.json"
RUNBOOK = DOCS / "runbook.md"
NAME = re.compile(r"\b(?:marktlotse|django)_[a-z_]+\b")
# The sections that docs/runbook.md promises.
ANCHORS = {
    "provider-down", "redis-down", "wrong-campaign-started", "complaint-wave",
    "restore-from-backup", "rotate-keys", "queue-lag", "beat-silent", "worker-stuck",
}  # fmt: skip


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text("utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(DASHBOARD.read_text("utf-8"))["panels"]
    return [panel for panel in found if panel["type"] != "row"]


def expressions() -> list[str]:
    queries = [target["expr"] for panel in panels() for target in panel["targets"]]
    return [rule["expr"] for rule in rules()] + queries


@pytest.fixture
def told(transactional_db: None, client: Client) -> dict[str, list[dict[str, str]]]:
    """Sample name → the label sets it comes with, where everything has happened once."""
    now = datetime.now(UTC)
    client.get("/healthz")
    server().delete(HASH)
    SEND_TIME.observe("digest", "email", time=timedelta(seconds=3))
    REQUEST_TIME.observe("outbox", "accepted", time=timedelta(milliseconds=3))
    ProviderQuota.of("outbox", per_day=100)
    ReportRun.objects.create(
        frequency="daily", occurrence=now, cutoff=now, started_at=now, finished_at=now
    )
    signs = pulse.WorkerSigns(
        name="celery@docs", machine="elsewhere", pid=1, written_at=now.timestamp(),
        queues=["mail"], places=1, busy=0, held=0, oldest_at=0, started_at=0, is_alone=False,
    )  # fmt: skip
    pulse.write_worker(pulse.server(), signs)
    text = exposition(now=timezone.now()).decode()
    pulse.forget_worker(pulse.server(), signs.key)
    samples: dict[str, list[dict[str, str]]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            samples.setdefault(sample.name, []).append(sample.labels)
    return samples


def test_every_name_and_label_is_told(told: dict[str, list[dict[str, str]]]) -> None:
    # `up` is Prometheus' own.
    for expression in set(expressions()) - {'up{job="marktlotse"} == 0'}:
        assert NAME.findall(expression), expression
        for name in NAME.findall(expression):
            assert name in told, f"{name} in {expression}"
        for name, selector in re.findall(r"(\w+)\{([^}]*)\}", expression):
            for label, value in re.findall(r'(\w+)="([^"]*)"', selector):
                values = {labels.get(label) for labels in told[name]}
                assert value in values, f"{name}{{{selector}}}"


def test_every_metric_of_ours_is_watched(told: dict[str, list[dict[str, str]]]) -> None:
    shown = {name for text in expressions() for name in NAME.findall(text)}
    ours = {name for name in told if name.startswith("marktlotse_")}
    unseen = {
        name for name in ours - shown
        if not name.endswith(("_created", "_sum", "_count", "_bucket"))
    }  # fmt: skip
    assert unseen == set()


def test_every_rule_says_how_bad_it_is_and_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(names) == len(set(names)) == 25
    for rule in rules():
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert {"summary", "description", "runbook"} <= rule["annotations"].keys()
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert page == "docs/runbook.md"
        assert anchor in anchors(), anchor


def anchors() -> set[str]:
    """The sections of the runbook as its addresses name them."""
    if not RUNBOOK.exists():
        return ANCHORS
    headings = re.findall(r"^#+ (.+)$", RUNBOOK.read_text("utf-8"), re.MULTILINE)
    ids = re.findall(r'<a (?:id|name)="([^"]+)"', RUNBOOK.read_text("utf-8"))
    slugs = {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in headings}
    return slugs | set(ids)


def test_brackets_and_braces_close() -> None:
    for expression in expressions():
        for opening, closing in ("()", "{}", "[]"):
            assert expression.count(opening) == expression.count(closing), expression


def test_the_dashboard_asks_the_chosen_source_and_its_panels_do_not_overlap() -> None:
    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    [variable] = dashboard["templating"]["list"]
    assert (variable["name"], variable["type"]) == ("datasource", "datasource")
    every = dashboard["panels"]
    assert len({panel["id"] for panel in every}) == len(every)
    for panel in panels():
        assert panel["datasource"]["uid"] == "${datasource}"
        assert panel["title"]
    places = sorted((p["gridPos"] for p in every), key=lambda place: (place["y"], place["x"]))
    for one, other in pairwise(places):
        assert one["x"] + one["w"] <= 24
        assert other["y"] > one["y"] or other["x"] >= one["x"] + one["w"]
