"""The gate before a provider: quotas, pauses, the circuit breaker, and no Redis."""

from datetime import UTC, datetime, timedelta

import pytest
import redis
from pytest_django import Settings

from notifications.limiter import Admitted, NotYet, ProviderGate
from notifications.limiter.server import server
from notifications.models import Delivery, DispatchLimits, ProviderQuota
from notifications.providers.base import (
    Accepted,
    Permanent,
    Retryable,
    Throttled,
    Unavailable,
    Uncertain,
)
from tests.factories.deliveries import dispatching_delivery

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def limits() -> redis.Redis:
    """Where the limits live; the tests' own fixture forgets them before each test."""
    return server()


def forget(limits: redis.Redis) -> None:
    for key in limits.scan_iter("limit:*"):
        limits.delete(key)


def gate(provider: str = "smtp") -> ProviderGate:
    return ProviderGate(provider, lambda: NOW)


def admit(cost: int = 1, *, account: bool = False) -> Admitted | NotYet:
    return gate().admit(cost, is_account_mail=account)


def granted(cost: int = 1, *, account: bool = False) -> int:
    answer = admit(cost, account=account)
    return answer.granted if isinstance(answer, Admitted) else 0


def reason(answer: Admitted | NotYet | None) -> str:
    assert isinstance(answer, NotYet)
    return answer.reason


def with_quota(**windows: int) -> None:
    """A quota whose buckets are full: nothing has been sent for long."""
    ProviderQuota.objects.update_or_create(provider="smtp", defaults=windows)
    DispatchLimits.objects.update_or_create(pk=1, defaults={"account_share_percent": 0})
    for name in ("second", "minute", "day"):
        fill(name)


def fill(window: str, used: int = 0) -> None:
    """As if nothing, or so much, had been taken in this window just before."""
    bucket = f"limit:{{smtp}}:{window}"
    server().delete(bucket)
    server().hset(bucket, mapping={"used": used, "oldest": 0})


def test_without_a_quota_everything_is_admitted() -> None:
    assert granted(100_000) == 100_000


def test_a_quota_is_granted_once_a_window() -> None:
    with_quota(per_minute=100)
    assert [granted(60), granted(60), granted(60)] == [60, 40, 0]
    answer = admit()
    assert isinstance(answer, NotYet)
    assert timedelta(seconds=59) < answer.until - NOW <= timedelta(seconds=60.5)
    assert answer.reason == "The quota is used up."


def test_the_narrowest_window_decides_and_all_are_charged() -> None:
    with_quota(per_second=5, per_minute=8)
    assert granted(6) == 5
    fill("second")
    assert [granted(5), granted(1)] == [3, 0]


def test_a_cost_above_the_quota_makes_progress_in_parts_that_are_not_tiny() -> None:
    with_quota(per_second=80)
    assert granted(1000) == 80
    fill("second", used=71)
    assert granted(1000) == 0
    fill("second", used=70)
    assert granted(1000) == 10


def test_who_has_waited_takes_what_there_is() -> None:
    with_quota(per_second=80)
    one = gate()
    fill("second", used=78)
    assert isinstance(one.admit(1000, is_account_mail=False), NotYet)
    answer = one.admit(1000, is_account_mail=False)
    assert isinstance(answer, Admitted)
    assert answer.granted == 2


def test_a_quota_changed_by_an_operator_is_in_force_at_the_next_batch() -> None:
    with_quota(per_minute=10)
    assert granted(10) == 10
    ProviderQuota.objects.update(per_minute=15)
    assert [granted(10), granted(1)] == [5, 0]


def test_bulk_leaves_the_share_of_account_mails_free() -> None:
    with_quota(per_minute=20)
    DispatchLimits.objects.update(account_share_percent=10)
    assert [granted(100), granted(1)] == [18, 0]
    assert [granted(100, account=True), granted(1, account=True)] == [2, 0]


def test_a_quota_of_one_is_still_of_use_to_bulk() -> None:
    with_quota(per_minute=1)
    DispatchLimits.objects.update(account_share_percent=90)
    assert granted() == 1


def test_providers_do_not_share_a_quota() -> None:
    with_quota(per_minute=1)
    assert granted() == 1
    assert isinstance(gate("sendgrid").admit(1, is_account_mail=False), Admitted)


def test_scripts_that_redis_has_forgotten_are_loaded_again(limits: redis.Redis) -> None:
    with_quota(per_minute=3)
    limits.script_flush()
    assert granted(2) == 2


