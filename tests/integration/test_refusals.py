"""How the site refuses: programs read JSON at every address of the API, people read a page."""

import json

import pytest
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
NOTHING = "There is nothing here, or nothing of yours."
NO_SUCH = "This address does not take such a request."


@pytest.mark.parametrize(
    ("method", "path", "status", "title", "detail"),
    [
        ("GET", "/api/v1/nope", 404, "Not Found", NOTHING),
        ("POST", "/api/v1/agents/", 404, "Not Found", NOTHING),
        ("GET", "/api/", 404, "Not Found", NOTHING),
        ("PUT", "/api/v1/agents", 405, "Method Not Allowed", NO_SUCH),
        ("OPTIONS", "/api/v1/agents/1", 405, "Method Not Allowed", NO_SUCH),
    ],
)
def test_the_api_refuses_in_its_one_shape(
    method: str, path: str, status: int, title: str, detail: str
) -> None:
    response = Client(headers={"accept-language": "en"}).generic(method, path)
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == {
        "status": status, "title": title, "detail": detail, "errors": []
    }  # fmt: skip


def test_the_api_still_names_the_methods_it_takes() -> None:
    assert set(Client().put("/api/v1/agents")["Allow"].split(", ")) == {"GET", "POST"}


def test_a_button_pressed_on_an_old_page_leads_to_words_after_signing_in() -> None:
    browser = Client(headers={"accept-language": "en"})
    asked = browser.post("/agents/1/delete/")
    assert asked["Location"] == "/accounts/login/?next=/agents/1/delete/"
    browser.force_login(UserFactory.create(language="en"))
    response = browser.get("/agents/1/delete/")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "Nothing was changed" in response.content.decode()
    assert "ml-header" in response.content.decode()
