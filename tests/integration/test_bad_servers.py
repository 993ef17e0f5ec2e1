"""What the command line says of settings and servers that cannot be used."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

CLOSED_PORT = {
    "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "CELERY_BROKER_URL": "redis://127.0.0.1:1/0",
}


def manage(settings: Settings, *command: str, **changed: str) -> "subprocess.CompletedProcess[str]":
    database = "postgres://{USER}:{PASSWORD}@{HOST}:{PORT}/{NAME}".format(
        **connection.settings_dict
    )
    environment = {
        # Browser tests of the same process allow what a deployment must not.
        **{key: value for key, value in os.environ.items() if key != "DJANGO_ALLOW_ASYNC_UNSAFE"},
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database,
        "REDIS_URL": settings.REDIS_URL,
        "CELERY_BROKER_URL": "",
        **changed,
    }
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("variable", CLOSED_PORT)
def test_the_demo_names_the_variable_of_a_server_that_does_not_answer(
    settings: Settings, variable: str
) -> None:
    finished = manage(settings, "demo", "--once", **{variable: CLOSED_PORT[variable]})
    assert finished.returncode == 1
    assert finished.stderr.startswith(f"{variable}: the ")
    assert "cannot be used: " in finished.stderr
    assert finished.stderr.count("\n") == 1
    assert finished.stdout == ""


@pytest.mark.parametrize("command", [["migrate"], ["run_reports", "--frequency", "daily"]])
def test_other_commands_name_the_database_too(settings: Settings, command: list[str]) -> None:
    finished = manage(settings, *command, DATABASE_URL=CLOSED_PORT["DATABASE_URL"])
    assert finished.returncode == 1
    assert finished.stderr.startswith("DATABASE_URL: the database cannot be used: ")
    assert finished.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["check"], ["demo", "--once"], ["migrate"]])
def test_a_wrong_setting_is_one_line_and_no_traceback(
    settings: Settings, command: list[str]
) -> None:
    finished = manage(settings, *command, DATABASE_URL="nonsense", EMAIL_PORT="abc")
    assert finished.returncode == 1
    assert finished.stderr == (
        "DATABASE_URL must be postgres://user:password@host:port/name. "
        "EMAIL_PORT must be a whole number from 1 to 65535. "
        "See .env.example for what each means.\n"
    )


def test_an_error_in_a_statement_keeps_its_traceback(settings: Settings) -> None:
    finished = manage(settings, "shell", "-c", "1 / 0")
    assert finished.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


def test_good_values_for_production_have_no_warning(settings: Settings, tmp_path: Path) -> None:
    for page, language in product(("imprint", "privacy", "terms"), ("en", "de", "hr")):
        (tmp_path / f"{page}.{language}.txt").write_text("Our text.", encoding="utf-8")
    finished = manage(
        settings,
        "check",
        "--deploy",
        "--fail-level",
        "WARNING",
        ENVIRONMENT="production",
        SECRET_KEY="".join(map(chr, range(40, 120))),
        SITE_URL="https://marktlotse.example",
        ALLOWED_HOSTS="marktlotse.example",
        EMAIL_PROVIDER="smtp",
        EMAIL_HOST="smtp.example.com",
        DEFAULT_FROM_EMAIL="post@marktlotse.example",
        OPERATOR_ADDRESS="Kai 1, 20457 Hamburg",
        OPERATOR_TEXTS_DIR=str(tmp_path),
    )
    assert (finished.returncode, finished.stderr) == (0, ""), finished.stderr
