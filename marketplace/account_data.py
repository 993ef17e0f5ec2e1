"""What this app keeps about a person: the profile and its addresses."""

from __future__ import annotations

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession

from marketplace.models import User
from marketplace.personal_data import Parts

PROFILE = (
    "id",
    "email",
    "name",
    "language",
    "time_zone",
    "mail_hour",
    "mail_weekday",
    "mail_day_of_month",
    "date_joined",
    "last_login",
)
CONSENT = ("channel", "wording", "language", "given_at", "withdrawn_at")
TOKEN = ("name", "prefix", "created_at", "last_used_at", "expires_at", "revoked_at")


class AccountKeeper:
    """Answers for the account itself; see `PersonalDataKeeper`."""

    def export(self, user: User) -> Parts:
        """The profile and all around it; neither the password nor other secrets."""
        return {
            "profile": User.objects.filter(pk=user.pk).values(*PROFILE),
            "addresses": EmailAddress.objects.filter(user=user)
            .order_by("pk")
            .values("email", "verified", "primary"),
            "sessions": UserSession.objects.filter(user=user)
            .order_by("pk")
            .values("created_at", "last_seen_at", "ip", "user_agent"),
            "tokens": user.personal_tokens.order_by("pk").values(*TOKEN),
            "promotion_consents": user.promotion_consents.order_by("pk").values(*CONSENT),
            "suspensions": user.suspensions.order_by("pk").values("reason", "starts_at", "ends_at"),
        }

    def erase(self, user: User, now: datetime) -> None:
        """Nothing: all of it goes with the account."""
