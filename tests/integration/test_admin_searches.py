"""Each shape of a text finds the right row of the admin's lists, and no other one."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from agents.models import ScheduledMailReport
from listings.models import Company
from marketplace.models import Suspension, User
from marketplace.personal_tokens import PersonalToken, make_token
from notifications import ledger
from notifications.models import (
    Delivery,
    DeliveryEvent,
    LimitChange,
    SpamReport,
    Suppression,
)
from tests.factories import AgentFactory, CompanyFactory, UserFactory
from tests.factories.deliveries import new

pytestmark = pytest.mark.django_db
NOW = datetime.now(UTC)
UUID = "0b9c2f6e-8c1d-4a7e-9f00-1234567890ab"


@pytest.fixture
def search(client: Client) -> Any:
    """The primary keys that a list finds."""
    client.force_login(UserFactory.create(name="Olga Operator", is_staff=True, is_superuser=True))

    def ask(model: type[Model], text: str) -> set[Any]:
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        page = client.get(path, {"q": text})
        assert page.status_code == 200
        ask.warnings = [str(each) for each in page.context["messages"]]  # type: ignore[attr-defined]
        return {row.pk for row in page.context["cl"].result_list}

    return ask


def two_people() -> tuple[User, User]:
    return (
        UserFactory.create(name="Ana-Marija Kovač", email="ana.kovac@example.com"),
        UserFactory.create(name="Karl Anders", email="karl@example.com"),
    )


def deliver(key: str, **fields: Any) -> int:
    [pk] = ledger.open_deliveries([new(key, NOW, **fields)]).values()
    return pk


def test_people_are_found_by_number_address_and_beginnings_of_words(search: Any) -> None:
    ana, karl = two_people()
    for text, found in [
        (str(ana.pk), {ana.pk}),
        ("ANA.Kovac@example.COM", {ana.pk}),
        ("ana.kovac", {ana.pk}),
        ("kovač", {ana.pk}),
        ("KOV mar", {ana.pk}),
        ("an", {ana.pk, karl.pk}),
        ("karl anders", {karl.pk}),
        ("ovač", set()),
        ("%", set()),
        ("'", set()),
        ("ana:* | karl", set()),
        ("nobody@example.com", set()),
    ]:
        assert search(User, text) == found, text


def test_deliveries_are_found_by_number_address_uuid_and_key(search: Any) -> None:
    ana, karl = two_people()
    hers = deliver("digest:1:1", user_id=ana.pk, address="former@example.com")
    his = deliver("digest:1:2", user_id=karl.pk, address=karl.email)
    nobodys = deliver(f"account:{UUID}", address="Former@example.com")
    for text, found in [
        (str(his), {his}),
        ("Ana.Kovac@example.com", {hers}),
        ("former@EXAMPLE.com", {nobodys}),
        ("karl@example.com", {his}),
        ("digest:1:2", {his}),
        (UUID.upper(), {nobodys}),
        ("digest:1:3", set()),
        ("9" * 18, set()),
    ]:
        assert search(Delivery, text) == found, text
        assert search.warnings == []


@pytest.mark.parametrize("text", ["ana", "9" * 30, "two words", "%"])
def test_what_cannot_be_searched_for_is_said_with_what_can(search: Any, text: str) -> None:
    deliver("digest:1:1")
    assert search(Delivery, text) == set()
    assert search.warnings == [
        f"“{text}” cannot be searched for here, only: number, whole address, UUID, "
        "whole idempotency key."
    ]


def test_events_are_found_by_person_delivery_and_the_providers_id(search: Any) -> None:
    ana, karl = two_people()
    hers, his = (
        DeliveryEvent.objects.create(
            provider="sendgrid", provider_event_id=f"event-{n}", kind="opened", happened_at=NOW,
            delivery_id=deliver(f"digest:1:{n}", user_id=person.pk),
        ).pk
        for n, person in enumerate((ana, karl))
    )  # fmt: skip
    for text, found in [
        (str(hers), {hers}),
        ("KARL@example.com", {his}),
        ("digest:1:0", {hers}),
        ("event-1", {his}),
        ("event-", set()),
    ]:
        assert search(DeliveryEvent, text) == found, text


@pytest.mark.parametrize("model", [ScheduledMailReport, Suspension, PersonalToken, EmailAddress])
def test_what_belongs_to_people_is_found_by_them(search: Any, model: type[Model]) -> None:
    ana, karl = two_people()
    ScheduledMailReport.objects.all().delete()
    rows = {}
    for person in (ana, karl):
        AgentFactory.create(user=person)
        Suspension.objects.create(user=person, reason="abuse")
        make_token(person.pk, name="mine", lasts=timedelta(days=1), now=NOW)
        rows[person] = model._default_manager.get(user=person).pk
    for text, found in [
        (str(rows[ana]), {rows[ana]}),
        ("Karl@example.com", {rows[karl]}),
        ("kov", {rows[ana]}),
        ("an", set(rows.values())),
        ("zoe", set()),
    ]:
        assert search(model, text) == found, text


def test_a_token_is_found_by_how_it_begins(search: Any) -> None:
    ana, karl = two_people()
    token, secret = make_token(ana.pk, name="a", lasts=timedelta(days=1), now=NOW)
    make_token(karl.pk, name="b", lasts=timedelta(days=1), now=NOW)
    assert search(PersonalToken, token.prefix) == {token.pk} == search(PersonalToken, secret)


def test_companies_are_found_by_number_feed_and_words(search: Any) -> None:
    mill = CompanyFactory.create(title="Sägewerk am See", source="north", external_id="7")
    inn = CompanyFactory.create(title="Inn", description="with a brewery", source="south")
    for text, found in [
        (str(mill.pk), {mill.pk}),
        ("north:7", {mill.pk}),
        ("south:7", set()),
        ("breweries", {inn.pk}),
        ("sägewerk", {mill.pk}),
        ("sägewerk brewery", set()),
    ]:
        assert search(Company, text) == found, text


@pytest.mark.parametrize("model", [SpamReport, Suppression])
def test_addresses_are_found_whole_in_any_case(search: Any, model: Any) -> None:
    row, other = (model.objects.create(email=f"{name}@example.com") for name in ("Ana", "Karl"))
    assert search(model, "aNA@example.com") == {row.pk}
    assert search(model, str(other.pk)) == {other.pk}
    assert search(model, "ana") == set()
    assert search.warnings == ["“ana” cannot be searched for here, only: number, whole address."]


def test_changes_of_limits_are_found_by_provider_and_person(search: Any) -> None:
    ana, _karl = two_people()
    values = {"before": "1", "after": "2"}
    hers = LimitChange.objects.create(field="batch_size", operator=ana, **values)
    smtp = LimitChange.objects.create(field="per_second", provider="smtp", **values)
    assert search(LimitChange, "ana.kovac@example.com") == {hers.pk}
    assert search(LimitChange, "SMTP") == {smtp.pk}


def test_the_hour_of_a_number_on_the_dashboard_lists_its_deliveries(
    search: Any, client: Client
) -> None:
    for provider, hour in (("smtp", 1), ("twilio", 1), ("smtp", 3)):
        pk = deliver(f"digest:{provider}:{hour}")
        Delivery.objects.filter(pk=pk).update(
            state="sent", provider=provider, dispatched_at=NOW - timedelta(hours=hour)
        )
    since = (NOW - timedelta(hours=2)).isoformat()
    page = client.get(
        reverse("admin:notifications_delivery_changelist"), {"dispatched_at__gte": since}
    )
    found = {row.idempotency_key for row in page.context["cl"].result_list}
    assert found == {"digest:smtp:1", "digest:twilio:1"}
