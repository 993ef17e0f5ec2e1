"""`manage.py demo` as people run it: real worker, beat and web server on a database of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import redis
from django.conf import settings as django_settings

pytestmark = pytest.mark.serial

NAME = "demonstration_under_test"
SIZE = ("--people", "60", "--companies", "300")
KEYS = ["mails_sent", "listings_reported", "duplicates_prevented", "deferred"]
COMPANY_LINK = re.compile(r"/companies/(\d+)/")


@dataclass
class Place:
    """A database, an outbox and a folder for logs that nobody else uses."""

    folder: Path
    database: str

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    @property
    def environment(self) -> dict[str, str]:
        login = "{USER}:{PASSWORD}@{HOST}:{PORT}".format(**server())
        # What the tests themselves run with must not reach it.
        inherited = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
        return {
            **inherited,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "ENVIRONMENT": "development",
            "DATABASE_URL": f"postgres://{login}/{self.database}",
            "REDIS_URL": django_settings.REDIS_URL,
            "OUTBOX_DIR": str(self.outbox),
            "EMAIL_PROVIDER": "outbox",
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "manage.py", "demo", "--logs", str(self.folder / "logs")]
        return subprocess.Popen(
            [*command, *SIZE, *arguments],
            cwd=django_settings.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(connect(self.database)) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def shown(self) -> list[tuple[str, int]]:
        """Who was told of which company, out of the mails themselves."""
        pairs = []
        for path in self.outbox.glob("*/*.eml"):
            mail = message_from_bytes(path.read_bytes(), policy=policy.default)
            text = mail.get_body(("plain",))
            assert text is not None
            links = COMPANY_LINK.findall(text.get_content())
            pairs += [(str(mail["To"].addresses[0].addr_spec), int(link)) for link in links]
        return pairs

    def connections(self) -> int:
        """How many processes still use the database."""
        with closing(connect(server()["NAME"])) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [self.database]
            )
            return int(cursor.fetchone()[0])


def server() -> dict[str, Any]:
    """The configured server; its own database may not exist while tests run beside it."""
    configured = django_settings.DATABASES["default"]
    return {**configured, "NAME": "postgres"}


def connect(database: str) -> Any:
    at = server()
    connection = psycopg2.connect(
        host=at["HOST"],
        port=at["PORT"],
        user=at["USER"],
        password=at["PASSWORD"],
        dbname=database,
    )
    connection.autocommit = True
    return connection


def execute_on_server(sql: str) -> None:
    with closing(connect("postgres")) as connection, connection.cursor() as cursor:
        cursor.execute(sql)


def made_place(folder: Path, database: str) -> Iterator[Place]:
    execute_on_server(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
    execute_on_server(f"CREATE DATABASE {database}")
    broker = redis.Redis.from_url(django_settings.REDIS_URL)
    broker.flushdb()
    yield Place(folder, database)
    broker.flushdb()
    execute_on_server(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    yield from made_place(tmp_path_factory.mktemp("demo"), NAME)


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
    yield from made_place(tmp_path, f"{NAME}_stuck")


def test_it_gives_up_with_the_log_when_nothing_moves(place_without_outbox: Place) -> None:
    finished = place_without_outbox.run("--once", "--patience", "8")
    assert finished.returncode == 1
    assert "Nothing has moved for 8 s (tiers not planned: none; mails not sent: " in finished.stderr
    assert "worker.log" in finished.stderr
    assert not finished.stdout.rstrip().endswith("}")
    assert place_without_outbox.connections() == 0
