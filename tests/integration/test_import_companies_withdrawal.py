"""Companies a feed no longer lists are withdrawn, if asked for and if it is no mistake."""

from datetime import timedelta

import pytest

from listings.models import Company
from tests.factories.feeds import HEADER, NOW, company, counts, fill_taxonomies, imported

LATER = NOW + timedelta(days=1)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _taxonomies(db: None) -> None:
    fill_taxonomies()


def feed(*external_ids: str) -> str:
    return HEADER + "".join(f"{one};Mill {one};C16;DE-BY;;;\n" for one in external_ids)


def open_ids(source: str = "agency") -> list[str]:
    """The ids of the source's companies that are not withdrawn."""
    companies = Company.objects.filter(source=source).exclude(status="withdrawn")
    return sorted(companies.values_list("external_id", flat=True))


def test_without_the_option_nothing_is_withdrawn() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("1"))
    assert open_ids() == ["1", "2", "3"]


def test_a_vanished_company_is_withdrawn_and_only_it() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("8", "9"), source="broker")
    untouched = Company.objects.exclude(external_id="2").order_by("pk").values()
    before = list(untouched)
    summary, _ = imported(feed("1", "3"), LATER, withdraw_missing=True)
    assert counts(summary) == {"rows": 2, "unchanged": 2, "withdrawn": 1}
    assert (company("2").status, company("2").updated_at) == ("withdrawn", LATER)
    assert list(untouched) == before


def test_withdrawing_again_withdraws_nothing_more() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("1", "3"), withdraw_missing=True)
    summary, _ = imported(feed("1", "3"), withdraw_missing=True)
    assert counts(summary) == {"rows": 2, "unchanged": 2}


def test_a_withdrawn_company_that_comes_back_is_published_and_news() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("1", "3"), withdraw_missing=True)
    summary, _ = imported(feed("1", "2", "3"), LATER, withdraw_missing=True)
    assert counts(summary) == {"rows": 3, "updated": 1, "unchanged": 2}
    back = company("2")
    assert (back.status, back.published_at, back.fresh_at) == ("published", LATER, LATER)


def test_a_row_that_merely_has_errors_has_not_vanished() -> None:
    imported(feed("1", "2", "3"))
    content = feed("1") + "2;Mill;C99;DE-XX;-5;x;y\n3;too;few\n"
    summary, _ = imported(content, withdraw_missing=True)
    assert counts(summary) == {"rows": 3, "unchanged": 1, "errors": 2}
    assert open_ids() == ["1", "2", "3"]


def test_a_row_without_an_id_stops_no_withdrawal() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("1", "2") + ";Nameless;C16;DE-BY;;;\n", withdraw_missing=True)
    assert open_ids() == ["1", "2"]


def test_more_than_half_is_refused_and_the_good_rows_are_in_all_the_same() -> None:
    imported(feed("1", "2", "3"))
    summary, _ = imported(feed("1", "4", "5", "6"), withdraw_missing=True)
    assert summary.withdrawal_refused == (
        "Nothing was withdrawn: the feed lacks 2 of the 3 companies of this source, more than "
        "half. If that is right, use --force."
    )
    assert not summary.is_complete
    assert open_ids() == ["1", "2", "3", "4", "5", "6"]


def test_exactly_half_is_not_more_than_half() -> None:
    imported(feed("1", "2"))
    assert imported(feed("1"), withdraw_missing=True)[0].withdrawn == 1


def test_a_broken_quote_may_hide_rows_so_nothing_is_withdrawn() -> None:
    imported(feed("1", "2", "3"))
    summary, _ = imported(feed("1") + '2;"open;C16;DE-BY;;;\n', withdraw_missing=True)
    assert "broken rows may have swallowed others" in summary.withdrawal_refused
    assert open_ids() == ["1", "2", "3"]


def test_force_withdraws_all_the_same() -> None:
    imported(feed("1", "2", "3"))
    imported(feed("1") + '9;"open;C16;DE-BY;;;\n', withdraw_missing=True, force=True)
    assert open_ids() == ["1"]
