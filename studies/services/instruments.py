"""Wordings: those that ship with Lesart, those of a project, and the version that a name stands for."""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from items.plain import printable
from projects.models import Project, User
from studies.instrument_yaml import read_yaml, write_yaml
from studies.models import Instrument, InstrumentVersion

SHIPPED = Path(__file__).resolve().parent.parent / "instruments"
NAME = re.compile(r"(?P<name>[^/@]+)/(?P<language>[^/@]+)(@(?P<version>[0-9]{1,6}))?")


class UnknownInstrument(LookupError):
    """There is no instrument of that name and language; the message says which there are."""


@cache
def shipped_sources() -> dict[str, str]:
    """The files in the folder `studies/instruments`, by "name/language"."""
    sources = [path.read_text("utf-8") for path in sorted(SHIPPED.glob("*.yaml"))]
    return {"{name}/{language}".format(**read_yaml(source)): source for source in sources}


@cache
def shipped() -> dict[str, dict[str, Any]]:
    """The wordings in the folder `studies/instruments`, by "name/language"."""
    return {name: read_yaml(source) for name, source in shipped_sources().items()}


def shipped_model(name: str, language: str) -> dict[str, Any] | None:
    """The shipped wording of that name, in the language if there is one, else in any."""
    same = {key: content for key, content in shipped().items() if content["name"] == name}
    return same.get(f"{name}/{language}") or next(iter(same.values()), None)


def is_shipped(instrument: Instrument) -> bool:
    return instrument.project_id is None and str(instrument) in shipped()


def content_hash(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def latest_version(name: str, project: Project | None) -> InstrumentVersion:
    """What "name/language" means in a project, or "name/language@3".

    The project's own comes before the server's and the shipped one; without a number it is the newest version.
    """
    parts = NAME.fullmatch(name)
    instrument = instrument_called(f"{parts['name']}/{parts['language']}", project) if parts else None
    if parts is None or instrument is None:
        raise UnknownInstrument(unknown(name, project))
    if parts["version"] is None:
        return stored_shipped(str(instrument)) if is_shipped(instrument) else newest(instrument)
    found = instrument.versions.filter(version=int(parts["version"])).first()
    if found is None:
        said = _("“%(name)s” has no version %(version)s; it has: %(known)s.")
        numbers = instrument.versions.order_by("version").values_list("version", flat=True)
        known = ", ".join(map(str, numbers))
        raise UnknownInstrument(said % {"name": instrument, "version": parts["version"], "known": known})
    return found


def unknown(name: str, project: Project | None) -> str:
    said = _("There is no instrument “%(name)s”; there are: %(known)s.")
    known = {*shipped(), *map(str, Instrument.objects.filter(Q(project=None) | Q(project=project)))}
    return said % {"name": printable(name), "known": ", ".join(sorted(known))}


def instrument_called(name: str, project: Project | None) -> Instrument | None:
    """The instrument "name/language" that a project sees: its own, the server's, or a shipped one."""
    short, _slash, language = name.partition("/")
    rows = Instrument.objects.filter(Q(project=None) | Q(project=project), name=short, language=language)
    found = next(iter(sorted(rows, key=lambda row: row.project_id is None)), None)
    if found is None and name in shipped():
        return stored_shipped(name).instrument
    return found


def newest(instrument: Instrument) -> InstrumentVersion:
    """For looking at; of a shipped one, what its file says now, even if that is not stored yet."""
    if is_shipped(instrument):
        return shipped_version(str(instrument))
    return instrument.versions.select_related("instrument").latest("version")


def shipped_version(name: str) -> InstrumentVersion:
    """A shipped wording as its file is now: its row, or if nobody has used it yet one that is not stored."""
    content, (short, _slash, language) = shipped()[name], name.partition("/")
    instrument = Instrument.objects.filter(project=None, name=short, language=language).first()
    rows = instrument.versions.select_related("instrument") if instrument else InstrumentVersion.objects.none()
    known = rows.filter(content_hash=content_hash(content)).first()
    return known or InstrumentVersion(
        instrument=instrument or Instrument(name=short, language=language),
        version=len(rows) + 1,
        content=content,
        source=shipped_sources()[name],
    )


def stored_shipped(name: str) -> InstrumentVersion:
    """The row of a shipped wording as its file is now; made when it is first used."""
    found = shipped_version(name)
    if found.pk:
        return found
    short, _slash, language = name.partition("/")
    return store_version(short, language, found.content, source=found.source)


@transaction.atomic
def store_version(
    name: str,
    language: str,
    content: Mapping[str, Any],
    project: Project | None = None,
    *,
    source: str = "",
    user: User | None = None,
    note: str = "",
) -> InstrumentVersion:
    """The newest version, if it has exactly this content, else a new one."""
    instrument, _new = Instrument.objects.get_or_create(project=project, name=name, language=language)
    instrument = Instrument.objects.select_for_update().get(pk=instrument.pk)
    last = instrument.versions.first()
    if last and last.content_hash == content_hash(content):
        return last
    return instrument.versions.create(
        version=last.version + 1 if last else 1,
        content=content,
        content_hash=content_hash(content),
        source=source,
        created_by=user,
        note=note,
    )


def source_of(version: InstrumentVersion) -> str:
    """The version as YAML: as it was written, or made from its content."""
    return version.source or write_yaml(version.content)


def content_as_written(version: InstrumentVersion) -> dict[str, Any]:
    """The content with its keys in the order of the source, for who shows it as it is: PostgreSQL keeps another."""
    written = read_yaml(version.source) if version.source else None
    content: dict[str, Any] = version.content
    return written if written == content and written is not None else content
