"""A restored backup gives ids out again; sent marks outlive it. What is new is sent all the same.

What the backup holds is another matter: see `test_sent_marks`.
"""

from datetime import UTC, datetime
from email.utils import parseaddr

import pytest
from django.core.management.color import no_style
from django.db import connection
from django.db.models import Model

from agents.models import DigestSection, ReportedCompany, ReportRun, ScheduledMailReport
from agents.welcome import plan_welcome
from marketplace.models import User
from notifications.models import Delivery, State
from tests.factories import AgentFactory, UserFactory
from tests.firing import fire, make_due, publish, send, sent_mails

pytestmark = pytest.mark.django_db(transaction=True)


def restore(*forgotten: type[Model]) -> None:
    """As after a backup from before all of these: the rows are gone, and their ids come again."""
    for model in forgotten:
        model._default_manager.all().delete()
    tables = [{"table": model._meta.db_table, "column": "id"} for model in forgotten]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_by_name_sql(no_style(), tables):
            cursor.execute(statement)


def test_a_digest_of_a_run_whose_id_comes_again_is_sent() -> None:
    restore(ReportRun)
    agent = AgentFactory(frequency="daily")
    publish("Before the backup was restored")
    make_due()
    lost = fire()
    assert send() == 1
    before = ScheduledMailReport.objects.get(pk=agent.pk).matched_until
    restore(ReportedCompany, DigestSection, Delivery, ReportRun)
    ScheduledMailReport.objects.update(matched_until=agent.matched_until)
    assert before > agent.matched_until

    publish("After it", minutes_ago=50)
    make_due()
    again = fire()
    assert (again.pk, again.name == lost.name) == (lost.pk, False)
    assert send() == 1
    assert sorted(mail["Subject"] for mail in sent_mails()) == [
        f"1 new company for “{agent.name}”", f"2 new companies for “{agent.name}”",
    ]  # fmt: skip


def test_a_welcome_to_a_person_whose_id_comes_again_is_sent() -> None:
    restore(User)
    lost = UserFactory(email="lost@example.com")
    plan_welcome(lost, datetime.now(UTC))
    assert send() == 1
    restore(ReportedCompany, DigestSection, Delivery, User)

    found = UserFactory(email="found@example.com")
    assert found.pk == lost.pk
    plan_welcome(found, datetime.now(UTC))
    assert send() == 1
    assert {parseaddr(mail["To"])[1] for mail in sent_mails()} == {lost.email, found.email}


def test_nobody_is_welcomed_twice_whatever_is_saved() -> None:
    person = UserFactory()
    assert plan_welcome(person, datetime.now(UTC)) is not None
    person.refresh_from_db()
    assert plan_welcome(person, datetime.now(UTC)) is None
    assert Delivery.objects.filter(state=State.PENDING).count() == 1
