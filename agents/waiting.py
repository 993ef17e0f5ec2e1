"""The companies a digest could not hold: what "view all" in a mail leads to."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from agents.former_criteria import asked_at_the_time
from agents.models import DigestSection, ReportedCompany
from listings.criteria import Criteria
from listings.models import Company


def companies_waiting(section: DigestSection) -> QuerySet[Company]:
    """Exactly those the mail counted as waiting for this agent, newest first.

    They matched the criteria of that day, and up to and including that mail the person had not
    been shown them; whether a later mail has brought them does not matter. Withdrawn ones are gone.
    """
    if not section.waiting:
        return Company.objects.none()
    shown_by_then = ReportedCompany.objects.listed().filter(
        Q(delivery__lte=section.delivery_id) | Q(delivery=None),
        user=section.delivery.user_id,
        company=OuterRef("pk"),
    )
    return (
        Company.objects.published(timezone.now())
        .filter(
            Criteria.from_json(section.criteria).q(),
            asked_at_the_time(section.former_criteria),
            ~Exists(shown_by_then),
            fresh_at__gte=section.waiting_from,
            fresh_at__lte=section.waiting_until,
        )
        .select_related("industry", "region")
        .newest_first()
    )
