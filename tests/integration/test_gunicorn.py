"""The site behind gunicorn: what its log tells, and counts of all its processes in one."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings

from listings.keywords import MAX_KEYWORDS_LENGTH
from listings.taxonomy import industries, regions
from tests import own_processes
from tests.outages import free_port, wait_until

TOKEN = "a-token-for-tests"
SECRET = "Hm1Lvq75_abcdefghijklmnopqrstuvwxyz"
REQUESTS = 30


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "gunicorn.log"


@pytest.fixture
def site(log: Path, transactional_db: None) -> Iterator[str]:
    """The address of gunicorn with two processes, started as the image starts it."""
    port = free_port()
    variables = {
        **own_processes.environment(),
        "BIND": f"127.0.0.1:{port}",
        "LOG_JSON": "true",
        "METRICS_TOKEN": TOKEN,
    }
    command = [sys.executable, "-m", "gunicorn", "--config", "config/gunicorn.py"]
    with log.open("wb") as file:
        process = subprocess.Popen(
            [*command, "config.wsgi:application"],
            env=variables, cwd=settings.BASE_DIR, stdout=file, stderr=file,
        )  # fmt: skip
        try:
            wait_until(lambda: is_up(f"http://127.0.0.1:{port}/healthz"))
            yield f"http://127.0.0.1:{port}"
        finally:
            os.kill(process.pid, signal.SIGTERM)
            process.wait(30)


def is_up(address: str) -> bool:
    try:
        return status(address) == 200
    except OSError:
        return False


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=10) as response:  # noqa: S310
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


def metrics(site: str) -> str:
    request = urllib.request.Request(  # noqa: S310
        f"{site}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    with urllib.request.urlopen(request, timeout=20) as response:  # noqa: S310
        return str(response.read().decode())


def not_found(site: str) -> float:
    name = 'django_http_responses_total_by_status_total{status="404"} '
    lines = [line for line in metrics(site).splitlines() if line.startswith(name)]
    return float(lines[0].removeprefix(name)) if lines else 0.0


def test_two_processes_count_together(site: str, log: Path) -> None:
    before = not_found(site)
    for _number in range(REQUESTS):
        assert status(f"{site}/no-such-page/") == 404
    assert {not_found(site) for _number in range(8)} == {before + REQUESTS}
    assert log.read_text("utf-8").count("Booting worker") == 2


def test_neither_tokens_nor_queries_nor_visitors_stand_in_the_log(site: str, log: Path) -> None:
    status(f"{site}/mail/unsubscribe/{SECRET}/all/?address=ana@example.com")
    status(f"{site}/companies/?q=Geheimwort")
    wait_until(lambda: b"/companies/" in log.read_bytes())
    text = log.read_text("utf-8")
    lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    for words in (SECRET, "ana@", "Geheimwort", TOKEN, "Python-urllib"):
        assert words not in text
    told = [line["message"] for line in lines if line["logger"] == "gunicorn.access"]
    [unsubscribing] = [line for line in told if "unsubscribe" in line]
    assert unsubscribing.startswith("GET /mail/unsubscribe/Hm1Lvq…/all/ 404 ")
    [search] = [line for line in told if "/companies/" in line]
    assert search.startswith("GET /companies/ 200 ")


def test_the_longest_search_that_the_form_can_make_is_answered(site: str) -> None:
    search = [
        ("keywords", "\U0001d538" * MAX_KEYWORDS_LENGTH),
        *(("industries", node.code) for node in industries()),
        *(("regions", node.code) for node in regions()),
        ("price_min", "1.000.000.000,00"), ("price_max", "999.999.999.999,99"),
        ("priced_only", "on"), ("sort", "price_down"),
    ]  # fmt: skip
    address = f"/companies/?{urlencode(search)}"
    assert len(address) > 4094
    assert status(site + address) == 200
