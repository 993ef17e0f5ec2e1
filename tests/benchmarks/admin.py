"""How long the admin takes with a million deliveries: the 95th percentile, and how many queries.

    python -m tests.benchmarks.admin --deliveries 1000000 --json

prints `{"pages": {NAME: {"p95_ms": …, "queries": …}}}` for the dashboard, whatever its numbers
link to, the page of a person and of a delivery, and every list of the admin: first, second and
last page, each filter, each order, and searches of every shape. `--explain` shows the slowest
query of each, `--only TEXT` asks only for pages whose names hold the text.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from django.db import connection
from django.test import Client

from marketplace.models import User
from operations.rollup import roll_up, roll_up_person_days
from tests.benchmarks import ledger_data, marketplace_data, scratch
from tests.benchmarks.admin_requests import every_admin_page
from tests.benchmarks.reports import size_argument
from tests.benchmarks.timing import measured, report, serve_without_limits

DATABASE = "benchmark_marktlotse_admin"
AGENTS_A_PERSON = 5
OPERATOR = "operator@example.com"


def main() -> None:
    arguments = _arguments()
    serve_without_limits()
    with scratch.scratch_database(DATABASE):
        operator = fill(arguments.deliveries, arguments.users, arguments.companies)
        figures = figures_of(
            operator, arguments.requests, only=arguments.only, explain=arguments.explain
        )
    report(figures, as_json=arguments.json)


def fill(deliveries: int, users: int, companies: int) -> User:
    """Fill the database that is connected to, and count what the dashboard shows; who looks."""
    now = datetime.now(UTC)
    agents = users * AGENTS_A_PERSON
    marketplace_data.fill(marketplace_data.Size(users, agents, companies), now)
    operator = User.objects.create_superuser(OPERATOR)
    ledger_data.fill(ledger_data.LedgerSize(deliveries, users, agents, companies), now, operator)
    roll_up(now=now)
    roll_up_person_days(now=now)
    connection.cursor().execute("VACUUM ANALYZE")
    return operator


def figures_of(
    operator: User, requests: int, *, only: str = "", explain: bool = False
) -> dict[str, dict[str, object]]:
    """The figures of every page whose name holds `only`."""
    client = Client()
    client.force_login(operator)
    pages = [(name, ask) for name, ask in every_admin_page(client) if only in name]
    return measured(pages, requests, explain=explain, warm_up=1, counted=1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deliveries", type=size_argument, default=1_000_000)
    parser.add_argument("--users", type=size_argument, default=4_000)
    parser.add_argument("--companies", type=size_argument, default=50_000)
    parser.add_argument("--requests", type=size_argument, default=7, help="a page")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
