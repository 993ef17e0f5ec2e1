"""The admin's sidebar: what belongs together stands together, and nobody sees dead links."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

# Title, symbol, and the list's model as `app_label.model`.
Entry = tuple[Any, str, str]
GROUPS: tuple[tuple[Any, tuple[Entry, ...]], ...] = (
    (
        _("People"),
        (
            (_("People"), "group", "marketplace.user"),
            (_("Addresses"), "alternate_email", "account.emailaddress"),
            (_("Suspensions"), "block", "marketplace.suspension"),
            (_("Consents to promotions"), "handshake", "marketplace.promotionconsent"),
            (_("Personal tokens"), "key", "marketplace.personaltoken"),
            (_("Roles"), "shield_person", "auth.group"),
            (_("Second factors"), "phonelink_lock", "mfa.authenticator"),
            (_("Sessions"), "devices", "usersessions.usersession"),
        ),
    ),
    (
        _("Marketplace"),
        (
            (_("Companies"), "store", "listings.company"),
            (_("Enquiries"), "forum", "listings.enquiry"),
            (_("Exchange rates"), "currency_exchange", "listings.exchangerate"),
            (_("Industries"), "category", "listings.industry"),
            (_("Regions"), "map", "listings.region"),
        ),
    ),
    (
        _("Search agents"),
        (
            (_("Search agents"), "saved_search", "agents.scheduledmailreport"),
            (_("Report runs"), "play_circle", "agents.reportrun"),
        ),
    ),
    (
        _("Mail"),
        (
            (_("Deliveries"), "mail", "notifications.delivery"),
            (_("Events of providers"), "webhook", "notifications.deliveryevent"),
        ),
    ),
    (
        _("Trouble"),
        (
            (_("Dead letters"), "mail_off", "notifications.deadletter"),
            (_("Uncertain deliveries"), "help", "notifications.uncertaindelivery"),
            (_("Barred addresses"), "do_not_disturb_on", "notifications.suppression"),
            (_("Spam reports"), "report", "notifications.spamreport"),
        ),
    ),
    (
        _("Limits"),
        (
            (_("Limits"), "tune", "notifications.dispatchlimits"),
            (_("Providers"), "speed", "notifications.providerquota"),
            (_("Changes of limits"), "history", "notifications.limitchange"),
        ),
    ),
    (
        _("Schedule"),
        (
            (_("Periodic tasks"), "event_repeat", "django_celery_beat.periodictask"),
            (_("Times"), "schedule", "django_celery_beat.crontabschedule"),
            (_("Intervals"), "timelapse", "django_celery_beat.intervalschedule"),
            (_("Single moments"), "event", "django_celery_beat.clockedschedule"),
            (_("Sunrises and sunsets"), "wb_twilight", "django_celery_beat.solarschedule"),
        ),
    ),
)
# Title, symbol, name of the address; an address that does not exist is left out.
OVERVIEW = (
    (_("Home"), "home", "admin:index"),
    (_("Dashboard"), "monitoring", "operations_dashboard"),
    (_("API"), "api", "api:openapi-view"),
)


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """The groups of links for whoever asks: only lists they may see."""
    groups: list[dict[str, Any]] = [{"items": _overview()}]
    for title, entries in GROUPS:
        items = [
            {"title": name, "icon": icon, "link": _list_of(model)}
            for name, icon, model in entries
            if _may_see(request, model)
        ]
        if items:
            groups.append({"title": title, "items": items, "separator": True})
    return groups


def _overview() -> list[dict[str, Any]]:
    items = []
    for title, icon, name in OVERVIEW:
        try:
            items.append({"title": title, "icon": icon, "link": reverse(name)})
        except NoReverseMatch:
            continue
    return items


def _list_of(model: str) -> str:
    return reverse(f"admin:{model.replace('.', '_')}_changelist")


def _may_see(request: HttpRequest, label: str) -> bool:
    app_label, model = label.split(".")
    return any(request.user.has_perm(f"{app_label}.{verb}_{model}") for verb in ("view", "change"))
