"""A run of a million calls: how long planning takes, how long the database is locked, how fast its pages are.

    python bench/planning.py [--database sqlite|postgresql] [--calls 1000000]

Then a part of the calls gets other states, so that counting is not counting of one state only, and the run page is
asked for; at the end a drainer works on the run for a while against a mock server, and its memory is watched.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.engine import database, mock  # noqa: E402
from bench.toy_run import make_run  # noqa: E402


def megabytes() -> float:
    """Resident memory of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def plan(n: int) -> None:
    """Plans, looks and drains in this process; prints what it measures."""
    with mock(0.02) as url:
        run = make_run(url, n, at_a_time=64)
        from django.test import Client

        from llm.models import CallState
        from llm.services import draining, planning
        from projects.models import Membership, Role, User

        user = User.objects.create_user("bench")
        Membership.objects.create(project=run.project, user=user, role=Role.OWNER)

        locked, write = [], planning._insert_rows
        planning._insert_rows = lambda rows: locked.append(write(rows)) or locked[-1]
        before, started, cpu = megabytes(), time.monotonic(), time.process_time()
        planning.plan_run(run, lambda: True)
        seconds, cpu = time.monotonic() - started, time.process_time() - cpu
        print(
            f"planned {n} calls in {seconds:.1f} s ({1e6 * cpu / n:.0f} µs of CPU a call), {len(locked)} batches, "
            f"locked at most {max(locked):.2f} s, memory +{megabytes() - before:.0f} MB, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )

        before = megabytes()
        for part in range(1, 4):
            draining.drain(run.pk, 10)
            done = run.calls.filter(state=CallState.ANSWERED).count()
            print(f"drained for {10 * part} s: {done} answered, memory +{megabytes() - before:.0f} MB", flush=True)

    for first, last, state in ((2, 5, CallState.ANSWERED), (5, 6, CallState.FAILED), (6, 7, CallState.CACHED)):
        low, high = first * n // 10, last * n // 10
        run.calls.filter(position__gte=low, position__lt=high, state=CallState.PLANNED).update(
            state=state, error_class="parse" if state == CallState.FAILED else ""
        )
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(user)
    for name, path in (
        ("run page", ""),
        ("progress", "?part"),
        ("calls", "calls/"),
        ("last calls", "calls/?page=99999"),
    ):
        taken = []
        for _time in range(5):
            started = time.monotonic()
            response = client.get(f"/runs/{run.pk}/{path}")
            taken.append(time.monotonic() - started)
            assert response.status_code == 200, response.status_code
        print(f"{name}: {1000 * min(taken):.0f} ms, first time {1000 * taken[0]:.0f} ms", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        plan(options.calls)
        return 0
    with tempfile.TemporaryDirectory() as data, database(options.database) as url:
        environment = {"LESART_DATA": data, "DATABASE_URL": url, "LESART_INSIDE_HOSTS": "127.0.0.1"}
        print(json.dumps({"database": options.database, "calls": options.calls}))
        command = [sys.executable, __file__, "--child", "--calls", str(options.calls)]
        return subprocess.run(command, cwd=ROOT, env=os.environ | environment).returncode


if __name__ == "__main__":
    sys.exit(main())
