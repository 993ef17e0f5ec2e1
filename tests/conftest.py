"""Fixtures for every test: the database and Redis are real; providers are local servers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation
from pytest_django import Settings

from config.celery import app as celery_app
from notifications.limiter.server import server


@pytest.fixture(autouse=True)
def _own_outbox(settings: Settings, tmp_path: Path) -> None:
    """Each test writes its mails to a folder of its own."""
    settings.OUTBOX_DIR = tmp_path / "outbox"


@pytest.fixture
def own_rate_limits(settings: Settings, request: pytest.FixtureRequest) -> None:
    """Attempts of other tests do not count here."""
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {"default": {"BACKEND": backend, "LOCATION": request.node.name}}


@pytest.fixture(autouse=True)
def _fresh_limits() -> None:
    """No pause of a provider, and no quota used up, goes from one test into the next."""
    redis = server()
    for key in redis.scan_iter("limit:*", count=1000):
        redis.delete(key)


@pytest.fixture(scope="session", autouse=True)
def _empty_queues() -> None:
    """What an earlier test run left in its queues reaches no worker of this one."""
    celery_app.control.purge()


@pytest.fixture(autouse=True)
def _site_language() -> Iterator[None]:
    """A page that a test asked for in another language leaves none behind."""
    translation.activate("en")
    yield
    translation.activate("en")
