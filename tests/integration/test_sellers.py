"""Sellers and their own companies: entered, changed, published, withdrawn; nobody else's."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from listings import publishing
from listings.models import Company, CompanyStatus, ExchangeRate
from marketplace.models import User
from tests.factories import CompanyFactory, UserFactory, industry, region

pytestmark = pytest.mark.django_db


@pytest.fixture
def seller(client: Client) -> User:
    person = UserFactory.create()
    client.force_login(person)
    industry("C16"), region("DE-BY")
    return person


def values(**changes: Any) -> dict[str, Any]:
    return {
        "title": "Joinery near Munich",
        "description": "Twelve people.",
        "industry": "C16",
        "region": "DE-BY",
        "price": "1.250.000",
        "currency": "EUR",
        **changes,
    }


def test_guests_are_asked_to_sign_in(client: Client) -> None:
    for url in ("/my-companies/", "/my-companies/new/", "/my-companies/1/edit/"):
        response = client.get(url)
        assert response.status_code == 302
        assert response["Location"] == f"/accounts/login/?next={url}"


def test_a_new_company_is_a_draft_that_its_seller_previews(client: Client, seller: User) -> None:
    response = client.post("/my-companies/new/", values())
    company = Company.objects.get()
    assert response["Location"] == f"/companies/{company.pk}/"
    assert (company.title, company.seller, company.status) == (
        "Joinery near Munich", seller, CompanyStatus.DRAFT
    )  # fmt: skip
    assert company.price == company.price_eur == 1_250_000
    assert company.fresh_at is None
    preview = client.get(response["Location"]).content.decode()
    assert "Only you and our staff see this page." in preview
    assert '<meta name="robots" content="noindex">' in preview
    assert Client().get(response["Location"]).status_code == 404


def test_saved_and_published_at_once_it_is_news(client: Client, seller: User) -> None:
    before = datetime.now(UTC)
    client.post("/my-companies/new/", values(publish="1"))
    company = Company.objects.get()
    assert company.status == CompanyStatus.PUBLISHED
    assert company.fresh_at
    assert company.fresh_at >= before
    assert company.published_at == company.fresh_at


def test_a_form_sent_twice_makes_one_company(client: Client, seller: User) -> None:
    answers = [client.post("/my-companies/new/", values()) for _ in range(2)]
    assert Company.objects.count() == 1
    assert answers[0]["Location"] == answers[1]["Location"]
    client.post("/my-companies/new/", values(title="Another"))
    assert Company.objects.count() == 2


def test_no_price_is_on_request_and_currencies_count_in_euros(client: Client, seller: User) -> None:
    ExchangeRate.objects.update_or_create(pk="CHF", defaults={"euros": Decimal(2)})
    client.post("/my-companies/new/", values(price=""))
    client.post("/my-companies/new/", values(price="300'000", currency="CHF"))
    rows = Company.objects.order_by("pk").values_list("price", "currency", "price_eur")
    assert list(rows) == [(None, "EUR", None), (300_000, "CHF", 600_000)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", ""),
        ("title", "   "),
        ("title", "a" * 201),
        ("title", "a\x00b"),
        ("description", "a" * 20_001),
        ("description", "a\x00b"),
        ("industry", ""),
        ("industry", "ZZ"),
        ("industry", "\x00"),
        ("region", "C16"),
        ("price", "cheap"),
        ("price", "0"),
        ("price", "-5"),
        ("price", "9" * 29),
        ("price", "10 USD"),
        ("currency", "XXX"),
        ("currency", ""),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    client: Client, seller: User, field: str, value: str
) -> None:
    response = client.post("/my-companies/new/", values(**{field: value}))
    assert response.status_code == 200
    assert list(response.context["form"].errors) == [field]
    assert not Company.objects.exists()


def test_a_day_allows_so_many_and_not_more(
    client: Client, seller: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "MAX_NEW_A_DAY", 2)
    yesterday = CompanyFactory.create(seller=seller)
    day_ago = datetime.now(UTC) - timedelta(days=1, minutes=1)
    Company.objects.filter(pk=yesterday.pk).update(created_at=day_ago)
    for number in range(3):
        response = client.post("/my-companies/new/", values(title=f"c{number}"))
    assert "as many as a day allows" in response.content.decode()
    assert Company.objects.filter(seller=seller).count() == 3


def test_a_lower_price_is_news_and_a_new_text_is_not(client: Client, seller: User) -> None:
    day_ago = datetime.now(UTC) - timedelta(days=1)
    company = CompanyFactory.create(
        seller=seller, price=Decimal(500_000), published_at=day_ago, industry=industry("C16")
    )
    url = f"/my-companies/{company.pk}/edit/"
    client.post(url, values(price="500000", description="Other words."))
    company.refresh_from_db()
    assert (company.description, company.fresh_at) == ("Other words.", day_ago)

    client.post(url, values(price="400000"))
    company.refresh_from_db()
    assert (company.fresh_reason, company.price_before) == ("price_cut", 500_000)
    assert company.fresh_at
    assert company.fresh_at > day_ago


def test_withdrawn_and_published_again_it_is_news_again(client: Client, seller: User) -> None:
    day_ago = datetime.now(UTC) - timedelta(days=1)
    company = CompanyFactory.create(seller=seller, published_at=day_ago)
    for _ in range(2):
        assert client.post(f"/my-companies/{company.pk}/withdraw/").status_code == 302
    company.refresh_from_db()
    assert (company.status, company.fresh_at) == (CompanyStatus.WITHDRAWN, day_ago)
    assert Client().get(f"/companies/{company.pk}/").status_code == 404
    assert client.get(f"/companies/{company.pk}/").status_code == 200

    client.post(f"/my-companies/{company.pk}/publish/")
    company.refresh_from_db()
    first = company.fresh_at
    assert first
    assert first > day_ago
    client.post(f"/my-companies/{company.pk}/publish/")
    company.refresh_from_db()
    assert (company.status, company.fresh_at) == (CompanyStatus.PUBLISHED, first)


def test_a_draft_cannot_be_withdrawn(client: Client, seller: User) -> None:
    company = CompanyFactory.create(seller=seller, status=CompanyStatus.DRAFT, published_at=None)
    client.post(f"/my-companies/{company.pk}/withdraw/")
    company.refresh_from_db()
    assert company.status == CompanyStatus.DRAFT


def test_companies_of_others_are_not_found(client: Client, seller: User) -> None:
    other = CompanyFactory.create(seller=UserFactory.create(), title="Theirs")
    CompanyFactory.create(seller=seller, title="Mine")
    assert client.get(f"/my-companies/{other.pk}/edit/").status_code == 404
    for action in ("edit", "publish", "withdraw"):
        response = client.post(f"/my-companies/{other.pk}/{action}/", values())
        assert response.status_code == 404
    other.refresh_from_db()
    assert (other.title, other.status) == ("Theirs", CompanyStatus.PUBLISHED)
    page = client.get("/my-companies/").context["page"]
    assert [company.title for company in page.object_list] == ["Mine"]


def test_companies_of_a_feed_are_changed_by_the_feed_alone(client: Client, seller: User) -> None:
    company = CompanyFactory.create(
        seller=seller, title="From the feed", source="agency", external_id="7"
    )
    answer = client.get(f"/my-companies/{company.pk}/edit/")
    assert answer.status_code == 403
    assert "comes from your feed" in answer.content.decode()
    assert client.post(f"/my-companies/{company.pk}/edit/", values()).status_code == 403
    assert client.post(f"/my-companies/{company.pk}/withdraw/").status_code == 404
    company.refresh_from_db()
    assert (company.title, company.status) == ("From the feed", CompanyStatus.PUBLISHED)
    assert "Kept up to date by your feed." in client.get("/my-companies/").content.decode()


def test_switching_asks_for_a_post(client: Client, seller: User) -> None:
    company = CompanyFactory.create(seller=seller)
    for action in ("publish", "withdraw"):
        assert client.get(f"/my-companies/{company.pk}/{action}/").status_code == 405


def test_more_companies_cost_no_more_queries(
    client: Client, seller: User, django_assert_num_queries: Any
) -> None:
    CompanyFactory.create_batch(2, seller=seller)
    with django_assert_num_queries(4):  # session, person, count, page
        client.get("/my-companies/")
    CompanyFactory.create_batch(60, seller=seller)
    with django_assert_num_queries(4):
        html = client.get("/my-companies/").content.decode()
    assert 'href="?page=2"' in html
