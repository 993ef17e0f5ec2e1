"""What the mails about an account say: each sentence once, for the HTML and the text alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from allauth.account import app_settings
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

DAY = 86_400


@dataclass(frozen=True, slots=True)
class AccountMail:
    """One mail: why it comes, the one thing to do (a link or a code), and what else to know."""

    subject: str
    paragraphs: tuple[str, ...]
    notes: tuple[str, ...]
    action: str = ""
    url: str = ""
    code: str = ""
    why: str = ""
    """Why this person gets it; empty: because the address was entered here."""


def compose(template_prefix: str, email: str, context: Mapping[str, Any]) -> AccountMail | None:
    """The mail that allauth calls by this prefix, in the active language; None if unknown here."""
    composer = COMPOSERS.get(template_prefix.removeprefix("account/email/"))
    return composer(email, context) if composer else None


def message_of(mail: AccountMail, email: str) -> EmailMultiAlternatives:
    """The mail as text and HTML, to this address; not sent."""
    context = {
        "mail": mail,
        "language": get_language(),
        "subject": mail.subject,
        "preheader": mail.paragraphs[0],
        "why": mail.why
        or _("You get this mail because %(email)s was entered at Marktlotse.") % {"email": email},
        "site_url": settings.SITE_URL,
        "operator": settings.OPERATOR_NAME,
        "operator_address": settings.OPERATOR_ADDRESS,
    }
    text = render_to_string("marketplace/mail/account.txt", context).strip() + "\n"
    message = EmailMultiAlternatives(mail.subject, text, to=[email])
    message.attach_alternative(render_to_string("marketplace/mail/account.html", context), HTML)
    return message


HTML = "text/html"


def on_our_site(url: str) -> str:
    """The same page under SITE_URL, whatever host name the request came in by."""
    parts = urlsplit(url)
    return settings.SITE_URL + urlunsplit(("", "", parts.path, parts.query, parts.fragment))


def _first_confirmation(email: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=_("Please confirm your e-mail address"),
        paragraphs=(
            _("Welcome to Marktlotse!"),
            _(
                "One click confirms that %(email)s is yours. Then your search agents can write to"
                " you."
            )
            % {"email": email},
        ),
        action=_("Confirm the address"),
        url=on_our_site(context["activate_url"]),
        notes=(_confirmation_works_for(), _("If you did not sign up, you need do nothing.")),
    )


def _confirmation(email: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=_("Please confirm your e-mail address"),
        paragraphs=(
            _("One click confirms that %(email)s belongs to your account at Marktlotse.")
            % {"email": email},
        ),
        action=_("Confirm the address"),
        url=on_our_site(context["activate_url"]),
        notes=(
            _confirmation_works_for(),
            _("If you did not enter this address, you need do nothing."),
        ),
    )


def _new_password(email: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=_("Choose a new password"),
        paragraphs=(
            _("Somebody, probably you, asked for a new password for your account at Marktlotse."),
        ),
        action=_("Choose a new password"),
        url=on_our_site(context["password_reset_url"]),
        notes=(
            _works_for(settings.PASSWORD_RESET_TIMEOUT // DAY),
            _("If it was not you, you need do nothing: your password stays as it is."),
        ),
    )


def _account_exists(email: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=_("You already have an account"),
        paragraphs=(
            _("Somebody, probably you, wanted to sign up with %(email)s.") % {"email": email},
            _(
                "There is an account with this address already. Sign in with it, or choose a new"
                " password if you have forgotten yours."
            ),
        ),
        action=_("Choose a new password"),
        url=on_our_site(context["password_reset_url"]),
        notes=(_("If it was not you, you need do nothing: nobody got into your account."),),
    )


def _no_account(email: str, context: Mapping[str, Any]) -> AccountMail:
    return AccountMail(
        subject=_("There is no account with this address"),
        paragraphs=(
            _(
                "Somebody, probably you, asked for a new password or a code for signing in with"
                " %(email)s."
            )
            % {"email": email},
            _(
                "No account at Marktlotse has this address. Perhaps you signed up with another"
                " one; otherwise you can sign up now."
            ),
        ),
        action=_("Sign up"),
        url=on_our_site(context["signup_url"]),
        notes=(_("If it was not you, you need do nothing."),),
    )


def _confirmation_works_for() -> str:
    return _works_for(app_settings.EMAIL_CONFIRMATION_EXPIRE_DAYS)


def _works_for(days: int) -> str:
    return ngettext(
        "The link works for %(days)s day.", "The link works for %(days)s days.", days
    ) % {"days": days}


COMPOSERS: Mapping[str, Callable[[str, Mapping[str, Any]], AccountMail]] = {
    "email_confirmation_signup": _first_confirmation,
    "email_confirmation": _confirmation,
    "password_reset_key": _new_password,
    "account_already_exists": _account_exists,
    "unknown_account": _no_account,
}
