"""Whatever is killed, and whatever is left lying about: the next start works, with the data."""

import os
import re
import resource
import shutil
import subprocess
import time

import redis

from config.local_services.locks import is_locked
from config.local_services.watch import LOOK_SECONDS

from .checkout import Checkout, execute, kill_hard, wait_until


def test_keeper_and_servers_killed_at_once_lose_nothing_committed(checkout: Checkout) -> None:
    user = checkout.start_user()
    database, cache = user.urls()
    execute(database, "CREATE TABLE kept AS SELECT 42 AS answer")
    redis.from_url(cache).set("kept", "42")
    time.sleep(1.5)  # Valkey saves every second
    kill_hard(checkout.keeper_pid(), checkout.postgres_pid(), checkout.valkey_pid())
    user.kill()

    database, cache = checkout.start_user().urls()
    assert execute(database, "SELECT answer FROM kept") == [(42,)]
    assert redis.from_url(cache).get("kept") == b"42"


def test_servers_of_a_killed_keeper_are_adopted_and_stopped_in_the_end(checkout: Checkout) -> None:
    first = checkout.start_user()
    urls = first.urls()
    pids = checkout.postgres_pid(), checkout.valkey_pid()
    kill_hard(checkout.keeper_pid())
    first.kill()

    # The next one needs only the database: the keeper looks after the other all the same.
    second = checkout.start_user("d")
    assert second.urls()[0] == urls[0]
    wait_until(lambda: "valkey" in checkout.run_by_hand("status").stdout)
    assert (checkout.postgres_pid(), checkout.valkey_pid()) == pids
    second.leave()
    wait_until(lambda: not checkout.is_running())


def test_servers_of_a_killed_keeper_can_be_stopped_by_hand(own_checkout: Checkout) -> None:
    user = own_checkout.start_user()
    user.urls()
    kill_hard(own_checkout.keeper_pid())
    user.kill()
    assert own_checkout.is_running()
    assert own_checkout.run_by_hand("stop").returncode == 0
    assert not own_checkout.is_running()


def test_a_user_brings_a_killed_keeper_back_and_with_it_the_servers(checkout: Checkout) -> None:
    database, cache = checkout.start_user().urls()
    execute(database, "CREATE TABLE kept AS SELECT 42 AS answer")
    servers = checkout.postgres_pid(), checkout.valkey_pid()
    killed = checkout.keeper_pid()
    kill_hard(killed)
    wait_until(lambda: _has_another_keeper(checkout, killed))
    assert (checkout.postgres_pid(), checkout.valkey_pid()) == servers

    killed = checkout.keeper_pid()
    kill_hard(killed, *servers)
    wait_until(lambda: _has_another_keeper(checkout, killed))
    wait_until(lambda: checkout.run_by_hand("urls").stdout.count("\n") == 2)
    assert execute(database, "SELECT answer FROM kept") == [(42,)]
    assert redis.from_url(cache).ping()


def test_status_tells_of_servers_whose_keeper_was_killed(own_checkout: Checkout) -> None:
    user = own_checkout.start_user()
    database, _ = user.urls()
    kill_hard(own_checkout.keeper_pid())
    user.kill()
    status = own_checkout.run_by_hand("status")
    assert status.returncode == 0
    assert status.stdout.startswith("postgres postgres://marktlotse:…@127.0.0.1:")
    assert "keeper gone; their next user brings it back, in use: no" in status.stdout
    assert own_checkout.run_by_hand("urls").stdout.splitlines()[0] == f"postgres {database}"
    kill_hard(own_checkout.postgres_pid(), own_checkout.valkey_pid())
    wait_until(lambda: own_checkout.run_by_hand("status").returncode == 3)


def test_what_was_stopped_by_force_stays_stopped(own_checkout: Checkout) -> None:
    own_checkout.start_user().urls()
    assert own_checkout.run_by_hand("stop", "--force").returncode == 0
    time.sleep(2 * LOOK_SECONDS)
    assert not own_checkout.is_running()


def test_a_server_that_dies_is_started_again_at_the_same_place(checkout: Checkout) -> None:
    database, cache = checkout.start_user().urls()
    execute(database, "CREATE TABLE kept AS SELECT 42 AS answer")
    before = checkout.postgres_pid(), checkout.valkey_pid()
    kill_hard(*before)
    wait_until(lambda: not set(before) & _running_pids(checkout))

    wait_until(lambda: checkout.start_user().urls() == (database, cache))
    assert execute(database, "SELECT answer FROM kept") == [(42,)]
    assert redis.from_url(cache).ping()


