"""What `doctor` says of pauses, of what was left behind, of a broken check, and how it prints."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from django_celery_beat.models import PeriodicTask
from pytest_django import Settings

from notifications.limiter import breaker
from notifications.models import Delivery, ProviderQuota
from operations.checks import Check, run_checks
from tests.factories.deliveries import claimed_delivery

pytestmark = pytest.mark.django_db


def look(name: str) -> Check:
    [check] = run_checks(now=timezone.now(), only=[name])
    return check


def pending(kind: str, key: str, **fields: object) -> None:
    Delivery.objects.create(
        idempotency_key=f"{kind}:{key}", kind=kind, address="one@example.com", **fields
    )


def test_a_provider_that_an_operator_or_a_refusal_paused() -> None:
    assert look("pauses") == Check("pauses", True, "No provider in use is paused.", "")
    ProviderQuota.objects.create(provider="sendgrid", paused_at=timezone.now())
    assert look("pauses").ok
    at = timezone.now()
    ProviderQuota.objects.create(provider="outbox", paused_at=at, pause_reason="Wrong key")
    check = look("pauses")
    since = timezone.localtime(at).strftime("%Y-%m-%d %H:%M")
    assert check.message == f"outbox is paused since {since}: Wrong key"
    assert check.remedy.endswith("resume it in the admin, under Provider quotas.")


def test_a_provider_that_asks_to_wait_and_one_that_does_not_answer() -> None:
    breaker.pause("outbox", timedelta(seconds=30))
    assert look("pauses").message == "outbox has asked to wait; it is asked again in 30 seconds."
    breaker.pause("outbox", timedelta(milliseconds=1))
    breaker.count_failure("outbox", 1, timedelta(seconds=40))
    assert look("pauses").message == "outbox did not answer; it is tried again in 40 seconds."


def test_a_sweep_that_is_switched_off() -> None:
    assert look("sweep").ok
    PeriodicTask.objects.filter(task="notifications.tasks.sweep").update(enabled=False)
    check = look("sweep")
    assert check.message == "The sweep is not in beat's schedule, or is switched off."
    assert "Sweep open deliveries" in check.remedy


def test_what_lost_workers_held_and_nobody_took_up() -> None:
    now = timezone.now()
    for minutes in (4, 6, 7):
        # The lease is for five minutes.
        claimed_delivery(now - timedelta(minutes=minutes + 5), key=str(minutes))
    assert look("sweep").message == (
        "2 deliveries that lost workers held have not been taken up again."
    )


def test_an_account_mail_that_waits_for_long() -> None:
    due = timezone.now() - timedelta(minutes=7, seconds=5)
    pending("account", "one", next_attempt_at=due)
    assert look("sweep").message == "An account mail has been waiting for 7 minutes."


def test_a_check_that_breaks_is_a_failed_check(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SITE_URL = "http://[broken"
    check = look("site")
    assert not check.ok
    assert check.message.startswith("This could not be checked: ValueError: ")
    assert "UnableToCheck: site" in caplog.text


def test_tables_that_are_not_there_yet() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE notifications_providerquota RENAME TO gone")
    check = look("pauses")
    assert check.message == "The tables are not those of this code, so this could not be checked."
    assert check.remedy == "First mend what the check “migrations” says."


def test_only_some_checks_as_json_and_as_lines(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = []
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("doctor", "--only", "site,sender", "--json", stdout=out)
    assert ended.value.code == 1
    assert json.loads(out.getvalue()) == {
        "checks": [
            {
                "name": "sender",
                "ok": True,
                "message": "Mails come from post@marktlotse.example.",
                "remedy": "",
            },
            {
                "name": "site",
                "ok": False,
                "message": "ALLOWED_HOSTS lacks testserver, the host of SITE_URL.",
                "remedy": "Set SITE_URL to the address at which people reach the site, such as "
                "https://…",
            },
        ]
    }
    out = StringIO()
    call_command("doctor", "--only", "sender", stdout=out)
    assert out.getvalue() == ("✓ sender  Mails come from post@marktlotse.example.\nAll is well.\n")


def test_a_check_that_nobody_knows_is_refused() -> None:
    with pytest.raises(CommandError, match="there is no check wrokers; the checks are database, "):
        call_command("doctor", "--only", "wrokers")
