"""Fixtures for every test: the database and Redis are real; providers are local servers."""

from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _own_outbox(settings: Settings, tmp_path: Path) -> None:
    """Each test writes its mails to a folder of its own."""
    settings.OUTBOX_DIR = tmp_path / "outbox"
