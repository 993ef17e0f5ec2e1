"""Storing a planned marketplace, once: whoever fills again finds it and adds nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models.functions import Lower

from agents.frequency import Frequency
from agents.models import ScheduledMailReport
from agents.runs import run_reports
from demo.companies import CompanyPlan
from demo.generator import SEED, Size, plan_marketplace
from demo.people import PersonPlan, Standing
from demo.searches import SearchPlan
from listings.models import Company, ExchangeRate
from listings.models.currency import CENT
from marketplace.models import Suspension, User
from notifications.models import DispatchLimits, SpamReport, Suppression
from notifications.models.limits import BOUNDS

SOURCE = "demo"
ADMIN = "admin@example.com"
ANNA = "anna@example.com"
# Public, and for made-up people on a developer's machine alone.
PASSWORD = "marktlotse-demo"  # noqa: S105
WITH_PASSWORD = (ADMIN, ANNA)
MOST_COMPANIES = 6
# Of the mails of the busiest tier, so that people are seen to be deferred.
SHARE_OF_BUSIEST_TIER = 0.8


@dataclass(frozen=True, slots=True)
class Filled:
    """What was added; zeros when the marketplace had been filled before."""

    companies: int = 0
    people: int = 0
    agents: int = 0


def is_filled() -> bool:
    """Whether this marketplace holds companies of the generator."""
    return Company.objects.filter(source=SOURCE).exists()


@transaction.atomic
def fill(size: Size = Size(), *, now: datetime, seed: int = SEED) -> Filled:  # noqa: B008 - frozen
    """Store a marketplace as it stands at `now`, all of it or nothing.

    People whose address exists already are left as they are.
    """
    if is_filled():
        return Filled()
    plan = plan_marketplace(size, seed, now)
    _add_companies(plan.companies)
    _add_admin()
    people = _add_people(_strangers(plan.people), now)
    agents = _add_searches(people)
    _set_limits(now)
    return Filled(len(plan.companies), len(people), agents)


def knows_password(email: str) -> bool:
    """Whether the log-in that the demonstration names works for this person."""
    person = User.objects.filter(email__iexact=email).first()
    return person is not None and person.check_password(PASSWORD)


def _add_companies(plans: Sequence[CompanyPlan]) -> None:
    rates = dict(ExchangeRate.objects.values_list("currency", "euros"))
    Company.objects.bulk_create(
        (
            Company(
                title=plan.title,
                description=plan.description,
                industry_id=plan.industry,
                region_id=plan.region,
                price=plan.price,
                currency=plan.currency,
                price_eur=plan.price and (plan.price * rates[plan.currency]).quantize(CENT),
                status=plan.status,
                published_at=plan.published_at,
                fresh_at=plan.fresh_at,
                fresh_reason=plan.fresh_reason,
                price_before=plan.price_before,
                source=SOURCE,
                external_id=f"demo-{number:05d}",
            )
            for number, plan in enumerate(plans, start=1)
        ),
        batch_size=1000,
    )


def _add_admin() -> None:
    if User.objects.filter(email__iexact=ADMIN).exists():
        return
    admin = User.objects.create_superuser(ADMIN, PASSWORD, name="Marktlotse Admin")
    EmailAddress.objects.create(user=admin, email=ADMIN, verified=True, primary=True)


def _strangers(plans: Sequence[PersonPlan]) -> list[PersonPlan]:
    """Those whose address nobody has yet."""
    known = set(User.objects.annotate(address=Lower("email")).values_list("address", flat=True))
    return [plan for plan in plans if plan.email not in known]


def _add_people(plans: Sequence[PersonPlan], now: datetime) -> list[tuple[PersonPlan, User]]:
    """Store them one by one: only `save` tells the signal that gives each a default agent."""
    people = [(plan, _add_person(plan)) for plan in plans]
    EmailAddress.objects.bulk_create(
        EmailAddress(
            user=user, email=user.email, primary=True,
            verified=plan.standing is not Standing.UNVERIFIED,
        )
        for plan, user in people
    )  # fmt: skip
    _bar(people, now)
    return people


def _add_person(plan: PersonPlan) -> User:
    return User.objects.create_user(
        plan.email,
        PASSWORD if plan.email in WITH_PASSWORD else None,
        name=plan.name,
        language=plan.language,
        time_zone=plan.time_zone,
        mail_hour=plan.mail_hour,
        mail_weekday=plan.mail_weekday,
        mail_day_of_month=plan.mail_day_of_month,
        is_active=plan.standing is not Standing.INACTIVE,
        date_joined=plan.joined_at,
    )


def _bar(people: Sequence[tuple[PersonPlan, User]], now: datetime) -> None:
    """Store why some may get no mail."""
    standings: dict[Standing, list[User]] = {standing: [] for standing in Standing}
    for plan, user in people:
        standings[plan.standing].append(user)
    ends = {Standing.SUSPENDED: None, Standing.SUSPENDED_FOR_A_WHILE: now + timedelta(days=14)}
    Suspension.objects.bulk_create(
        Suspension(
            user=user,
            reason="Complaint under review",
            starts_at=now - timedelta(days=2),
            ends_at=ends_at,
        )
        for standing, ends_at in ends.items()
        for user in standings[standing]
    )
    # Reports arrive in whatever letter case the mailbox provider likes.
    SpamReport.objects.bulk_create(
        SpamReport(email=user.email.upper(), source=SOURCE, reported_at=now - timedelta(days=3))
        for user in standings[Standing.SPAM_REPORTED]
    )
    Suppression.objects.bulk_create(
        (
            Suppression(email=user.email, cause=Suppression.Cause.BOUNCE, created_at=now)
            for user in standings[Standing.BOUNCED]
        ),
        ignore_conflicts=True,
    )


def _add_searches(people: Sequence[tuple[PersonPlan, User]]) -> int:
    """Store the searches, and make of each default agent what was planned; how many in all."""
    plans = {user.pk: plan for plan, user in people}
    defaults = list(ScheduledMailReport.objects.filter(is_default=True, user__in=plans))
    for agent in defaults:
        _apply(plans[agent.user_id].default_search, agent)
    fields = ["name", "industries", "regions", "price_min", "price_max", "keywords",
              "include_on_request", "is_active", "watching_since", "matched_until",
              "last_run_at", "next_run_at"]  # fmt: skip
    ScheduledMailReport.objects.bulk_update(defaults, fields, batch_size=500)
    further = ScheduledMailReport.objects.bulk_create(
        (
            _apply(search, ScheduledMailReport(user=user))
            for plan, user in people
            for search in plan.searches
        ),
        batch_size=1000,
    )
    return len(defaults) + len(further)


def _apply(search: SearchPlan, agent: ScheduledMailReport) -> ScheduledMailReport:
    """As if the agent had run one period ago."""
    agent.name = search.name or agent.name
    agent.criteria = search.criteria
    agent.frequency = search.frequency
    agent.is_active = search.is_active
    agent.watching_since = agent.matched_until = agent.last_run_at = search.told_until
    agent.next_run_at = search.due_at
    return agent


def _set_limits(now: datetime) -> None:
    """Show the limits at work, unless somebody has set any of them."""
    limits = DispatchLimits.current()
    defaults = DispatchLimits()
    if any(getattr(limits, name) != getattr(defaults, name) for name in BOUNDS):
        return
    limits.max_companies = MOST_COMPANIES
    limits.save()
    limits.max_mails_per_run = max(1, int(_mails_of_busiest_tier(now) * SHARE_OF_BUSIEST_TIER))
    limits.save()


def _mails_of_busiest_tier(now: datetime) -> int:
    runs = (run_reports(tier.value, now=now, dry_run=True) for tier in Frequency)
    return max(run.counters.digests for run in runs)
