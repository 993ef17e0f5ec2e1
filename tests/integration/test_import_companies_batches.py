"""Large feeds: constant queries a batch, one transaction each, one import of a source at a time."""

import io
import threading
from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from listings.feed_import import BATCH_SIZE, ImportOptions, ImportSummary, import_feed
from listings.feeds.feed import FeedOptions
from listings.models import Company
from tests.factories.feeds import BERLIN, HEADER, NOW, counts, fill_taxonomies, imported

OPTIONS = ImportOptions(source="agency", reading=FeedOptions(BERLIN))


@pytest.fixture(autouse=True)
def _taxonomies(db: None) -> None:
    fill_taxonomies()


def feed(count: int, price: int = 500_000) -> bytes:
    rows = (f"{n};Mill {n};C16;DE-BY;{price};;\n" for n in range(count))
    return (HEADER + "".join(rows)).encode()


def queries_of(content: bytes, now: datetime) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        imported(content, now)
    return len(captured)


@pytest.mark.django_db
def test_the_number_of_queries_does_not_grow_with_the_rows_of_a_batch() -> None:
    few = [queries_of(feed(2, price), NOW) for price in (500_000, 500_000, 400_000)]
    Company.objects.all().delete()
    many = [queries_of(feed(BATCH_SIZE, price), NOW) for price in (500_000, 500_000, 400_000)]
    # Lock, unlock, catalogue (3), listed before; then savepoint, stored, written, released.
    assert many == few == [10, 9, 10]


@pytest.mark.django_db
def test_each_batch_adds_the_same_number_of_queries() -> None:
    assert queries_of(feed(3 * BATCH_SIZE), NOW) == 10 + 2 * 4


@pytest.mark.django_db
def test_the_clock_is_read_for_each_batch_so_that_a_long_import_is_no_old_news() -> None:
    times = iter(NOW + timedelta(minutes=10 * n) for n in range(3))
    import_feed(io.BytesIO(feed(BATCH_SIZE + 1)), OPTIONS, lambda: next(times), lambda _: None)
    fresh = Company.objects.order_by("fresh_at").values_list("fresh_at", flat=True).distinct()
    assert list(fresh) == [NOW, NOW + timedelta(minutes=10)]


@pytest.mark.django_db(transaction=True)
def test_an_import_killed_in_the_middle_is_finished_by_running_it_again() -> None:
    calls = iter(range(9))

    def clock() -> datetime:
        if next(calls) == 1:
            raise KeyboardInterrupt
        return NOW

    with pytest.raises(KeyboardInterrupt):
        import_feed(io.BytesIO(feed(BATCH_SIZE + 40)), OPTIONS, clock, lambda _: None)
    assert Company.objects.count() == BATCH_SIZE
    summary, _ = imported(feed(BATCH_SIZE + 40))
    assert counts(summary) == {
        "rows": BATCH_SIZE + 40, "created": 40, "unchanged": BATCH_SIZE,
    }  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_two_imports_of_one_source_at_once_create_each_company_once() -> None:
    summaries: list[ImportSummary] = []
    start = threading.Barrier(2)

    def run() -> None:
        try:
            start.wait()
            summaries.append(imported(feed(BATCH_SIZE * 2))[0])
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Company.objects.count() == BATCH_SIZE * 2
    assert sorted((one.created, one.unchanged) for one in summaries) == [
        (0, BATCH_SIZE * 2), (BATCH_SIZE * 2, 0),
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_an_import_waits_for_an_edit_under_way_and_then_sees_it() -> None:
    imported(feed(1))
    summaries: list[ImportSummary] = []

    def run() -> None:
        try:
            summaries.append(imported(feed(1))[0])
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    with transaction.atomic():
        Company.objects.update(title="Edited meanwhile")
        thread.start()
        while thread.is_alive() and not somebody_waits_for_us():
            thread.join(0.05)
    thread.join(60)
    assert counts(summaries[0]) == {"rows": 1, "updated": 1}
    assert Company.objects.get().title == "Mill 0"


def somebody_waits_for_us() -> bool:
    """Whether another connection waits for a lock of this one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks "
            "WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])
