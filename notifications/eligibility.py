"""Who may get mail (SPEC A4): one place, one queryset of `Exists` subqueries, used everywhere.

The planner asks it of everybody who is due, and the sender asks it again right before a message
goes out. The number of queries never depends on the number of people.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Lower

from marketplace.id_arrays import these
from marketplace.models import Suspension, User
from notifications.models import Reason, SpamReport, Suppression


def with_ineligibility(people: QuerySet[User], now: datetime) -> QuerySet[User]:
    """Annotate each person with `ineligible_because`: a `Reason`, or '' for whoever may get mail.

    The first reason in the order of `_bars`. Verified means this very address, not another one of
    the same person. Reports and suppressions count in any letter case.
    """
    same_address = people.annotate(address=Lower("email"))
    return same_address.annotate(
        ineligible_because=Case(
            *(When(bar, then=Value(reason.value)) for reason, bar in _bars(now).items()),
            default=Value(""),
            output_field=CharField(),
        )
    )


def reasons_against(user_id: int, now: datetime) -> dict[Reason, bool]:
    """Every test of a person, in order: whether this `Reason` bars them. One query.

    Empty for an unknown id; who is barred by none is in `eligible`.
    """
    tests = {
        f"is_{reason.value}": Case(When(bar, then=True), default=False, output_field=BooleanField())
        for reason, bar in _bars(now).items()
    }
    people = User.objects.filter(pk=user_id).annotate(address=Lower("email")).annotate(**tests)
    row = people.values_list(*tests).first()
    return dict(zip(_bars(now), row, strict=True)) if row else {}


def eligible(now: datetime) -> QuerySet[User]:
    """People who may get mail at `now`."""
    return with_ineligibility(User.objects.all(), now).filter(Q(ineligible_because=""))


def ineligibility_of(user_ids: Collection[int], now: datetime) -> dict[int, str]:
    """Of these people, those who may not get mail, each with the `Reason`. One query."""
    people = with_ineligibility(User.objects.filter(pk__in=these(user_ids)), now)
    barred = people.exclude(Q(ineligible_because=""))
    return dict(barred.values_list("pk", "ineligible_because"))  # type: ignore[misc]


def _bars(now: datetime) -> dict[Reason, Q]:
    """What bars a person from mail; needs the annotation `address`."""
    return {
        Reason.INACTIVE: Q(is_active=False),
        Reason.NO_ADDRESS: Q(email=""),
        Reason.UNVERIFIED: ~Q(_verified()),
        Reason.SUSPENDED: Q(_suspended(now)),
        Reason.SPAM_REPORTED: Q(_listed(SpamReport)),
        Reason.SUPPRESSED: Q(_listed(Suppression)),
    }


def _verified() -> Exists:
    return Exists(
        EmailAddress.objects.annotate(address=Lower("email")).filter(
            user=OuterRef("pk"), address=OuterRef("address"), verified=True
        )
    )


def _suspended(now: datetime) -> Exists:
    return Exists(Suspension.objects.in_force(now).filter(user=OuterRef("pk")))


def _listed(model: type[SpamReport] | type[Suppression]) -> Exists:
    return Exists(
        model.objects.annotate(address=Lower("email")).filter(address=OuterRef("address"))
    )
