"""`manage.py demo` as people run it: real worker, beat and web server on a database of its own."""

import json
import re
import signal
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.demonstration import Place, made_place

pytestmark = pytest.mark.serial

KEYS = ["mails_sent", "listings_reported", "duplicates_prevented", "deferred"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from made_place(tmp_path_factory.mktemp("demo"))


@dataclass
class Shown:
    """A finished `--once`, and the state of things right after it."""

    finished: "subprocess.CompletedProcess[str]"
    figures: dict[str, int]
    shown: list[tuple[str, int]]
    mails: int
    connections: int


def once(place: Place) -> Shown:
    finished = place.run("--once")
    assert finished.returncode == 0, finished.stderr
    return Shown(
        finished,
        json.loads(finished.stdout.splitlines()[-1]),
        place.shown(),
        len(list(place.outbox.glob("*/*.eml"))),
        place.connections(),
    )


@pytest.fixture(scope="module")
def first(place: Place) -> Shown:
    return once(place)


@pytest.fixture(scope="module")
def second(place: Place, first: Shown) -> Shown:
    return once(place)


def test_the_last_line_says_what_really_was_sent(place: Place, first: Shown) -> None:
    assert list(first.figures) == KEYS
    assert first.figures["mails_sent"] == first.mails > 20
    assert first.figures["listings_reported"] == len(first.shown) > first.mails
    assert first.figures["duplicates_prevented"] > 0
    assert first.figures["deferred"] > 0


def test_all_four_tiers_were_fired_by_beat_and_their_schedule_is_as_before(
    place: Place, first: Shown
) -> None:
    tiers = place.query("SELECT DISTINCT frequency FROM agents_reportrun ORDER BY 1")
    assert tiers == [("daily",), ("hourly",), ("monthly",), ("weekly",)]
    beat_log = (place.folder / "logs" / "beat.log").read_text()
    for tier in ("hourly", "daily", "weekly", "monthly"):
        assert f"Demonstration: {tier} (agents.tasks.report_{tier})" in beat_log
    left = place.query(
        "SELECT count(*) FROM django_celery_beat_periodictask WHERE name LIKE 'Demonstration%'"
    )
    assert left == [(0,)]


def test_the_table_and_the_place_of_the_mails_are_shown(place: Place, first: Shown) -> None:
    out = first.finished.stdout
    assert re.search(rf"mails sent .* {first.figures['mails_sent']} │", out)
    assert re.search(rf"people deferred .* {first.figures['deferred']} │", out)
    assert str(place.outbox) in out.replace("\n", "")
    assert "weekly: " in first.finished.stderr
    assert "weekly: " not in out


def test_no_process_is_left_behind(first: Shown, second: Shown) -> None:
    assert (first.connections, second.connections) == (0, 0)


def test_a_second_time_nobody_is_told_anything_again(
    place: Place, first: Shown, second: Shown
) -> None:
    assert "nothing was added" in second.finished.stderr
    assert second.figures["mails_sent"] == second.mails - first.mails
    assert second.figures["listings_reported"] == len(second.shown) - len(first.shown)
    twice = [pair for pair, count in Counter(second.shown).items() if count > 1]
    assert twice == []
    listed = place.query(
        "SELECT u.email, r.company_id FROM agents_reportedcompany r "
        "JOIN marketplace_user u ON u.id = r.user_id WHERE r.is_listed"
    )
    assert sorted(listed) == sorted(second.shown)


def test_whoever_was_deferred_comes_first_the_next_time(
    place: Place, first: Shown, second: Shown
) -> None:
    assert second.figures["deferred"] == 0
    waiting = place.query("SELECT count(*) FROM agents_scheduledmailreport "
                          "WHERE last_outcome = 'deferred'")  # fmt: skip
    assert waiting == [(0,)]


def test_the_site_is_served_until_it_is_told_to_stop(place: Place, second: Shown) -> None:
    demo = place.start()
    try:
        site = site_of(demo)
        for path in ("/", "/outbox/", "/healthz", "/accounts/login/"):
            assert status_of(site + path) == 200
        refused = place.run("--once")
        assert refused.returncode == 1
        assert "Another demonstration is using this database." in refused.stderr
    finally:
        demo.send_signal(signal.SIGTERM)
        _, err = demo.communicate(timeout=60)
    assert demo.returncode == 0, err
    assert place.connections() == 0
    with pytest.raises(OSError, match="refused"):
        status_of(site)


def status_of(url: str) -> int:
    with urllib.request.urlopen(url, timeout=20) as response:  # noqa: S310 - the site under test
        return int(response.status)


def site_of(demo: "subprocess.Popen[str]") -> str:
    """The site's address, once the demonstration says that everything runs."""
    assert demo.stdout is not None
    lines: list[str] = []
    deadline = time.monotonic() + 200
    for line in demo.stdout:
        lines.append(line)
        assert time.monotonic() < deadline
        if "Ctrl-C stops everything" in line:
            break
    found = re.search(r"The site +(http://127\.0\.0\.1:\d+)/", "".join(lines))
    assert found, lines
    return found[1]


@pytest.fixture
def place_without_outbox(tmp_path: Path) -> Iterator[Place]:
    """A file lies where the outbox should be, so that no mail can be written."""
    (tmp_path / "outbox").write_text("in the way")
    yield from made_place(tmp_path, "demonstration_that_is_stuck")


def test_it_gives_up_with_the_log_when_nothing_moves(place_without_outbox: Place) -> None:
    finished = place_without_outbox.run("--once", "--patience", "8")
    assert finished.returncode == 1
    assert "Nothing has moved for 8 s (tiers not planned: none; mails not sent: " in finished.stderr
    assert "worker.log" in finished.stderr
    assert not finished.stdout.rstrip().endswith("}")
    assert place_without_outbox.connections() == 0
