"""When an agent runs next (C): the person's clock, no drift, clock changes, short months."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.schedule import MailTimes, next_run_after

BERLIN = "Europe/Berlin"


def times(hour: int = 7, weekday: int = 0, day: int = 1, zone: str = BERLIN) -> MailTimes:
    return MailTimes(hour, weekday, day, zone)


def local(text: str, zone: str = BERLIN) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def runs(frequency: str, wishes: MailTimes, after: datetime, count: int) -> list[str]:
    """The next runs in the person's own time."""
    found = []
    for _ in range(count):
        after = next_run_after(frequency, wishes, after)
        found.append(f"{after.astimezone(ZoneInfo(wishes.time_zone)):%Y-%m-%d %H:%M}")
    return found


def test_hourly_runs_at_the_next_full_hour() -> None:
    after = datetime(2026, 11, 29, 17, 40, 12, tzinfo=UTC)
    assert next_run_after("hourly", times(), after) == datetime(2026, 11, 29, 18, tzinfo=UTC)
    assert next_run_after("hourly", times(), datetime(2026, 11, 29, 18, tzinfo=UTC)) == datetime(
        2026, 11, 29, 19, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ("2026-11-29 06:59:59", "2026-11-29 07:00"),
        ("2026-11-29 07:00:00", "2026-11-30 07:00"),
        ("2026-11-29 23:00:00", "2026-11-30 07:00"),
    ],
)
def test_daily_runs_at_the_chosen_hour_strictly_after_now(after: str, expected: str) -> None:
    assert runs("daily", times(), local(after), 1) == [expected]


def test_weekly_runs_on_the_chosen_weekday() -> None:
    friday = times(weekday=4, hour=18)
    assert runs("weekly", friday, local("2026-11-29 12:00"), 2) == [
        "2026-12-04 18:00",
        "2026-12-11 18:00",
    ]
    assert runs("weekly", friday, local("2026-12-04 17:59"), 1) == ["2026-12-04 18:00"]
    assert runs("weekly", friday, local("2026-12-04 18:00"), 1) == ["2026-12-11 18:00"]


def test_monthly_on_the_31st_takes_the_last_day_and_does_not_drift() -> None:
    assert runs("monthly", times(day=31), local("2027-01-01 00:00"), 5) == [
        "2027-01-31 07:00",
        "2027-02-28 07:00",
        "2027-03-31 07:00",
        "2027-04-30 07:00",
        "2027-05-31 07:00",
    ]
    assert runs("monthly", times(day=30), local("2028-02-01 00:00"), 2) == [
        "2028-02-29 07:00",
        "2028-03-30 07:00",
    ]


def test_monthly_crosses_the_year() -> None:
    assert runs("monthly", times(day=15), local("2026-12-15 07:00"), 1) == ["2027-01-15 07:00"]


def test_an_hour_that_does_not_exist_runs_as_the_next_that_does() -> None:
    spring = local("2027-03-27 12:00")
    assert runs("daily", times(hour=2), spring, 2) == ["2027-03-28 03:00", "2027-03-29 02:00"]


def test_an_hour_that_exists_twice_runs_once() -> None:
    first = next_run_after("daily", times(hour=2), local("2026-10-24 12:00"))
    assert first == datetime(2026, 10, 25, 0, tzinfo=UTC)
    again = next_run_after("daily", times(hour=2), first)
    assert again == datetime(2026, 10, 26, 1, tzinfo=UTC)
    in_second_hour = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)
    assert next_run_after("daily", times(hour=2), in_second_hour) == again


def test_each_person_has_their_own_clock() -> None:
    after = datetime(2026, 11, 29, 0, 0, tzinfo=UTC)
    assert next_run_after("daily", times(zone="America/New_York"), after) == datetime(
        2026, 11, 29, 12, tzinfo=UTC
    )
    assert next_run_after("daily", times(zone="Asia/Kolkata"), after) == datetime(
        2026, 11, 29, 1, 30, tzinfo=UTC
    )


@given(
    frequency=st.sampled_from(["daily", "weekly", "monthly"]),
    hour=st.integers(0, 23),
    weekday=st.integers(0, 6),
    day=st.integers(1, 31),
    zone=st.sampled_from([BERLIN, "America/New_York", "Australia/Lord_Howe", "UTC"]),
    after=st.integers(1_577_836_800, 2_051_222_400),
)
def test_runs_are_in_order_and_never_a_period_apart_too_far(
    frequency: str, hour: int, weekday: int, day: int, zone: str, after: int
) -> None:
    wishes = MailTimes(hour, weekday, day, zone)
    moment = datetime.fromtimestamp(after, UTC)
    following = next_run_after(frequency, wishes, moment)
    longest = {"daily": 1, "weekly": 7, "monthly": 31}[frequency]
    assert moment < following <= moment + timedelta(days=longest, hours=2)
    assert next_run_after(frequency, wishes, following - timedelta(microseconds=1)) == following
