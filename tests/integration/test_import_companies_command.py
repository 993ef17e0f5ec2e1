"""`manage.py import_companies` as an operator meets it."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from listings.models import Company
from tests.factories.feeds import HEADER, fill_taxonomies
from tests.factories.people import UserFactory

GOOD = "1;Mill;C16;DE-BY;500000;2026-11-01;published\n"
BAD = "=2;Bakery;=C99;DE-BY;-5;2026-11-01;published\n"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _taxonomies(db: None) -> None:
    fill_taxonomies()


@pytest.fixture
def feed(tmp_path: Path) -> Path:
    return tmp_path / "feed.csv"


def run(feed: Path, content: str, *options: str, **given: Any) -> int:
    """The exit code of the command."""
    feed.write_text(content, encoding="utf-8")
    try:
        call_command("import_companies", str(feed), *options, **given)
    except CommandError as error:
        print(f"refused: {error}")
        return error.returncode
    return 0


def test_a_good_feed_ends_with_0_and_a_table(
    feed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(feed, HEADER + GOOD, "--source", "agency") == 0
    told = capsys.readouterr()
    assert "agency: imported" in told.out
    assert "│ created                     │ 1 │" in told.out
    assert told.err == ""
    assert Company.objects.get().source == "agency"


def test_errors_end_with_1_and_stand_on_stderr_by_line_with_the_good_rows_in(
    feed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(feed, HEADER + BAD + GOOD) == 1
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        "line 2, column industry: “=C99” is no known industry",
        "line 2, column price: “-5” is negative or no single price",
    ]
    assert "refused: 1 of 2 rows have errors and stayed out." in told.out
    assert Company.objects.get().external_id == "1"


@pytest.mark.parametrize(
    ("content", "options", "reason"),
    [
        ("", [], "The file is empty."),
        (HEADER, [], "The feed has a header, but no rows."),
        ("id;title\n1;a\n", [], "The feed has no column for industry, region."),
        (HEADER + GOOD, ["--map", "Nichts=title"], "the feed has no column “Nichts”"),
        (HEADER + GOOD, ["--map", "title"], "write COLUMN=FIELD"),
        (HEADER + GOOD, ["--seller", "nobody@example.com"], "Nobody has the address"),
        (HEADER + GOOD, ["--time-zone", "Europe/Atlantis"], "no time zone Europe/Atlantis"),
        (HEADER + GOOD, ["--time-zone", "../../etc/passwd"], "no time zone"),
        (HEADER + GOOD, ["--encoding", "klingon"], "no text encoding called “klingon”"),
        (HEADER + GOOD, ["--delimiter", "xx"], "“xx” is no delimiter"),
        (HEADER + GOOD, ["--source", " "], "--source must have 1 to 50 characters"),
        (HEADER + GOOD, ["--errors", "/nowhere/errors.csv"], "No such file or directory"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_or_done_ends_with_2_and_a_reason(
    feed: Path, capsys: pytest.CaptureFixture[str], content: str, options: list[str], reason: str
) -> None:
    assert run(feed, content, *options) == 2
    assert reason in capsys.readouterr().out
    assert not Company.objects.exists()


def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file") as refusal:
        call_command("import_companies", str(tmp_path / "none.csv"))
    assert refusal.value.returncode == 2
    with pytest.raises(CommandError, match="Is a directory"):
        call_command("import_companies", str(tmp_path))


def test_the_summary_as_json(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(feed, HEADER + GOOD + BAD, "--json", "--dry-run") == 1
    summary = json.loads(capsys.readouterr().out.splitlines()[0])
    assert summary == {
        "source": "feed", "dry_run": True, "rows": 2, "created": 1, "updated": 0, "unchanged": 0,
        "scheduled": 0, "superseded": 0, "withdrawn": 0, "errors": 1, "notes": 0,
        "withdrawal_refused": "",
        "problems": [
            {"line": 3, "column": "industry", "message": "“=C99” is no known industry",
             "external_id": "=2", "is_note": False},
            {"line": 3, "column": "price", "message": "“-5” is negative or no single price",
             "external_id": "=2", "is_note": False},
        ],
    }  # fmt: skip
    assert not Company.objects.exists()


def test_all_problems_are_written_as_csv_that_no_spreadsheet_runs(
    feed: Path, tmp_path: Path
) -> None:
    errors = tmp_path / "errors.csv"
    content = HEADER.replace("price", "+price") + BAD + GOOD + GOOD
    run(feed, content, "--errors", str(errors), "--map", "+price=price")
    with errors.open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file)) == [
            ["line", "column", "kind", "message", "external id"],
            ["2", "industry", "error", "“=C99” is no known industry", "'=2"],
            ["2", "'+price", "error", "“-5” is negative or no single price", "'=2"],
            ["3", "id", "note", "“1” comes again in line 4; the last row counts", "1"],
        ]


def test_the_feed_is_never_overwritten_by_its_own_errors(feed: Path) -> None:
    assert run(feed, HEADER + BAD, "--errors", str(feed)) == 2
    assert feed.read_text() == HEADER + BAD


def test_a_thousand_errors_do_not_flood_the_terminal(
    feed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(feed, HEADER + "".join(f"{n};a;C99;DE;;;\n" for n in range(1000))) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 201
    assert lines[-1] == "… and 800 more; --errors FILE.csv writes them all."


def test_columns_seller_zone_encoding_and_delimiter_can_be_named(feed: Path) -> None:
    seller = UserFactory.create(email="seller@example.com")
    feed.write_bytes("Was|Nr|Branche|Region|Datum\nMühle|7|C10|DE-BY|2026-11-02 12:00\n".encode())
    call_command(
        "import_companies", str(feed), "--map", "Was=title", "--seller", "Seller@Example.com",
        "--time-zone", "America/New_York", "--encoding", "utf-8", "--delimiter", "|",
    )  # fmt: skip
    company = Company.objects.get()
    assert (company.title, company.seller_id) == ("Mühle", seller.pk)
    assert company.published_at is not None
    assert company.published_at.isoformat() == "2026-11-02T17:00:00+00:00"


def test_a_refused_withdrawal_ends_with_1(feed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(feed, HEADER + GOOD + "2;b;C16;DE;;;\n3;c;C16;DE;;;\n")
    assert run(feed, HEADER + GOOD, "--withdraw-missing") == 1
    assert "the feed lacks 2 of the 3 companies of this source" in capsys.readouterr().out
    assert run(feed, HEADER + GOOD, "--withdraw-missing", "--force") == 0
    assert Company.objects.filter(status="withdrawn").count() == 2
