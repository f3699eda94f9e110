"""Packs in memory, for tests: written without drawing, looked into, and taken into a project of their own.

A pack of the same rows with the same choices is written once in a run; `pack_anew` writes it again.
"""

import csv
import hashlib
import io
import json
from collections.abc import Callable
from zipfile import ZipFile

from django.db import connection
from django.utils.translation import get_language

from analysis.choices import Choices
from analysis.pack.building import write_pack
from analysis.pack.restoring import import_pack
from projects.models import Project
from studies.models import Study
from tests.made_once import all_rows

KEPT: dict[str, bytes] = {}


def write_once(make: Callable[[], bytes], *options: object) -> bytes:
    """What `make` gives, from the second time on without its work while the database is the same row by row."""
    if connection.vendor != "sqlite":
        return make()
    key = hashlib.sha256(repr((options, get_language(), all_rows())).encode()).hexdigest()
    if key not in KEPT:
        KEPT[key] = make()
    return KEPT[key]


def export_pack_bytes(study, **choices):
    """The bytes of the study's pack."""
    return write_once(lambda: pack_anew(study, **choices), study.pk, choices)


def pack_anew(study, **choices):
    out = io.BytesIO()
    write_pack(Study.objects.get(pk=study.pk), Choices(**{"seed": abs(study.seed)} | choices), out)
    return out.getvalue()


def files_of(pack):
    with ZipFile(io.BytesIO(pack)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def import_pack_bytes(pack, slug="again"):
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