def test_a_stale_pid_file_that_names_somebody_else_harms_nobody(checkout: Checkout) -> None:
    user = checkout.start_user()
    database, cache = user.urls()
    pid_files = [
        checkout.home.servers / "postgres" / "postmaster.pid",
        checkout.home.servers / "valkey" / "valkey.pid",
    ]
    kept = [path.read_text() for path in pid_files]
    kill_hard(checkout.keeper_pid(), checkout.postgres_pid(), checkout.valkey_pid())
    user.kill()
    wait_until(lambda: not checkout.is_running())

    bystander = subprocess.Popen(["sleep", "120"], **checkout.become)
    try:
        for path, text in zip(pid_files, kept, strict=True):
            path.write_text("\n".join([str(bystander.pid), *text.splitlines()[1:]]) + "\n")
        user = checkout.start_user()
        assert user.urls() == (database, cache)
        user.leave()
        wait_until(lambda: not checkout.is_running())
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_start_killed_while_it_makes_the_cluster_is_made_good(checkout: Checkout) -> None:
    user = checkout.start_user()
    draft = checkout.home.servers / "postgres.new"
    wait_until((draft / "base").exists)
    kill_hard(checkout.keeper_pid())
    # The same user notices and spawns the next keeper, which waits for the orphaned initdb.
    assert execute(user.urls()[0], "SELECT 1") == [(1,)]
    assert not draft.exists()


def test_a_half_made_cluster_is_thrown_away(own_checkout: Checkout) -> None:
    own_checkout.start_user("r").urls()
    draft = own_checkout.home.servers / "postgres.new"
    own_checkout.home.account().run(["mkdir", "-p", str(draft / "base")])
    own_checkout.home.account().run(["cp", "/etc/hostname", str(draft / "PG_VERSION")])
    assert execute(own_checkout.start_user("d").urls()[0], "SELECT 1") == [(1,)]


def test_data_of_another_version_is_refused_and_left_alone(own_checkout: Checkout) -> None:
    own_checkout.start_user("d").urls()
    own_checkout.users[-1].leave()
    wait_until(lambda: not own_checkout.is_running())
    version = own_checkout.home.servers / "postgres" / "PG_VERSION"
    version.write_text("17\n")

    error = own_checkout.start_user("d").error()
    assert "is of PostgreSQL 17, but postgres (PostgreSQL) 18" in error
    assert str(own_checkout.home.folder) in error
    assert version.read_text() == "17\n"
    # The other service is not concerned.
    assert redis.from_url(own_checkout.start_user("r").urls()[1]).ping()


def test_a_full_disk_is_named_and_once_there_is_room_it_works(own_checkout: Checkout) -> None:
    error = own_checkout.start_user("d", preexec_fn=_allow_only_small_files).error()
    assert error.startswith("UnableToStartService: Unable to start postgres: ")
    assert "File too large" in error
    wait_until(lambda: not own_checkout.is_running())

    assert execute(own_checkout.start_user("d").urls()[0], "SELECT 1") == [(1,)]


def test_an_error_at_start_shows_the_end_of_the_servers_log(own_checkout: Checkout) -> None:
    own_checkout.start_user("d").urls()
    own_checkout.users[-1].leave()
    wait_until(lambda: not own_checkout.is_running())
    with (own_checkout.home.servers / "postgres" / "postgresql.conf").open("a") as file:
        file.write("no_such_setting = on\n")

    error = own_checkout.start_user("d").error()
    assert 'unrecognized configuration parameter "no_such_setting"' in error
    assert str(own_checkout.home.log("postgres")) in error


def test_a_lost_password_is_replaced(own_checkout: Checkout) -> None:
    user = own_checkout.start_user()
    database, cache = user.urls()
    execute(database, "CREATE TABLE kept AS SELECT 42 AS answer")
    user.leave()
    wait_until(lambda: not own_checkout.is_running())
    for service in ("postgres", "valkey"):
        own_checkout.home.secret(service).unlink()

    again = own_checkout.start_user().urls()
    assert again[0] != database
    assert again[1] != cache
    assert execute(again[0], "SELECT answer FROM kept") == [(42,)]
    assert redis.from_url(again[1]).ping()


def test_servers_end_when_their_folder_is_deleted_and_new_ones_start(
    own_checkout: Checkout,
) -> None:
    own_checkout.start_user().urls()
    pids = own_checkout.keeper_pid(), own_checkout.postgres_pid(), own_checkout.valkey_pid()
    while own_checkout.home.folder.exists():
        # The servers notice at once, and take files away at the same time.
        shutil.rmtree(own_checkout.home.folder, ignore_errors=True)

    assert execute(own_checkout.start_user().urls()[0], "SELECT 1") == [(1,)]
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids))
    assert is_locked(own_checkout.home.keeper_lock)


def _allow_only_small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def _running_pids(checkout: Checkout) -> set[int]:
    pids = set()
    for read in (checkout.postgres_pid, checkout.valkey_pid):
        try:
            pids.add(read())
        except (FileNotFoundError, ValueError, IndexError):
            continue
    return pids


def _has_another_keeper(checkout: Checkout, killed: int) -> bool:
    if not is_locked(checkout.home.keeper_lock):
        return False
    status = checkout.run_by_hand("status").stdout
    return re.search(r"^keeper (\d+)", status, re.MULTILINE) is not None and (
        f"keeper {killed}," not in status
    )
