from agents.models.agent import Frequency, Outcome, ScheduledMailReport
from agents.models.digest import DigestSection, ReportedCompany
from agents.models.muted import MutedCompany
from agents.models.run import ReportRun

__all__ = [
    "DigestSection",
    "Frequency",
    "MutedCompany",
    "Outcome",
    "ReportRun",
    "ReportedCompany",
    "ScheduledMailReport",
]
