"""The admin's three roles as groups: viewer, operator, admin. Each may do what the last one may.

`MATRIX` names every model of the admin. Who adds a model there adds a line here and a migration
that calls `grant_roles`, as `0004_roles` does; a test finds a model that has no line. Rights that
an admin gave a group by hand stay: granting adds, and takes nothing away.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.management import create_permissions

VIEWER = "viewer"
OPERATOR = "operator"
ADMIN = "admin"
ROLES = (VIEWER, OPERATOR, ADMIN)

# Of each model: what a viewer may do, what an operator may do as well, what an admin may as well.
Rights = tuple[str, str, str]
LOOK_ONLY: Rights = ("view", "", "")
ADMIN_KEEPS: Rights = ("view", "", "add change delete")
OPERATOR_KEEPS: Rights = ("view", "add change delete", "")
HANDLED: Rights = ("view", "change", "")

MATRIX: dict[str, Rights] = {
    "account.emailaddress": ADMIN_KEEPS,
    "agents.reportrun": LOOK_ONLY,
    "agents.scheduledmailreport": ("view", "run", "add change delete"),
    "auth.group": ADMIN_KEEPS,
    "django_celery_beat.clockedschedule": OPERATOR_KEEPS,
    "django_celery_beat.crontabschedule": OPERATOR_KEEPS,
    "django_celery_beat.intervalschedule": OPERATOR_KEEPS,
    "django_celery_beat.periodictask": OPERATOR_KEEPS,
    "django_celery_beat.solarschedule": OPERATOR_KEEPS,
    "listings.company": ADMIN_KEEPS,
    "listings.enquiry": LOOK_ONLY,
    "listings.exchangerate": ADMIN_KEEPS,
    "listings.industry": LOOK_ONLY,
    "listings.region": LOOK_ONLY,
    "marketplace.personaltoken": ("", "view change", ""),
    "marketplace.promotionconsent": LOOK_ONLY,
    "marketplace.suspension": OPERATOR_KEEPS,
    "marketplace.user": ADMIN_KEEPS,
    "notifications.deadletter": HANDLED,
    "notifications.delivery": LOOK_ONLY,
    "notifications.deliveryevent": LOOK_ONLY,
    "notifications.dispatchlimits": ("view", "", "change"),
    "notifications.limitchange": LOOK_ONLY,
    "notifications.providerquota": ("view", "pause", "change"),
    "notifications.spamreport": ADMIN_KEEPS,
    "notifications.suppression": ADMIN_KEEPS,
    "notifications.uncertaindelivery": HANDLED,
}
SUPERUSERS_ONLY = {"mfa.authenticator", "usersessions.usersession"}
"""Their pages show secrets (a second factor's key, a session's key)."""

OWN_PERMISSIONS = {
    ("agents.scheduledmailreport", "run"): "Can run a search agent now",
    ("notifications.providerquota", "pause"): "Can pause and resume a provider",
}
"""Rights beyond Django's four: made here, because roles are what they are for."""


def rights_of(role: str) -> Iterator[tuple[str, str]]:
    """Each (model, verb) the role has, such as `("marketplace.user", "view")`."""
    place = ROLES.index(role)
    for label, rights in MATRIX.items():
        for verbs in rights[: place + 1]:
            yield from ((label, verb) for verb in verbs.split())


def grant_roles(apps: Any) -> None:
    """Make the groups and give each what the matrix says, of the models that exist in `apps`.

    `apps` is a migration's or the real registry. Permissions are made when Django has not made
    them yet, which it does only after the last migration. Idempotent.
    """
    _make_permissions(apps)
    group_model = apps.get_model("auth", "Group")
    found = _permissions(apps)
    for role in ROLES:
        group, _ = group_model.objects.get_or_create(name=role)
        group.permissions.add(*(found[right] for right in rights_of(role) if right in found))


def _make_permissions(apps: Any) -> None:
    for label in sorted({label.split(".")[0] for label in MATRIX}):
        try:
            config = apps.get_app_config(label)
        except LookupError:
            continue
        # A migration's app has none, and Django skips apps without one.
        config.models_module = getattr(config, "models_module", None) or True
        create_permissions(config, verbosity=0, apps=apps)
    content_types = apps.get_model("contenttypes", "ContentType").objects
    permissions = apps.get_model("auth", "Permission").objects
    for (label, verb), name in OWN_PERMISSIONS.items():
        app_label, model = label.split(".")
        if content_type := content_types.filter(app_label=app_label, model=model).first():
            permissions.get_or_create(
                content_type=content_type, codename=f"{verb}_{model}", defaults={"name": name}
            )


def _permissions(apps: Any) -> dict[tuple[str, str], Any]:
    """All permissions of the matrix's models, by (model, verb)."""
    found = {}
    rows = apps.get_model("auth", "Permission").objects.select_related("content_type")
    for permission in rows:
        kind = permission.content_type
        label = f"{kind.app_label}.{kind.model}"
        verb, _, model = permission.codename.partition("_")
        if label in MATRIX and model == kind.model:
            found[label, verb] = permission
    return found
