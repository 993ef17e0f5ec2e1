"""A person's browser that looks at every page on its way, and their mail program beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from html import unescape
from http.client import HTTPResponse
from typing import Any, cast
from urllib.request import Request, urlopen

from playwright.sync_api import ConsoleMessage, Page

from tests.firing import send, sent_mails

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}
ONE_CLICK = b"List-Unsubscribe=One-Click"


@dataclass
class Walk:
    """A page to walk with; `problems` says what was wrong with any page on the way."""

    page: Page
    language: str
    problems: list[str] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen to the console, where a broken content policy is an error as well."""
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.problems.append(f"{self.page.url}: {message.text}")

    def press(self, name: str, *, role: Any = "button") -> None:
        """Press the button or link of this name in the page's main part, and look around."""
        self.page.get_by_role("main").get_by_role(role, name=name, exact=True).click()
        self.page.wait_for_load_state("networkidle")
        self.look()

    def open(self, url: str) -> None:
        """Open an address, and look around."""
        answer = self.page.goto(url, wait_until="networkidle")
        if answer is None or not answer.ok:
            self.problems.append(f"{url}: {answer and answer.status}")
        self.look()

    def look(self) -> None:
        """Note whether the page is in the wrong language, or wider than the screen."""
        url = self.page.url
        self.seen.append(url)
        language = self.page.locator("html").get_attribute("lang")
        if language != self.language:
            self.problems.append(f"{url}: lang is {language}")
        # A phone widens its viewport for a page that is too wide: what it was made for counts.
        screen = cast("dict[str, int]", self.page.viewport_size)["width"]
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        if wide > screen:
            self.problems.append(f"{url}: {wide} pixels wide")


def newest_mail() -> EmailMessage:
    """Let a worker send what waits; the mail that was written last."""
    send()
    return sent_mails()[-1]


def links_in(mail: EmailMessage) -> dict[str, str]:
    """The addresses of the mail's links by the words on them, as a mail program shows them."""
    body = mail.get_body(("html",))
    assert body is not None
    found = re.findall(r'<a\s[^>]*href="([^"]+)"[^>]*>(.*?)</a>', str(body.get_content()), re.S)
    return {" ".join(re.sub(r"<[^>]+>", "", text).split()): unescape(url) for url, text in found}


def language_of(mail: EmailMessage) -> str:
    """What the mail's HTML says its language is."""
    body = mail.get_body(("html",))
    assert body is not None
    found = re.search(r'<html[^>]*\slang="([^"]+)"', str(body.get_content()))
    return found[1] if found else ""


def unsubscribe_by_one_click(mail: EmailMessage) -> int:
    """Do what a mail program does at a press of its button (RFC 8058); the answer's status."""
    assert mail["List-Unsubscribe-Post"] == ONE_CLICK.decode()
    found = re.search(r"<(https?://[^>]+)>", mail["List-Unsubscribe"])
    assert found is not None
    request = Request(found[1], data=ONE_CLICK, method="POST")  # noqa: S310 - the test's own site
    with cast("HTTPResponse", urlopen(request, timeout=30)) as answer:  # noqa: S310
        return answer.status
