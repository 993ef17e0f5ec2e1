"""Who may get mail (SPEC A4): one place, one queryset of `Exists` subqueries, used everywhere.

The planner asks it of everybody who is due, and the sender asks it again right before a message
goes out. The number of queries never depends on the number of people.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from allauth.account.models import EmailAddress
from django.db.models import Case, CharField, Exists, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Lower

from marketplace.id_arrays import these
from marketplace.models import Suspension, User
from notifications.models import Reason, SpamReport, Suppression


def with_ineligibility(people: QuerySet[User], now: datetime) -> QuerySet[User]:
    """Annotate each person with `ineligible_because`: a `Reason`, or '' for whoever may get mail.

    Verified means this very address, not another one of the same person. Reports and suppressions
    count in any letter case.
    """
    same_address = people.annotate(address=Lower("email"))
    return same_address.annotate(
        ineligible_because=Case(
            When(is_active=False, then=Value(Reason.INACTIVE.value)),
            When(email="", then=Value(Reason.NO_ADDRESS.value)),
            When(~Q(_verified()), then=Value(Reason.UNVERIFIED.value)),
            When(_suspended(now), then=Value(Reason.SUSPENDED.value)),
            When(_listed(SpamReport), then=Value(Reason.SPAM_REPORTED.value)),
            When(_listed(Suppression), then=Value(Reason.SUPPRESSED.value)),
            default=Value(""),
            output_field=CharField(),
        )
    )


def eligible(now: datetime) -> QuerySet[User]:
    """People who may get mail at `now`."""
    return with_ineligibility(User.objects.all(), now).filter(Q(ineligible_because=""))


def ineligibility_of(user_ids: Collection[int], now: datetime) -> dict[int, str]:
    """Of these people, those who may not get mail, each with the `Reason`. One query."""
    people = with_ineligibility(User.objects.filter(pk__in=these(user_ids)), now)
    barred = people.exclude(Q(ineligible_because=""))
    return dict(barred.values_list("pk", "ineligible_because"))  # type: ignore[misc]


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
