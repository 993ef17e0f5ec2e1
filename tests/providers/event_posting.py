"""Posting what became of messages to a webhook, from a thread of its own, until it is taken."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import urllib3

Event = Mapping[str, Any]
# Events, and where to: the body and the headers of a request, signed anew at each attempt.
Render = Callable[[Sequence[Event]], tuple[str, bytes, Mapping[str, str]]]


@dataclass
class Habits:
    """How untidily events come: the share that comes twice, whether in order, how many at once."""

    repeated: float = 0
    out_of_order: bool = False
    per_request: int = 500
    wait_seconds: float = 0.05
    attempts: int = 50
    pause_seconds: float = 0.2


class EventPoster:
    """Takes events by `put`; posts them in arrays; tries again whatever is not answered with 2xx.

    `counts`: events_posted, events_refused (requests not taken, each tried again), events_lost.
    """

    def __init__(self, render: Render, habits: Habits, seed: int) -> None:
        self.habits = habits
        self.counts: Counter[str] = Counter()
        self._render = render
        self._random = random.Random(seed)
        self._waiting: queue.Queue[Event] = queue.Queue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._is_open = True
        self._thread.start()

    def put(self, events: Sequence[Event]) -> None:
        """Post these soon; some of them twice."""
        for event in events:
            self._waiting.put(event)
            if self._random.random() < self.habits.repeated:
                self._waiting.put(event)

    def wait_until_posted(self, seconds: float = 30) -> None:
        """Return when everything is posted; TimeoutError after `seconds`."""
        deadline = time.monotonic() + seconds
        while self._waiting.unfinished_tasks:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._waiting.unfinished_tasks} events are not posted.")
            time.sleep(0.01)

    def close(self) -> None:
        """Post no more."""
        self._is_open = False
        self._thread.join()

    def _work(self) -> None:
        while self._is_open:
            events = self._next()
            if not events:
                continue
            if self.habits.out_of_order:
                self._random.shuffle(events)
            for start in range(0, len(events), self.habits.per_request):
                self._post(events[start : start + self.habits.per_request])
            for _event in events:
                self._waiting.task_done()

    def _next(self) -> list[Event]:
        """What has come together within a moment."""
        try:
            events = [self._waiting.get(timeout=0.05)]
        except queue.Empty:
            return []
        time.sleep(self.habits.wait_seconds)
        while not self._waiting.empty():
            events.append(self._waiting.get())
        return events

    def _post(self, events: Sequence[Event]) -> None:
        for _attempt in range(self.habits.attempts):
            url, body, headers = self._render(events)
            try:
                answer = urllib3.request(
                    "POST", url, body=body, headers=headers, timeout=30, retries=False
                )
            except urllib3.exceptions.HTTPError:
                self.counts["events_refused"] += 1
            else:
                if 200 <= answer.status < 300:
                    self.counts["events_posted"] += len(events)
                    return
                self.counts["events_refused"] += 1
            if not self._is_open:
                return
            time.sleep(self.habits.pause_seconds)
        self.counts["events_lost"] += len(events)
