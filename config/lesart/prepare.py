"""The step before the services start, in one process because Django's start costs most of it.

Usage: python -m config.lesart.prepare URL RESULT. Migrates, loads the sample project once, writes a sign-in link to
the open file RESULT.
"""

import os
import sys

import django
from django.core.management import call_command


def main(url: str, result: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    _migrate()
    call_command("load_sample")
    with os.fdopen(result, "w") as file:
        call_command("create_sign_in_link", base=url.rstrip("/"), stdout=file)


def _migrate() -> None:
    """Quiet if nothing is to be done."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    is_news = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    call_command("migrate", interactive=False, verbosity=1 if is_news else 0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
