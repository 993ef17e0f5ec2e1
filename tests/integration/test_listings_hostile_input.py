"""Whatever is sent to the pages of companies, the answer is never a server's error."""

from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client

from listings.models import Company, Enquiry
from tests.factories import CompanyFactory, UserFactory

pytestmark = pytest.mark.django_db
HOSTILE = [
    "",
    "\x00",
    "a\x00b",
    "-1",
    "0",
    "9" * 5,
    "9" * 30,
    "9" * 5_000,
    "1e999",
    "NaN",
    "Infinity",
    "-Infinity",
    "0x10",
    "٣٤",
    "²",
    "' OR 1=1 --",
    "\\'); & | ! :* <->",
    "<script>alert(1)</script>",
    "{{ 7 * 7 }}{% debug %}",
    "../../etc/passwd",
    "\r\nSet-Cookie: a=b",
    "\u202e\u2028\ufeff",
    "\ud7ff\ue000\U0010ffff",
    "a" * 10_000,
    "99999999999999999-999999999999999999",
    "00000000000000000-0",
]
PARAMETERS = (
    "keywords", "industries", "regions", "price_min", "price_max", "priced_only", "sort", "after",
    "before", "page",
)  # fmt: skip
RAW = ["%", "%zz", "%ff%fe", "%ED%A0%80", "%00", "a=%C0%80", "keywords=%ff", "sort=%00", "&&=&="]
IDS = ["0", "-1", "9" * 10, "9" * 19, "9" * 40, "abc", "%00", "1%00", "1.0", "%D9%A3", "%ff"]


def is_fine(status: int) -> bool:
    return 200 <= status < 500


@pytest.fixture
def own(client: Client) -> Company:
    seller = UserFactory.create()
    client.force_login(seller)
    return CompanyFactory.create(seller=seller)


@pytest.mark.parametrize("value", HOSTILE)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true", "HX-Target": "results"}])
def test_search_and_list_bear_any_parameter(
    client: Client, own: Company, value: str, headers: dict[str, str]
) -> None:
    for name in PARAMETERS:
        for url in ("/companies/", "/my-companies/", f"/companies/{own.pk}/"):
            response = client.get(f"{url}?{name}={quote(value)}", headers=headers)
            assert response.status_code == 200, (url, name)
            assert "\n" not in str(response.get("HX-Push-Url", ""))


@pytest.mark.parametrize("value", HOSTILE)
def test_every_order_bears_any_cursor(client: Client, own: Company, value: str) -> None:
    for sort in ("newest", "price", "price-down"):
        for cursor in ("after", "before"):
            response = client.get(f"/companies/?sort={sort}&{cursor}={quote(value)}")
            assert response.status_code == 200, (sort, cursor)


@pytest.mark.parametrize("query", RAW)
def test_a_query_in_no_encoding_is_a_page_or_refused(
    client: Client, own: Company, query: str
) -> None:
    for url in ("/", "/companies/", "/my-companies/", "/my-companies/new/"):
        assert is_fine(client.get(f"{url}?{query}").status_code), url
        assert is_fine(client.get(url, headers={"HX-Current-URL": query}).status_code)


@pytest.mark.parametrize("pk", IDS)
def test_an_id_that_cannot_be_is_not_found(client: Client, own: Company, pk: str) -> None:
    for url in ("/companies/{}/", "/companies/{}/write/", "/my-companies/{}/edit/"):
        assert client.get(url.format(pk)).status_code == 404
        assert client.post(url.format(pk), {"message": "x"}).status_code in (404, 405)
    for action in ("publish", "withdraw"):
        assert client.post(f"/my-companies/{pk}/{action}/").status_code == 404


@pytest.mark.parametrize("value", HOSTILE)
def test_forms_bear_any_value(client: Client, own: Company, value: str) -> None:
    good = {
        "title": "t", "description": "d", "industry": own.industry_id, "region": own.region_id,
        "price": "5", "currency": "EUR",
    }  # fmt: skip
    for name in (*good, "publish", "csrfmiddlewaretoken"):
        data: dict[str, Any] = {**good, name: value}
        assert is_fine(client.post("/my-companies/new/", data).status_code), name
        assert is_fine(client.post(f"/my-companies/{own.pk}/edit/", data).status_code), name
    stranger = Client()
    stranger.force_login(UserFactory.create())
    sent = stranger.post(f"/companies/{own.pk}/write/", {"message": value})
    assert is_fine(sent.status_code)
    assert not Enquiry.objects.filter(message__contains="\x1a").exists()


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"\xff\xfe\x00", "application/x-www-form-urlencoded"),
        (b"title=%ff&price=%00", "application/x-www-form-urlencoded; charset=utf-16"),
        (b"title=a", "application/x-www-form-urlencoded; charset=nonsense"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"--x", "multipart/form-data"),
        (b"{", "application/json"),
        (
            b"&".join(b"a%d=1" % number for number in range(1_500)),
            "application/x-www-form-urlencoded",
        ),
    ],
)
def test_a_body_in_no_form_is_refused(
    client: Client, own: Company, body: bytes, content_type: str
) -> None:
    for url in (
        "/my-companies/new/", f"/my-companies/{own.pk}/edit/", f"/companies/{own.pk}/write/",
        f"/my-companies/{own.pk}/publish/",
    ):  # fmt: skip
        assert is_fine(client.generic("POST", url, body, content_type).status_code), url
