"""Staff sign in to the admin where everybody does."""

import pytest
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("url", ["/admin/", "/admin/login/?next=/admin/", "/admin/auth/group/"])
def test_guests_are_sent_to_the_sites_own_page_and_come_back(client: Client, url: str) -> None:
    response = client.get(url, follow=True)
    [*_, (last, _status)] = response.redirect_chain
    assert last.startswith("/accounts/login/?next=%2Fadmin%2F")
    assert "password" in response.content.decode()


def test_no_password_is_tried_at_the_admins_door(client: Client) -> None:
    person = UserFactory.create(is_staff=True, is_superuser=True)
    person.set_password("a long quiet harbour 7")
    person.save()
    values = {"username": person.email, "password": "a long quiet harbour 7"}
    response = client.post("/admin/login/", values)
    assert (response.status_code, response["Location"][:17]) == (302, "/accounts/login/?")
    assert "_auth_user_id" not in client.session


def test_the_way_back_leads_nowhere_else(client: Client) -> None:
    response = client.get("/admin/login/?next=https://evil.example/")
    assert "evil.example/" not in response["Location"].split("next=")[1].split("%3F")[0]


def test_who_is_no_staff_is_refused_and_not_sent_round(client: Client) -> None:
    client.force_login(UserFactory.create())
    response = client.get("/admin/", follow=True)
    assert response.status_code == 403
