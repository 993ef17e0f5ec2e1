"""The command line: what is wrong with settings or servers is one line, and no traceback."""

from __future__ import annotations

import os
import sys

import psycopg2
import redis
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import OperationalError
from kombu.exceptions import OperationalError as BrokerError

from config.local_services import UnableToStartService


def run(arguments: list[str]) -> None:
    """Run the command of `arguments`; ends the process with 1 and a line when it cannot run.

    `--traceback` shows where it happened, as it does for Django's own errors.
    """
    if "--traceback" in arguments:
        execute_from_command_line(arguments)
        return
    try:
        execute_from_command_line(arguments)
    except (ImproperlyConfigured, UnableToStartService) as problem:
        sys.exit(str(problem))
    except OperationalError as error:
        if not is_of_the_connection(error):
            raise
        sys.exit(database_problem(error))
    except (redis.ConnectionError, redis.TimeoutError, BrokerError) as error:
        sys.exit(queue_problem(error))


def is_of_the_connection(error: OperationalError) -> bool:
    """Whether the server could not be reached, or went away; no statement is to blame."""
    cause = error.__cause__
    return isinstance(cause, psycopg2.OperationalError) and cause.pgcode is None


def database_problem(error: Exception) -> str:
    """What to tell whoever named, or did not name, the database."""
    name = "DATABASE_URL" if os.environ.get("DATABASE_URL") else "The local PostgreSQL"
    return f"{name}: the database cannot be used: {_on_one_line(error)}"


def queue_problem(error: Exception) -> str:
    """The same for the server of queues and counters."""
    given = [name for name in ("CELERY_BROKER_URL", "REDIS_URL") if os.environ.get(name)]
    if not isinstance(error, BrokerError):
        given = [name for name in given if name == "REDIS_URL"]
    name = given[0] if given else "The local Valkey"
    return f"{name}: the server cannot be used: {_on_one_line(error)}"


def _on_one_line(error: Exception) -> str:
    return " ".join(str(error).split())
