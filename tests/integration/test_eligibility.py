"""Who may get mail, why not, and that it costs one query however many people are asked."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from allauth.account.models import EmailAddress
from django.db import connection
from django.test.utils import CaptureQueriesContext

from marketplace.models import Suspension, User
from notifications.eligibility import eligible, ineligibility_of
from notifications.models import Reason, SpamReport, Suppression
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def suspend(person: User, starts: timedelta, ends: timedelta | None) -> None:
    ends_at = None if ends is None else NOW + ends
    Suspension.objects.create(user=person, reason="x", starts_at=NOW + starts, ends_at=ends_at)


def inactive(person: User) -> None:
    User.objects.filter(pk=person.pk).update(is_active=False)


def without_address(person: User) -> None:
    User.objects.filter(pk=person.pk).update(email="")


def unverified(person: User) -> None:
    EmailAddress.objects.filter(user=person).update(verified=False)


def without_any_record(person: User) -> None:
    EmailAddress.objects.filter(user=person).delete()


def another_address_verified(person: User) -> None:
    EmailAddress.objects.filter(user=person).update(email="other@example.com")


def address_verified_by_somebody_else(person: User) -> None:
    somebody = UserFactory.create(email="z@example.com", is_verified=False)
    EmailAddress.objects.filter(user=person).update(user=somebody)


def suspended_for_ever(person: User) -> None:
    suspend(person, timedelta(days=-1), None)


def suspended_until_tomorrow(person: User) -> None:
    suspend(person, timedelta(days=-1), timedelta(days=1))


def suspended_from_this_moment(person: User) -> None:
    suspend(person, timedelta(0), timedelta(days=1))


def reported_in_other_case(person: User) -> None:
    SpamReport.objects.create(email="ANA@Example.COM")


def suppressed_in_other_case(person: User) -> None:
    Suppression.objects.create(email="aNa@example.com", cause="bounce")


def nothing(person: User) -> None:
    """An eligible person stays one."""


def suspended_until_now(person: User) -> None:
    suspend(person, timedelta(days=-1), timedelta(0))


def suspended_from_tomorrow(person: User) -> None:
    suspend(person, timedelta(days=1), None)


def verified_in_other_case(person: User) -> None:
    EmailAddress.objects.filter(user=person).update(email="ANA@EXAMPLE.com")


def others_are_barred(person: User) -> None:
    SpamReport.objects.create(email="ana2@example.com")
    Suppression.objects.create(email="xana@example.com")
    suspended_for_ever(UserFactory.create(email="b@example.com"))


@pytest.mark.parametrize(
    ("circumstance", "reason"),
    [
        (inactive, Reason.INACTIVE),
        (without_address, Reason.NO_ADDRESS),
        (unverified, Reason.UNVERIFIED),
        (without_any_record, Reason.UNVERIFIED),
        (another_address_verified, Reason.UNVERIFIED),
        (address_verified_by_somebody_else, Reason.UNVERIFIED),
        (suspended_for_ever, Reason.SUSPENDED),
        (suspended_until_tomorrow, Reason.SUSPENDED),
        (suspended_from_this_moment, Reason.SUSPENDED),
        (reported_in_other_case, Reason.SPAM_REPORTED),
        (suppressed_in_other_case, Reason.SUPPRESSED),
    ],
)
def test_whoever_may_not_get_mail_is_left_out_with_the_reason(
    circumstance: Callable[[User], None], reason: Reason
) -> None:
    person = UserFactory.create(email="ana@example.com")
    circumstance(person)
    assert ineligibility_of([person.pk], NOW) == {person.pk: reason.value}
    assert person not in eligible(NOW)


@pytest.mark.parametrize(
    "circumstance",
    [
        nothing,
        suspended_until_now,
        suspended_from_tomorrow,
        verified_in_other_case,
        others_are_barred,
    ],
)
def test_everybody_else_gets_mail(circumstance: Callable[[User], None]) -> None:
    person = UserFactory.create(email="Ana@example.com")
    circumstance(person)
    assert ineligibility_of([person.pk], NOW) == {}
    assert person in eligible(NOW)


def test_only_those_asked_about_are_answered() -> None:
    people = UserFactory.create_batch(2, is_active=False)
    assert ineligibility_of([people[0].pk], NOW) == {people[0].pk: "inactive"}


def test_ten_people_and_a_thousand_cost_one_query() -> None:
    people = User.objects.bulk_create(
        User(email=f"p{n}@example.com", password="!") for n in range(1000)
    )
    EmailAddress.objects.bulk_create(
        EmailAddress(user=person, email=person.email, verified=True) for person in people[::2]
    )
    ids = [person.pk for person in people]
    for count in (10, 1000):
        with CaptureQueriesContext(connection) as queries:
            assert len(ineligibility_of(ids[:count], NOW)) == count // 2
        assert len(queries) == 1
        with CaptureQueriesContext(connection) as queries:
            assert len(eligible(NOW).filter(pk__in=ids[:count])) == count // 2
        assert len(queries) == 1
