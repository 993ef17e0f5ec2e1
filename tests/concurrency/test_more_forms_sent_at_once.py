"""The forms of signing in, settings and the admin, sent twice at once: no error, done once."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    format_hotp_value,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.admin.models import LogEntry
from django.core import mail
from django.test import Client

from agents.models import ScheduledMailReport
from agents.welcome import plan_welcome
from listings.models import Company
from marketplace.consent import PromotionConsent
from marketplace.models import PersonalToken, User
from notifications.models import Delivery, DispatchLimits, LimitChange, ProviderQuota, Suppression
from notifications.unsubscribe_tokens import token_of
from tests.factories import AgentFactory, CompanyFactory, UserFactory, industry, region
from tests.sending_twice import send_two
from tests.signing_in import sign_in_just_now

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_rate_limits"),
]
PASSWORD, NEW = "a long quiet harbour 7", "another wide grey sea 8"


@pytest.fixture
def person() -> User:
    user = UserFactory.create(email="mia@example.com", language="en")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def browser(client: Client, person: User) -> Client:
    sign_in_just_now(client, person)
    return client


@pytest.fixture
def admin(client: Client) -> Client:
    sign_in_just_now(client, UserFactory.create(is_staff=True, is_superuser=True))
    return client


def fields_of(client: Client, path: str, **changes: Any) -> dict[str, Any]:
    """What the admin's form would post, with these changes."""
    form = client.get(path).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    filled = {name: value for name, value in values.items() if value not in (None, False)}
    return {**filled, **changes}


def test_signing_up(client: Client) -> None:
    form = {"email": "new@example.com", "password1": PASSWORD, "password2": PASSWORD}
    assert max(send_two(client, "/accounts/signup/", form)) < 500
    assert User.objects.get().email == "new@example.com"
    assert EmailAddress.objects.count() == 1
    assert ScheduledMailReport.objects.count() == 1


def test_asking_for_a_new_password(client: Client, person: User) -> None:
    assert max(send_two(client, "/accounts/password/reset/", {"email": person.email})) < 500
    assert {address for each in mail.outbox for address in each.to} == {person.email}
    assert len(mail.outbox) <= 2


def test_a_new_password_by_the_mailed_link(client: Client, person: User) -> None:
    key = f"{user_pk_to_url_str(person)}-{default_token_generator.make_token(person)}"
    page = client.get(f"/accounts/password/reset/key/{key}/")
    form = {"password1": NEW, "password2": NEW}
    assert max(send_two(client, page["Location"], form)) < 500
    person.refresh_from_db()
    assert person.check_password(NEW)


def test_changing_the_password(browser: Client, person: User) -> None:
    form = {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW}
    assert max(send_two(browser, "/accounts/password/change/", form)) < 500
    person.refresh_from_db()
    assert person.check_password(NEW)


def test_signing_in_by_a_mailed_code(client: Client, person: User) -> None:
    assert max(send_two(client, "/accounts/login/code/", {"email": person.email})) < 500
    assert {address for each in mail.outbox for address in each.to} == {person.email}
    assert len(mail.outbox) <= 2


def test_setting_a_second_factor_up_and_off_again(browser: Client, person: User) -> None:
    browser.get("/accounts/2fa/totp/activate/")
    secret = browser.session["mfa.totp.secret"]
    counter = next(yield_hotp_counters_from_time())
    code = format_hotp_value(hotp_value(secret, counter))
    assert max(send_two(browser, "/accounts/2fa/totp/activate/", {"code": code})) < 500
    totps = Authenticator.objects.filter(user=person, type=Authenticator.Type.TOTP)
    assert totps.count() == 1
    assert max(send_two(browser, "/accounts/2fa/recovery-codes/generate/", {})) < 500
    codes = Authenticator.objects.filter(user=person, type=Authenticator.Type.RECOVERY_CODES)
    assert codes.count() == 1
    assert max(send_two(browser, "/accounts/2fa/totp/deactivate/", {})) < 500
    assert not totps.exists()


def test_revoking_a_token(browser: Client) -> None:
    browser.post("/account/tokens/", {"name": "Our sheet", "lasts": "30"})
    token = PersonalToken.objects.get()
    assert max(send_two(browser, f"/account/tokens/{token.pk}/revoke/", {})) < 500
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_mail_times(browser: Client, person: User) -> None:
    form = browser.get("/account/mail-times/").context["form"]
    values = {name: form[name].value() for name in form.fields} | {"mail_hour": "18"}
    assert max(send_two(browser, "/account/mail-times/", values)) < 500
    person.refresh_from_db()
    assert person.mail_hour == 18


def test_agreeing_to_promotions(browser: Client) -> None:
    page = browser.get("/account/promotions/").content.decode()
    [first, *_] = re.findall(r'<form method="post">(.*?)</form>', page, re.S)
    form = dict(re.findall(r'name="(\w+)" value="([^"]*)"', first))
    assert max(send_two(browser, "/account/promotions/", form)) < 500
    assert PromotionConsent.objects.count() == 1


@pytest.mark.parametrize("extra", [{}, {"List-Unsubscribe": "One-Click"}])
def test_unsubscribing(client: Client, person: User, extra: dict[str, str]) -> None:
    plan_welcome(person, datetime.now(UTC))
    path = f"/mail/unsubscribe/{token_of(Delivery.objects.get())}/"
    scope = {"scope": "mail"} if not extra else {}
    assert max(send_two(client, path, {**scope, **extra})) < 400
    assert not ScheduledMailReport.objects.filter(user=person, is_active=True).exists()


def test_editing_an_agent(browser: Client, person: User) -> None:
    agent = AgentFactory.create(user=person)
    form = {"name": "Oak", "frequency": "daily", "keywords": "oak"}
    assert max(send_two(browser, f"/agents/{agent.pk}/edit/", form)) < 500
    agent.refresh_from_db()
    assert agent.name == "Oak"


def test_editing_a_company(browser: Client, person: User) -> None:
    company = CompanyFactory.create(seller=person)
    form = {
        "title": "Oak mill", "description": "Oak.", "industry": str(industry("C16").pk),
        "region": str(region("DE-BY").pk), "price": "5", "currency": "EUR",
    }  # fmt: skip
    assert max(send_two(browser, f"/my-companies/{company.pk}/edit/", form)) < 500
    assert Company.objects.get().title == "Oak mill"


def test_barring_an_address(admin: Client) -> None:
    form = {"email": "ana@example.com", "note": "She called."}
    assert max(send_two(admin, "/admin/notifications/suppression/add/", form)) < 500
    assert Suppression.objects.get().email == "ana@example.com"
    assert LogEntry.objects.count() == 1


def test_limits(admin: Client) -> None:
    path = f"/admin/notifications/dispatchlimits/{DispatchLimits.current().pk}/change/"
    assert max(send_two(admin, path, fields_of(admin, path, max_companies=7))) < 500
    assert DispatchLimits.current().max_companies == 7
    assert LimitChange.objects.count() == 1


def test_a_quota(admin: Client) -> None:
    quota = ProviderQuota.of("smtp")
    path = f"/admin/notifications/providerquota/{quota.pk}/change/"
    assert max(send_two(admin, path, fields_of(admin, path, per_second=7))) < 500
    quota.refresh_from_db()
    assert quota.per_second == 7
