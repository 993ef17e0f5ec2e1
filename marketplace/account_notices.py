"""What the mails say that carry a code, or tell of a change somebody else could have made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from allauth.account import app_settings
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from marketplace.account_mails import AccountMail

MINUTE = 60
LONGEST_BROWSER = 120


def compose_notice(
    template_prefix: str, email: str, context: Mapping[str, Any]
) -> AccountMail | None:
    """The mail that allauth calls by this prefix, in the active language; None if unknown here."""
    if template_prefix == LOGIN_CODE:
        return _login_code(context)
    if template_prefix == EMAIL_CHANGED:
        return _address_changed(context)
    texts = CHANGES.get(template_prefix)
    return _changed(str(texts[0]), str(texts[1]), context) if texts else None


def account_deleted(email: str) -> AccountMail:
    """The last mail: the account and what belonged to it are gone."""
    return AccountMail(
        subject=_("Your account is deleted"),
        paragraphs=(
            _("As you asked, we have deleted your account at Marktlotse with everything in it."),
            _("Your search agents are gone, and this was the last mail you get from us."),
        ),
        notes=(
            _("If you did not do this, please write to %(operator)s.")
            % {"operator": settings.OPERATOR_EMAIL},
        ),
        action=_("Go to Marktlotse"),
        url=settings.SITE_URL + "/",
    )


def _login_code(context: Mapping[str, Any]) -> AccountMail:
    minutes = app_settings.LOGIN_BY_CODE_TIMEOUT // MINUTE
    return AccountMail(
        subject=_("Your code for signing in"),
        paragraphs=(_("Enter this code on the page from which you asked for it:"),),
        code=str(context["code"]),
        notes=(
            ngettext(
                "The code works for %(minutes)s minute.",
                "The code works for %(minutes)s minutes.",
                minutes,
            )
            % {"minutes": minutes},
            _("Give it to nobody. We never ask for it."),
            _("If you did not ask for a code, you need do nothing."),
        ),
    )


def _address_changed(context: Mapping[str, Any]) -> AccountMail:
    text = _(
        "The address of your account was changed from %(before)s to %(after)s. All mail goes to"
        " the new address from now on."
    ) % {"before": context["from_email"], "after": context["to_email"]}
    return _changed(_("Your e-mail address was changed"), text, context)


def _changed(subject: str, text: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=subject,
        paragraphs=(text,),
        action=_("Choose a new password"),
        url=settings.SITE_URL + reverse("account_reset_password"),
        notes=(
            _("If it was you, you need do nothing."),
            _("If it was not you, choose a new password at once, and write to %(operator)s.")
            % {"operator": settings.OPERATOR_EMAIL},
            _origin(context),
        ),
    )


def _origin(context: Mapping[str, Any]) -> str:
    """When and from where the change came, as far as the request says it."""
    moment = timezone.localtime(context["timestamp"])
    return _(
        "The change came at this time, from this address and browser: %(time)s, %(ip)s, %(browser)s"
    ) % {
        "ip": context.get("ip") or "?",
        "browser": str(context.get("user_agent") or "?")[:LONGEST_BROWSER],
        "time": date_format(moment, "DATETIME_FORMAT"),
    }


LOGIN_CODE = "account/email/login_code"
EMAIL_CHANGED = "account/email/email_changed"
_PASSWORD = (
    gettext_lazy("Your password was changed"),
    gettext_lazy("The password of your account at Marktlotse was changed just now."),
)
# Subject and text, by allauth's name of the mail.
CHANGES: Mapping[str, tuple[Any, Any]] = {
    "account/email/password_changed": _PASSWORD,
    "account/email/password_set": _PASSWORD,
    "account/email/password_reset": (
        _PASSWORD[0],
        gettext_lazy(
            "The password of your account at Marktlotse was changed just now, and your tokens for"
            " the API, if you had any, are revoked."
        ),
    ),
    "account/email/email_deleted": (
        gettext_lazy("An e-mail address was removed"),
        gettext_lazy("An e-mail address was removed from your account at Marktlotse."),
    ),
    "mfa/email/totp_activated": (
        gettext_lazy("Two-factor sign-in is on"),
        gettext_lazy("Signing in to Marktlotse now takes a code from your authenticator app, too."),
    ),
    "mfa/email/totp_deactivated": (
        gettext_lazy("Two-factor sign-in is off"),
        gettext_lazy("Signing in to Marktlotse does not ask for a code from your app any more."),
    ),
    "mfa/email/recovery_codes_generated": (
        gettext_lazy("You have new recovery codes"),
        gettext_lazy(
            "New recovery codes were made for your account; the old ones stopped working."
        ),
    ),
}


def preview_contexts() -> Mapping[str, Callable[[], Mapping[str, Any]]]:
    """For each of these mails something to fill it with, where none was ever sent."""

    def change() -> Mapping[str, Any]:
        return {"timestamp": timezone.now(), "ip": "192.0.2.7", "user_agent": "Firefox"}

    def address() -> Mapping[str, Any]:
        return {**change(), "from_email": "before@example.com", "to_email": "after@example.com"}

    return {
        LOGIN_CODE: lambda: {"code": "K7PQ-M2XA"},
        EMAIL_CHANGED: address,
        **dict.fromkeys(CHANGES, change),
    }
