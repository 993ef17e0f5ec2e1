"""Every user watches over the keeper: one that was killed is brought back."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .errors import UnableToStartService
from .home import Home
from .locks import is_locked
from .state import read_state

LOOK_SECONDS = 2.0

# A child that was forked while the keeper's lock is tried would hold it and pass for a keeper.
no_fork = threading.Lock()
os.register_at_fork(
    before=no_fork.acquire, after_in_parent=no_fork.release, after_in_child=no_fork.release
)
_watched: set[Path] = set()
_log = logging.getLogger(__name__)


def watch_keeper(home: Home, bring_back: Callable[[], object]) -> None:
    """Call `bring_back` whenever the keeper of `home` was killed, as long as this process lives.

    A thread that ends with the process; forked children leave it to their parent.
    """
    if home.folder not in _watched:
        _watched.add(home.folder)
        threading.Thread(
            target=_watch, args=(home, bring_back), name="keeper-watch", daemon=True
        ).start()


def was_killed(home: Home) -> bool:
    """Whether the keeper is gone without having left: one that was told to stop leaves no state."""
    with no_fork:
        return bool(read_state(home).keeper) and not is_locked(home.keeper_lock)


def _watch(home: Home, bring_back: Callable[[], object]) -> None:
    while True:
        time.sleep(LOOK_SECONDS)
        try:
            if was_killed(home):
                bring_back()
        except (UnableToStartService, OSError) as error:
            _log.warning("The local services cannot be brought back: %s", error)
