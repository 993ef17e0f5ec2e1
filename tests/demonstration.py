"""A place for a real demonstration: a database, an outbox and logs that nobody else uses."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import psycopg2
import redis
from django.conf import settings as django_settings

NAME = "demonstration_under_test"
SIZE = ("--people", "60", "--companies", "300")
COMPANY_LINK = re.compile(r"/companies/(\d+)/")


@dataclass
class Place:
    """Where `manage.py demo` runs as a process of its own."""

    folder: Path
    database: str

    @property
    def outbox(self) -> Path:
        return self.folder / "outbox"

    @property
    def environment(self) -> dict[str, str]:
        login = "{USER}:{PASSWORD}@{HOST}:{PORT}".format(**server())
        # What the tests themselves run with must not reach it.
        inherited = {name: value for name, value in os.environ.items() if name != "SITE_URL"}
        return {
            **inherited,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "ENVIRONMENT": "development",
            "DATABASE_URL": f"postgres://{login}/{self.database}",
            "REDIS_URL": django_settings.REDIS_URL,
            "OUTBOX_DIR": str(self.outbox),
            "EMAIL_PROVIDER": "outbox",
        }

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "manage.py", "demo", "--logs", str(self.folder / "logs")]
        return subprocess.Popen(
            [*command, *SIZE, *arguments],
            cwd=django_settings.BASE_DIR,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments)
        try:
            out, err = process.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            process.terminate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(connect(self.database)) as connection, connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()

    def shown(self) -> list[tuple[str, int]]:
        """Who was told of which company, out of the mails themselves."""
        pairs = []
        for path in self.outbox.glob("*/*.eml"):
            mail = message_from_bytes(path.read_bytes(), policy=policy.default)
            text = mail.get_body(("plain",))
            assert text is not None
            links = COMPANY_LINK.findall(text.get_content())
            pairs += [(str(mail["To"].addresses[0].addr_spec), int(link)) for link in links]
        return pairs

    def connections(self) -> int:
        """How many processes still use the database."""
        with closing(connect(server()["NAME"])) as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = %s", [self.database]
            )
            return int(cursor.fetchone()[0])


def server() -> dict[str, Any]:
    """The configured server; its own database may not exist while tests run beside it."""
    configured = django_settings.DATABASES["default"]
    return {**configured, "NAME": "postgres"}


def connect(database: str) -> Any:
    at = server()
    connection = psycopg2.connect(
        host=at["HOST"],
        port=at["PORT"],
        user=at["USER"],
        password=at["PASSWORD"],
        dbname=database,
    )
    connection.autocommit = True
    return connection


def execute_on_server(sql: str) -> None:
    with closing(connect("postgres")) as connection, connection.cursor() as cursor:
        cursor.execute(sql)


def made_place(folder: Path, database: str = NAME) -> Iterator[Place]:
    """An empty database and an empty queue; both are cleared away afterwards."""
    execute_on_server(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
    execute_on_server(f"CREATE DATABASE {database}")
    broker = redis.Redis.from_url(django_settings.REDIS_URL)
    broker.flushdb()
    yield Place(folder, database)
    broker.flushdb()
    execute_on_server(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
