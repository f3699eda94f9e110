"""An archive goes from PostgreSQL to SQLite and back; tables and specifications of all studies keep their bytes."""

import io
import os
import subprocess
import sys

import pytest
from django.db import connection

from analysis.pack.project import import_project, write_project
from items.services.exporting import export_lines
from projects.models import Project
from studies.models import Study
from tests.analysis import whole_studies
from tests.analysis.packs import files_of, results_in
from tests.config.shell import ROOT
from tests.patience import PATIENCE

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.slow]


@pytest.fixture
def on_sqlite(tmp_path):
    """A function that runs a command in an installation of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = kept | {"LESART_DATA": str(tmp_path / "data"), "SECRET_KEY": "of-a-test"}
    (tmp_path / "data").mkdir()

    def run(*words: str) -> None:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr

    return run


def results(archive: bytes) -> dict[str, dict[str, bytes]]:
    """Of each pack in an archive, by its name."""
    return {name: results_in(pack) for name, pack in files_of(archive).items() if name.endswith(".zip")}


@pytest.mark.skipif(connection.vendor == "sqlite", reason="the part on PostgreSQL does it")
def test_the_tables_have_the_same_bytes_in_the_other_database_and_back(project, on_sqlite, tmp_path):
    whole_studies.make_guessing_study(project)
    out, bank = io.BytesIO(), sorted(export_lines(project))
    write_project(project, out)
    (tmp_path / "first.zip").write_bytes(out.getvalue())
    on_sqlite("migrate", "--verbosity", "0")
    on_sqlite("import_project", str(tmp_path / "first.zip"))
    on_sqlite("export_project", project.slug, "--out", str(tmp_path / "second.zip"))
    second = (tmp_path / "second.zip").read_bytes()
    assert results(second) == results(out.getvalue())
    for model in (Project, Study):
        for row in model.objects.all():
            model.objects.filter(pk=row.pk).update(slug=f"{row.slug}-old")
    third, again = io.BytesIO(), import_project(io.BytesIO(second))
    write_project(again, third)
    assert results(third.getvalue()) == results(out.getvalue())
    assert sorted(export_lines(again)) == bank
