"""Having beat fire the tiers for the demonstration."""

from datetime import timedelta

import pytest
from django.utils import timezone
from django_celery_beat.models import ClockedSchedule, PeriodicTask

from agents.models import ReportRun
from demo.firing import firing
from demo.tally import TierTally, totals
from tests.factories import AgentFactory
from tests.firing import fire


@pytest.mark.django_db
def test_beat_is_asked_for_each_tier_once_beside_the_regular_schedule() -> None:
    regular = set(PeriodicTask.objects.values_list("name", "enabled"))
    AgentFactory(frequency="daily")
    now = timezone.now()
    with firing(now) as asked:
        entries = PeriodicTask.objects.filter(name__startswith="Demonstration: ")
        assert sorted(entries.values_list("task", flat=True)) == [
            "agents.tasks.report_daily",
            "agents.tasks.report_hourly",
            "agents.tasks.report_monthly",
            "agents.tasks.report_weekly",
        ]
        assert all(entry.one_off and entry.clocked.clocked_time == now for entry in entries)
        assert asked.at == now
        assert asked.people_due == {"hourly": 0, "daily": 1, "weekly": 0, "monthly": 0}
    assert set(PeriodicTask.objects.values_list("name", "enabled")) == regular
    assert not ClockedSchedule.objects.exists()


@pytest.mark.django_db
def test_a_firing_waits_for_the_next_minute_when_this_one_has_had_its_run() -> None:
    now = timezone.now().replace(second=20, microsecond=0)
    minute = now.replace(second=0)
    ReportRun.objects.create(
        frequency="weekly", occurrence=minute, cutoff=minute, started_at=minute, finished_at=now
    )
    with firing(now) as asked:
        assert asked.at == minute + timedelta(minutes=1)


@pytest.mark.django_db
def test_entries_of_a_killed_demonstration_are_cleaned_up_by_the_next() -> None:
    abandoned = firing(timezone.now())
    abandoned.__enter__()
    with firing(timezone.now()):
        assert PeriodicTask.objects.filter(name__startswith="Demonstration: ").count() == 4
        assert ClockedSchedule.objects.count() == 1
    assert not PeriodicTask.objects.filter(name__startswith="Demonstration: ").exists()
    abandoned.__exit__(None, None, None)


@pytest.mark.django_db
def test_runs_of_earlier_firings_do_not_count() -> None:
    AgentFactory(frequency="daily")
    run = fire("daily")
    with firing(timezone.now()) as asked:
        assert asked.last_run_id == run.pk


def test_a_deferred_person_counts_once_and_unsent_mails_are_no_sent_ones() -> None:
    tier = TierTally(people_due=3, mails={"sent": 2, "dead": 1, "cancelled": 1, "pending": 1})
    tier.counters.duplicates, tier.counters.deferred, tier.listings_sent = 4, 1, 7
    assert (tier.sent, tier.unsent, tier.open, tier.is_done) == (2, 2, 1, False)
    assert totals({"daily": tier}) == {
        "mails_sent": 2,
        "listings_reported": 7,
        "duplicates_prevented": 4,
        "deferred": 1,
    }
