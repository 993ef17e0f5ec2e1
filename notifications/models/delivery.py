"""The ledger, the outbox and the sent log in one: a row is one message to one recipient."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Channel(models.TextChoices):
    EMAIL = "email", _("e-mail")
    SMS = "sms", _("SMS")
    PUSH = "push", _("push")


class State(models.TextChoices):
    """pending → claimed → dispatching → sent; the other ends are dead, uncertain, cancelled."""

    PENDING = "pending", _("waiting")
    CLAIMED = "claimed", _("being composed")
    DISPATCHING = "dispatching", _("being handed over")
    SENT = "sent", _("sent")
    UNCERTAIN = "uncertain", _("uncertain")
    DEAD = "dead", _("failed for good")
    CANCELLED = "cancelled", _("not sent")


OPEN_STATES = (State.PENDING, State.CLAIMED, State.DISPATCHING)


class Reason(models.TextChoices):
    """Why a person gets no mail, or a delivery was not sent: the words support staff read."""

    INACTIVE = "inactive", _("the account is inactive")
    NO_ADDRESS = "no_address", _("there is no e-mail address")
    UNVERIFIED = "unverified", _("this e-mail address is not confirmed")
    SUSPENDED = "suspended", _("the account is suspended")
    SPAM_REPORTED = "spam_reported", _("mail to this address was reported as spam")
    SUPPRESSED = "suppressed", _("this address gets no mail (bounced or unsubscribed)")
    ACCOUNT_DELETED = "account_deleted", _("the account was deleted")
    SWITCHED_OFF = "switched_off", _("the search agent was switched off")
    NO_CONSENT = "no_consent", _("there is no consent to promotions")
    NOTHING_LEFT = "nothing_left", _("no company was left to show")
    ADDRESS_CHANGED = "address_changed", _("the e-mail address was changed")
    EXPIRED = "expired", _("it came too late to be of use")
    REFUSED = "refused", _("the provider refused this message")
    ATTEMPTS_USED_UP = "attempts_used_up", _("every attempt failed")
    NO_CONTENT = "no_content", _("there was nothing to send")
    NO_ANSWER = "no_answer", _("the provider's answer never came")
    DISCARDED = "discarded", _("an operator discarded it")


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def open(self) -> Self:
        """Deliveries that have not come to an end."""
        return self.filter(state__in=OPEN_STATES)

    def due(self, now: datetime) -> Self:
        """Deliveries that wait for a worker, and whose time has come."""
        return self.filter(state=State.PENDING, next_attempt_at__lte=now)


class Delivery(models.Model):
    """One message to one person on one channel.

    The idempotency key makes a second plan of the same message impossible:
    `digest:{run}:{user}`, `welcome:{user}`, `account:{uuid}`, `campaign:{id}:{user}:{channel}`.
    Its sent mark outlives a restored backup, which gives ids out again. So ids alone never make a
    key: a run stands there as `{id}.{start in µs}`, a welcomed user with the time of the sign-up.
    `subject_id` is the row the kind's message source knows (a report run, a campaign).
    """

    idempotency_key = models.CharField(_("idempotency key"), max_length=100)
    kind = models.CharField(_("kind"), max_length=20)
    channel = models.CharField(
        _("channel"), max_length=5, choices=Channel.choices, default=Channel.EMAIL
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="deliveries",
        db_index=False,
        verbose_name=_("person"),
    )
    address = models.CharField(_("address"), max_length=320)
    subject_id = models.BigIntegerField(_("belongs to"), null=True, blank=True)
    state = models.CharField(
        _("state"), max_length=11, choices=State.choices, default=State.PENDING
    )
    reason = models.CharField(_("reason"), max_length=20, choices=Reason.choices, blank=True)
    last_answer = models.CharField(_("last answer of the provider"), max_length=300, blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    next_attempt_at = models.DateTimeField(_("next attempt"), default=timezone.now)
    enqueued_at = models.DateTimeField(_("last put in the queue"), null=True, blank=True)
    expires_at = models.DateTimeField(_("of no use after"), null=True, blank=True)
    lease_token = models.UUIDField(_("lease"), null=True, editable=False)
    lease_expires_at = models.DateTimeField(_("lease ends"), null=True, blank=True)
    provider = models.CharField(_("provider"), max_length=20, blank=True)
    provider_message_id = models.CharField(_("provider's id"), max_length=200, blank=True)
    last_event = models.CharField(_("last event"), max_length=12, blank=True)
    last_event_at = models.DateTimeField(_("last event at"), null=True, blank=True)
    created_at = models.DateTimeField(_("planned"), default=timezone.now)
    dispatched_at = models.DateTimeField(_("handed over"), null=True, blank=True)
    finished_at = models.DateTimeField(_("ended"), null=True, blank=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        indexes = [
            models.Index(
                fields=["next_attempt_at", "id"],
                condition=Q(state="pending"),
                name="delivery_pending",
            ),
            models.Index(
                fields=["lease_expires_at"],
                condition=Q(state__in=["claimed", "dispatching"]),
                name="delivery_leased",
            ),
            models.Index(fields=["kind", "subject_id", "state"], name="delivery_by_subject"),
            models.Index(
                fields=["state", "dispatched_at"],
                condition=Q(state__in=["uncertain", "dead"]),
                name="delivery_in_trouble",
            ),
            models.Index(fields=["user", "-created_at"], name="delivery_by_user"),
            # What the gate counts when Redis has forgotten how much of a quota is used.
            models.Index(
                fields=["provider", "dispatched_at"],
                condition=Q(dispatched_at__isnull=False),
                name="delivery_handed_over",
            ),
            # Those that the admin's filters ask for are few, and so are the rows of these four: a
            # mail to a person that is planned and sent costs none of them an entry.
            models.Index(
                fields=["state", "-id"],
                condition=Q(state__in=["uncertain", "dead", "cancelled"]),
                name="delivery_not_sent",
            ),
            models.Index(
                fields=["reason", "-id"], condition=~Q(reason=""), name="delivery_by_reason"
            ),
            models.Index(
                fields=["channel", "-id"],
                condition=~Q(channel="email"),
                name="delivery_other_channel",
            ),
            models.Index(Lower("address"), condition=Q(user=None), name="delivery_of_nobody"),
        ]
        constraints = [
            # Not `unique=True`: that would add a second index for LIKE, which nobody asks for.
            models.UniqueConstraint(fields=["idempotency_key"], name="delivery_unique_key"),
            models.CheckConstraint(
                condition=Q(state__in=State.values), name="delivery_state_known"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["claimed", "dispatching"])
                | Q(lease_token__isnull=False, lease_expires_at__isnull=False),
                name="delivery_lease_when_claimed",
            ),
        ]

    def __str__(self) -> str:
        return self.idempotency_key


class MailContent(models.Model):
    """The finished text of a mail that cannot be composed again (a confirmation, a reset).

    It may hold secret links, so it is deleted as soon as its delivery has come to an end.
    """

    delivery = models.OneToOneField(
        Delivery, on_delete=models.CASCADE, primary_key=True, related_name="content"
    )
    from_address = models.CharField(max_length=320)
    subject = models.CharField(max_length=998)
    text = models.TextField()
    html = models.TextField(blank=True)
    headers = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("mail content")
        verbose_name_plural = _("mail contents")

    def __str__(self) -> str:
        return self.subject
