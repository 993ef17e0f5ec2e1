"""A worker's whole output, through a run, sends and troubles: JSON lines, ids, nobody's data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.core.mail import get_connection
from django.core.mail.message import EmailMultiAlternatives

from agents.models import ReportRun
from agents.tasks import report_daily
from config.celery import app
from notifications.models import Delivery, State
from tests.factories import AgentFactory, UserFactory
from tests.firing import publish
from tests.outages import free_port, wait_until, worker
from tests.providers import sendgrid_simulator, smtp_server

QUEUES = "account,default,webhooks,reports,campaigns,mail"
PERSONAL = [
    "zlatka", "Personova", "Privatissima", "Verschwiegen", "Sägewerk", "Geheimwort", "Sesam-1234",
    "example.com", "SG.very-secret", "very-secret-password",
]  # fmt: skip
Start = Callable[[ExitStack], Mapping[str, str]]


def through_outbox(stack: ExitStack) -> Mapping[str, str]:
    return {"EMAIL_PROVIDER": "outbox"}


def through_sendgrid(stack: ExitStack) -> Mapping[str, str]:
    simulator = stack.enter_context(sendgrid_simulator.running_server())
    simulator.bad_addresses = {"zlatka.bad@example.com"}
    return {
        "EMAIL_PROVIDER": "sendgrid",
        "SENDGRID_API_KEY": "SG.very-secret",
        "SENDGRID_API_HOST": simulator.url,
    }


def through_smtp(stack: ExitStack) -> Mapping[str, str]:
    mail_server = stack.enter_context(smtp_server.running_server())
    mail_server.refusals = {"RCPT": ["550 zlatka.bad@example.com: Geheimwort"]}
    return {
        "EMAIL_PROVIDER": "smtp",
        "EMAIL_HOST": "127.0.0.1",
        "EMAIL_PORT": str(mail_server.port),
        "EMAIL_HOST_PASSWORD": "very-secret-password",
    }


def lines_of(log: Path) -> list[dict[str, Any]]:
    """Every line of the output; fails where one is no JSON object with the usual parts."""
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for line in lines:
        assert {"time", "level", "logger", "message"} <= line.keys()
        assert line["time"].endswith("+00:00")
    return lines


def write_to(address: str) -> None:
    mail = EmailMultiAlternatives(
        "Geheimwort: Privatissima", "Sesam-1234", None, [f"Zlatka Personova <{address}>"],
        connection=get_connection("notifications.email_backend.LedgerEmailBackend"),
    )  # fmt: skip
    mail.attach_alternative("<p>Sesam-1234</p>", "text/html")
    mail.send()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("start", [through_outbox, through_sendgrid, through_smtp])
def test_ids_stand_in_every_line_of_a_send_and_nobodys_data_in_any(
    start: Start, tmp_path: Path
) -> None:
    app.control.purge()
    log = tmp_path / "worker.log"
    user = UserFactory.create(email="zlatka.good@example.com", name="Zlatka Personova")
    AgentFactory.create(user=user, name="Privatissima")
    publish("Sägewerk Verschwiegen")
    with ExitStack() as stack:
        variables = {**start(stack), "LOG_JSON": "true", "LOG_LEVEL": "DEBUG"}
        stack.enter_context(worker(log, variables, QUEUES))
        write_to("zlatka.bad@example.com")
        wait_until(lambda: ended() == 1)
        write_to("zlatka.good@example.com")
        report_daily.delay()
        wait_until(lambda: ended() == 3)
        wait_until(lambda: log.read_text("utf-8").count(' sent"') >= 3)
    written = log.read_text("utf-8")
    for words in PERSONAL:
        assert words.lower() not in written.lower(), words
    judge(lines_of(log), is_refused=start is not through_outbox)


def ended() -> int:
    return Delivery.objects.filter(state__in=[State.SENT, State.DEAD]).count()


def judge(lines: list[dict[str, Any]], *, is_refused: bool) -> None:
    [run] = ReportRun.objects.all()
    digest = Delivery.objects.get(kind="digest")
    starts, ends = (
        next(line for line in lines if line["message"].startswith(words))
        for words in ("Run starts", "Run ends")
    )
    assert starts["run_id"] == ends["run_id"] == run.pk
    assert ends["counts"]["digests"] == 1
    assert ends["task"] == "agents.tasks.report_daily"
    batches = [line for line in lines if line["logger"] == "notifications.sending"]
    ids = [line["delivery_ids"] for line in batches]
    assert sorted(ids) == [[pk] for pk in sorted(Delivery.objects.values_list("pk", flat=True))]
    [of_digest] = [line for line in batches if line["delivery_ids"] == [digest.pk]]
    assert of_digest["counts"] == {"asked": 1, "claimed": 1, "sent": 1}
    assert of_digest["level"] == "INFO"
    assert of_digest["task_id"]
    dead = [line for line in lines if line["message"].startswith("Dead letters: 1 (refused)")]
    assert len(dead) == int(is_refused)


def test_no_worker_speaks_before_its_log_is_set_up(tmp_path: Path) -> None:
    """Also what the broker's absence makes it say is lines for programs."""
    log = tmp_path / "worker.log"
    changes = {
        "LOG_JSON": "true",
        "CELERY_BROKER_URL": f"redis://:Geheimwort@127.0.0.1:{free_port()}/0",
    }
    with worker(log, changes):
        wait_until(lambda: b"Cannot connect" in log.read_bytes())
    assert "Geheimwort" not in log.read_text("utf-8")
    assert lines_of(log)
