"""The welcome mail: sent once the address is confirmed, with what is on offer right now (A9)."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from django.db import transaction
from django.dispatch import receiver
from django.utils import timezone

from agents.digests import WELCOME
from agents.models import DigestSection, ReportedCompany, ScheduledMailReport
from listings.models import Company
from marketplace.models import User
from notifications.ledger import NewDelivery, open_deliveries
from notifications.models import DispatchLimits
from notifications.moments import microseconds_of
from notifications.queueing import enqueue

VALID_FOR = timedelta(days=7)


@receiver(email_confirmed, dispatch_uid="welcome_mail")
def welcome_when_confirmed(email_address: EmailAddress, **kwargs: Any) -> None:
    """Plan the welcome mail when a person confirms an address for the first time."""
    plan_welcome(email_address.user, timezone.now())


@transaction.atomic
def plan_welcome(user: User, now: datetime) -> int | None:
    """Open the welcome delivery with the newest companies for the default agent.

    Answers its id; None when this person was welcomed before, whichever address it was.
    """
    opened = open_deliveries([_delivery(user, now)])
    if not opened:
        return None
    delivery_id = next(iter(opened.values()))
    agent = ScheduledMailReport.objects.kept().filter(user=user, is_default=True).first()
    if agent is not None and agent.is_active:
        _show_newest(agent, delivery_id, now)
    transaction.on_commit(partial(enqueue, [delivery_id]))
    return delivery_id


def _delivery(user: User, now: datetime) -> NewDelivery:
    return NewDelivery(
        # Ids are given again after a restored backup; the time of the sign-up is not.
        idempotency_key=f"{WELCOME}:{user.pk}.{microseconds_of(user.date_joined)}",
        kind=WELCOME,
        user_id=user.pk,
        address=user.email,
        subject_id=None,
        created_at=now,
        expires_at=now + VALID_FOR,
    )


def _show_newest(agent: ScheduledMailReport, delivery_id: int, now: datetime) -> None:
    """Put the newest matching companies into the mail, never one that was shown before.

    The agent's watermark stays at the sign-up: what came since and does not stand here comes
    with its first digest.
    """
    shown = ReportedCompany.objects.listed().filter(user=agent.user_id).values("company")
    news = Company.objects.published(now).filter(agent.criteria.q()).exclude(pk__in=shown)
    newest = news.newest_first()[: DispatchLimits.current().max_companies]
    DigestSection.objects.create(
        delivery_id=delivery_id,
        agent=agent,
        criteria=agent.criteria.to_json(),
        frequency=agent.frequency,
        window_from=agent.matched_until,
    )
    ReportedCompany.objects.bulk_create(
        [
            ReportedCompany(
                agent=agent, user_id=agent.user_id, company=company,
                delivery_id=delivery_id, reported_at=now,
            )
            for company in newest
        ],
        ignore_conflicts=True,
    )  # fmt: skip
