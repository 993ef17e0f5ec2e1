"""`manage.py set_limits` shows every limit and changes some, checked and logged as in the admin."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from notifications.limit_facts import QUOTA_UNITS, UNITS
from notifications.models import DispatchLimits, LimitChange, ProviderQuota

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _providers(settings: Settings) -> None:
    settings.EMAIL_PROVIDER, settings.SMS_PROVIDER = "sendgrid", ""


def told(*arguments: str) -> str:
    out = StringIO()
    call_command("set_limits", *arguments, stdout=out)
    return out.getvalue()


def told_json(*arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(told("--json", *arguments))
    return answer


def cells(table: str) -> list[list[str]]:
    lines = [line.strip("│ ") for line in table.splitlines() if "│" in line]
    return [[cell.strip() for cell in line.split("│")] for line in lines]


def test_without_arguments_every_limit_is_shown_with_value_unit_and_bounds() -> None:
    rows = cells(told())
    assert ["max_mails_per_run", "5,000", "mails", "0 to 10,000,000", "never"] in rows
    assert ["per_second", "–", "messages a second", "1 or more; empty: no limit", "never"] in rows
    assert [row[0] for row in rows] == [*UNITS, *QUOTA_UNITS]


def test_json_tells_every_limit_of_all_or_of_one_provider() -> None:
    limits = told_json()["limits"]
    names = [(limit["provider"], limit["name"]) for limit in limits]
    assert names == [(None, n) for n in UNITS] + [("sendgrid", n) for n in QUOTA_UNITS]
    assert limits[0] == {
        "provider": None, "name": "max_mails_per_run", "value": 5000, "unit": "mails",
        "lowest": 0, "highest": 10_000_000, "changed_at": None, "changed_by": None,
    }  # fmt: skip
    assert [one["name"] for one in told_json("--provider", "sendgrid")["limits"]] == [*QUOTA_UNITS]


def test_several_limits_are_changed_at_once_and_logged() -> None:
    table = told("max_mails_per_run=500", "uncertain_policy=resend", "batch_size=100")
    assert cells(table) == [["max_mails_per_run", "5000", "500"],
                            ["uncertain_policy", "evidence", "resend"]]  # fmt: skip
    limits = DispatchLimits.current()
    assert (limits.max_mails_per_run, limits.uncertain_policy) == (500, "resend")
    changes = list(LimitChange.objects.order_by("pk"))
    assert [change.field for change in changes] == ["max_mails_per_run", "uncertain_policy"]
    assert all(change.by_command.startswith("set_limits (") for change in changes)
    last = told_json()["limits"][0]
    assert last["changed_at"] == changes[0].changed_at.isoformat()
    assert last["changed_by"] == changes[0].by_command
    assert told("max_mails_per_run=500").startswith("Nothing to change")


def test_a_providers_limit_is_set_and_lifted() -> None:
    changed = told_json("--provider", "sendgrid", "per_second=50")["changed"]
    assert changed == [{"provider": "sendgrid", "name": "per_second", "before": "", "after": "50"}]
    assert ProviderQuota.of("sendgrid").per_second == 50
    told("--provider", "sendgrid", "per_second=none")
    assert ProviderQuota.of("sendgrid").per_second is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["max_mails=5"], "There is no limit 'max_mails' here. Known: max_mails_per_run, "),
        (["installation=5"], "There is no limit 'installation' here."),
        (["max_mails_per_run"], "'max_mails_per_run' is not of the form NAME=VALUE."),
        (["batch_size=5", "batch_size=6"], "batch_size is named twice."),
        (["batch_size=0"], "batch_size: Ensure this value is greater than or equal to 1. (1 to"),
        (["batch_size=" + "9" * 40], "batch_size: Ensure this value is less than or equal to"),
        (["batch_size=many"], "batch_size: “many” value must be an integer. (1 to 1,000)"),
        (["batch_size="], "batch_size: “” value must be an integer."),
        (["uncertain_policy=hope"], "(one of: evidence, assume_sent, resend)"),
        (["--provider", "nobody"], "There is no provider 'nobody'. Known: sendgrid."),
        (["--provider", "nobody", "per_day=5"], "There is no provider 'nobody'."),
        (["--provider", "sendgrid", "paused_at=1"], "There is no limit 'paused_at' here."),
        (["--provider", "sendgrid", "per_day=0"], "per_day: Ensure this value is greater"),
        (
            ["--provider", "sendgrid", "per_second=9", "per_minute=8"],
            "A minute must allow at least as much as a second.",
        ),
    ],
)
def test_what_is_wrong_is_one_clear_line_and_nothing_changes(
    arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError) as problem:
        told("max_companies=3", *arguments) if "--provider" not in arguments else told(*arguments)
    assert message in str(problem.value)
    assert "\n" not in str(problem.value)
    assert DispatchLimits.current().max_companies == 10
    assert not LimitChange.objects.exists()
    assert not ProviderQuota.objects.filter(pk="nobody").exists()
