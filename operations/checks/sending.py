"""Whether messages leave: no provider is paused or rests, and the sweep takes up what was left."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django_celery_beat.models import PeriodicTask

from notifications.limiter import breaker
from notifications.limiter.token_bucket import Cause
from notifications.models import Channel, Delivery, ProviderQuota, State
from notifications.providers import PROVIDERS, provider_name_for
from notifications.queueing import ACCOUNT_QUEUE
from operations.checks.check import Check, failed, passed
from operations.queue_lag import oldest_waits
from operations.reach import Reach

SWEEP = "notifications.tasks.sweep"
# A sweep comes every ten seconds: what it has left for so long it will not take up by itself.
LEFT_AFTER = timedelta(minutes=5)
# Somebody waits in front of a page for an account mail.
PATIENCE = timedelta(minutes=5)


def check_pauses(reach: Reach) -> Check:
    """Whether every provider in use may be asked now."""
    names = {provider_name_for(channel) for channel in Channel.values} & set(PROVIDERS)
    problems, remedies = [], []
    for quota in ProviderQuota.objects.filter(provider__in=names).exclude(paused_at=None):
        problems.append(
            _("%(provider)s is paused since %(since)s: %(reason)s")
            % {
                "provider": quota.provider,
                "since": _moment(quota.paused_at),
                "reason": quota.pause_reason,
            }
        )
        remedies.append(
            _("Mend what the reason says, then resume it in the admin, under Provider quotas.")
        )
    for name in sorted(names):
        rest = breaker.rest_of(name)
        if rest is not None:
            words = {"provider": name, "seconds": max(1, round(rest.left.total_seconds()))}
            problems.append(
                _("%(provider)s has asked to wait; it is asked again in %(seconds)d seconds.")
                % words
                if rest.cause is Cause.PAUSED
                else _("%(provider)s did not answer; it is tried again in %(seconds)d seconds.")
                % words
            )
            remedies.append(_("Nothing is lost; see what the check “provider” says."))
    if problems:
        return failed("pauses", " ".join(problems), " ".join(dict.fromkeys(remedies)))
    return passed("pauses", _("No provider in use is paused."))


def check_sweep(reach: Reach) -> Check:
    """Whether the sweep is scheduled, frees what lost workers held, and account mails leave."""
    if not PeriodicTask.objects.filter(task=SWEEP, enabled=True).exists():
        return failed(
            "sweep",
            _("The sweep is not in beat's schedule, or is switched off."),
            _("Switch on “Sweep open deliveries” in the admin, under Periodic tasks."),
        )
    held = Delivery.objects.filter(
        state__in=(State.CLAIMED, State.DISPATCHING),
        lease_expires_at__lt=reach.now - LEFT_AFTER,
    )[:1000].count()
    if held:
        message = ngettext(
            "%(count)d delivery that a lost worker held has not been taken up again.",
            "%(count)d deliveries that lost workers held have not been taken up again.",
            held,
        ) % {"count": held}
        return failed("sweep", message, _remedy())
    wait = oldest_waits(now=reach.now)[ACCOUNT_QUEUE]
    if wait > PATIENCE:
        message = _("An account mail has been waiting for %(minutes)d minutes.") % {
            "minutes": wait // timedelta(minutes=1)
        }
        return failed("sweep", message, _remedy())
    return passed("sweep", _("Nothing has been left behind."))


def _remedy() -> str:
    return _(
        "See what the checks “beat”, “workers” and “pauses” say, and whether a worker takes from "
        "the queues “default” and “account”."
    )


def _moment(moment: datetime | None) -> str:
    return date_format(timezone.localtime(moment), "Y-m-d H:i")
