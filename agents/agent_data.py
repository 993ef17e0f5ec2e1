"""What this app keeps about a person: search agents, and which companies they showed."""

from __future__ import annotations

from datetime import datetime

from agents.models import DigestSection, MutedCompany, ReportedCompany, ScheduledMailReport
from marketplace.models import User
from marketplace.personal_data import Parts

EXPORTED = (
    "id",
    "name",
    "industries",
    "regions",
    "price_min",
    "price_max",
    "keywords",
    "include_on_request",
    "frequency",
    "is_active",
    "last_run_at",
    "next_run_at",
    "created_at",
    "deleted_at",
)


class AgentKeeper:
    """Answers for search agents; see `PersonalDataKeeper`."""

    def export(self, user: User) -> Parts:
        """The agents with their criteria, deleted ones too; companies shown, and hidden ones."""
        shown = ReportedCompany.objects.listed().filter(user=user).order_by("pk")
        hidden = MutedCompany.objects.filter(user=user).order_by("pk")
        return {
            "companies_hidden": hidden.values("company_id", "muted_at"),
            "agents": ScheduledMailReport.objects.filter(user=user)
            .order_by("pk")
            .values(*EXPORTED),
            "companies_shown": shown.values(
                "agent_id", "company_id", "company__title", "delivery_id", "reported_at"
            ),
        }

    def erase(self, user: User, now: datetime) -> None:
        """Agents go, with what they showed: by agent, which has an index for every row."""
        agents = ScheduledMailReport.objects.select_for_update().filter(user=user).order_by("pk")
        ids = list(agents.values_list("pk", flat=True))
        ReportedCompany.objects.filter(agent__in=ids).delete()
        DigestSection.objects.filter(agent__in=ids).delete()
        ScheduledMailReport.objects.filter(pk__in=ids).delete()
