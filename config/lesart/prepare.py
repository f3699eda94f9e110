"""The step before web and worker start, in one process because Django's own start costs most of it.

Usage: python -m config.lesart.prepare URL RESULT WORKER [MODEL]. Migrates, loads the sample project the first time,
forgets a WORKER that was killed and still passes for alive, offers the small local model at the base URL MODEL (with
its key in LESART_MODEL_KEY) or takes it out of the offer, and writes a sign-in link to the open file RESULT.
"""

import os
import sys

import django
from django.core.management import call_command
from django.urls import set_urlconf

from config.lesart.model import KEY_VARIABLE


def main(url: str, result: int, worker: str, base_url: str = "") -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    migrate()
    from llm.heartbeat import leave
    from llm.services import local
    from projects.models import Project

    leave(worker)
    # The command asks the same, but what it imports would cost every later start a second.
    if not Project.objects.filter(is_sample=True).exists():
        call_command("load_sample")
    if base_url:
        endpoint = local.offer(base_url, os.environ.pop(KEY_VARIABLE))
        if endpoint.tested_at is None:
            from llm.services.probing import request_test  # it imports a client, which takes a second

            request_test(endpoint)
    else:
        local.withdraw()
    # The addresses of these pages are at the root; to import all other pages would cost another second.
    set_urlconf("projects.urls")
    with os.fdopen(result, "w") as file:
        call_command("create_sign_in_link", base=url, stdout=file)


def migrate() -> None:
    """Says something only if something is to be done."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    has_news = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    call_command("migrate", interactive=False, verbosity=1 if has_news else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
