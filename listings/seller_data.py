"""What this app keeps about a person: the companies they sell, and what they asked of sellers."""

from __future__ import annotations

from datetime import datetime

from listings.models import Company, CompanyStatus, Enquiry
from marketplace.models import User
from marketplace.personal_data import Parts

EXPORTED = (
    "id",
    "title",
    "description",
    "industry_id",
    "region_id",
    "price",
    "currency",
    "status",
    "published_at",
    "created_at",
    "updated_at",
)


class SellerKeeper:
    """Answers for a seller's companies; see `PersonalDataKeeper`."""

    def export(self, user: User) -> Parts:
        """The person's companies, drafts too, and the messages they wrote."""
        written = Enquiry.objects.filter(sender=user).order_by("pk")
        return {
            "companies": Company.objects.filter(seller=user).order_by("pk").values(*EXPORTED),
            "enquiries": written.values("company_id", "message", "sent_at"),
        }

    def erase(self, user: User, now: datetime) -> None:
        """Drafts that nobody saw go; what was offered is withdrawn and names its seller no more.

        The messages they wrote go with the account.
        """
        mine = Company.objects.filter(seller=user)
        mine.filter(status=CompanyStatus.DRAFT, published_at=None).delete()
        mine.update(status=CompanyStatus.WITHDRAWN, seller=None, updated_at=now)
