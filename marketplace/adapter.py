"""What allauth asks us to decide: a new person's language, how long an address may be, mails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMessage
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils import translation

from marketplace.account_mails import compose, message_of
from marketplace.account_notices import compose_notice
from marketplace.models import User


@dataclass(frozen=True, slots=True)
class Site:
    """What a mail calls this site."""

    name: str
    domain: str


class AccountAdapter(DefaultAccountAdapter):
    """New people keep the language in which they signed up, and are written to in theirs."""

    def save_user(self, request: HttpRequest, user: User, form: Any, commit: bool = True) -> User:
        """Fill a new person from the sign-up form; stored when `commit`."""
        user.language = (translation.get_language() or "en")[:2]
        return super().save_user(request, user, form, commit)

    def clean_email(self, email: str) -> str:
        """Refuse what the database cannot hold: allauth would cut it and store another address."""
        MaxLengthValidator(EmailAddress._meta.get_field("email").max_length)(email)
        return super().clean_email(email)

    def format_email_subject(self, subject: str) -> str:
        """Without a prefix: the sender's name says already who writes."""
        return subject

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Name the person: the address they have left does not say whose it was."""
        super().send_notification_mail(
            template_prefix, user, {**(context or {}), "user": user}, email
        )

    def render_mail(
        self,
        template_prefix: str,
        email: str,
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> EmailMessage:
        """The mail in its person's language and our design; what we have no words for is plain."""
        with translation.override(_language_of(email, context.get("user"))):
            mail = compose(template_prefix, email, context) or compose_notice(
                template_prefix, email, context
            )
            if mail is not None:
                message = message_of(mail, email)
                # It may go to an address that is not, or no longer, the account's.
                user = context.get("user")
                message.person_id = user.pk if user else None  # type: ignore[attr-defined]
                return message
            site = Site("Marktlotse", urlsplit(settings.SITE_URL).netloc)
            context = {**context, "current_site": site}
            return super().render_mail(template_prefix, email, context, headers)


def _language_of(email: str, user: User | None) -> str | None:
    """The language of the account; of the page where the address has none."""
    if user is None:
        address = EmailAddress.objects.filter(email__iexact=email).select_related("user").first()
        user = address.user if address else None
    return user.language if user else translation.get_language()
