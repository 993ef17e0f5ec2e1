"""People: who logs in, in which language and time zone, and who is barred from mail for a while."""

from __future__ import annotations

import zoneinfo
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

# Django looks for models here.
from marketplace.consent import PromotionConsent  # noqa: F401
from marketplace.personal_tokens import PersonalToken  # noqa: F401

PEOPLE_WORDS = ("name", "email")
"""What people are looked up by; the index below is of exactly these."""


def validate_time_zone(name: str) -> None:
    """Raise ValidationError unless `name` is an IANA time zone such as `Europe/Zagreb`."""
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValidationError(
            _("%(name)s is not a known time zone."), params={"name": name}
        ) from error


class UserManager(BaseUserManager["User"]):
    """Creates people by their e-mail address; there are no user names."""

    use_in_migrations = True

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Store a person; without a password only mailed log-ins work."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Store an administrator with every permission."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        """Find by address, whatever its upper and lower case."""
        return self.get(email__iexact=username)


class Weekday(models.IntegerChoices):
    """Monday is 0, as in Python's `date.weekday()`."""

    MONDAY = 0, _("Monday")
    TUESDAY = 1, _("Tuesday")
    WEDNESDAY = 2, _("Wednesday")
    THURSDAY = 3, _("Thursday")
    FRIDAY = 4, _("Friday")
    SATURDAY = 5, _("Saturday")
    SUNDAY = 6, _("Sunday")


class User(AbstractBaseUser, PermissionsMixin):
    """A person. The mail hour, weekday and day of month say when scheduled mail is due."""

    email = models.EmailField(_("e-mail address"), blank=True)
    name = models.CharField(_("name"), max_length=150, blank=True)
    language = models.CharField(
        _("language"),
        max_length=5,
        default="en",
        choices=[("en", "English"), ("de", "Deutsch"), ("hr", "Hrvatski")],
    )
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="Europe/Berlin", validators=[validate_time_zone]
    )
    mail_hour = models.PositiveSmallIntegerField(
        _("hour for mail"), default=7, help_text=_("0 to 23, in the person's own time zone.")
    )
    mail_weekday = models.PositiveSmallIntegerField(
        _("weekday for weekly mail"), choices=Weekday.choices, default=Weekday.MONDAY
    )
    mail_day_of_month = models.PositiveSmallIntegerField(
        _("day for monthly mail"),
        default=1,
        help_text=_("1 to 31; in shorter months the last day."),
    )
    is_active = models.BooleanField(_("active"), default=True)
    is_staff = models.BooleanField(_("may open the admin"), default=False)
    date_joined = models.DateTimeField(_("joined"), default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        indexes = [GinIndex(SearchVector(*PEOPLE_WORDS, config="simple"), name="user_words")]
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="user_email_unique_in_any_case",
                violation_error_message=_("Somebody already uses this e-mail address."),
            ),
            models.CheckConstraint(
                condition=Q(mail_hour__lte=23),
                name="user_mail_hour_in_day",
                violation_error_message=_("The hour must be between 0 and 23."),
            ),
            models.CheckConstraint(
                condition=Q(mail_weekday__lte=6),
                name="user_mail_weekday_in_week",
                violation_error_message=_("The weekday must be between 0 and 6."),
            ),
            models.CheckConstraint(
                condition=Q(mail_day_of_month__gte=1, mail_day_of_month__lte=31),
                name="user_mail_day_in_month",
                violation_error_message=_("The day must be between 1 and 31."),
            ),
        ]

    def __str__(self) -> str:
        return self.email or f"#{self.pk}"

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name.split(" ")[0] or self.email


class SuspensionQuerySet(models.QuerySet["Suspension"]):
    def in_force(self, now: datetime) -> SuspensionQuerySet:
        """Suspensions that bar their person from mail at `now`."""
        return self.filter(starts_at__lte=now).filter(Q(ends_at=None) | Q(ends_at__gt=now))


class Suspension(models.Model):
    """A person gets no mail from `starts_at` until `ends_at` (never ending when empty)."""

    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="suspensions", verbose_name=_("person")
    )
    reason = models.CharField(_("reason"), max_length=200)
    starts_at = models.DateTimeField(_("starts"), default=timezone.now)
    ends_at = models.DateTimeField(_("ends"), null=True, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    objects = SuspensionQuerySet.as_manager()

    class Meta:
        verbose_name = _("suspension")
        verbose_name_plural = _("suspensions")
        indexes = [models.Index(fields=["user", "starts_at", "ends_at"])]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at=None) | Q(ends_at__gt=models.F("starts_at")),
                name="suspension_ends_after_start",
                violation_error_message=_("The end must come after the start."),
            )
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.reason}"
