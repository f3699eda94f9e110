"""The step before web and worker start, in one process because starting Django takes most of the time.

Usage: python -m config.cli.prepare URL RESULT WORKER [MODEL]. Migrates, loads the sample project the first time,
removes WORKER from the live workers (a killed one is still listed), offers the small local model at the base URL
MODEL (with its key in LESART_MODEL_KEY) or withdraws it, and writes a sign-in link to the open file RESULT. If the
settings or the database prevent this, it writes one sentence about it there instead.
"""

import os
import sys
from typing import TextIO

import django
from django.core.management import call_command
from django.db import DatabaseError, InterfaceError
from django.urls import set_urlconf

from config import command_line
from config.cli import usage
from config.cli.model import KEY_VARIABLE
from config.env import BadSetting
from config.static_files import build_stale


def main(url: str, result: int, worker: str, base_url: str = "") -> int:
    """Returns the exit code; the outcome, a link or a sentence, is in the file."""
    with os.fdopen(result, "w") as file:
        try:
            prepare(url, file, worker, base_url)
        except BadSetting as bad:
            file.write(str(bad))
        except (DatabaseError, InterfaceError) as error:
            if not command_line.is_about_database_state(error):
                raise
            file.write(command_line.describe_error(error))
        else:
            return usage.STOPPED
    return usage.NOT_PREPARED


def prepare(url: str, result: TextIO, worker: str, base_url: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    migrate()
    build_stale()
    from jobs.workers import remove_worker
    from llm.services import endpoints
    from projects.models import Project

    remove_worker(worker)
    # The command checks the same, but its imports would cost every later start a second.
    if not Project.objects.filter(is_sample=True).exists():
        call_command("load_sample")
    if base_url:
        endpoint = endpoints.offer_local_endpoint(base_url, os.environ.pop(KEY_VARIABLE))
        if endpoint.tested_at is None:
            from llm.services.endpoints import request_test  # imports a client, which takes a second

            request_test(endpoint)
    else:
        endpoints.withdraw_local_endpoint()
    # The addresses of these pages are at the root; importing all other pages would cost another second.
    set_urlconf("projects.urls")
    call_command("create_sign_in_link", base=url, stdout=result)


def migrate() -> None:
    """Apply migrations; prints only if there are any."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    has_news = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    call_command("migrate", interactive=False, verbosity=1 if has_news else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:]))
