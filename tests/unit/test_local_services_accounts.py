"""Where the local services live, and as whom their servers run."""

import os
import stat
from pathlib import Path

import pytest

from config.local_services.account import Account, account_for
from config.local_services.errors import UnableToStartService
from config.local_services.home import ROOTS_PLACE, folder_for, open_home


@pytest.fixture
def _ordinary_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 12345)


@pytest.fixture
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)


class TestFolder:
    @pytest.mark.usefixtures("_ordinary_account")
    def test_it_lies_in_the_checkout(self, tmp_path: Path) -> None:
        assert folder_for(tmp_path) == tmp_path / ".local" / "services"

    @pytest.mark.usefixtures("_root")
    def test_for_root_it_lies_outside_one_for_each_checkout(self, tmp_path: Path) -> None:
        one, other = folder_for(tmp_path / "one"), folder_for(tmp_path / "other")
        assert one != other
        assert one == folder_for(tmp_path / "other" / ".." / "one")
        assert {one.parent, other.parent} == {ROOTS_PLACE}
        assert len(str(one)) < 40

    def test_the_checkouts_own_folders_keep_their_permissions(self, tmp_path: Path) -> None:
        (tmp_path / ".local").mkdir(mode=0o751)
        before = (tmp_path / ".local").stat().st_mode
        folder = open_home(tmp_path).folder
        assert (tmp_path / ".local").stat().st_mode == before
        assert stat.S_IMODE(folder.stat().st_mode) == (0o711 if os.geteuid() == 0 else 0o700)
        folder.rmdir()

    @pytest.mark.usefixtures("_ordinary_account")
    def test_one_of_another_account_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(UnableToStartService, match="belongs to another account"):
            open_home(tmp_path)

    def test_a_checkout_that_cannot_be_written_is_named(
        self, tmp_path: Path, request: pytest.FixtureRequest
    ) -> None:
        request.getfixturevalue("_ordinary_account")
        (tmp_path / "file").touch()
        with pytest.raises(UnableToStartService, match=r"Cannot use .*file"):
            open_home(tmp_path / "file")


class TestAccount:
    @pytest.mark.usefixtures("_ordinary_account")
    def test_ordinary_people_run_the_servers_themselves(self, tmp_path: Path) -> None:
        assert account_for(tmp_path) == Account()
        assert "user" not in Account().popen_options()

    @pytest.mark.usefixtures("_root")
    def test_root_gives_them_to_somebody_without_rights(self, tmp_path: Path) -> None:
        account = account_for(tmp_path / "missing")
        assert account.uid not in (None, 0)
        options = account.popen_options()
        assert (options["user"], options["extra_groups"]) == (account.uid, [])

    def test_nothing_of_our_environment_reaches_the_servers(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PGDATA", "/elsewhere")
        assert "PGDATA" not in Account().run(["env"])

    def test_what_a_failed_program_said_is_in_the_error(self) -> None:
        with pytest.raises(UnableToStartService, match=r"exit code 3\):\nno room"):
            Account().run(["sh", "-c", "echo no room >&2; exit 3"])

    def test_a_missing_program_is_an_error_of_ours(self) -> None:
        with pytest.raises(UnableToStartService, match="No such file"):
            Account().run(["/no/such/program"])
        assert not Account().can_run(["/no/such/program"])
