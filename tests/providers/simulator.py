"""What all simulated providers share: a threaded HTTP server, faults, a rate quota, counters."""

from __future__ import annotations

import json
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from tests.providers.simulator_http import Received, SimulatorServer

CUT = -1


@dataclass
class Answer:
    """What to answer: a status (0: what the rules say), or the line cut, after `delay` seconds."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0
    # Without having accepted anything, or after it.
    cuts_line: bool = False
    cuts_after: bool = False


@dataclass
class Faults:
    """How likely each trouble is, from 0 to 1, and how long waits are, in seconds."""

    fail_429: float = 0.0
    fail_500: float = 0.0
    fail_503: float = 0.0
    cut_before: float = 0.0
    cut_after: float = 0.0
    hang: float = 0.0
    slow: float = 0.0
    latency_seconds: float = 0.0
    slow_seconds: float = 1.0
    hang_seconds: float = 60.0
    reset_seconds: int = 1

    def draw(self, generator: random.Random) -> Answer:
        """The trouble of one request, or none."""
        point = generator.random()
        delay = self.latency_seconds
        for chance, answer in (
            (self.fail_429, Answer(429, self.reset_header(), delay=delay)),
            (self.fail_500, Answer(500, delay=delay)),
            (self.fail_503, Answer(503, delay=delay)),
            (self.cut_before, Answer(cuts_line=True, delay=delay)),
            (self.cut_after, Answer(cuts_after=True, delay=delay)),
            (self.hang, Answer(cuts_line=True, delay=self.hang_seconds)),
            (self.slow, Answer(delay=self.slow_seconds)),
        ):
            if point < chance:
                return answer
            point -= chance
        return Answer(delay=delay)

    def reset_header(self) -> dict[str, str]:
        """When somebody who was too fast may come again."""
        return {"X-RateLimit-Reset": str(int(time.time()) + self.reset_seconds)}


@dataclass
class Quota:
    """So many messages in each window of `seconds`, which all start together."""

    limit: int = 1_000_000
    seconds: int = 1
    taken: int = 0
    window: int = 0

    def take(self, cost: int) -> tuple[bool, dict[str, str]]:
        """Whether these still fit, and the headers that say so."""
        window = int(time.time()) // self.seconds
        if window != self.window:
            self.window, self.taken = window, 0
        fits = self.taken + cost <= self.limit
        self.taken += cost if fits else 0
        return fits, {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.limit - self.taken),
            "X-RateLimit-Reset": str((window + 1) * self.seconds),
        }


class Simulator(ABC):
    """A provider on this machine; a context manager that serves while it is open.

    `answers` are given in turn to the next requests; then `faults` decide. Everything that tests
    read is changed under one lock.
    """

    def __init__(
        self,
        port: int = 0,
        *,
        seed: int = 1,
        faults: Faults | None = None,
        quota: Quota | None = None,
        keeps_requests: bool = True,
    ) -> None:
        self.faults = faults or Faults()
        self.quota = quota or Quota()
        self.keeps_requests = keeps_requests
        self.answers: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.authorizations: list[str] = []
        self.on_request: Callable[[dict[str, Any]], None] = lambda request: None
        self.accepted_by_address: Counter[str] = Counter()
        self.accepted_by_delivery: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self._random = random.Random(seed)
        self._server = SimulatorServer(port, self._serve, self.look_up, self._report, self._control)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def connections(self) -> int:
        """How many lines were opened since the start."""
        return self._server.connections

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Serve, after `stop` on the same port again."""
        self._server.start()

    def stop(self) -> None:
        """Cut every line; whoever comes now is refused."""
        self._server.stop()

    @abstractmethod
    def parse(self, received: Received) -> dict[str, Any]:
        """The request's body as tests read it."""

    @abstractmethod
    def judge(self, received: Received, request: dict[str, Any], number: int) -> Answer:
        """What the provider's rules say, and accept what is right. Called with the lock held."""

    @abstractmethod
    def refusal(self, status: int) -> bytes:
        """The body with which this provider refuses."""

    def look_up(self, received: Received) -> Answer:
        """What a GET finds; nothing, unless the provider has something to be read."""
        return Answer(404, {}, self.refusal(404))

    def stats(self) -> dict[str, Any]:
        """What has happened so far, as JSON takes it."""
        with self.lock:
            return {
                **self.counts,
                "accepted": self.accepted_by_delivery.total(),
                "deliveries": len(self.accepted_by_delivery),
                "addresses": len(self.accepted_by_address),
                "most_for_one_delivery": max(self.accepted_by_delivery.values(), default=0),
            }

    def _serve(self, received: Received) -> Answer:
        request = self.parse(received)
        with self.lock:
            self.counts["requests"] += 1
            number = self.counts["requests"]
            if self.keeps_requests:
                self.requests.append(request)
                self.authorizations.append(received.headers.get("Authorization", ""))
            fault = self.answers.pop(0) if self.answers else self.faults.draw(self._random)
        self.on_request(request)
        time.sleep(fault.delay)
        answer = self._answer(fault, received, request, number)
        with self.lock:
            cut = "cut_before" if fault.cuts_line else "cut_after" if fault.cuts_after else ""
            self.counts[cut or f"status_{answer.status}"] += 1
        return answer

    def _answer(
        self, fault: Answer, received: Received, request: dict[str, Any], number: int
    ) -> Answer:
        if fault.cuts_line:
            return Answer(CUT)
        if fault.status:
            body = fault.body or (self.refusal(fault.status) if fault.status >= 300 else b"")
            return Answer(fault.status, fault.headers, body)
        with self.lock:
            answer = self.judge(received, request, number)
        return Answer(CUT) if fault.cuts_after else answer

    def _report(self) -> dict[str, Any]:
        return self.stats()

    def _control(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """Change faults while it runs; KeyError for a name nobody knows."""
        known = {each.name for each in fields(Faults)}
        for name, value in wanted.items():
            if name not in known:
                raise KeyError(name)
            setattr(self.faults, name, type(getattr(Faults, name))(value))
        return asdict(self.faults)


@contextmanager
def watched(simulator: Simulator, every_seconds: float = 0.5) -> Iterator[None]:
    """Print a live line of what the simulator does."""
    done = threading.Event()

    def show() -> None:
        before, last = simulator.stats()["accepted"], time.monotonic()
        while not done.wait(every_seconds):
            stats, now = simulator.stats(), time.monotonic()
            rate = (stats["accepted"] - before) / (now - last)
            before, last = stats["accepted"], now
            words = " · ".join(f"{name} {value:,}" for name, value in sorted(stats.items()))
            print(f"\r\x1b[2K{rate:,.0f}/s · {words}", end="", flush=True)

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        print()
        print(json.dumps(simulator.stats()))
