"""What a new study begins with: the usual numbers of its protocol, or those of a published study."""

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import get_language

from projects.models import Project
from studies.instrument_kinds import PEOPLE
from studies.models import InstrumentVersion, Study
from studies.protocols import Protocol
from studies.services.instruments import list_suitable_versions, name_version
from studies.services.spec import StudySpec, draw_seed, read_spec

FOLDER = Path(__file__).resolve().parent.parent / "presets"
USUAL_PEOPLE = 6


@cache
def load_presets() -> dict[str, StudySpec]:
    """The study files in the folder `studies/presets`, by their short name."""
    specs = [read_spec(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))]
    return {spec.slug: spec for spec in specs}


def list_presets(protocol: str) -> list[StudySpec]:
    return [spec for spec in load_presets().values() if spec.protocol == protocol]


def start_spec(project: Project, protocol: Protocol, preset: StudySpec | None = None) -> dict[str, Any]:
    """What a study file would say of a new study, without title and short name: all texts of the usual language, all
    generators; people and settings of the preset, or the usual ones."""
    wordings = find_wordings(project, protocol)
    languages = count_languages(project)
    usual = max(languages, key=lambda each: (languages[each], each == get_language()), default=get_language() or "en")
    name = choose_wording(wordings, usual)
    return {
        "protocol": protocol.name,
        "language": wordings[name].instrument.language if name else usual,
        "instrument": name,
        "items": {"texts": select_texts(project, usual), "generators": "all"},
        "plan": preset.plan.numbers() if preset else {"annotators": count_usual_people(protocol)},
        "params": preset.params if preset else {},
        "groups": preset.groups if preset else [],
    }


def restart_spec(
    study_spec: dict[str, Any], project: Project, protocol: Protocol, preset: StudySpec | None
) -> dict[str, Any]:
    """The same draft under another protocol or preset: title, short name, texts, generators and seed stay."""
    kept = {name: study_spec[name] for name in ("slug", "title", "items")}
    fresh = start_spec(project, protocol, preset) | kept
    fresh["plan"] = {**fresh["plan"], "seed": study_spec["plan"].get("seed", draw_seed())}
    return fresh


def count_usual_people(protocol: Protocol) -> int:
    """As many as in the published study, where it says one number."""
    numbers = [spec.plan.annotators for spec in list_presets(protocol.name)]
    return next((number for number in numbers if isinstance(number, int)), USUAL_PEOPLE)


def count_languages(project: Project) -> Counter[str]:
    """How many texts the project has in each language."""
    return Counter(project.texts.current().order_by("pk").values_list("language", flat=True))


def select_texts(project: Project, language: str) -> str | list[str]:
    """All texts in that language: "all" where the project has no other."""
    texts = project.texts.current().order_by("pk")
    if not texts.exclude(language=language).exists():
        return "all"
    return list(texts.filter(language=language).values_list("external_id", flat=True))


def find_wordings(project: Project, protocol: Protocol, study: Study | None = None) -> dict[str, InstrumentVersion]:
    """By name in a study file what people can be asked with: the newest of each, and what a draft has now."""
    versions = [*list_suitable_versions(project, PEOPLE, protocol.name), *([study.instrument_version] if study else [])]
    return {name_version(version): version for version in versions}


def choose_wording(wordings: dict[str, InstrumentVersion], language: str) -> str:
    """The name of the first in that language; else in the language of the page, else of any; empty if there is none."""
    for wanted in (language, get_language() or ""):
        for name, version in wordings.items():
            if version.instrument.language == wanted.partition("-")[0]:
                return name
    return next(iter(wordings), "")
