"""How many mails people got a day: counted exactly, kept when the ledger is pruned."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest

from marketplace.models import User
from notifications.models import Delivery
from notifications.pruning import prune
from operations.models import MailDay
from operations.rollup import roll_up, roll_up_person_days
from operations.tasks import roll_up_person_days as task
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 2, 12, 30, tzinfo=UTC)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def mail(to: User | None, at: datetime, **fields: object) -> Delivery:
    values: dict[str, object] = {
        "idempotency_key": str(uuid4()), "kind": "digest", "address": "a@example.com", "user": to,
        "provider": "sendgrid", "created_at": at, "dispatched_at": at, "finished_at": at,
        "state": "sent", **fields,
    }  # fmt: skip
    return Delivery.objects.create(**values)


def count(now: datetime = NOW) -> int:
    roll_up(now=now)
    return roll_up_person_days(now=now)


def test_people_stand_at_the_number_of_their_mails() -> None:
    for mails in (1, 1, 3, 12, 40):
        person = UserFactory.create()
        for _ in range(mails):
            mail(person, NOON)
    mail(None, NOON)
    somebody = UserFactory.create()
    mail(somebody, NOON, state="dead")
    mail(somebody, NOON, channel="sms")
    assert count() == 1
    day = MailDay.objects.get()
    assert (day.day, day.sent, day.mails) == (date(2026, 12, 1), 58, 57)
    assert day.people == [2, 0, 1, 0, 0, 0, 0, 0, 0, 2]


def test_days_are_those_of_the_sites_time_zone() -> None:
    person = UserFactory.create()
    mail(person, datetime(2026, 11, 30, 23, 30, tzinfo=UTC))  # 0:30 in Berlin
    mail(person, datetime(2026, 12, 1, 22, 30, tzinfo=UTC))
    mail(person, datetime(2026, 12, 1, 23, 30, tzinfo=UTC))
    count()
    found = MailDay.objects.order_by("day").values_list("day", "mails", "people__1")
    assert list(found) == [(date(2026, 12, 1), 2, 1), (date(2026, 12, 2), 1, 0)]


def test_a_day_is_counted_again_only_when_there_are_more_mails() -> None:
    person = UserFactory.create()
    mail(person, NOON)
    assert [count(), count(), count()] == [1, 0, 0]
    mail(person, NOW - timedelta(minutes=1))
    assert [count(NOW + timedelta(minutes=1)), count(NOW + timedelta(minutes=1))] == [1, 0]
    assert list(MailDay.objects.values_list("mails", flat=True)) == [1, 1]


def test_pruning_leaves_the_figures_as_they_were() -> None:
    rows = [mail(person, NOON) for person in UserFactory.create_batch(3) for _ in range(2)]
    count()
    assert prune(now=NOW + 40 * DAY, days=30).deliveries == len(rows)
    count(NOW + 40 * DAY)
    day = MailDay.objects.get()
    assert (day.mails, day.people[:3]) == (6, [0, 3, 0])


def test_people_who_have_gone_are_still_counted() -> None:
    people = UserFactory.create_batch(3)
    for person in people:
        mail(person, NOON)
        mail(person, NOON)
    doubtful = mail(people[0], NOON, state="uncertain", finished_at=None)
    count()
    people[1].delete()
    Delivery.objects.filter(pk=doubtful.pk).update(state="sent", finished_at=NOW + DAY)
    assert count(NOW + DAY) == 1
    day = MailDay.objects.get()
    assert (day.sent, day.mails, day.people[:3]) == (7, 6, [0, 3, 0])


def test_nothing_was_sent_and_nothing_is_counted() -> None:
    task()
    assert not MailDay.objects.exists()
