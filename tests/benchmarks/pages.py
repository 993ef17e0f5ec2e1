"""How long pages take in a filled marketplace: the 95th percentile, and how many queries.

    python -m tests.benchmarks.pages --companies 200000 --agents 20000 --json

prints `{"pages": {NAME: {"p95_ms": …, "queries": …}}}`. A page is asked for with a different
filter each time, through every middleware, without a web server. `queries` is the most that any
of the requests made; `constant` says whether all made as many. Pages that do not exist, or do not
answer 200, are named on standard error and left out. `--explain` shows the slowest query of each.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from django.db import connection

from tests.benchmarks import marketplace_data, scratch
from tests.benchmarks.page_requests import every_page
from tests.benchmarks.reports import size_argument
from tests.benchmarks.timing import measured, report, serve_without_limits
from tests.benchmarks.vocabulary import Zipf, words

DATABASE = "benchmark_marktlotse_pages"
AGENTS_A_PERSON = 5


def main() -> None:
    arguments = _arguments()
    serve_without_limits()
    people = max(arguments.agents // AGENTS_A_PERSON, 1)
    size = marketplace_data.Size(people, arguments.agents, arguments.companies)
    with scratch.scratch_database(DATABASE):
        marketplace_data.fill(size, datetime.now(UTC), Zipf(words()))
        connection.cursor().execute("VACUUM ANALYZE")
        figures = measured(every_page(), arguments.requests, explain=arguments.explain)
    report(figures, as_json=arguments.json)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--companies", type=size_argument, default=200_000)
    parser.add_argument("--agents", type=size_argument, default=20_000)
    parser.add_argument("--requests", type=size_argument, default=40, help="a page")
    parser.add_argument("--explain", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
