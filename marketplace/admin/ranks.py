"""Who stands above whom in the admin: nobody gains rights through it that they have not got."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, Permission
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from marketplace.models import User


def is_superuser(request: HttpRequest) -> bool:
    """Whether the request comes from somebody with every right."""
    return bool(getattr(request.user, "is_superuser", False))


def rights_within(actor: Any) -> QuerySet[Permission]:
    """The rights `actor` has, and so may give."""
    if actor.is_superuser:
        return Permission.objects.all()
    return Permission.objects.filter(Q(group__user=actor) | Q(user=actor)).distinct()


def groups_within(actor: Any) -> QuerySet[Group]:
    """The groups that may do no more than `actor`."""
    if actor.is_superuser:
        return Group.objects.all()
    beyond = Permission.objects.exclude(pk__in=rights_within(actor).values("pk"))
    return Group.objects.exclude(permissions__in=beyond)


def outranks(person: User, actor: Any) -> bool:
    """Whether `person` has a right that `actor` has not."""
    if actor.is_superuser:
        return False
    held = Permission.objects.filter(Q(group__user=person) | Q(user=person))
    return person.is_superuser or held.exclude(pk__in=rights_within(actor).values("pk")).exists()
