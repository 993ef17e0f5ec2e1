"""The developers' outbox: files on disk, and the pages that show them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from notifications import outbox_files
from notifications.messages import Message
from notifications.providers.outbox import OutboxProvider, path_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _developers_machine(settings: Settings) -> None:
    settings.IS_DEVELOPMENT, settings.EMAIL_PROVIDER = True, "outbox"


def write(delivery_id: int, **fields: Any) -> None:
    values: dict[str, Any] = {
        "to": f"person{delivery_id}@example.com",
        "subject": f"Mail {delivery_id}",
        "text": "Grüße",
        "html": "<html><head></head><body><p>Grüße</p></body></html>",
        **fields,
    }
    OutboxProvider().send(delivery_id, Message(**values))


def listed(client: Client, query: str = "") -> list[str]:
    return [mail.subject for mail in client.get(f"/outbox/{query}").context["mails"]]


def test_a_file_reads_as_text_html_and_headers() -> None:
    write(7, to_name="Jörg", subject="Bäckerei")
    raw = path_of(7).read_text("utf-8")
    assert "Grüße" in raw
    mail = outbox_files.read(7)
    assert mail is not None
    assert (mail.head.subject, mail.head.to) == ("Bäckerei", "Jörg <person7@example.com>")
    assert (mail.text, mail.html.count("<p>Grüße</p>")) == ("Grüße", 1)
    assert ("Message-ID", "<delivery-7@testserver>") in mail.headers


def test_writing_twice_is_one_mail() -> None:
    write(7)
    write(7, subject="Mail 7 again")
    assert [path.name for path in path_of(7).parent.iterdir()] == ["000000000007.eml"]
    found = outbox_files.newest(before=None, recipient="", limit=9)
    assert [mail.subject for mail in found.mails] == ["Mail 7 again"]


def test_line_breaks_in_a_subject_smuggle_in_no_header() -> None:
    write(7, subject="Hello\r\nBcc: victim@example.com", to_name="A\nX-Evil: 1")
    mail = outbox_files.read(7)
    assert mail is not None
    assert {"Bcc", "X-Evil"}.isdisjoint(name for name, _value in mail.headers)
    assert mail.head.subject == "Hello Bcc: victim@example.com"


def test_the_list_is_newest_first_across_folders_and_paged(client: Client) -> None:
    for delivery_id in [*range(1, 46), *range(995, 1010), 2_000_001]:
        write(delivery_id)
    ids = [2_000_001, *range(1009, 994, -1), *range(45, 0, -1)]
    assert listed(client) == [f"Mail {pk}" for pk in ids[:50]]
    response = client.get("/outbox/")
    assert response.context["next_before"] == ids[49]
    assert listed(client, f"?before={ids[49]}") == [f"Mail {pk}" for pk in ids[50:]]


def test_mails_are_found_by_recipient(client: Client) -> None:
    write(1, to="ana@example.com", to_name="Ana Šimić")
    write(2, to="bob@example.com")
    assert listed(client, "?recipient=ANA@") == ["Mail 1"]
    assert listed(client, "?recipient=šimić") == ["Mail 1"]
    assert listed(client, "?recipient=nobody") == []


def test_a_search_goes_through_the_newest_mails_only_and_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_files, "MOST_SEARCHED", 20)
    for delivery_id in range(1, 50):
        write(delivery_id, to="ana@example.com" if delivery_id in (2, 35) else "bob@example.com")
    first = client.get("/outbox/?recipient=ana")
    assert [mail.delivery_id for mail in first.context["mails"]] == [35]
    assert "Only 20 mails were searched" in first.content.decode()
    assert 'href="?before=30&amp;recipient=ana">Search older mails' in first.content.decode()
    nothing = client.get("/outbox/?recipient=ana&before=30").content.decode()
    assert "No mail to “ana” was found" in nothing
    assert 'href="?before=10&amp;recipient=ana">Search older mails' in nothing
    last = client.get("/outbox/?recipient=ana&before=10")
    assert [mail.delivery_id for mail in last.context["mails"]] == [2]
    assert "were searched" not in last.content.decode()
    assert last.context["next_before"] is None


@pytest.mark.parametrize("query", ["?before=x", "?before=-1", "?before=²", "?recipient=%00"])
def test_odd_queries_are_harmless(client: Client, query: str) -> None:
    write(1)
    assert client.get(f"/outbox/{query}").status_code == 200


def test_an_empty_outbox_says_so(client: Client) -> None:
    assert "No mail has been sent yet" in client.get("/outbox/").content.decode()


def test_a_mail_is_shown_as_html_in_a_frame_that_runs_no_scripts(client: Client) -> None:
    write(7, html="<html><head></head><body><script>alert(1)</script><p>Hi</p></body></html>")
    page = client.get("/outbox/7/").content.decode()
    assert "<iframe" in page
    assert 'sandbox="allow-popups allow-popups-to-escape-sandbox"' in page
    assert "alert(1)" not in page
    body = client.get("/outbox/7/body/")
    assert body["Content-Security-Policy"].startswith("sandbox allow-popups")
    assert "default-src 'none'" in body["Content-Security-Policy"]
    assert body["X-Frame-Options"] == "SAMEORIGIN"
    assert '<head><base target="_blank">' in body.content.decode()


def test_text_is_escaped_and_its_links_can_be_followed(client: Client) -> None:
    write(7, text="<b>See</b> https://example.com/a?b=1")
    page = client.get("/outbox/7/text/").content.decode()
    assert "&lt;b&gt;See&lt;/b&gt;" in page
    assert 'href="https://example.com/a?b=1"' in page


def test_headers_are_shown(client: Client) -> None:
    write(7)
    page = client.get("/outbox/7/headers/").content.decode()
    assert "Message-ID" in page
    assert "&lt;delivery-7@testserver&gt;" in page


def test_a_mail_without_html_shows_its_text(client: Client) -> None:
    write(7, html="", text="Only text")
    assert "Only text" in client.get("/outbox/7/").content.decode()


PAGES = ["/outbox/", "/outbox/7/", "/outbox/7/text/", "/outbox/7/headers/", "/outbox/7/body/"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize(("debug", "provider"), [(False, "outbox"), (True, "smtp")])
def test_elsewhere_there_is_no_outbox(
    client: Client, settings: Settings, page: str, debug: bool, provider: str
) -> None:
    write(7)
    settings.IS_DEVELOPMENT, settings.EMAIL_PROVIDER = debug, provider
    assert client.get(page).status_code == 404


def test_a_mail_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get(reverse("notifications:outbox_mail", args=[99])).status_code == 404
