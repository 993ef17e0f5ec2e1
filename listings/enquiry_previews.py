"""Messages to sellers as staff see them before sellers do."""

from __future__ import annotations

from django.conf import settings
from django.utils import translation

from listings.enquiries import mail_of
from listings.models import Enquiry
from marketplace.mail_previews import Preview, preview_of


def newest_enquiry(language: str) -> Preview | None:
    """The mail of the newest message; None while nobody wrote one."""
    enquiry = Enquiry.objects.select_related("sender", "company__seller").order_by("-pk").first()
    if enquiry is None:
        return None
    seller = enquiry.company.seller
    with translation.override(language):
        mail = mail_of(enquiry, is_to_seller=seller is not None)
        return preview_of(mail, seller.email if seller else settings.OPERATOR_EMAIL)
