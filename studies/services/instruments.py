"""Look up instruments: those shipped with Lesart, those of a project, their versions, and where they are used."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from items.language import name_language
from items.plain import make_printable
from llm.models import Run
from projects.models import Project, User
from studies.instrument_kinds import PEOPLE, InstrumentKind, find_kind, find_protocol
from studies.models import Instrument, InstrumentVersion, Study
from studies.strict_yaml import read_yaml, write_yaml

STUDIES = Path(__file__).resolve().parent.parent
NAME = re.compile(r"(?P<name>[^/@]+)/(?P<language>[^/@]+)(@(?P<version>[0-9]{1,6}))?")


class UnknownInstrument(LookupError):
    """There is no instrument of that name and language; the message lists the existing ones."""


@cache
def read_shipped_files() -> dict[str, tuple[str, dict[str, Any]]]:
    """The files in `studies/instruments` and in the folders of the protocols, sorted by "name/language"."""
    files = [*STUDIES.glob("instruments/*.yaml"), *STUDIES.glob("protocols/*/*.yaml")]
    read = [(source, read_yaml(source)) for source in (path.read_text("utf-8") for path in files)]
    return dict(sorted((f"{content['name']}/{content['language']}", (source, content)) for source, content in read))


@cache
def load_shipped_sources() -> dict[str, str]:
    """The sources of those files, by "name/language"."""
    return {name: source for name, (source, _content) in read_shipped_files().items()}


@cache
def load_shipped() -> dict[str, dict[str, Any]]:
    """The content of those files, by "name/language"."""
    return {name: content for name, (_source, content) in read_shipped_files().items()}


def find_shipped_wording(name: str, language: str) -> dict[str, Any] | None:
    """The shipped wording of that name, in the language if there is one, else in any."""
    same = {key: content for key, content in load_shipped().items() if content["name"] == name}
    return same.get(f"{name}/{language}") or next(iter(same.values()), None)


def is_shipped(instrument: Instrument) -> bool:
    return instrument.project_id is None and str(instrument) in load_shipped()


def hash_content(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def find_version(name: str, project: Project | None) -> InstrumentVersion:
    """The version that "name/language", or "name/language@3", means in a project.

    The project's own comes before the server's and the shipped one; without a number it is the newest version.
    """
    parts = NAME.fullmatch(name)
    instrument = find_instrument(f"{parts['name']}/{parts['language']}", project) if parts else None
    if parts is None or instrument is None:
        raise UnknownInstrument(explain_unknown(name, project))
    if parts["version"] is None:
        return store_shipped(str(instrument)) if is_shipped(instrument) else get_newest_version(instrument)
    found = instrument.versions.filter(version=int(parts["version"])).first()
    if found is None:
        sentence = _("“%(name)s” has no version %(version)s; it has: %(known)s.")
        numbers = instrument.versions.order_by("version").values_list("version", flat=True)
        known = ", ".join(map(str, numbers))
        raise UnknownInstrument(sentence % {"name": instrument, "version": parts["version"], "known": known})
    return found


def explain_unknown(name: str, project: Project | None) -> str:
    sentence = _("There is no instrument “%(name)s”; there are: %(known)s.")
    known = {*load_shipped(), *map(str, Instrument.objects.filter(Q(project=None) | Q(project=project)))}
    return sentence % {"name": make_printable(name), "known": ", ".join(sorted(known))}


def find_instrument(name: str, project: Project | None) -> Instrument | None:
    """The instrument "name/language" that a project sees: its own, the server's, or a shipped one."""
    short, _slash, language = name.partition("/")
    rows = Instrument.objects.filter(Q(project=None) | Q(project=project), name=short, language=language)
    found = next(iter(sorted(rows, key=lambda row: row.project_id is None)), None)
    if found is None and name in load_shipped():
        return store_shipped(name).instrument
    return found


def get_newest_version(instrument: Instrument) -> InstrumentVersion:
    """The newest version, for display; of a shipped instrument, the content of its file, even if not stored yet."""
    if is_shipped(instrument):
        return find_shipped_version(str(instrument))
    return instrument.versions.select_related("instrument").latest("version")


def find_shipped_version(name: str) -> InstrumentVersion:
    """A shipped wording with the present content of its file: its row, or an unsaved one if nobody has used it yet."""
    short, _slash, language = name.partition("/")
    stored = Instrument.objects.filter(project=None, name=short, language=language).prefetch_related("versions")
    return choose_shipped_version(name, stored.first())


def list_shipped_versions() -> list[InstrumentVersion]:
    """All shipped wordings with the present content of their files; unsaved if nobody has used them yet."""
    stored = {str(each): each for each in Instrument.objects.filter(project=None).prefetch_related("versions")}
    return [choose_shipped_version(name, stored.get(name)) for name in load_shipped()]


def choose_shipped_version(name: str, instrument: Instrument | None) -> InstrumentVersion:
    """The version with the present content of the file: one of the instrument's, or a new one, unsaved."""
    content, (short, _slash, language) = load_shipped()[name], name.partition("/")
    versions = list(instrument.versions.all()) if instrument else []
    known = (version for version in versions if version.content_hash == hash_content(content))
    return next(known, None) or InstrumentVersion(
        instrument=instrument or Instrument(name=short, language=language),
        version=len(versions) + 1,
        content=content,
        source=load_shipped_sources()[name],
    )


