"""Error pages in our design, and the health check."""

import pytest
from django.test import Client, RequestFactory
from django.views.defaults import bad_request, permission_denied, server_error


@pytest.mark.django_db
def test_not_found_is_told_in_our_design(client: Client) -> None:
    response = client.get("/no/such/page", headers={"accept-language": "en"})
    assert response.status_code == 404
    html = response.content.decode()
    assert "There is nothing here" in html
    assert "ml-header" in html


@pytest.mark.django_db
def test_forbidden_is_told_in_our_design(rf: RequestFactory) -> None:
    response = permission_denied(rf.get("/"), PermissionError())
    assert response.status_code == 403
    assert "You may not open this page" in response.content.decode()


def test_a_server_error_needs_no_database(rf: RequestFactory) -> None:
    response = server_error(rf.get("/"))
    assert response.status_code == 500
    assert "Something went wrong on our side" in response.content.decode()


def test_a_bad_request_needs_no_database(rf: RequestFactory) -> None:
    response = bad_request(rf.get("/"), ValueError())
    assert response.status_code == 400
    assert "We could not read this request" in response.content.decode()


def test_an_expired_form_is_explained() -> None:
    response = Client(enforce_csrf_checks=True).post("/i18n/setlang/", {"language": "de"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()


def test_health_check_needs_no_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["/", "/companies/", "/accounts/login/", "/no/such/page"])
def test_no_page_carries_inline_script_or_style(client: Client, url: str) -> None:
    html = client.get(url).content.decode()
    assert "<style" not in html
    assert " style=" not in html
    assert html.count("<script") == html.count('<script src="/static/')
    assert "//cdn" not in html


def test_the_icon_is_found_where_browsers_look_by_themselves(client: Client) -> None:
    response = client.get("/favicon.ico")
    assert response.status_code == 302
    assert response["Location"] == "/static/marketplace/icon.svg"
