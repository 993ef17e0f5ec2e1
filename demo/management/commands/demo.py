"""`manage.py demo`: the main job from beat to mail in a filled marketplace, and then the site."""

from __future__ import annotations

import signal
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

from demo.demonstration import DemoOptions, demonstrate
from demo.errors import UnableToRunDemo
from demo.generator import SEED, Size
from demo.watching import PATIENCE_SECONDS

PLAIN_WIDTH = 100
INTERRUPTED = 130


class Command(BaseCommand):
    help = (
        "Fill a marketplace, let beat fire the four tiers once, show what came of it, and serve "
        "the site with worker and beat running."
    )
    # The database may still be empty, and migrating is part of the job.
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        size = Size()
        parser.add_argument(
            "--once",
            action="store_true",
            help="end after the table; the last line of the output is JSON",
        )
        parser.add_argument("--port", type=_port, help="of the site; default: the first free "
                            "one from 8000 on")  # fmt: skip
        parser.add_argument("--people", type=_count, default=size.people)
        parser.add_argument("--companies", type=_count, default=size.companies)
        parser.add_argument("--seed", type=int, default=SEED, help="another one, other people")
        parser.add_argument(
            "--logs",
            type=Path,
            default=settings.BASE_DIR / ".local" / "logs",
            help="the folder for the logs of worker, beat and web server",
        )
        parser.add_argument(
            "--patience",
            type=float,
            default=PATIENCE_SECONDS,
            help="give up when nothing has moved for so many seconds",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _interrupt)
        out, err = Console(), Console(stderr=True)
        for console in (out, err):
            if not console.is_terminal:
                console.width = PLAIN_WIDTH
        wanted = DemoOptions(
            size=Size(companies=options["companies"], people=options["people"]),
            seed=options["seed"],
            once=options["once"],
            port=options["port"],
            logs=options["logs"].absolute(),
            patience=options["patience"],
        )
        try:
            demonstrate(wanted, out, err)
        except UnableToRunDemo as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt:
            err.print("Stopped", highlight=False)
            if options["once"]:
                raise SystemExit(INTERRUPTED) from None


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _count(text: str) -> int:
    return _between(1, 100_000, text)


def _port(text: str) -> int:
    return _between(1, 65_535, text)


def _between(lowest: int, highest: int, text: str) -> int:
    if not (text.isdecimal() and lowest <= int(text) <= highest):
        raise ArgumentTypeError(f"must be a whole number from {lowest} to {highest:,}")
    return int(text)
