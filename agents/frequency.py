"""The four tiers."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Frequency(models.TextChoices):
    HOURLY = "hourly", _("hourly")
    DAILY = "daily", _("daily")
    WEEKLY = "weekly", _("weekly")
    MONTHLY = "monthly", _("monthly")
