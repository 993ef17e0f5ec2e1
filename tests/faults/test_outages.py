"""Redis, PostgreSQL and the provider go away in the middle of the sending, and come back.

While one is away nothing is sent and no attempt is counted; afterwards everybody has one mail.
"""

import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMessage
from django.db import connection
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from config.celery import app
from notifications.email_backend import LedgerEmailBackend
from notifications.models import Delivery, ProviderQuota
from notifications.outbox_files import newest
from notifications.sweep import sweep
from tests import outages
from tests.limits import set_limits
from tests.outages import Line, OwnRedis, wait_until
from tests.providers.sendgrid_simulator import SendGridSimulator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]
PEOPLE = 150
PER_SECOND = 40


@pytest.fixture(autouse=True)
def own_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    """Limits, marks and queues of this test live in a Redis that it may kill."""
    redis = OwnRedis()
    redis.start()
    # In this order: what is kept to be put back afterwards must be the other tests' address.
    monkeypatch.setattr(app.conf, "broker_write_url", redis.url)
    settings.REDIS_URL = settings.CELERY_BROKER_URL = redis.url
    yield redis
    redis.kill()


@pytest.fixture(autouse=True)
def _mails_at_a_gentle_pace(own_redis: OwnRedis) -> None:
    set_limits(
        account_share_percent=0, batch_size=30, backoff_base_seconds=1, backoff_cap_seconds=1,
        breaker_failures=2, breaker_pause_seconds=1, requeue_after_seconds=5,
    )  # fmt: skip
    for provider in ("outbox", "sendgrid"):
        ProviderQuota.objects.create(provider=provider, per_second=PER_SECOND)
    mails = [
        django_mail(f"person{number}@example.com", f"Mail {number}") for number in range(PEOPLE)
    ]
    LedgerEmailBackend().send_messages(mails)


def django_mail(address: str, subject: str) -> EmailMessage:
    return EmailMessage(subject, "Text", "post@marktlotse.example", [address])


def sent() -> int:
    return Delivery.objects.filter(state="sent").count()


def has_sent(at_least: int) -> bool:
    return sent() >= at_least


def sweep_until_all_are_sent(seconds: float = 90) -> None:
    """As beat would."""

    def swept() -> bool:
        sweep(now=timezone.now())
        return not Delivery.objects.open().exists()

    wait_until(swept, seconds, pause=0.5)


def keep_sweeping(seconds: float) -> None:
    deadline = time.monotonic() + seconds
    wait_until(lambda: bool(sweep(now=timezone.now())) and time.monotonic() > deadline, pause=0.2)


def received() -> list[str]:
    return sorted(mail.to for mail in newest(before=None, recipient="", limit=PEOPLE * 2).mails)


EVERYBODY = sorted(f"person{number}@example.com" for number in range(PEOPLE))


def states() -> dict[str, int]:
    return dict(Counter(Delivery.objects.values_list("state", flat=True)))


def test_redis_is_killed_in_the_middle_and_comes_back_with_no_memory(
    own_redis: OwnRedis, tmp_path: Path
) -> None:
    with outages.worker(tmp_path / "worker.log", {}):
        wait_until(lambda: has_sent(PEOPLE // 5))
        own_redis.kill()
        time.sleep(1)
        before = (sent(), len(received()))
        time.sleep(3)
        assert (sent(), len(received())) == before
        assert before[0] == before[1] < PEOPLE
        unsent = Delivery.objects.exclude(state="sent")
        assert set(unsent.values_list("state", "attempts", "lease_token")) == {("pending", 0, None)}
        own_redis.start()
        sweep_until_all_are_sent()
    assert received() == EVERYBODY
    assert set(Delivery.objects.values_list("state", "attempts")) == {("sent", 1)}


def test_postgresql_is_cut_off_in_the_middle_and_comes_back(tmp_path: Path) -> None:
    database = connection.settings_dict
    line = Line(str(database["HOST"]), int(database["PORT"] or 5432))
    line.mend()
    login = f"{database['USER']}:{database['PASSWORD']}"
    url = f"postgres://{login}@127.0.0.1:{line.port}/{database['NAME']}"
    with outages.worker(tmp_path / "worker.log", {"DATABASE_URL": url}):
        wait_until(lambda: has_sent(PEOPLE // 5))
        line.cut()
        time.sleep(0.5)
        before = (sent(), len(received()))
        time.sleep(3)
        assert (sent(), len(received())) == before
        # At most one was handed over whose record was on its way.
        assert 0 <= before[1] - before[0] <= 1
        assert set(Delivery.objects.filter(state="claimed").values_list("attempts")) <= {(0,)}
        line.mend()
        let_leases_expire()
        sweep_until_all_are_sent()
    line.cut()
    assert received() == EVERYBODY
    attempts = Counter(Delivery.objects.values_list("state", "attempts"))
    assert attempts[("sent", 1)] >= PEOPLE - 1
    assert sum(attempts.values()) == PEOPLE == attempts[("sent", 1)] + attempts[("sent", 2)]


def let_leases_expire() -> None:
    """As if the time of the leases, and of the queue's memory, had passed."""
    leased = Delivery.objects.filter(lease_expires_at__isnull=False)
    leased.update(lease_expires_at=F("lease_expires_at") - timedelta(days=1))
    Delivery.objects.filter(state="pending").update(enqueued_at=None)


def test_the_provider_goes_down_in_the_middle_and_comes_back(tmp_path: Path) -> None:
    with SendGridSimulator() as sendgrid:
        environment = {
            "EMAIL_PROVIDER": "sendgrid", "SENDGRID_API_KEY": "SG.made-up",
            "SENDGRID_API_HOST": sendgrid.url,
        }  # fmt: skip
        with outages.worker(tmp_path / "worker.log", environment):
            wait_until(lambda: has_sent(PEOPLE // 5))
            sendgrid.stop()
            time.sleep(0.5)
            before, in_doubt = sent(), states().get("uncertain", 0)
            keep_sweeping(seconds=3)
            assert sent() == before
            # A request that was under way when the line was cut.
            assert in_doubt == states().get("uncertain", 0) <= 1
            waiting = Delivery.objects.filter(state="pending")
            assert set(waiting.values_list("attempts", flat=True)) == {0}
            sendgrid.start()
            sweep_until_all_are_sent()
    assert states().get("sent") == PEOPLE - in_doubt
    assert set(Delivery.objects.values_list("attempts", flat=True)) == {1}
    assert set(sendgrid.accepted_by_address.values()) == {1}
    assert len(sendgrid.accepted_by_address) >= PEOPLE - in_doubt
