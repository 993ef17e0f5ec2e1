"""What a digest says: sections, why, links, languages; and what falls away before sending."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from email.message import EmailMessage

import pytest
from django.db import connection
from django.template import Template
from django.test import Client
from django.test.signals import template_rendered
from django.test.utils import CaptureQueriesContext

from agents.editing import pause_agent
from agents.models import DigestSection, ReportedCompany
from listings.models import Company, CompanyStatus, Industry, Region
from marketplace.models import Suspension
from notifications.models import Delivery, SpamReport, State
from notifications.sources import source_of
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.firing import fire, fire_and_read, publish, send, sent_mails
from tests.limits import set_limits

pytestmark = pytest.mark.django_db


def html_of(mail: EmailMessage) -> str:
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def text_of(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def the_mail() -> EmailMessage:
    fire()
    send()
    [mail] = sent_mails()
    return mail


def test_a_digest_names_agent_companies_and_reason_and_links_to_all_of_them() -> None:
    agent = AgentFactory(name="Timber", keywords="timber", user__name="Ana Kovač")
    company = CompanyFactory(
        title="Timber & Sons <GmbH>", description="Oak and pine. " * 40,
        published_at=datetime.now(UTC) - timedelta(hours=1), price=Decimal("1250000.50"),
    )  # fmt: skip
    mail = the_mail()
    html, text = html_of(mail), text_of(mail)
    assert mail["Subject"] == "1 new company for “Timber”"
    assert agent.user.email in mail["To"]
    assert "Timber &amp; Sons &lt;GmbH&gt;" in html
    assert "Timber & Sons <GmbH>" in text
    for body in (html, text):
        assert f"http://testserver/companies/{company.pk}/" in body
        assert f"http://testserver/agents/{agent.pk}/edit/" in body
        assert "€1,250,000.50" in body
        assert "“timber”" in body
        assert "(daily)" in body
    assert "Oak and pine. " * 12 not in text
    assert "List-Unsubscribe=One-Click" in mail["List-Unsubscribe-Post"]
    assert mail["List-Unsubscribe"].startswith("<http://testserver/mail/unsubscribe/")


@pytest.mark.parametrize(
    ("language", "price", "lang_attribute"),
    [("en", "€500,000", "en"), ("de", "500.000 €", "de"), ("hr", "500.000 €", "hr")],
)
def test_each_person_reads_prices_regions_and_industries_in_their_language(
    language: str, price: str, lang_attribute: str
) -> None:
    AgentFactory(user__language=language)
    publish("A")
    html = html_of(the_mail())
    names = [
        node.name_in(language)
        for node in (Industry.objects.get(pk="C16"), Region.objects.get(pk="DE-BY"))
    ]
    assert f"{names[0]} · {names[1]}" in html
    assert price in html.replace("\N{NO-BREAK SPACE}", " ")
    assert f'<html lang="{lang_attribute}">' in html


def test_a_line_break_in_a_name_smuggles_no_header_in() -> None:
    AgentFactory(
        name="Deals\r\nBcc: everybody@example.com", user__name="Eve\r\nBcc: everybody@example.com"
    )
    publish("A\nBcc: everybody@example.com")
    mail = the_mail()
    assert mail["Bcc"] is None
    assert "\n" not in mail["Subject"]
    assert len(mail["To"].addresses) == 1


def test_a_price_cut_says_what_it_was() -> None:
    AgentFactory(price_max=Decimal(400_000))
    publish("A", price=Decimal(500_000))
    company = Company.objects.get()
    company.price = Decimal(390_000)
    company.save()
    mail = the_mail()
    assert "Price lowered, was €500,000" in html_of(mail)
    assert "[Price lowered, was €500,000]" in text_of(mail)


def test_the_mail_says_how_many_more_and_the_link_shows_them(client: Client) -> None:
    set_limits(max_companies=2)
    agent = AgentFactory()
    publish("A", "B", "C")
    mail = the_mail()
    url = f"http://testserver/agents/{agent.pk}/matches/{DigestSection.objects.get().pk}/"
    assert url in html_of(mail)
    assert f"View 1 more match: {url}" in text_of(mail)
    client.force_login(agent.user)
    shown = client.get(url).context["companies"]
    assert [company.title for company in shown] == ["A"]


def test_a_company_withdrawn_after_the_plan_is_not_in_the_mail() -> None:
    agent = AgentFactory()
    publish("Stays", "Goes")
    fire()
    gone = Company.objects.get(title="Goes")
    gone.status = CompanyStatus.WITHDRAWN
    gone.save()
    send()
    [mail] = sent_mails()
    assert "Stays" in text_of(mail)
    assert "Goes" not in text_of(mail)
    assert list(agent.reported.values_list("company__title", flat=True)) == ["Stays"]


def test_with_nothing_left_there_is_no_mail_and_the_reason_is_stored() -> None:
    agent = AgentFactory()
    publish("Goes")
    fire()
    Company.objects.update(status=CompanyStatus.WITHDRAWN)
    send()
    delivery = Delivery.objects.get()
    assert sent_mails() == []
    assert (delivery.state, delivery.reason) == (State.CANCELLED, "nothing_left")
    assert agent.reported.count() == 0


def test_a_company_published_again_after_it_fell_away_is_shown() -> None:
    AgentFactory()
    publish("Back")
    fire()
    company = Company.objects.get()
    company.status = CompanyStatus.WITHDRAWN
    company.save()
    send()
    company.status = CompanyStatus.PUBLISHED
    company.save()
    assert fire_and_read() == [["Back"]]


def test_an_agent_switched_off_after_the_plan_is_left_out_of_the_shared_mail() -> None:
    user = UserFactory()
    off = AgentFactory(user=user, name="Off", keywords="mill")
    AgentFactory(user=user, name="On", keywords="brewery")
    publish("Old mill", "Old brewery")
    fire()
    pause_agent(off, datetime.now(UTC))
    send()
    [mail] = sent_mails()
    assert "Old brewery" in text_of(mail)
    assert "Old mill" not in text_of(mail)


def test_a_company_of_a_switched_off_agent_moves_to_the_other_that_counts_it() -> None:
    user = UserFactory()
    narrow = AgentFactory(user=user, name="Narrow", keywords="mill")
    AgentFactory(user=user, name="Broad")
    publish("Old mill", "Old brewery")
    fire()
    pause_agent(narrow, datetime.now(UTC))
    send()
    [mail] = sent_mails()
    text = text_of(mail)
    assert text.count("* Old mill") == 1
    assert "Narrow" not in text


@pytest.mark.parametrize(
    ("happening", "reason"),
    [
        (lambda user: Suspension.objects.create(user=user, reason="x"), "suspended"),
        (lambda user: SpamReport.objects.create(email=user.email.upper()), "spam_reported"),
        (lambda user: type(user).objects.update(is_active=False), "inactive"),
        (lambda user: type(user).objects.update(email="new@example.com"), "unverified"),
    ],
)
def test_who_may_not_get_mail_any_more_gets_none_and_loses_nothing(
    happening: object, reason: str
) -> None:
    agent = AgentFactory()
    publish("A")
    fire()
    happening(agent.user)  # type: ignore[operator]
    send()
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.reason) == (State.CANCELLED, reason)
    assert sent_mails() == []
    assert agent.reported.count() == 0


def test_what_a_cancelled_digest_held_comes_with_the_next_one() -> None:
    agent = AgentFactory()
    publish("A", "B")
    fire()
    Delivery.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    send()
    assert Delivery.objects.get().reason == "expired"
    assert sent_mails() == []
    assert fire_and_read() == [["B", "A"]]
    assert ReportedCompany.objects.filter(agent=agent).count() == 2


def test_one_click_switches_off_the_agents_of_this_mail_only(client: Client) -> None:
    user = UserFactory()
    spoke = AgentFactory(user=user, keywords="mill")
    silent = AgentFactory(user=user, keywords="brewery")
    publish("Old mill")
    mail = the_mail()
    url = mail["List-Unsubscribe"].split(">")[0].strip("<")
    assert client.get(url).status_code == 200
    spoke.refresh_from_db()
    assert spoke.is_active
    for _ in range(2):
        assert client.post(url, {"List-Unsubscribe": "One-Click"}).status_code == 200
    spoke.refresh_from_db()
    silent.refresh_from_db()
    assert (spoke.is_active, silent.is_active) == (False, True)


def test_two_sections_share_a_mail_and_the_subject_counts_both() -> None:
    user = UserFactory()
    AgentFactory(user=user, name="Mills", keywords="mill")
    AgentFactory(user=user, name="Breweries", keywords="brewery")
    publish("Old mill", "Old brewery")
    mail = the_mail()
    assert mail["Subject"] == "2 new companies for your searches"
    text = text_of(mail)
    assert text.index("Mills") < text.index("Old mill") < text.index("Breweries")


def test_a_hundred_digests_are_composed_with_the_queries_of_one() -> None:
    publish("A", "B")
    counts = []
    for people in (1, 100):
        AgentFactory.create_batch(people)
        run = fire()
        deliveries = list(Delivery.objects.filter(subject_id=run.pk))
        with CaptureQueriesContext(connection) as queries:
            composed = source_of("digest").compose(deliveries)
        assert len(composed) == people
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_cards_and_mails_are_rendered_once_a_language_not_once_a_mail() -> None:
    publish("A", "B", "C")
    for language in ("en", "de"):
        for _ in range(5):
            AgentFactory(user__language=language)
    fire()
    rendered: list[str] = []

    def note(template: Template, **kwargs: object) -> None:
        rendered.append(str(template.name))

    template_rendered.connect(note)
    try:
        assert send() == 10
    finally:
        template_rendered.disconnect(note)
    # Not at all where an earlier test has done it.
    assert rendered.count("agents/mail/digest.html") <= 2
    assert rendered.count("agents/mail/section.txt") <= 2
    assert rendered.count("agents/mail/card.html") == 3 * 2


def test_a_company_changed_between_two_mails_is_rendered_anew() -> None:
    publish("Before")
    AgentFactory()
    fire()
    send()
    company = Company.objects.get()
    company.title = "After"
    company.save()
    AgentFactory()
    fire()
    send()
    assert ["* After" in text_of(mail) for mail in sent_mails()] == [False, True]
