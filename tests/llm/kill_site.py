"""A site of its own for the kill test, in processes that can be killed.

`migrate`, `prepare URL N HOLD`, `work`, and `drain`, `decide` and `sum_up`, which print what became of the run.
"""

import json
import os
import sys
from collections import Counter

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from datetime import timedelta  # noqa: E402

from django.core.management import call_command  # noqa: E402

from llm import registry  # noqa: E402
from llm.models import Endpoint, Run  # noqa: E402
from llm.services import draining, runs, workers  # noqa: E402
from projects.models import Project  # noqa: E402
from tests.llm.toy import Toy  # noqa: E402

workers.LEASE = timedelta(seconds=2)
draining.RENEW_SECONDS = 0.5
real_send = runs._send
runs._send = lambda run_id: None
registry.register("toy", Toy())


def migrate() -> None:
    call_command("migrate", verbosity=0)


def prepare(url: str, n: str, on_unknown: str) -> None:
    project = Project.objects.create(slug="kill", title="Kill")
    endpoint = Endpoint.objects.create(name="mock", base_url=url, model="mock-1", max_concurrency=16)
    runs.create_run(
        project=project, kind="toy", endpoint=endpoint, label="to be killed", on_unknown=on_unknown,
        params={"keys": [f"k{number}" for number in range(int(n))]},
    )  # fmt: skip


def drain() -> None:
    draining.drain_here(Run.objects.get())
    sum_up()


def work() -> None:
    """A Celery worker as `lesart up` starts it, that sweeps every second; the messages are real ones."""
    from config.celery import app

    workers.SWEEP_EVERY = timedelta(seconds=1)
    runs._send = real_send
    app.worker_main(["-q", "worker", "--pool", "threads", "--concurrency", "2", "--without-gossip", "--without-mingle"])


def sum_up() -> None:
    run = Run.objects.get()
    calls = run.calls.all()
    print(json.dumps({
        "state": run.state, "reason": run.reason, "states": Counter(calls.values_list("state", flat=True)),
        "lost": sum(calls.values_list("times_lost", flat=True)),
        "sent": sum(calls.values_list("times_sent", flat=True)),
    }))  # fmt: skip


def decide() -> None:
    runs.decide_held(Run.objects.get(), ask_again=True)
    drain()


COMMANDS = {command.__name__: command for command in (migrate, prepare, drain, sum_up, decide, work)}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
