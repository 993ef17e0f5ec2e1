"""Imprint, privacy and terms: the operator's own words, and a warning while there are none."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from marketplace.checks import check_operator
from marketplace.legal import TITLES

PAGES = tuple(TITLES)


@pytest.mark.django_db
@pytest.mark.parametrize("page", PAGES)
def test_every_page_links_to_each_page_which_says_that_it_is_to_come(
    client: Client, page: str
) -> None:
    html = client.get(f"/{page}/").content.decode()
    assert "still to come" in html
    for other in PAGES:
        assert f'href="/{other}/"' in html


@pytest.mark.django_db
def test_the_operators_text_shows_in_the_readers_language_as_text(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.OPERATOR_TEXTS_DIR = str(tmp_path)
    (tmp_path / "terms.de.txt").write_text(
        "# Vertrag\n\nZeile eins\nZeile zwei <b>\n\n\nEnde", "utf-8"
    )
    (tmp_path / "terms.en.txt").write_text("Our terms", "utf-8")
    client.cookies["django_language"] = "de"
    html = client.get("/terms/").content.decode()
    assert "<h2>Vertrag</h2>" in html
    assert "<p>Zeile eins<br>Zeile zwei &lt;b&gt;</p>" in html
    assert "<p>Ende</p>" in html
    client.cookies["django_language"] = "hr"
    html = client.get("/terms/").content.decode()
    assert '<div lang="en">' in html
    assert "Our terms" in html


@pytest.mark.django_db
def test_a_file_that_is_no_text_is_as_good_as_none(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.OPERATOR_TEXTS_DIR = str(tmp_path)
    (tmp_path / "privacy.en.txt").write_bytes(b"\xff\xfe\x00")
    assert "still to come" in client.get("/privacy/").content.decode()


def test_the_check_names_what_is_missing(settings: Settings, tmp_path: Path) -> None:
    settings.OPERATOR_ADDRESS, settings.OPERATOR_TEXTS_DIR = "", str(tmp_path)
    (tmp_path / "imprint.en.txt").write_text("We")
    first, second = check_operator()
    assert (first.id, second.id) == ("marketplace.W001", "marketplace.W002")
    assert second.hint is not None
    assert "imprint.de.txt, imprint.hr.txt, privacy.en.txt" in second.hint
    assert "imprint.en.txt" not in second.hint


def test_the_check_is_silent_when_all_is_said(settings: Settings, tmp_path: Path) -> None:
    settings.OPERATOR_ADDRESS, settings.OPERATOR_TEXTS_DIR = "Kai 1", str(tmp_path)
    for page in PAGES:
        for language in ("en", "de", "hr"):
            (tmp_path / f"{page}.{language}.txt").write_text("Text")
    assert check_operator() == []
