"""Eight processes on one bucket: no window over the quota, and next to nothing of it left unused.

Every grant is noted with Redis' own time, and then every window is looked at, wherever it begins.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import pytest
from django.conf import settings as django_settings

from notifications.models import DispatchLimits, ProviderQuota
from tests import own_processes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.serial]
PROCESSES = 8
SECONDS = 10
GREEDY = """
import sys, time
import django
django.setup()
from django.utils import timezone
from notifications.limiter import Admitted, ProviderGate
cost = int(sys.argv[1])
gate = ProviderGate("smtp", timezone.now)
gate.admit(cost, is_account_mail=True)
print("ready", flush=True)
end = float(sys.stdin.readline())
while time.time() < end:
    answer = gate.admit(cost, is_account_mail=True)
    if isinstance(answer, Admitted):
        print(answer.clock_us, answer.granted)
    else:
        time.sleep(max(0.0, (answer.until - timezone.now()).total_seconds()))
"""
Grant = tuple[int, int]


def grants_of_processes(costs: Sequence[int]) -> list[Grant]:
    """What the processes were granted while all of them asked, in order of time."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", GREEDY, str(cost)],
            env=own_processes.environment(),
            cwd=django_settings.BASE_DIR,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for cost in costs
    ]
    assert {process.stdout.readline() for process in running if process.stdout} == {"ready\n"}
    end = f"{time.time() + SECONDS + 0.5}\n"
    outputs = [process.communicate()[0] for process in started_together(running, end)]
    lines = [line for output in outputs for line in output.splitlines()]
    assert [process.returncode for process in running] == [0] * len(costs)
    return sorted((int(at), int(count)) for at, count in map(str.split, lines))


def started_together(running: Sequence[Any], end: str) -> Sequence[Any]:
    """Let all begin before the output of any is awaited."""
    for process in running:
        process.stdin.write(end)
        process.stdin.flush()
    return running


def fullest(grants: Sequence[Grant], window_us: int) -> int:
    """The most that any window of this length holds; it is enough to look where a grant is."""
    most = held = first = 0
    for at, count in grants:
        held += count
        while grants[first][0] <= at - window_us:
            held -= grants[first][1]
            first += 1
        most = max(most, held)
    return most


def used_in_ten_seconds(grants: Sequence[Grant]) -> int:
    """What was granted in ten seconds in which all processes ran."""
    end = grants[-1][0]
    return sum(count for at, count in grants if at > end - SECONDS * 1_000_000)


@pytest.mark.parametrize(
    ("per_second", "costs"), [(200, [1] * 8), (1000, [1, 1, 1, 7, 7, 50, 300, 900])]
)
def test_eight_processes_use_a_quota_a_second_and_never_more(
    per_second: int, costs: list[int]
) -> None:
    DispatchLimits.current()
    ProviderQuota.objects.create(provider="smtp", per_second=per_second, per_minute=100_000)
    grants = grants_of_processes(costs)
    assert fullest(grants, 1_000_000) <= per_second
    assert used_in_ten_seconds(grants) >= 0.98 * per_second * SECONDS
    assert max(count for _at, count in grants) >= min(per_second // 8, max(costs))


def test_two_windows_bind_together_and_both_hold() -> None:
    DispatchLimits.current()
    ProviderQuota.objects.create(provider="smtp", per_second=40, per_minute=600)
    grants = grants_of_processes([1] * PROCESSES)
    assert fullest(grants, 1_000_000) <= 40
    assert fullest(grants, 60_000_000) <= 600
    # A bucket that began without a memory fills at the minute's own rate: ten a second.
    assert used_in_ten_seconds(grants) >= 0.98 * 10 * SECONDS
