"""A whole PostgreSQL is killed or stopped while two workers send, and starts again later.

While it is away nothing is sent and no attempt is counted; afterwards everybody has one mail.
"""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.mail import EmailMessage
from django.db import Error, connection
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from config.celery import app
from notifications.email_backend import LedgerEmailBackend
from notifications.models import Delivery, ProviderQuota
from notifications.sweep import sweep
from tests import outages
from tests.limits import set_limits
from tests.outages import OwnRedis, wait_until
from tests.own_postgres import OwnPostgres, own_postgres
from tests.providers.sendgrid_simulator import SendGridSimulator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]
PEOPLE = 400
PER_SECOND = 60
WORKERS = 2
EVERYBODY = {f"person{number}@example.com": 1 for number in range(PEOPLE)}


@pytest.fixture
def own_redis(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    """Workers that find no database take nobody else's tasks."""
    redis = OwnRedis()
    redis.start()
    # In this order: what is kept to be put back afterwards must be the other tests' address.
    monkeypatch.setattr(app.conf, "broker_write_url", redis.url)
    settings.REDIS_URL = settings.CELERY_BROKER_URL = redis.url
    yield redis
    redis.kill()


@pytest.fixture
def postgres(transactional_db: None, own_redis: OwnRedis) -> Iterator[OwnPostgres]:
    with own_postgres() as server:
        set_limits(
            account_share_percent=0, batch_size=30, backoff_base_seconds=1,
            backoff_cap_seconds=1, requeue_after_seconds=5,
        )  # fmt: skip
        ProviderQuota.objects.create(provider="sendgrid", per_second=PER_SECOND)
        mails = [EmailMessage(f"Mail to {to}", "Text", "post@marktlotse.example", [to])
                 for to in EVERYBODY]  # fmt: skip
        LedgerEmailBackend().send_messages(mails)
        yield server


def sweep_until_all_are_sent() -> None:
    """As beat would; connections that died with the server are noticed and made anew."""

    def swept() -> bool:
        with suppress(Error):
            sweep(now=timezone.now())
            return not Delivery.objects.open().exists()
        connection.close()
        return False

    wait_until(swept, seconds=90, pause=0.5)


def let_leases_expire() -> None:
    """As if the time of the leases, and of the queue's memory, had passed."""
    leased = Delivery.objects.filter(lease_expires_at__isnull=False)
    leased.update(lease_expires_at=F("lease_expires_at") - timedelta(days=1))
    Delivery.objects.filter(state="pending").update(enqueued_at=None)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT], ids=["killed", "stopped"])
def test_the_server_goes_away_in_the_middle_and_comes_back(
    postgres: OwnPostgres, ending: signal.Signals, tmp_path: Path
) -> None:
    with SendGridSimulator() as sendgrid, ExitStack() as workers:
        environment = {
            "EMAIL_PROVIDER": "sendgrid", "SENDGRID_API_KEY": "SG.made-up",
            "SENDGRID_API_HOST": sendgrid.url,
        }  # fmt: skip
        for number in range(WORKERS):
            workers.enter_context(outages.worker(tmp_path / f"{number}.log", environment))
        wait_until(lambda: len(sendgrid.accepted_by_address) >= PEOPLE // 5)
        connection.close()
        postgres.end(ending)
        time.sleep(0.5)  # a request may be under way
        before = len(sendgrid.accepted_by_address)
        time.sleep(4)
        assert PEOPLE // 5 <= len(sendgrid.accepted_by_address) == before < PEOPLE
        postgres.start()
        let_leases_expire()
        assert not Delivery.objects.filter(state="pending", attempts__gt=0).exists()
        sweep_until_all_are_sent()
    assert dict(sendgrid.accepted_by_address) == EVERYBODY
    assert Counter(Delivery.objects.values_list("state", "attempts")) == {("sent", 1): PEOPLE}
