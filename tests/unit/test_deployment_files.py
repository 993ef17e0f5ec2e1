"""docker-compose.yml, Dockerfile and .env.example agree with the code that they run."""

import ast
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from config import checked_env, settings
from notifications.dispatching import TURN_SECONDS

BASE_DIR = settings.BASE_DIR
COMPOSE: dict[str, Any] = yaml.safe_load((BASE_DIR / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if service["image"] == "marktlotse"]
EXAMPLE = (BASE_DIR / ".env.example").read_text()

PROJECT = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())
PACKAGES: list[str] = PROJECT["tool"]["importlinter"]["root_packages"]

NOT_IN_EXAMPLE = {
    "BIND": "where gunicorn listens: a matter of the process, read before .env",
}
NOT_IN_COMPOSE = {
    "BIND": "inside of the container the port is fixed; what is published is the compose file's",
    "DEBUG": "not for production",
    "OUTBOX_DIR": "not for production",
}


def variables_read() -> set[str]:
    """Every variable that config/ asks the environment for, by name."""
    found = {*checked_env.CHECKS, *checked_env.REQUIRED}
    found.update(name for names in checked_env.REQUIRED_BY_PROVIDER.values() for name in names)
    for file in (BASE_DIR / "config").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and node.args and _asks_environment(node.func):
                name = node.args[0]
                if isinstance(name, ast.Constant) and isinstance(name.value, str):
                    found.add(name.value)
    return found


def _asks_environment(function: ast.expr) -> bool:
    """`env.str(…)`, `env.bool(…)`, `os.environ.get(…)` and such."""
    if not isinstance(function, ast.Attribute) or function.attr == "setdefault":
        return False
    return ast.unparse(function.value) in ("env", "os.environ", "env.ENVIRON")


def seconds(text: str) -> int:
    assert text.endswith("s")
    return int(text.removesuffix("s"))


def queues_of(service: dict[str, Any]) -> list[str]:
    words = shlex.split(service["command"])
    return words[words.index("-Q") + 1].split(",")


def test_the_variables_are_found() -> None:
    assert variables_read() >= {
        "SECRET_KEY", "DATABASE_URL", "TRUSTED_PROXIES", "RATE_LIMIT_API", "WEB_CONCURRENCY",
        "TWILIO_FROM", "OUTBOX_DIR", "LOG_JSON",
    }  # fmt: skip


def test_every_variable_that_is_read_is_explained() -> None:
    explained = set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", EXAMPLE, re.MULTILINE))
    assert variables_read() - explained == set(NOT_IN_EXAMPLE)


def test_every_variable_that_is_read_reaches_the_containers() -> None:
    assert variables_read() - set(COMPOSE["x-environment"]) == set(NOT_IN_COMPOSE)
    for name in OURS:
        assert SERVICES[name]["environment"] == COMPOSE["x-environment"]


def test_every_variable_of_the_compose_file_is_explained() -> None:
    used = set(re.findall(r"\$\{([A-Z0-9_]+)", (BASE_DIR / "docker-compose.yml").read_text()))
    used |= set(COMPOSE["x-environment"])
    explained = set(re.findall(r"^#?([A-Z][A-Z0-9_]+)=", EXAMPLE, re.MULTILINE))
    assert used <= explained


def test_no_secret_and_no_mail_server_has_a_default() -> None:
    for name in ("SECRET_KEY", "EMAIL_HOST", "EMAIL_HOST_PASSWORD", "SENDGRID_API_KEY",
                 "TWILIO_AUTH_TOKEN", "METRICS_TOKEN"):  # fmt: skip
        assert COMPOSE["x-environment"][name] is None
    assert "POSTGRES_PASSWORD:-}" in COMPOSE["x-environment"]["DATABASE_URL"]


def test_some_worker_takes_from_every_queue_that_tasks_are_put_into() -> None:
    taken = {
        queue
        for service in SERVICES.values()
        if "worker" in str(service.get("command"))
        for queue in queues_of(service)
    }
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert taken == {queue.name for queue in settings.CELERY_TASK_QUEUES}
    assert routed | {settings.CELERY_TASK_DEFAULT_QUEUE} <= taken


def test_urgent_work_never_waits_behind_bulk() -> None:
    urgent, bulk = queues_of(SERVICES["urgent-worker"]), queues_of(SERVICES["worker"])
    assert urgent == ["account", "default", "webhooks"]
    assert bulk == ["reports", "campaigns", "mail"]


def test_one_beat_runs_with_the_scheduler_of_the_settings() -> None:
    beats = [name for name, one in SERVICES.items() if "beat" in str(one.get("command")).split()]
    assert beats == ["beat"]
    assert "scheduler" not in SERVICES["beat"]["command"]


def test_mailpit_starts_only_when_asked_for() -> None:
    assert SERVICES["mailpit"]["profiles"] == ["mailpit"]
    for name, service in SERVICES.items():
        assert "mailpit" not in service.get("depends_on", {}), name
        assert name == "mailpit" or "profiles" not in service


def test_images_of_others_have_a_version() -> None:
    others = [one["image"] for one in SERVICES.values() if one["image"] != "marktlotse"]
    for image in others:
        assert re.search(r":v?\d", image), image


def test_a_worker_may_end_its_batch_before_it_is_killed() -> None:
    for name in ("worker", "urgent-worker"):
        service = SERVICES[name]
        assert service["stop_signal"] == "SIGTERM"
        longest = TURN_SECONDS + settings.EMAIL_TIMEOUT
        assert longest <= settings.CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT
        assert longest < seconds(service["stop_grace_period"])
    # Read, not imported: gunicorn's settings change the process that reads them.
    own = re.search(
        r"^graceful_timeout = (\d+)", (BASE_DIR / "config/gunicorn.py").read_text(), re.M
    )
    requests_may_take = int(own[1]) if own else 30
    assert requests_may_take < seconds(SERVICES["web"]["stop_grace_period"])


def test_whoever_uses_the_tables_waits_until_they_are_migrated() -> None:
    for name in set(OURS) - {"migrate"}:
        condition = SERVICES[name]["depends_on"]["migrate"]["condition"]
        assert condition == "service_completed_successfully"
        assert SERVICES[name]["restart"] == "unless-stopped"
    assert SERVICES["migrate"]["command"] == "python manage.py migrate --noinput"
    assert SERVICES["migrate"]["restart"] == "on-failure"


def test_everything_that_keeps_running_is_asked_for_its_health() -> None:
    asked = {name for name, one in SERVICES.items() if "test" in one.get("healthcheck", {})}
    # The image's own check is that of the site.
    assert asked == set(SERVICES) - {"web", "migrate"}
    assert "/healthz" in (BASE_DIR / "Dockerfile").read_text()


@pytest.mark.parametrize("package", sorted(set(PACKAGES) - {"demo"}))
def test_every_package_goes_into_the_image(package: str) -> None:
    let_in = (BASE_DIR / ".dockerignore").read_text().splitlines()
    assert f"!{package}" in let_in


def test_the_image_holds_what_it_installs_from() -> None:
    let_in = (BASE_DIR / ".dockerignore").read_text().splitlines()
    copied = re.findall(r"^COPY (.+) \./$", (BASE_DIR / "Dockerfile").read_text(), re.MULTILINE)
    for name in copied[0].split():
        assert f"!{name}" in let_in
        assert Path(BASE_DIR / name).is_file()
