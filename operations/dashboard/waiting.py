"""What has not come to an end: messages that wait, are on their way, uncertain, or dead letters.

Each number is read from a partial index and goes no further than anybody needs to know.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection

from notifications.models import Delivery, State
from operations.dashboard.links import Links

MOST = 100_000
NAMES = ("due", "later", "leaving", "uncertain", "dead")
COUNT_SQL = """
SELECT
 (SELECT count(*) FROM (SELECT 1 FROM notifications_delivery
   WHERE state = 'pending' AND next_attempt_at <= %(now)s LIMIT %(most)s + 1) AS due),
 (SELECT count(*) FROM (SELECT 1 FROM notifications_delivery
   WHERE state = 'pending' AND next_attempt_at > %(now)s LIMIT %(most)s + 1) AS later),
 (SELECT count(*) FROM (SELECT 1 FROM notifications_delivery
   WHERE state IN ('claimed', 'dispatching') LIMIT %(most)s + 1) AS leaving),
 (SELECT count(*) FROM (SELECT 1 FROM notifications_delivery
   WHERE state IN ('uncertain', 'dead') AND state = 'uncertain' LIMIT %(most)s + 1) AS doubtful),
 (SELECT count(*) FROM (SELECT 1 FROM notifications_delivery
   WHERE state IN ('uncertain', 'dead') AND state = 'dead' LIMIT %(most)s + 1) AS dead)
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many, up to `MOST`; `more_than` says of each whether there are more."""

    due: int
    later: int
    leaving: int
    uncertain: int
    dead: int
    more_than: dict[str, bool]
    oldest_wait: timedelta | None
    hrefs: dict[str, str]


def waiting(*, now: datetime, links: Links) -> Waiting:
    """Two statements; `oldest_wait` is None where nothing is due."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_SQL, {"now": now, "most": MOST})
        counts = dict(zip(NAMES, cursor.fetchone(), strict=True))
    oldest = Delivery.objects.due(now).order_by("next_attempt_at", "pk").first()
    pending = {"state__exact": State.PENDING.value}
    return Waiting(
        **{name: min(number, MOST) for name, number in counts.items()},
        more_than={name: number > MOST for name, number in counts.items()},
        oldest_wait=now - oldest.next_attempt_at if oldest else None,
        hrefs={
            "due": links.deliveries(**pending, next_attempt_at__lte=now),
            "later": links.deliveries(**pending, next_attempt_at__gt=now),
            "leaving": links.deliveries(state__in="claimed,dispatching"),
            "uncertain": links.list_of("notifications.uncertaindelivery"),
            "dead": links.list_of("notifications.deadletter"),
            "oldest": links.row_of("notifications.delivery", oldest.pk) if oldest else "",
        },
    )  # fmt: skip
