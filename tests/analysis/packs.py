"""Packs in memory, for tests: written without drawing, looked into, and taken into a project of their own."""

import csv
import io
import json
from zipfile import ZipFile

from analysis.choices import Choices
from analysis.pack.building import write_pack
from analysis.pack.restoring import import_pack
from projects.models import Project
from studies.models import Study


def packed(study, **choices):
    """The bytes of the study's pack."""
    out = io.BytesIO()
    write_pack(Study.objects.get(pk=study.pk), Choices(**{"seed": abs(study.seed)} | choices), out)
    return out.getvalue()


def files_of(pack):
    with ZipFile(io.BytesIO(pack)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def unpacked(pack, slug="again"):
    project = Project.objects.create(slug=slug, title=slug)
    return import_pack(io.BytesIO(pack), project, slug).study


def results_in(pack):
    """Tables and specifications of figures, by name."""
    files = files_of(pack)
    return {name: files[name] for name in files if name.startswith("report/tables/") or name.endswith(".vl.json")}


def rows_in(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def objects_in(content):
    return [json.loads(line) for line in content.decode().split("\n") if line]
