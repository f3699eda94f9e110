"""A run whose calls mean nothing, on the database of the environment: what engine.py and planning.py measure."""

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from llm.models import Run

TEXT = "The river rises in the hills behind the town and reaches the sea after forty miles. " * 15
PARAMS = {"max_tokens": 4, "temperature": 0, "logprobs": True, "top_logprobs": 5}


def prompt(key: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"{TEXT}\nIs the statement {key} right? Answer R or F."}]


def register_toy() -> None:
    """Make its kind known to this process, whose Django is set up."""
    from llm import registry

    class Toy(registry.RunKind):
        kind = "bench"

        def plan(self, run):
            return ((f"s{number}", 0) for number in range(run.params["n"]))

        def render(self, run, key, sample):
            return registry.Request(prompt(key), PARAMS)

        def read(self, run, call):
            return {"label": call.text}

    registry.register("bench", Toy())


def make_run(url: str, calls: int, at_a_time: int) -> "Run":
    """Not yet planned, in a project of its own; no worker is told of it."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    from llm.models import Endpoint
    from llm.services import runs
    from projects.models import Project

    call_command("migrate", verbosity=0)
    register_toy()
    runs._send = lambda run_id: None
    endpoint = Endpoint.objects.create(name="mock", base_url=url, model="mock-1", max_concurrency=at_a_time)
    project = Project.objects.create(slug="bench", title="Bench")
    return runs.create_run(project=project, kind="bench", endpoint=endpoint, label="bench", params={"n": calls})