def store_shipped(name: str) -> InstrumentVersion:
    """The row of a shipped wording with the present content of its file; created on first use."""
    found = find_shipped_version(name)
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
    """Store the content as a new version, unless it is that of the newest; returns the version."""
    instrument, _new = Instrument.objects.get_or_create(project=project, name=name, language=language)
    instrument = Instrument.objects.select_for_update().get(pk=instrument.pk)
    last = instrument.versions.first()
    if last and last.content_hash == hash_content(content):
        return last
    return instrument.versions.create(
        version=last.version + 1 if last else 1,
        content=content,
        content_hash=hash_content(content),
        source=source,
        created_by=user,
        note=note,
    )


def get_source(version: InstrumentVersion) -> str:
    """The version as YAML: its source, or generated from its content."""
    return version.source or write_yaml(version.content)


def read_content(version: InstrumentVersion) -> dict[str, Any]:
    """The content with its keys in the order of the source, for display: PostgreSQL does not keep their order."""
    written = read_yaml(version.source) if version.source else None
    content: dict[str, Any] = version.content
    return written if written == content and written is not None else content


@dataclass(frozen=True)
class ListedInstrument:
    """An instrument as a project sees it, at its newest version."""

    instrument: Instrument
    version: InstrumentVersion
    studies: list[Study]
    runs: list[Run]

    @property
    def kind(self) -> InstrumentKind | None:
        return find_kind(self.version.content)

    @property
    def is_own(self) -> bool:
        return self.instrument.project_id is not None


def list_instruments(project: Project) -> list[ListedInstrument]:
    """The project's own by name, then the server's and the shipped ones, whose rows are created when they are first
    listed."""
    for version in list_shipped_versions():
        if not version.pk:
            store_shipped(str(version.instrument))
    newest = list_newest_versions(project)
    prefetch_related_objects(newest, "instrument__versions")
    return [describe_version(version, project) for version in newest]


@dataclass(frozen=True)
class InstrumentFamily:
    """The instruments with one name: the same wording in several languages. `shown` is the one for this reader."""

    shown: ListedInstrument
    members: list[ListedInstrument]

    @property
    def is_for_people(self) -> bool:
        return self.shown.kind is not None and self.shown.kind.use == PEOPLE

    @property
    def studies(self) -> list[Study]:
        return list(dict.fromkeys(study for member in self.members for study in member.studies))

    @property
    def runs(self) -> list[Run]:
        return list(dict.fromkeys(run for member in self.members for run in member.runs))


def list_families(project: Project, language: str) -> list[InstrumentFamily]:
    """All instruments that the project sees, its own first."""
    families: dict[tuple[bool, str], list[ListedInstrument]] = {}
    for listed in list_instruments(project):
        families.setdefault((listed.is_own, listed.instrument.name), []).append(listed)
    return [
        InstrumentFamily(next((each for each in members if each.instrument.language == language), members[0]), members)
        for members in families.values()
    ]


def list_newest_versions(project: Project) -> list[InstrumentVersion]:
    """The newest of each instrument that the project sees."""
    rows = Instrument.objects.filter(Q(project=None) | Q(project=project))
    found = [get_newest_version(row) for row in rows if not is_shipped(row)] + list_shipped_versions()
    return sorted(
        found, key=lambda each: (each.instrument.project_id is None, each.instrument.name, each.instrument.language)
    )


def describe_instrument(instrument: Instrument, project: Project) -> ListedInstrument:
    return describe_version(get_newest_version(instrument), project)


def describe_version(version: InstrumentVersion, project: Project) -> ListedInstrument:
    """The instrument of its newest version, with the uses of any of its versions."""
    versions = [each.pk for each in version.instrument.versions.all()]
    kind = find_kind(version.content)
    return ListedInstrument(
        version.instrument,
        version,
        list(filter_studies_using(project, versions)),
        kind.runs(project, versions) if kind else [],
    )


def find_uses(version: InstrumentVersion, project: Project) -> tuple[list[Study], list[Run]]:
    """The studies and runs of the project that use exactly this version."""
    kind = find_kind(version.content)
    return list(filter_studies_using(project, [version.pk])), kind.runs(project, [version.pk]) if kind else []


def filter_studies_using(project: Project, versions: Collection[int | None]) -> QuerySet[Study]:
    """The studies of the project that use one of these versions, themselves or in a variant."""
    has_one = Q(instrument_version__in=versions) | Q(variants__instrument_version__in=versions)
    return Study.objects.filter(has_one, project=project).distinct()


def list_suitable_versions(project: Project, use: str, protocol: str | None = None) -> list[InstrumentVersion]:
    """The newest versions of that use (and for that protocol); one of the project's own hides others of the same
    name."""
    found: dict[str, InstrumentVersion] = {}
    for version in list_newest_versions(project):
        kind = find_kind(version.content)
        if kind and kind.use == use and protocol in (None, find_protocol(version.content)):
            found.setdefault(str(version.instrument), version)
    return list(found.values())


def make_choices(versions: Iterable[InstrumentVersion]) -> list[tuple[str, str]]:
    """Pairs of name and label, for a select field."""
    return [(str(version.instrument), describe_wording(version)) for version in versions]


def describe_wording(version: InstrumentVersion) -> str:
    """The title of a wording and its language; with its name, if it is not shipped with Lesart."""
    instrument = version.instrument
    described = f"{version.content['title']} ({name_language(instrument.language)})"
    is_shipped = instrument.project_id is None and str(instrument) in load_shipped_sources()
    return described if is_shipped else f"{described} · {instrument}"


def name_version(version: InstrumentVersion) -> str:
    """The name of exactly this version in a study file."""
    name = str(version.instrument)
    return name if get_newest_version(version.instrument).pk == version.pk else f"{name}@{version.version}"
