"""Fixtures for every test: the database and Redis are real; providers are local servers."""

import os

os.environ["ENVIRONMENT"] = "test"
os.environ.setdefault("SITE_URL", "http://testserver")

import pytest  # noqa: E402
from django.conf import settings as django_settings  # noqa: E402


@pytest.fixture(autouse=True)
def _own_outbox(settings: object, tmp_path: os.PathLike[str]) -> None:
    """Each test writes its mails to a folder of its own."""
    django_settings.OUTBOX_DIR = tmp_path / "outbox"  # type: ignore[operator]
