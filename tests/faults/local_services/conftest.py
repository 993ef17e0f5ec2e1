"""Checkouts for the tests of the local services."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.local_services.home import Home, open_home

from .checkout import Checkout, copy_of_packages, identity_of, python_of


@pytest.fixture(scope="session")
def nobody() -> pwd.struct_passwd:
    """An account that is not ours; only root can become it."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another account")
    return pwd.getpwnam("nobody")


@pytest.fixture(scope="session")
def place_for_everybody() -> Iterator[Path]:
    """A folder that other accounts can enter, unlike pytest's own, with the packages in it."""
    place = Path(tempfile.mkdtemp(prefix="marktlotse-test-"))
    place.chmod(0o755)
    copy_of_packages(place / "packages")
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def own_checkout(tmp_path: Path) -> Iterator[Checkout]:
    """A checkout of the account that runs the tests, root or not."""
    base_dir = tmp_path / "checkout"
    base_dir.mkdir()
    with Checkout(base_dir, open_home(base_dir)) as checkout:
        yield checkout


@pytest.fixture
def nobodys_checkout(nobody: pwd.struct_passwd, place_for_everybody: Path) -> Iterator[Checkout]:
    """A checkout of an ordinary account, though root runs the tests."""
    python = python_of(nobody)
    if python is None:
        pytest.skip("no Python that an ordinary account may run")
    base_dir = Path(tempfile.mkdtemp(dir=place_for_everybody))
    os.chown(base_dir, nobody.pw_uid, nobody.pw_gid)
    packages = place_for_everybody / "packages"
    with Checkout(
        base_dir,
        Home(base_dir / ".local" / "services"),
        python=python,
        package_parent=packages,
        environment={"PATH": os.defpath, "PYTHONPATH": str(packages)},
        become=identity_of(nobody),
    ) as checkout:
        yield checkout


@pytest.fixture(params=["own", "nobodys"])
def checkout(request: pytest.FixtureRequest) -> Checkout:
    """Each test once as the account that runs the tests, and, if that is root, as another."""
    found: Checkout = request.getfixturevalue(f"{request.param}_checkout")
    return found
