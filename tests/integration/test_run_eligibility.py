"""Who may not get mail gets none, loses nothing, and the reason is stored (A4)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.models import Outcome, ReportedCompany
from marketplace.models import Suspension, User
from notifications.models import Delivery, DispatchLimits, SpamReport, Suppression
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, fire_and_read, publish

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def inactive() -> User:
    return UserFactory(is_active=False)


def without_address() -> User:
    return UserFactory(email="")


def unverified() -> User:
    return UserFactory(is_verified=False)


def with_another_address_verified() -> User:
    user = UserFactory(is_verified=False)
    EmailAddress.objects.create(user=user, email="other@example.com", verified=True)
    return user


def with_somebody_else_verified_at_this_address() -> User:
    user = UserFactory(is_verified=False, email="shared@example.com")
    EmailAddress.objects.create(user=UserFactory(), email="shared@example.com", verified=True)
    return user


def suspended() -> User:
    user = UserFactory()
    Suspension.objects.create(user=user, reason="abuse")
    return user


def suspended_until_tomorrow() -> User:
    user = UserFactory()
    now = datetime.now(UTC)
    Suspension.objects.create(user=user, reason="abuse", starts_at=now - DAY, ends_at=now + DAY)
    return user


def reported_in_other_case() -> User:
    user = UserFactory(email="mixed.case@example.com")
    SpamReport.objects.create(email="Mixed.CASE@example.com")
    return user


def suppressed() -> User:
    user = UserFactory()
    Suppression.objects.create(email=user.email.upper())
    return user


@pytest.mark.parametrize(
    ("make_user", "reason"),
    [
        (inactive, "inactive"),
        (without_address, "no_address"),
        (unverified, "unverified"),
        (with_another_address_verified, "unverified"),
        (with_somebody_else_verified_at_this_address, "unverified"),
        (suspended, "suspended"),
        (suspended_until_tomorrow, "suspended"),
        (reported_in_other_case, "spam_reported"),
        (suppressed, "suppressed"),
    ],
)
def test_no_mail_and_the_reason_is_stored(make_user: Callable[[], User], reason: str) -> None:
    agent = AgentFactory(user=make_user())
    publish("A")
    run = fire()
    agent.refresh_from_db()
    assert (run.due, run.eligible, run.digests, run.deferred) == (1, 0, 0, 0)
    assert Delivery.objects.count() == 0
    assert ReportedCompany.objects.count() == 0
    assert (agent.last_outcome, agent.last_reason) == (Outcome.NOT_ELIGIBLE, reason)
    assert agent.next_run_at > datetime.now(UTC)


@pytest.mark.parametrize("offset", [(-3, -2), (1, 2)])
def test_a_suspension_that_is_over_or_has_not_begun_bars_nobody(offset: tuple[int, int]) -> None:
    agent = AgentFactory()
    now = datetime.now(UTC)
    Suspension.objects.create(
        user=agent.user, reason="x", starts_at=now + offset[0] * DAY, ends_at=now + offset[1] * DAY
    )
    publish("A")
    assert fire().digests == 1


def test_an_address_verified_in_other_letter_case_counts() -> None:
    user = UserFactory(is_verified=False, email="Ana@example.com")
    EmailAddress.objects.create(user=user, email="ana@example.com", verified=True)
    AgentFactory(user=user)
    publish("A")
    assert fire().digests == 1


def test_whoever_may_get_mail_again_gets_what_waited() -> None:
    agent = AgentFactory()
    suspension = Suspension.objects.create(user=agent.user, reason="x")
    publish("A")
    assert fire_and_read() == []
    suspension.delete()
    assert fire_and_read() == [["A"]]


def queries_of_a_run() -> int:
    with CaptureQueriesContext(connection) as queries:
        fire()
    return len(queries)


def test_a_run_asks_as_many_queries_for_1000_people_as_for_10() -> None:
    publish("A", "B")
    DispatchLimits.current()  # the first reader of all stores the defaults
    counts = []
    for people in (10, 1000):
        AgentFactory.create_batch(people)
        counts.append(queries_of_a_run())
    assert Delivery.objects.count() == 1010
    assert counts[0] == counts[1]
