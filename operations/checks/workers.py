"""The workers: every queue has one that takes from it, and none is alive but stuck.

How they are known, and why so, says `operations.pulse`.
"""

from __future__ import annotations

import socket
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from operations import pulse
from operations.checks.broker import waiting_in
from operations.checks.check import Check, failed, passed
from operations.pulse import WorkerSigns
from operations.queue_lag import queue_names
from operations.reach import Reach

SILENT_AFTER = timedelta(seconds=30)
# So long a worker with a free place may leave what waits for it.
IDLE_AFTER = timedelta(seconds=60)
# The hard time limit ends a task; a worker where it does not is stuck.
OVERDUE_AFTER = timedelta(seconds=60)


def check_workers(reach: Reach) -> Check:
    """Whether all queues are served, by workers that get on."""
    everybody = pulse.workers(reach.redis)
    waiting = pulse.waiting_pulses(reach.redis)
    stuck = {one.key: why for one in everybody if (why := _why_stuck(one, waiting, reach.now))}
    well = [one for one in everybody if one.key not in stuck]
    # What a stuck worker should serve is told by its own message.
    served = {queue for one in everybody for queue in one.queues}
    unserved = [name for name in queue_names() if name not in served]
    messages = list(stuck.values())
    if unserved:
        messages.append(
            _("No worker takes from these queues: %(queues)s.") % {"queues": ", ".join(unserved)}
        )
    if not messages:
        count = ngettext("%(count)d worker", "%(count)d workers", len(well)) % {"count": len(well)}
        return passed("workers", _("All queues are served, by %(workers)s.") % {"workers": count})
    return failed("workers", " ".join(messages), _remedy(unserved, is_stuck=bool(stuck)))


def check_this_worker(reach: Reach) -> Check:
    """Whether the worker of this machine gets on, whatever others do: for a container's health."""
    here = [one for one in pulse.workers(reach.redis) if one.machine == socket.gethostname()]
    waiting = pulse.waiting_pulses(reach.redis)
    stuck = [why for one in here if (why := _why_stuck(one, waiting, reach.now))]
    if stuck:
        return failed("this_worker", " ".join(stuck), _remedy([], is_stuck=True))
    if not here:
        return failed(
            "this_worker",
            _("No worker of this machine takes tasks."),
            _remedy(queue_names(), is_stuck=False),
        )
    return passed("this_worker", _("The worker of this machine takes tasks."))


def _why_stuck(worker: WorkerSigns, waiting: dict[str, float], now: datetime) -> str:
    """What tells that it does not get on; empty when it does."""
    clock = now.timestamp()
    words = {"name": worker.name, "pid": worker.pid}
    if clock - worker.written_at > _longest_silence(worker).total_seconds():
        silence = _seconds(clock - worker.written_at)
        return _(
            "The worker %(name)s (process %(pid)d) has given no sign of life for %(silence)s: "
            "it is frozen, or it was killed."
        ) % {**words, "silence": silence}
    longest = timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT) + OVERDUE_AFTER
    if worker.busy and worker.oldest_at and clock - worker.oldest_at > longest.total_seconds():
        length = _seconds(clock - worker.oldest_at)
        return _(
            "The worker %(name)s (process %(pid)d) is stuck: a task of it has been running for "
            "%(length)s."
        ) % {**words, "length": length}
    if _leaves_work(worker, waiting, clock):
        idle = _seconds(clock - worker.started_at)
        return _(
            "The worker %(name)s (process %(pid)d) is stuck: tasks wait for it, but it has "
            "started none for %(idle)s."
        ) % {**words, "idle": idle}
    return ""


def _leaves_work(worker: WorkerSigns, waiting: dict[str, float], clock: float) -> bool:
    """Whether it has a place free, and has left a pulse waiting for long."""
    longest = IDLE_AFTER.total_seconds()
    if worker.busy >= worker.places or clock - worker.started_at <= longest:
        return False
    late = [name for name in worker.queues if clock - waiting.get(name, clock) > longest]
    # A pulse that was lost with a broker's memory waits for ever; only a queue tells the truth.
    return bool(late) and (worker.held > 0 or any(waiting_in(name) for name in late))


def _longest_silence(worker: WorkerSigns) -> timedelta:
    if worker.is_alone:
        return timedelta(seconds=settings.CELERY_TASK_TIME_LIMIT) + OVERDUE_AFTER
    return SILENT_AFTER


def _remedy(unserved: list[str], *, is_stuck: bool) -> str:
    remedies = []
    if is_stuck:
        remedies.append(
            _(
                "End that process (“kill -CONT”, then “kill”, or “kill -9” with its number) and "
                "start the worker again (“docker compose restart worker”). Nothing is lost: what "
                "it had in hand comes again. A machine that was taken away is forgotten after "
                "%(minutes)d minutes."
            )
            % {"minutes": pulse.REMEMBERED.total_seconds() // 60}
        )
    if unserved:
        remedies.append(
            _("Start a worker: “celery -A config worker -Q %(queues)s”, or “docker compose up -d”.")
            % {"queues": ",".join(unserved)}
        )
    return " ".join(remedies)


def _seconds(seconds: float) -> str:
    return ngettext("%(count)d second", "%(count)d seconds", int(seconds)) % {"count": int(seconds)}