def test_after_a_loss_of_memory_the_buckets_are_empty_and_fill_slowly(
    limits: redis.Redis,
) -> None:
    with_quota(per_minute=600)
    forget(limits)
    answer = admit(600)
    assert isinstance(answer, NotYet)
    # Ten come back in a second.
    assert timedelta(seconds=0) < answer.until - NOW < timedelta(seconds=1)


def test_after_a_loss_of_memory_the_ledger_tells_what_the_day_has_used(
    limits: redis.Redis,
) -> None:
    with_quota(per_day=10)
    forget(limits)
    for number in range(4):
        dispatching_delivery(NOW, key=str(number), provider="smtp")
    Delivery.objects.filter(idempotency_key="0").update(dispatched_at=NOW - timedelta(days=2))
    assert [granted(10), granted(1)] == [7, 0]


@pytest.mark.parametrize(("seconds", "rests"), [(90, 90), (None, 60), (-5, 60), (200_000, 60)])
def test_a_throttled_provider_rests_for_all_workers(seconds: int | None, rests: int) -> None:
    until = NOW + timedelta(seconds=seconds) if seconds else None
    assert gate().report(Throttled("429", until)) == NOW + timedelta(seconds=rests)
    answer = admit(account=True)
    assert reason(answer) == "The provider has asked to wait." == reason(gate().resting())
    assert isinstance(answer, NotYet)
    assert timedelta(seconds=rests - 1) < answer.until - NOW <= timedelta(seconds=rests)


@pytest.mark.parametrize("failure", [Unavailable("refused"), Uncertain("timed out", True)])
def test_the_breaker_opens_after_failures_in_a_row(failure: Unavailable | Uncertain) -> None:
    DispatchLimits.objects.create(breaker_failures=3, breaker_pause_seconds=30)
    assert [gate().report(failure) for _ in range(2)] == [None, None]
    assert granted() == 1
    assert gate().report(failure) == NOW + timedelta(seconds=30)
    assert reason(admit()) == "The provider does not answer." == reason(gate().resting())


@pytest.mark.parametrize("answer", [Accepted(), Permanent("550"), Retryable("503")])
def test_any_answer_between_failures_starts_the_count_anew(
    answer: Accepted | Permanent | Retryable,
) -> None:
    DispatchLimits.objects.create(breaker_failures=2)
    for _ in range(3):
        gate().report(Unavailable("refused"))
        server().delete("limit:{smtp}:open")
        one = gate()
        one.admit(1, is_account_mail=False)
        one.report(answer)
    assert granted(5) == 5


def open_then_half_open() -> None:
    DispatchLimits.objects.create(breaker_failures=1)
    gate().report(Unavailable("refused"))
    server().delete("limit:{smtp}:open")  # as if its time were over


def test_after_its_rest_exactly_one_message_tries() -> None:
    open_then_half_open()
    assert granted(100) == 1
    answer = admit()
    assert reason(answer) == "The provider does not answer."
    assert isinstance(answer, NotYet)
    assert answer.until <= NOW + timedelta(seconds=1)


def test_the_try_that_succeeds_closes_the_breaker() -> None:
    open_then_half_open()
    one = gate()
    one.admit(1, is_account_mail=False)
    one.report(Accepted())
    assert granted(100) == 100


def test_the_try_that_fails_opens_it_again() -> None:
    open_then_half_open()
    one = gate()
    one.admit(1, is_account_mail=False)
    one.report(Unavailable("refused"))
    assert reason(gate().resting()) == "The provider does not answer."


def test_a_try_that_was_not_used_is_left_to_another() -> None:
    open_then_half_open()
    one = gate()
    one.admit(1, is_account_mail=False)
    one.was_not_used()
    assert granted() == 1


def test_a_refused_account_pauses_until_an_operator_resumes() -> None:
    gate().report(Unavailable("401 Unauthorized", is_auth=True))
    quota = ProviderQuota.objects.get(provider="smtp")
    assert quota.paused_at == NOW
    assert quota.pause_reason == (
        "The provider refuses our key, account or sender: 401 Unauthorized"
    )
    for answer in (admit(account=True), gate().resting()):
        assert reason(answer) == quota.pause_reason
    ProviderQuota.objects.update(paused_at=None, pause_reason="")
    assert granted() == 1


def test_the_first_reason_of_a_pause_stays() -> None:
    for code in ("401", "403"):
        gate().report(Unavailable(code, is_auth=True))
    assert ProviderQuota.objects.get(provider="smtp").pause_reason.endswith(": 401")


def test_without_redis_nothing_is_admitted_and_nothing_raises(settings: Settings) -> None:
    settings.REDIS_URL = AWAY
    assert reason(admit()) == "Redis is away." == reason(gate().resting())
    gate().report(Throttled("429"))
    gate().report(Unavailable("refused"))
    gate().was_not_used()
