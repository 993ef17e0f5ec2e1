"""An account that is deleted twice at once, or while its agents' run plans: gone once, whole."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.core import mail
from django.db import connections

from agents.frequency import Frequency
from agents.models import ReportedCompany, ReportRun, ScheduledMailReport
from agents.runs import run_reports
from marketplace.account_deletion import delete_account
from marketplace.models import User
from notifications.models import Delivery
from tests.factories import AgentFactory, UserFactory
from tests.firing import publish

pytestmark = pytest.mark.django_db(transaction=True)
PEOPLE = 20


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """What the jobs answer, started together; an error is an answer too."""
    barrier, answers = threading.Barrier(len(jobs)), []

    def work(job: Callable[[], object]) -> None:
        try:
            barrier.wait(timeout=30)
            answers.append(job())
        except Exception as error:
            answers.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not any(thread.is_alive() for thread in threads)
    return answers


def test_deleted_four_times_at_once_it_goes_once() -> None:
    person = UserFactory.create()
    answers = at_once(*[lambda: delete_account(person.pk, datetime.now(UTC))] * 4)
    assert sorted(map(str, answers)) == ["False", "False", "False", "True"]
    assert len(mail.outbox) == 1
    assert not User.objects.exists()


def test_people_who_leave_while_a_run_plans_leave_nothing_and_the_others_get_their_mail() -> None:
    publish("A", "B", "C")
    agents = AgentFactory.create_batch(PEOPLE)
    leaving = [agent.user_id for agent in agents[::2]]
    staying = {agent.user_id for agent in agents[1::2]}
    now = datetime.now(UTC)

    def leave() -> list[bool]:
        return [delete_account(user_id, now) for user_id in leaving]

    def run() -> None:
        run_reports(Frequency.DAILY, now=now, occurrence=now)

    answers = at_once(run, leave)
    assert [True] * len(leaving) in answers
    assert [error for error in answers if isinstance(error, Exception)] == []
    assert set(User.objects.values_list("pk", flat=True)) == staying
    assert set(ScheduledMailReport.objects.values_list("user", flat=True)) == staying
    assert set(ReportedCompany.objects.values_list("user", flat=True)) == staying
    open_ones = Delivery.objects.filter(kind="digest", state="pending")
    assert set(open_ones.values_list("user", flat=True)) == staying
    assert ReportRun.objects.get().finished_at is not None
