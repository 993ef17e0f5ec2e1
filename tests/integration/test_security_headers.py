"""What browsers may do with our pages: nothing from elsewhere, nothing written into the page."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def policy_of(response: object) -> dict[str, set[str]]:
    """Directive → sources."""
    header = response["Content-Security-Policy"]  # type: ignore[index]
    parts = (part.split() for part in header.split(";"))
    return {name: set(sources) for name, *sources in filter(None, parts)}


@pytest.mark.parametrize("url", ["/", "/companies/", "/accounts/login/", "/no/such/page"])
def test_pages_may_load_from_here_only(client: Client, url: str) -> None:
    response = client.get(url)
    assert policy_of(response) == {
        "default-src": {"'self'"},
        "img-src": {"'self'", "data:"},
        "object-src": {"'none'"},
        "base-uri": {"'self'"},
        "form-action": {"'self'"},
        "frame-ancestors": {"'none'"},
    }
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "strict-origin-when-cross-origin"
    assert response["X-Frame-Options"] == "DENY"
    assert "camera=()" in response["Permissions-Policy"]
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


def test_the_admin_alone_may_run_what_stands_in_the_page(client: Client) -> None:
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    policy = policy_of(client.get("/admin/"))
    assert policy["script-src"] == {"'self'", "'unsafe-inline'", "'unsafe-eval'"}
    assert policy["frame-ancestors"] == {"'none'"}


def test_the_page_of_the_api_may_set_styles_and_run_nothing_of_its_own(client: Client) -> None:
    client.force_login(UserFactory.create())
    policy = policy_of(client.get("/api/v1/docs"))
    assert policy["style-src"] == {"'self'", "'unsafe-inline'"}
    assert "script-src" not in policy
    assert policy["default-src"] == {"'self'"}


def test_a_mail_in_its_frame_runs_nothing(client: Client) -> None:
    client.force_login(UserFactory.create(is_staff=True))
    response = client.get("/staff/mails/account-deleted/en/body/")
    policy = policy_of(response)
    assert response.status_code == 200
    assert policy["default-src"] == {"'none'"}
    assert "allow-scripts" not in policy["sandbox"]
