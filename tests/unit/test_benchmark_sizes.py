"""What the benchmark of the tiers says of sizes that make no marketplace."""

import sys

import pytest

from tests.benchmarks import reports


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
