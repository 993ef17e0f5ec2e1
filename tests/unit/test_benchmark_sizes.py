"""What the benchmark of the tiers says of sizes that make no marketplace."""

import random
import sys
from collections import Counter
from typing import Any

import pytest

from tests.benchmarks import admin, pages, reports, vocabulary


@pytest.mark.parametrize("option", ["--users", "--agents", "--companies", "--naive-sample"])
@pytest.mark.parametrize("size", ["0", "-1", "many"])
def test_a_size_below_one_is_refused_by_name(
    option: str, size: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["reports", f"{option}={size}"])
    with pytest.raises(SystemExit) as refused:
        reports.main()
    assert refused.value.code == 2
    assert f"argument {option}: must be a whole number, at least 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("benchmark", "option"),
    [(pages, option) for option in ("--companies", "--agents", "--requests")]
    + [(admin, option) for option in ("--deliveries", "--users", "--companies", "--requests")],
)
def test_so_is_one_for_the_pages(
    benchmark: Any,
    option: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["benchmark", f"{option}=0"])
    with pytest.raises(SystemExit) as refused:
        benchmark.main()
    assert refused.value.code == 2
    assert f"argument {option}: must be a whole number, at least 1" in capsys.readouterr().err


def test_the_vocabulary_is_thousands_of_words_few_of_them_common() -> None:
    known = vocabulary.words()
    assert len(set(known)) == vocabulary.SIZE == 6_000
    assert known == vocabulary.words()
    drawn = Counter(vocabulary.Zipf(known).draw(random.Random(1), 20_000))
    assert drawn[known[0]] > 10 * drawn[known[500]] > 0
