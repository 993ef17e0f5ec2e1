"""Writing to a seller: the message goes by mail, and the answer straight back to its sender."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from listings.models import Company, Enquiry
from marketplace.account_mails import AccountMail, message_of
from marketplace.models import User

MAX_ENQUIRIES_A_DAY = 20


class UnableToSendEnquiry(ValueError):
    """The person has written as often today as one may."""


@transaction.atomic
def send_enquiry(company: Company, sender: User, message: str, now: datetime) -> Enquiry:
    """Keep the message and queue its mail, both or neither; the same message twice is one.

    A company without a seller is the operator's. Raises UnableToSendEnquiry beyond
    `MAX_ENQUIRIES_A_DAY`.
    """
    User.objects.select_for_update(no_key=True, of=("self",)).get(pk=sender.pk)
    today = Enquiry.objects.filter(sender=sender, sent_at__gt=now - timedelta(days=1))
    if (same := today.filter(company=company, message=message).first()) is not None:
        return same
    if today.count() >= MAX_ENQUIRIES_A_DAY:
        text = ngettext(
            "You have sent %(count)s message today. Please go on tomorrow.",
            "You have sent %(count)s messages today. Please go on tomorrow.",
            MAX_ENQUIRIES_A_DAY,
        )
        raise UnableToSendEnquiry(text % {"count": MAX_ENQUIRIES_A_DAY})
    enquiry = Enquiry.objects.create(company=company, sender=sender, message=message, sent_at=now)
    _send(enquiry)
    return enquiry


def _send(enquiry: Enquiry) -> None:
    """Queue the mail in the language of whoever reads it."""
    seller = enquiry.company.seller
    is_reachable = seller is not None and seller.is_active and bool(seller.email)
    address = seller.email if seller and is_reachable else settings.OPERATOR_EMAIL
    language = seller.language if seller and is_reachable else settings.LANGUAGE_CODE
    with translation.override(language):
        mail = message_of(mail_of(enquiry, is_to_seller=is_reachable), address)
    mail.reply_to = [enquiry.sender.email]
    mail.send()


def mail_of(enquiry: Enquiry, *, is_to_seller: bool = True) -> AccountMail:
    """What the seller reads, or the operator in their place, in the active language."""
    sender, title = enquiry.sender, enquiry.company.title
    return AccountMail(
        subject=_("A question about “%(title)s”") % {"title": title},
        paragraphs=(
            _("%(name)s (%(email)s) writes about “%(title)s”:")
            % {"name": sender.name or sender.email, "email": sender.email, "title": title},
            *(line for line in enquiry.message.splitlines() if line.strip()),
        ),
        action=_("See the company"),
        url=settings.SITE_URL + reverse("listings:company", args=[enquiry.company_id]),
        notes=(_("Your answer to this mail goes straight to the sender."),),
        why=_why(title, is_to_seller=is_to_seller),
    )


def _why(title: str, *, is_to_seller: bool) -> str:
    if is_to_seller:
        text = _("You get this mail because you offer “%(title)s” at Marktlotse.")
    else:
        text = _(
            "You get this mail because you run Marktlotse, and “%(title)s” has no seller who could"
            " be written to."
        )
    return text % {"title": title}
