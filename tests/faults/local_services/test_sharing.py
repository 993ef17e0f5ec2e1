"""Processes share the local services; they come with the first and go with the last."""

import os
import time

import psycopg2
import pytest
import redis

from .checkout import Checkout, execute, wait_until

LINGER_SECONDS = 2.0


def test_processes_that_start_at_once_share_one_server(checkout: Checkout) -> None:
    gate = checkout.base_dir / "gate"
    users = [checkout.start_user(gate=gate) for _ in range(4)]
    gate.touch()

    assert len({user.urls() for user in users}) == 1
    assert checkout.starts_of_postgres() == 1


def test_they_stop_with_the_last_user(checkout: Checkout) -> None:
    first, second = checkout.start_user(), checkout.start_user()
    database, _ = first.urls()
    assert second.urls()[0] == database

    first.leave()
    time.sleep(LINGER_SECONDS + 1)
    assert execute(database, "SELECT 1") == [(1,)]

    second.leave()
    wait_until(lambda: not checkout.is_running())
    with pytest.raises(psycopg2.OperationalError, match="Connection refused"):
        psycopg2.connect(database)


def test_a_killed_user_is_no_user_any_more(checkout: Checkout) -> None:
    user = checkout.start_user()
    user.urls()
    user.kill()
    wait_until(lambda: not checkout.is_running())


def test_a_forked_child_is_a_user_as_long_as_it_lives(own_checkout: Checkout) -> None:
    parent = own_checkout.start_user("df")
    database, _ = parent.urls()
    child = int(parent.next_line())
    parent.process.kill()
    parent.process.wait()
    time.sleep(LINGER_SECONDS + 1)
    assert execute(database, "SELECT 1") == [(1,)]

    os.kill(child, 9)
    wait_until(lambda: not own_checkout.is_running())


def test_data_is_there_the_next_time_at_the_same_place(checkout: Checkout) -> None:
    user = checkout.start_user()
    database, cache = user.urls()
    execute(database, "CREATE TABLE kept AS SELECT 42 AS answer")
    redis.from_url(cache).set("kept", "42")
    user.leave()
    wait_until(lambda: not checkout.is_running())

    assert checkout.start_user().urls() == (database, cache)
    assert execute(database, "SELECT answer FROM kept") == [(42,)]
    assert redis.from_url(cache).get("kept") == b"42"


@pytest.mark.parametrize("needs", ["d", "r"])
def test_only_what_is_needed_starts_and_the_other_when_it_is(
    own_checkout: Checkout, needs: str
) -> None:
    database, cache = own_checkout.start_user(needs).urls()
    assert (database == "-", cache == "-") == (needs == "r", needs == "d")
    started = {name for name in ("postgres", "valkey") if own_checkout.home.log(name).exists()}
    assert started == {"postgres" if needs == "d" else "valkey"}

    both = own_checkout.start_user("dr").urls()
    assert set(both) >= {database, cache} - {"-"}
    assert execute(both[0], "SELECT 1") == [(1,)]
    assert redis.from_url(both[1]).ping()


def test_who_comes_while_they_are_being_stopped_gets_them_again(own_checkout: Checkout) -> None:
    own_checkout.start_user().urls()
    for tenths in range(4):
        own_checkout.users[-1].leave()
        # Around the moment at which the keeper decides to stop.
        time.sleep(LINGER_SECONDS + 0.1 * tenths)
        database, cache = own_checkout.start_user().urls()
        assert execute(database, "SELECT 1") == [(1,)]
        assert redis.from_url(cache).ping()


def test_stop_by_hand_refuses_while_they_are_in_use(checkout: Checkout) -> None:
    user = checkout.start_user()
    database, _ = user.urls()

    refused = checkout.run_by_hand("stop")
    assert (refused.returncode, checkout.is_running()) == (1, True)
    assert "--force" in refused.stdout
    assert "in use: yes" in checkout.run_by_hand("status").stdout

    assert checkout.run_by_hand("urls").stdout.splitlines()[0] == f"postgres {database}"
    assert checkout.run_by_hand("stop", "--force").returncode == 0
    assert not checkout.is_running()
    assert checkout.run_by_hand("status").returncode == 3


def test_stop_by_hand_does_not_wait_for_the_linger(own_checkout: Checkout) -> None:
    own_checkout.start_user().urls()
    own_checkout.users[-1].leave()
    assert own_checkout.run_by_hand("stop").returncode == 0
    assert not own_checkout.is_running()


def test_hold_keeps_them_up_while_a_program_runs(own_checkout: Checkout) -> None:
    own_checkout.start_user().urls()
    own_checkout.users[-1].leave()
    seconds = LINGER_SECONDS + 1
    check = "[ -e state.json ] && echo still there"
    held = own_checkout.run_by_hand(
        "hold", "sh", "-c", f"sleep {seconds}; cd '{own_checkout.home.folder}'; {check}"
    )
    assert held.stdout == "still there\n"
