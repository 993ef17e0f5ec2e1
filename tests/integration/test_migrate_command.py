"""Migrating never makes the site wait behind a table that is in use."""

from collections.abc import Iterator
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE, AT = "0009", "0010_reported_company_unchecked"


@pytest.fixture
def somebody_writes() -> Iterator[Event]:
    """Writes into the table that agents 0010 changes, until the event is set."""
    has_begun, may_end = Event(), Event()

    def write() -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("LOCK TABLE agents_reportedcompany IN ROW EXCLUSIVE MODE")
            has_begun.set()
            may_end.wait(30)
        connection.close()

    thread = Thread(target=write)
    thread.start()
    assert has_begun.wait(10)
    yield may_end
    may_end.set()
    thread.join()


def applied() -> set[str]:
    return {
        name for app, name in MigrationRecorder(connection).applied_migrations() if app == "agents"
    }


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


def test_it_gives_way_to_who_uses_the_table_and_can_be_run_again(somebody_writes: Event) -> None:
    with pytest.raises(CommandError, match="A table was in use"):
        call_command("migrate", "agents", BEFORE, lock_timeout=1, verbosity=0)
    assert AT in applied()
    assert lock_timeout() == "0"
    somebody_writes.set()
    try:
        call_command("migrate", "agents", BEFORE, lock_timeout=5, verbosity=0)
        assert AT not in applied()
    finally:
        call_command("migrate", verbosity=0)
    assert lock_timeout() == "0"
