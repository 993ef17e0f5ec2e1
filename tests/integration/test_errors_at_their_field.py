"""What is wrong with a form stands at its field, and screen readers are told so."""

import re
from html.parser import HTMLParser

import pytest
from django.test import Client

from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
FORMS = [
    ("/accounts/signup/", {"email": "no address", "password1": "1", "password2": "2"}),
    ("/accounts/login/", {"login": "no address", "password": ""}),
    ("/accounts/password/reset/", {"email": "no address"}),
    ("/accounts/login/code/", {"email": "no address"}),
    ("/accounts/email/", {"action_add": "", "email": "no address"}),
    ("/accounts/password/change/", {"oldpassword": "wrong", "password1": "1", "password2": "2"}),
    ("/agents/new/", {"name": "", "frequency": "never", "price_from": "much"}),
    ("/my-companies/new/", {"title": "", "price": "much"}),
    ("/account/mail-times/", {"time_zone": "Nowhere", "sending_hour": "99"}),
    ("/account/tokens/", {"name": ""}),
]


class Page(HTMLParser):
    """The lists of errors by id, and the ids that invalid inputs name as their description."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.lists: list[str] = []
        self.named: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        # Those without an id belong to no field: the form's own, and the preview's.
        if "errorlist" in values.get("class", "").split() and "id" in values:
            self.lists.append(values["id"])
        if values.get("aria-invalid") == "true" or tag == "fieldset":
            self.named.update(values.get("aria-describedby", "").split())


@pytest.mark.parametrize(("path", "values"), FORMS, ids=[path for path, _ in FORMS])
def test_each_error_stands_at_its_field(client: Client, path: str, values: dict[str, str]) -> None:
    if not re.match("/accounts/(signup|login|password/reset)", path):
        sign_in_just_now(client, UserFactory())
    page = Page(client.post(path, values).content.decode())
    assert page.lists
    assert set(page.lists) <= page.named
