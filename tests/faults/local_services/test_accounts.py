"""Who owns what, who may connect, and that nobody's permissions are changed."""

import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from config.local_services.home import folder_for, open_home

from .checkout import Checkout, copy_of_packages, execute, wait_until


def test_nobody_connects_without_the_password(checkout: Checkout) -> None:
    database, cache = checkout.start_user().urls()
    for password in ("", ":wrong"):
        address = urlsplit(database)
        wrong = f"postgres://marktlotse{password}@127.0.0.1:{address.port}/marktlotse"
        with pytest.raises(psycopg2.OperationalError, match=r"no password|authentication failed"):
            psycopg2.connect(wrong)
    for secret in (None, "wrong"):
        client = redis.Redis(
            port=urlsplit(cache).port or 0, password=secret, retry=Retry(NoBackoff(), 0)
        )
        with pytest.raises(redis.AuthenticationError):
            client.ping()


def test_secrets_logs_and_data_are_closed_to_others(checkout: Checkout) -> None:
    checkout.start_user().urls()
    home = checkout.home
    private = [home.secret("postgres"), home.secret("valkey"), home.folder / "state.json"]
    private += [home.keeper_log, home.log("postgres"), home.log("valkey")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in private} == {0o600}
    assert stat.S_IMODE(home.servers.stat().st_mode) == 0o700
    assert not stat.S_IMODE(home.folder.stat().st_mode) & 0o066
    secrets = [home.secret(name).read_text() for name in ("postgres", "valkey")]
    assert all(len(secret) == 32 for secret in secrets)
    configuration = (home.folder / "valkey.conf").read_text()
    assert not any(secret in configuration for secret in secrets)


def test_servers_never_run_as_root(checkout: Checkout) -> None:
    checkout.start_user().urls()
    data = checkout.home.servers / "postgres"
    assert data.stat().st_uid != 0
    assert checkout.home.servers.stat().st_uid == data.stat().st_uid
    for pid in (checkout.postgres_pid(), checkout.valkey_pid()):
        assert os.stat(f"/proc/{pid}").st_uid == data.stat().st_uid


def test_databases_can_be_made_and_sort_by_code_point(own_checkout: Checkout) -> None:
    database, _ = own_checkout.start_user("d").urls()
    words = "SELECT w FROM (VALUES ('b'), ('Ä'), ('a'), ('B')) AS v(w) ORDER BY w"
    assert execute(database, words) == [("B",), ("a",), ("b",), ("Ä",)]
    assert execute(database, "SELECT upper('ß ä đ')") == [("ß Ä Đ",)]
    lexemes = "SELECT tsvector_to_array(to_tsvector('simple', '„Bäckerei“ – ČAKOVEC, 5 €'))"
    assert execute(database, lexemes) == [(["5", "bäckerei", "čakovec"],)]
    assert execute(database, "SHOW server_encoding") == [("UTF8",)]
    assert execute(database, "SHOW max_connections") == [("200",)]
    assert execute(database, "SHOW fsync") == [("on",)]


def test_valkey_is_fit_to_be_a_broker(own_checkout: Checkout) -> None:
    client = redis.from_url(own_checkout.start_user("r").urls()[1])
    wanted = {"maxmemory-policy": "noeviction", "appendonly": "yes", "databases": "64"}
    assert {name: client.config_get(name)[name] for name in wanted} == wanted


def test_long_paths_with_blanks_and_umlauts_work(tmp_path: Path) -> None:
    base_dir = tmp_path.joinpath(*["ein recht langer Ordnername über 'alles' \"hinaus\""] * 4)
    base_dir.mkdir(parents=True)
    with Checkout(base_dir, open_home(base_dir)) as checkout:
        database, cache = checkout.start_user().urls()
        assert execute(database, "SELECT 1") == [(1,)]
        assert redis.from_url(cache).ping()


def test_programs_that_the_account_cannot_reach_are_copied_once(
    nobody: pwd.struct_passwd, tmp_path: Path
) -> None:
    packages = copy_of_packages(tmp_path / "closed" / "packages")
    (tmp_path / "closed").chmod(0o700)
    base_dir = tmp_path / "closed" / "checkout"
    base_dir.mkdir()
    before = _modes_above(base_dir) | _modes_above(packages)
    environment = {"PATH": os.defpath, "PYTHONPATH": str(packages)}

    with Checkout(base_dir, open_home(base_dir), environment=environment) as checkout:
        first = checkout.start_user()
        assert execute(first.urls()[0], "SELECT 1") == [(1,)]
        first.leave()
        wait_until(lambda: not checkout.is_running())
        copies = sorted((checkout.home.folder / "programs").iterdir())
        assert len(copies) == 2
        made = [copy.stat().st_mtime_ns for copy in copies]
        assert execute(checkout.start_user().urls()[0], "SELECT 1") == [(1,)]
        assert [copy.stat().st_mtime_ns for copy in copies] == made

    assert _modes_above(base_dir) | _modes_above(packages) == before


def test_no_permission_of_a_folder_that_was_there_is_changed(own_checkout: Checkout) -> None:
    roots = [own_checkout.base_dir, Path.home(), Path(shutil.__file__), own_checkout.home.folder]
    before = [_modes_above(path) for path in roots]
    own_checkout.start_user().urls()
    assert [_modes_above(path) for path in roots] == before


@pytest.fixture
def foreign_folder(nobody: pwd.struct_passwd, tmp_path: Path) -> Iterator[Path]:
    """Where root's services of `tmp_path` would live, but made by somebody else before."""
    folder = folder_for(tmp_path)
    folder.mkdir()
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    yield tmp_path
    folder.rmdir()


def test_a_folder_that_somebody_else_made_is_refused(foreign_folder: Path) -> None:
    folder = folder_for(foreign_folder)
    checkout = Checkout(foreign_folder, home=None)  # type: ignore[arg-type]
    error = checkout.start_user().error()
    assert f"{folder} belongs to another account" in error
    assert list(folder.iterdir()) == []


def _modes_above(path: Path) -> dict[Path, tuple[int, int, int]]:
    found = {}
    for folder in path.parents:
        seen = folder.stat()
        found[folder] = (seen.st_mode, seen.st_uid, seen.st_gid)
    return found
