"""An action of the admin on rows that no list has offered is refused, never an error of ours."""

import pytest
from django.contrib import admin
from django.test import Client

from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
LISTS = sorted(admin.site._registry, key=lambda model: model._meta.label)
ACTIONS = [
    "delete_selected", "nothing", "requeue", "discard", "pause", "resume", "revoke", "publish",
    "withdraw", "make_verified", "count_as_sent", "send_again",
]  # fmt: skip


@pytest.mark.parametrize("model", LISTS, ids=lambda model: model._meta.label_lower)
def test_an_action_on_rows_that_cannot_be_there_is_no_error_of_ours(
    client: Client, model: type
) -> None:
    client.raise_request_exception = False
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    options = model._meta  # type: ignore[attr-defined]
    address = f"/admin/{options.app_label}/{options.model_name}/"
    for action in ACTIONS:
        for rows in (["x"], ["\x00"], ["1", "x"], ["9" * 40], ["-1"], [""]):
            form = {"action": action, "_selected_action": rows, "select_across": "0", "index": "0"}
            status = client.post(address, form).status_code
            assert status < 500, (action, rows)


def test_sessions_are_searched_by_address(client: Client) -> None:
    client.force_login(UserFactory.create(is_staff=True, is_superuser=True))
    assert client.get("/admin/usersessions/usersession/?q=ana").status_code == 200
