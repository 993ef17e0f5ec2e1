"""Account mails: every `send_mail` becomes a delivery, and its text is forgotten afterwards."""

from datetime import timedelta

import pytest
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection, send_mail
from django.db import transaction
from django.utils import timezone
from pytest_django import Settings

from notifications import outbox_files, sending
from notifications.email_backend import UnableToQueueMail
from notifications.models import Delivery, MailContent, Suppression
from tests.factories.people import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "notifications.email_backend.LedgerEmailBackend"


@pytest.fixture(autouse=True)
def _ledger_backend(settings: Settings) -> None:
    settings.EMAIL_BACKEND = BACKEND


def deliver() -> None:
    ids = list(Delivery.objects.order_by("pk").values_list("pk", flat=True))
    sending.send_batch(ids, clock=timezone.now)


def sent() -> list[outbox_files.StoredMail]:
    heads = outbox_files.newest(before=None, recipient="", limit=100).mails
    mails = [outbox_files.read(head.delivery_id) for head in reversed(heads)]
    return [mail for mail in mails if mail is not None]


def mail(**fields: object) -> EmailMultiAlternatives:
    values: dict[str, object] = {"subject": "Hello", "body": "Text", "to": ["ana@example.com"]}
    return EmailMultiAlternatives(**{**values, **fields})  # type: ignore[arg-type]


def test_send_mail_writes_a_delivery_with_its_text() -> None:
    person = UserFactory.create(email="Ana@example.com", is_verified=False)
    count = send_mail("Confirm", "Link", None, ["ana@example.com"], html_message="<p>Link</p>")
    row = Delivery.objects.get()
    assert count == 1
    assert (row.kind, row.state, row.address, row.user_id) == (
        "account",
        "pending",
        "ana@example.com",
        person.pk,
    )
    assert row.idempotency_key.startswith("account:")
    assert row.expires_at == row.created_at + timedelta(days=3)
    assert (row.content.subject, row.content.text, row.content.html) == (
        "Confirm",
        "Link",
        "<p>Link</p>",
    )


def test_it_goes_to_an_unconfirmed_address_and_its_text_is_forgotten() -> None:
    send_mail("Confirm", "Link", "Shop <shop@example.com>", ["new@example.com"])
    deliver()
    [mail] = sent()
    assert (mail.head.to, mail.head.subject, mail.text) == ("new@example.com", "Confirm", "Link")
    assert ("From", "Shop <shop@example.com>") in mail.headers
    assert Delivery.objects.get().state == "sent"
    assert not MailContent.objects.exists()


def test_each_recipient_gets_a_mail_that_names_nobody_else() -> None:
    mail(
        to=["Ana <ana@example.com>", "ANA@example.com"],
        cc=["bob@example.com"],
        bcc=["eve@example.com"],
    ).send()
    deliver()
    assert [each.head.to for each in sent()] == [
        "ana@example.com",
        "bob@example.com",
        "eve@example.com",
    ]
    assert not any(name in ("Cc", "Bcc") for each in sent() for name, _value in each.headers)


def test_reply_to_and_own_headers_are_kept_but_not_forged_ones() -> None:
    mail(
        reply_to=["help@example.com"], headers={"X-Kind": "news", "To": "victim@example.com"}
    ).send()
    deliver()
    headers = dict(sent()[0].headers)
    assert (headers["Reply-To"], headers["X-Kind"]) == ("help@example.com", "news")
    assert headers["To"] == "ana@example.com"


def test_line_breaks_smuggle_in_no_header() -> None:
    mail(subject="Hello\nBcc: victim@example.com", headers={"X-Kind": "a\r\nX-Evil: 1"}).send()
    deliver()
    headers = dict(sent()[0].headers)
    assert {"Bcc", "X-Evil"}.isdisjoint(headers)


def test_a_mail_that_is_only_html_gets_a_text() -> None:
    message = EmailMessage("Hello", "<p>Rich <b>words</b></p>", None, ["ana@example.com"])
    message.content_subtype = "html"
    message.send()
    content = MailContent.objects.get()
    assert (content.text, content.html) == ("Rich words", "<p>Rich <b>words</b></p>")


def test_attachments_are_refused_loudly_and_nothing_is_stored() -> None:
    message = mail()
    message.attach("invoice.pdf", b"%PDF", "application/pdf")
    with pytest.raises(UnableToQueueMail):
        get_connection(BACKEND).send_messages([mail(), message])
    assert not Delivery.objects.exists()
    assert get_connection(BACKEND, fail_silently=True).send_messages([message]) == 0


def test_no_recipient_means_no_delivery() -> None:
    assert get_connection(BACKEND).send_messages([mail(to=[])]) == 0
    assert not Delivery.objects.exists()


def test_a_rolled_back_request_sends_nothing() -> None:
    with transaction.atomic():
        mail().send()
        transaction.set_rollback(True)
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    ("cause", "state"),
    [("bounce", "cancelled"), ("complaint", "sent"), ("unsubscribe", "sent"), ("manual", "sent")],
)
def test_only_an_address_that_bounced_gets_no_account_mail(cause: str, state: str) -> None:
    Suppression.objects.create(email="ANA@example.com", cause=cause)
    mail().send()
    deliver()
    assert Delivery.objects.get().state == state
    assert not MailContent.objects.exists()


def test_a_lost_text_is_no_content() -> None:
    mail().send()
    MailContent.objects.all().delete()
    deliver()
    row = Delivery.objects.get()
    assert (row.state, row.reason) == ("cancelled", "no_content")
