"""The system's Chromium, driven by Playwright; missing, it skips these tests, except in CI."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a process."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        if os.environ.get("CI") == "true":
            pytest.fail("CI needs Chromium: none of these is installed: " + ", ".join(NAMES))
        pytest.skip("no Chromium on this machine (apt-get install chromium)")
    # Playwright keeps an event loop in this thread; the tests use the ORM beside it.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(autouse=True)
def _own_rate_limits(own_rate_limits: None) -> None:
    """In every test of a browser."""


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> str:
    """Both colour schemes."""
    return str(request.param)


@pytest.fixture
def page(chromium: Browser, live_server: object) -> Iterator[Page]:
    """A page of an English phone, with cookies of its own; nothing may go wrong in its console."""
    with chromium.new_context(
        base_url=str(live_server),
        locale="en",
        viewport={"width": 390, "height": 844},
        reduced_motion="reduce",
    ) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.extend(_failure(request)))
        page.on("console", lambda message: problems.extend(_complaint(message)))
        yield page
        assert problems == []


def _failure(request: Request) -> list[str]:
    """What failed; a file given up because the page was left in the meantime did not."""
    return [] if request.failure == "net::ERR_ABORTED" else [f"{request.failure}: {request.url}"]


def _complaint(message: ConsoleMessage) -> list[str]:
    """An error in the console, but for htmx's word on a request that failed: see `_failure`."""
    is_known = message.text.startswith(("htmx:afterRequest", "htmx:sendError", "htmx:sendAbort"))
    return [message.text] if message.type == "error" and not is_known else []
