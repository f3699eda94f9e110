"""Which instruments a project has, who uses them, and which can be chosen for what."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from llm.models import Run
from projects.models import Project
from studies.instrument_kinds import Kind, kind_of, protocol_of
from studies.models import Instrument, InstrumentVersion, Study
from studies.services.instruments import is_shipped, newest, shipped, shipped_version, stored_shipped


@dataclass(frozen=True)
class Listed:
    """An instrument as a project sees it, at its newest version."""

    instrument: Instrument
    version: InstrumentVersion
    studies: list[Study]
    runs: list[Run]

    @property
    def kind(self) -> Kind | None:
        return kind_of(self.version.content)

    @property
    def is_own(self) -> bool:
        return self.instrument.project_id is not None


def instruments_of(project: Project) -> list[Listed]:
    """The project's own by name, then the server's and the shipped ones, which get addresses when first listed."""
    for name in shipped():
        stored_shipped(name)
    return [listed(version.instrument, project) for version in versions_for(project)]


def versions_for(project: Project) -> list[InstrumentVersion]:
    """The newest of each instrument that the project sees."""
    rows = Instrument.objects.filter(Q(project=None) | Q(project=project))
    found = [newest(row) for row in rows if not is_shipped(row)] + [shipped_version(name) for name in shipped()]
    return sorted(
        found, key=lambda each: (each.instrument.project_id is None, each.instrument.name, each.instrument.language)
    )


def listed(instrument: Instrument, project: Project) -> Listed:
    versions = list(instrument.versions.values_list("pk", flat=True))
    version = newest(instrument)
    kind = kind_of(version.content)
    return Listed(
        instrument,
        version,
        list(asking_with(project, versions)),
        kind.runs(project, versions) if kind else [],
    )


def uses_of(version: InstrumentVersion, project: Project) -> tuple[list[Study], list[Run]]:
    """The studies and runs of the project that have this very version."""
    kind = kind_of(version.content)
    return list(asking_with(project, [version.pk])), kind.runs(project, [version.pk]) if kind else []


def asking_with(project: Project, versions: Collection[int | None]) -> QuerySet[Study]:
    """The studies of the project that have one of these versions, or a variant that has."""
    has_one = Q(instrument_version__in=versions) | Q(variants__instrument_version__in=versions)
    return Study.objects.filter(has_one, project=project).distinct()


def suitable(project: Project, use: str, protocol: str | None = None) -> list[InstrumentVersion]:
    """The newest versions of that use (and for that protocol); one of the project's own hides others of its name."""
    found: dict[str, InstrumentVersion] = {}
    for version in versions_for(project):
        kind = kind_of(version.content)
        if kind and kind.use == use and protocol in (None, protocol_of(version.content)):
            found.setdefault(str(version.instrument), version)
    return list(found.values())


def choices_of(versions: Iterable[InstrumentVersion]) -> list[tuple[str, str]]:
    """Pairs of name and words, as a select offers them."""
    return [(str(version.instrument), f"{version.content['title']} · {version.instrument}") for version in versions]


def name_in(version: InstrumentVersion) -> str:
    """What to write in a study file for exactly this version."""
    name = str(version.instrument)
    return name if newest(version.instrument).pk == version.pk else f"{name}@{version.version}"
