"""The command line that the simulators share."""

from __future__ import annotations

import argparse
import signal
import threading
from dataclasses import fields
from typing import Any

from tests.providers.simulator import Faults, Quota, Simulator, watched


def parse(description: str, default_port: int) -> argparse.Namespace:
    """Every fault is an option of its name: --fail-503 0.05."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=default_port)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--secret", default="", help="the only key or token that is right")
    parser.add_argument("--events", default="", help="the webhook that events are posted to")
    parser.add_argument("--repeated", type=float, default=0, help="share of events posted twice")
    parser.add_argument("--out-of-order", action="store_true", help="shuffle events")
    parser.add_argument("--bad-address", action="append", default=[], help="refused; repeatable")
    parser.add_argument("--quota", type=int, default=1_000_000, help="messages in a window")
    parser.add_argument("--quota-seconds", type=int, default=1, help="length of the window")
    for fault in fields(Faults):
        name = "--" + fault.name.replace("_", "-")
        parser.add_argument(name, type=type(fault.default), default=fault.default)
    return parser.parse_args()


def options(arguments: argparse.Namespace) -> dict[str, Any]:
    """What every simulator is made with."""
    return {
        "port": arguments.port,
        "seed": arguments.seed,
        "quota": Quota(arguments.quota, arguments.quota_seconds),
        "faults": Faults(**{each.name: getattr(arguments, each.name) for each in fields(Faults)}),
        "keeps_requests": False,
    }


def run(simulator: Simulator) -> None:
    """Serve until interrupted, with a live line."""
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with simulator:
        print(f"Listening at {simulator.url}", flush=True)
        with watched(simulator):
            done.wait()
