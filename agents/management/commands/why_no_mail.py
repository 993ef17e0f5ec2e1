"""`manage.py why_no_mail USER`: every reason for which somebody gets mail, or does not."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from rich.markup import escape
from rich.table import Table

from agents.why_no_mail import AgentReport, WhyNoMail, find_person, why_no_mail
from notifications.management.arguments import as_text

WIDTH = 110


class Command(BaseCommand):
    help = "Say why a person got no mail: every test with its result, and what their agents did."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", help="the person's e-mail address, in any case, or id")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_person(options["user"])
        if user is None:
            raise CommandError(f"There is nobody with the address or id {options['user']!r}.")
        answer = why_no_mail(user, timezone.now())
        self.stdout.write(_as_json(answer) if options["json"] else _as_tables(answer))


def _as_json(answer: WhyNoMail) -> str:
    return json.dumps(
        {
            "user": answer.user.pk,
            "may_get_mail": answer.may_get_mail,
            "last_sent_at": _iso(answer.last_sent_at),
            "tests": [
                {
                    "name": test.name,
                    "passed": test.passed,
                    "result": test.result,
                    "at": _iso(test.at),
                }
                for test in answer.tests
            ],
            "agents": [_agent_as_json(report) for report in answer.agents],
        }
    )


def _agent_as_json(report: AgentReport) -> dict[str, Any]:
    agent, mail = report.agent, report.mail
    return {
        "id": agent.pk,
        "name": agent.name,
        "frequency": agent.frequency,
        "is_active": agent.is_active,
        "is_due": report.is_due,
        "next_run_at": _iso(agent.next_run_at),
        "last_run_at": _iso(agent.last_run_at),
        "outcome": agent.last_outcome,
        "reason": agent.last_reason,
        "waiting": report.waiting,
        "mail": mail and {"id": mail.pk, "state": mail.state, "reason": mail.reason},
    }


def _as_tables(answer: WhyNoMail) -> str:
    """Tables where people read them, plain lines elsewhere."""
    tables = (
        [_tests_table(answer), _agents_table(answer)] if answer.agents else [_tests_table(answer)]
    )
    last_sent = f"last mail sent: {_moment(answer.last_sent_at)}"
    return f"{as_text(*tables, width=WIDTH)}\n{last_sent}"


def _tests_table(answer: WhyNoMail) -> Table:
    title = "may get mail" if answer.may_get_mail else "may not get mail"
    table = Table(title=escape(f"{answer.user}: {title}"))
    for column in ("test", "passed", "result", "since"):
        table.add_column(column)
    for test in answer.tests:
        passed = "yes" if test.passed else "NO"
        table.add_row(test.question, passed, escape(test.result), _moment(test.at))
    return table


def _agents_table(answer: WhyNoMail) -> Table:
    table = Table(title="search agents")
    for column in ("name", "last run", "what came of it", "last mail", "next run"):
        table.add_column(column)
    for report in answer.agents:
        agent = report.agent
        next_run = _moment(agent.next_run_at) if agent.is_active else "switched off"
        table.add_row(
            escape(agent.name),
            _moment(agent.last_run_at),
            report.decision,
            report.mail_state or "–",
            "due now" if report.is_due else next_run,
        )
    return table


def _moment(at: datetime | None) -> str:
    return f"{timezone.localtime(at):%Y-%m-%d %H:%M}" if at else "–"


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
