"""What a campaign says, on one channel in one language."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaigns.models.campaign import Campaign
from marketplace.consent import Channel


class CampaignContent(models.Model):
    """A text with `{name}` and `{code}` in it; paragraphs are parted by empty lines."""

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="contents", verbose_name=_("campaign")
    )
    channel = models.CharField(_("channel"), max_length=5, choices=Channel.choices)
    language = models.CharField(_("language"), max_length=5, choices=settings.LANGUAGES)
    subject = models.CharField(_("subject"), max_length=150, blank=True)
    preheader = models.CharField(
        _("preview line"),
        max_length=150,
        blank=True,
        help_text=_("What mail programs show beside the subject."),
    )
    body = models.TextField(
        _("text"),
        max_length=10_000,
        help_text=_("{name} and {code} stand for the person's. An empty line parts paragraphs."),
    )
    button_label = models.CharField(_("button"), max_length=60, blank=True)
    button_url = models.URLField(_("button leads to"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("text of a campaign")
        verbose_name_plural = _("texts of a campaign")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "channel", "language"],
                name="campaign_content_once",
                violation_error_message=_("There is a text for this channel and language."),
            ),
            models.CheckConstraint(
                condition=Q(channel__in=Channel.values), name="campaign_content_channel_known"
            ),
            models.CheckConstraint(
                condition=Q(language__in=[code for code, _name in settings.LANGUAGES]),
                name="campaign_content_language_known",
            ),
            models.CheckConstraint(
                condition=~Q(body="") & (~Q(channel="email") | ~Q(subject="")),
                name="campaign_content_says_something",
                violation_error_message=_("A mail needs a subject and a text."),
            ),
            models.CheckConstraint(
                condition=(Q(button_label="") & Q(button_url=""))
                | (~Q(button_label="") & ~Q(button_url="")),
                name="campaign_content_whole_button",
                violation_error_message=_("A button needs a label and an address."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.campaign_id}: {self.channel}, {self.language}"
