"""Wordings: those that ship with Lesart, and the newest version of one by its name."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.db import transaction

from projects.models import Project
from studies.models import Instrument, InstrumentVersion

SHIPPED = Path(__file__).resolve().parent.parent / "instruments"


class UnknownInstrument(LookupError):
    """There is no instrument of that name and language; the message says which there are."""


@cache
def shipped() -> dict[str, dict[str, Any]]:
    """The wordings in the folder `studies/instruments`, by "name/language"."""
    contents = [yaml.safe_load(path.read_text("utf-8")) for path in sorted(SHIPPED.glob("*.yaml"))]
    return {f"{content['name']}/{content['language']}": content for content in contents}


def content_hash(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def latest_version(name: str, project: Project) -> InstrumentVersion:
    """The newest version of "name/language": the project's own if it has one, else the shipped one."""
    short, _slash, language = name.partition("/")
    own = Instrument.objects.filter(project=project, name=short, language=language).first()
    if own:
        return own.versions.latest("version")
    if name not in shipped():
        raise UnknownInstrument(f"There is no instrument “{name}”; there are: {', '.join(shipped())}.")
    return store_version(short, language, shipped()[name])


@transaction.atomic
def store_version(
    name: str, language: str, content: dict[str, Any], project: Project | None = None
) -> InstrumentVersion:
    """The version with exactly this content; a new one if the wording is new."""
    instrument, _new = Instrument.objects.get_or_create(project=project, name=name, language=language)
    instrument = Instrument.objects.select_for_update().get(pk=instrument.pk)
    known = instrument.versions.filter(content_hash=content_hash(content)).first()
    if known:
        return known
    number = instrument.versions.count() + 1
    return instrument.versions.create(version=number, content=content, content_hash=content_hash(content))
