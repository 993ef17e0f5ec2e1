"""What people write to sellers."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from listings.models.company import Company

MAX_MESSAGE = 3_000


class Enquiry(models.Model):
    """A message about a company, sent to its seller as a mail that is answered to its sender."""

    company = models.ForeignKey(
        Company, on_delete=models.CASCADE, related_name="enquiries", verbose_name=_("company")
    )
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="enquiries",
        verbose_name=_("sender"),
    )
    message = models.TextField(_("message"), max_length=MAX_MESSAGE)
    sent_at = models.DateTimeField(_("sent"))

    objects: ClassVar[models.Manager["Enquiry"]] = models.Manager()

    class Meta:
        verbose_name = _("enquiry")
        verbose_name_plural = _("enquiries")
        indexes = [models.Index(fields=["sender", "-sent_at"], name="enquiry_by_sender")]
        constraints = [
            models.CheckConstraint(condition=~Q(message=""), name="enquiry_says_something")
        ]

    def __str__(self) -> str:
        return f"{self.company_id}: {self.message[:50]}"
