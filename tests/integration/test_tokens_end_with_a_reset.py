"""A new password by a mailed link closes the API to all tokens; a changed one leaves them."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from marketplace.personal_tokens import make_token, use_token
from tests.factories import UserFactory
from tests.signing_in import sign_in_just_now

pytestmark = pytest.mark.django_db
NEW = {"password1": "another quiet harbour 8", "password2": "another quiet harbour 8"}


def test_a_reset_revokes_ones_own_tokens_and_says_so(client: Client) -> None:
    cache.clear()
    people = [UserFactory.create(language="en") for _ in range(2)]
    now, month = timezone.now(), timedelta(days=30)
    mine, others = (make_token(each.pk, name="x", lasts=month, now=now)[1] for each in people)
    client.post("/accounts/password/reset/", {"email": people[0].email})
    link = re.search(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    assert link is not None
    page = client.get(link.group(), follow=True)
    client.post(page.redirect_chain[-1][0], NEW)
    assert use_token(mine, timezone.now()) is None
    assert use_token(others, timezone.now()) is not None
    assert "tokens for the API, if you had any, are revoked" in str(mail.outbox[-1].body)


def test_a_changed_password_leaves_them(client: Client) -> None:
    person = UserFactory.create()
    person.set_password("a long quiet harbour 7")
    person.save()
    _, secret = make_token(person.pk, name="x", lasts=timedelta(days=30), now=timezone.now())
    sign_in_just_now(client, person)
    form = {"oldpassword": "a long quiet harbour 7", **NEW}
    assert client.post("/accounts/password/change/", form).status_code == 302
    person.refresh_from_db()
    assert person.check_password(NEW["password1"])
    assert use_token(secret, timezone.now()) is not None
