"""What workers count in Redis (`notifications.measures`), as counters and histograms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import product

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric

from notifications import measures
from notifications.limiter.token_bucket import Cause
from notifications.measures import BEYOND, MEASURES, SUM, Counter, Histogram, TimeCounter
from notifications.models import EventKind, State
from notifications.sources import registered_kinds
from operations.metrics.providers import names_in_use

MICROSECONDS = 1_000_000
ENDS = (State.SENT, State.CANCELLED, State.DEAD, State.UNCERTAIN)
Labels = tuple[str, ...]


def families(_now: datetime) -> Iterator[Metric]:
    """One family a measure. Raises one of redis' errors."""
    by_name: dict[str, dict[Labels, int]] = defaultdict(dict)
    for (name, *values), number in measures.fields().items():
        by_name[name][tuple(values)] = number
    for measure in MEASURES:
        counted = by_name[measure.name]
        if isinstance(measure, Histogram):
            yield _histogram(measure, counted)
        else:
            yield _counter(measure, counted)


def _counter(measure: Counter | TimeCounter, counted: Mapping[Labels, int]) -> Metric:
    family = CounterMetricFamily(measure.name, measure.help, labels=measure.labels)
    unit = MICROSECONDS if isinstance(measure, TimeCounter) else 1
    for values, number in sorted({**_zeros(measure), **counted}.items()):
        if len(values) == len(measure.labels):
            family.add_metric(values, number / unit)
    return family


def _zeros(measure: Counter | TimeCounter) -> dict[Labels, int]:
    """What has not happened yet is 0: a rise from nothing would not be seen as one."""
    providers = names_in_use()
    expected: dict[str, Iterable[Labels]] = {
        measures.DELIVERIES.name: product(
            [state.value for state in ENDS], registered_kinds(), ["email"]
        ),
        measures.EVENTS.name: product(providers, EventKind.values),
        measures.PAUSES.name: product(providers, ["asked_to_wait", "refused", "breaker"]),
        measures.REFUSED_TOKENS.name: product(
            providers, [cause.name.lower() for cause in Cause if cause is not Cause.NONE]
        ),
        measures.WAITED.name: product(providers),
    }
    return dict.fromkeys(expected[measure.name], 0)


def _histogram(measure: Histogram, counted: Mapping[Labels, int]) -> Metric:
    """Buckets hold all that is at most as long; what is kept in Redis stands in one each."""
    family = HistogramMetricFamily(measure.name, measure.help, labels=measure.labels)
    width = len(measure.labels)
    bounds = [*(f"{bound:g}" for bound in measure.bounds), BEYOND]
    for values in sorted({key[:width] for key in counted if len(key) == width + 1}):
        total, buckets = 0, []
        for bound in bounds:
            total += counted.get((*values, bound), 0)
            buckets.append((bound, float(total)))
        family.add_metric(values, buckets, counted.get((*values, SUM), 0) / MICROSECONDS)
    return family
