"""What a log line belongs to: the run and the deliveries in hand, known without being passed on.

    with bound(run_id=run.pk):
        ...

Ids only: whatever is bound here stands in every line of the log that is written meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

Id = int | str | Sequence[int]
NOTHING: Mapping[str, Id] = MappingProxyType({})
_bound: ContextVar[Mapping[str, Id]] = ContextVar("log_context", default=NOTHING)


@contextmanager
def bound(**ids: Id) -> Iterator[None]:
    """Bind these ids, over those that are bound already."""
    token = _bound.set({**_bound.get(), **ids})
    try:
        yield
    finally:
        _bound.reset(token)


def current() -> Mapping[str, Id]:
    """The ids bound now."""
    return _bound.get()
