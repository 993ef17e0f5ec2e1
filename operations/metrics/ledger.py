"""How many deliveries are in each state that is not an end, by the ledger itself.

Each statement reads one partial index, whose rows are few beside the ledger's millions. What has
ended well is never counted here: see `notifications.measures`.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import connection
from prometheus_client.core import GaugeMetricFamily, Metric

from notifications.models import State
from notifications.sources import registered_kinds

COUNT_SQL = """
SELECT state, kind, channel, count(*) FROM notifications_delivery
WHERE state = 'pending' GROUP BY state, kind, channel
UNION ALL
SELECT state, kind, channel, count(*) FROM notifications_delivery
WHERE state IN ('claimed', 'dispatching') GROUP BY state, kind, channel
UNION ALL
SELECT state, kind, channel, count(*) FROM notifications_delivery
WHERE state IN ('uncertain', 'dead') GROUP BY state, kind, channel
"""
STATES = (State.PENDING, State.CLAIMED, State.DISPATCHING, State.UNCERTAIN, State.DEAD)


def families(_now: datetime) -> Iterator[Metric]:
    """Raises DatabaseError without the database."""
    counts = {(state.value, kind, "email"): 0 for state in STATES for kind in registered_kinds()}
    with connection.cursor() as cursor:
        cursor.execute(COUNT_SQL)
        counts.update({tuple(row[:3]): row[3] for row in cursor.fetchall()})
    family = GaugeMetricFamily(
        "marktlotse_deliveries_open",
        "Deliveries that are in this state now: on their way, uncertain, or dead letters.",
        labels=["state", "kind", "channel"],
    )
    for labels, number in sorted(counts.items()):
        family.add_metric(labels, number)
    yield family
