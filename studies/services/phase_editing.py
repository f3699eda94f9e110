"""Change the phases of a draft, and how people join a study: shared by pages and study files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.utils import timezone, translation
from django.utils.dateparse import parse_datetime
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from projects.audit import record_act
from studies.models import PhasePassed, Purpose, Study, StudyState
from studies.phases import AFTER_UNITS, ASKING, SCORED, Phase, Phases
from studies.recruitment import Recruitment
from studies.services.declarations import get_declaration
from studies.services.phases import (
    get_usual_words,
    list_practice_texts,
    pick_practice_text,
    plan_practice,
    read_phases,
    store_phase,
    store_phases,
)
from studies.services.scratch import clear_rows, refuse_if_written
from studies.services.selection import choose_items
from studies.services.spec import SpecError, explain_error
from studies.services.states import lock_study

PHASES: TypeAdapter[list[Phase]] = TypeAdapter(Phases)
WORDS = (
    "title",
    "paragraphs",
    "points",
    "button",
    "version",
    "markup",
    "pictures",
)  # the only fields of a phase that may change after a launch
FROZEN = (
    "open_link",
    "platform",
    "id_parameter",
    "units_per_person",
    "read_aloud",
    "comments",
)  # the fields of recruitment that may not change after a launch


def list_phase_specs(study: Study) -> list[dict[str, Any]]:
    """The phases in the format of a study file; those of the instrument if the study has none of its own."""
    return [phase.model_dump(exclude_defaults=True) for phase in read_phases(study)] or [
        {"kind": name, "name": name} for name in get_declaration(study).phases
    ]


@transaction.atomic
def save_phases(study: Study, phases_data: Sequence[Mapping[str, Any]]) -> None:
    """Replace the phases of a draft; its previews end. `SpecError` if the phases are invalid."""
    study = lock_study(study, StudyState.DRAFT)
    refuse_if_written(study)
    try:
        phases = PHASES.validate_python(list(phases_data))
    except ValidationError as error:
        raise SpecError(" ".join(explain_problem(each) for each in error.errors()[:5])) from None
    study.phases = store_phases(study.project, phases)
    if list_practice_texts(study):
        plan_practice(study, choose_items(study))
    clear_rows(study)
    study.save(update_fields=["phases"])


def explain_problem(problem: Any) -> str:
    """The message without the number of the phase, which no page shows; a sentence if it is about the whole phase."""
    place, cause = problem["loc"][1:], problem.get("ctx", {}).get("error")
    return explain_error(problem | {"loc": place or (_("phases"),)}) if place or not cause else capfirst(str(cause))


def add_usual_words(phase: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The phase with its own words, or the defaults if it has none. Text and points are one unit."""
    own = {name: phase[name] for name in ("title", "button") if phase.get(name)}
    text = phase if phase.get("paragraphs") or phase.get("points") else usual
    return {**phase, **{name: usual.get(name, "") for name in ("title", "button")}, **own} | {
        name: text.get(name, []) for name in ("paragraphs", "points")
    }


def drop_usual_words(values: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a phase without words that equal the defaults, so that these follow the instrument."""
    same = [name for name in ("title", "button") if values.get(name) == usual.get(name)]
    text = ("paragraphs", "points")
    if not values.get("markup") and all(list(values.get(name, [])) == list(usual.get(name, [])) for name in text):
        same += text
    return {name: value for name, value in values.items() if name not in same}


def add_phase(study: Study, kind: str) -> str:
    """Add a phase of the kind, with default words and an example of what it needs; returns its name."""
    phases = list_phase_specs(study)
    taken = {phase["name"] for phase in phases}
    name = next(each for each in [kind, *(f"{kind}_{n}" for n in range(2, 40))] if each not in taken)
    words = get_usual_words(kind, study.language, study.instrument_version.content)
    new = {"kind": kind, "name": name} | {
        part: words[part] for part in ("title", "paragraphs", "button") if words.get(part)
    }
    phases.insert(find_phase_place(kind, phases), new | make_example(study, kind, name))
    save_phases(study, phases)
    return name


def find_phase_place(kind: str, phases: Sequence[Mapping[str, Any]]) -> int:
    """The index of a new phase of the kind: before all that come later, such as those after the units."""
    later = AFTER_UNITS[AFTER_UNITS.index(kind) + 1 :] if kind in AFTER_UNITS else AFTER_UNITS
    return next((place for place, phase in enumerate(phases) if phase["kind"] in later), len(phases))


def make_example(study: Study, kind: str, name: str) -> dict[str, Any]:
    """A text or question to be replaced, for kinds that need one; question names become columns."""
    if kind == "practice":
        return {"texts": [pick_practice_text(study)]}
    if kind not in ASKING:
        return {}
    with translation.override(study.language):
        levels = [_("blue"), _("red")]
        text = _("Please choose “%(colour)s”.") % {"colour": levels[0]}
    question = {"name": f"{name}_question", "text": text, "levels": levels}
    question |= {"answer": levels[0]} if kind in SCORED else {}
    return {"questions": [question]} | ({"after": 1} if kind == "attention" else {})


def move_phase(study: Study, name: str, by: int) -> None:
    phases = list_phase_specs(study)
    place = next((place for place, phase in enumerate(phases) if phase["name"] == name), None)
    if place is None or not 0 <= place + by < len(phases):
        return
    phases.insert(place + by, phases.pop(place))
    save_phases(study, phases)


def remove_phase(study: Study, name: str) -> None:
    save_phases(study, [phase for phase in list_phase_specs(study) if phase["name"] != name])


def replace_phase(study: Study, name: str, values: Mapping[str, Any]) -> None:
    """Change the contents of a phase; its kind and its place stay."""
    phases = list_phase_specs(study)
    save_phases(study, [change_phase(phase, values) if phase["name"] == name else phase for phase in phases])


def change_phase(phase: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": phase["kind"], "name": phase["name"]} | {key: value for key, value in values.items() if value}


@transaction.atomic
def reword_phase(study: Study, name: str, values: Mapping[str, Any]) -> None:
    """Reword a phase of a running study. People who have passed it continue; the earlier words are kept.

    Its kind, place, questions and marks stay. `SpecError` if it is not possible, and for a version used before.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    phases = list_phase_specs(study)
    old = next((phase for phase in phases if phase["name"] == name), None)
    if old is None:
        raise SpecError(_("The study has no such phase. Reload the page."))
    new = {key: value for key, value in old.items() if key not in WORDS} | {
        key: values[key] for key in WORDS if values.get(key)
    }
    try:
        before = Phase.model_validate(old)
        stored = store_phase(study.project, Phase.model_validate(new))
    except ValidationError as error:
        raise SpecError(" ".join(map(explain_error, error.errors()[:5]))) from None
    after = Phase.model_validate(stored)
    if before == after:
        raise SpecError(_("Nothing changed, so the wording stays as it is."))
    if after.version and after.version in list_versions(study, before):
        raise SpecError(_("This version was used for other words. Give the new wording another version."), "version")
    now = timezone.now()
    study.earlier_phases = [
        *study.earlier_phases,
        {"phase": old, "version": before.version_shown, "until": now.isoformat()},
    ]
    study.phases = [stored if phase is old else phase for phase in phases]
    study.phases_changed_at = now
    study.save(update_fields=["phases", "earlier_phases", "phases_changed_at"])
    record_act(study.project_id, "phase_reworded", study)


def list_versions(study: Study, phase: Phase) -> list[str]:
    """The versions of the wordings of a phase, the earliest first and the present one last."""
    earlier = [each["version"] for each in study.earlier_phases if each["phase"]["name"] == phase.name]
    return [*earlier, phase.version_shown]


@dataclass(frozen=True)
class Wording:
    """A wording of a phase, until when people read it (None: still), and how many have passed it with this wording."""

    phase: Phase
    version: str
    until: datetime | None
    n_people: int


def list_wordings(study: Study, name: str) -> list[Wording]:
    """The earlier wordings of a phase and its present one, if it was reworded or asks for consent."""
    present = next(Phase.model_validate(phase) for phase in list_phase_specs(study) if phase["name"] == name)
    earlier = [each for each in study.earlier_phases if each["phase"]["name"] == name]
    if not earlier and present.kind != "consent":
        return []
    passed = PhasePassed.objects.filter(
        annotator__study=study, annotator__purpose=Purpose.MAIN, phase=name, passed_at__isnull=False
    )
    people = dict(passed.order_by().values_list("version").annotate(n=Count("pk")))
    rows = [(Phase.model_validate(each["phase"]), each["version"], parse_datetime(each["until"])) for each in earlier]
    rows.append((present, present.version_shown, None))
    return [Wording(phase, version, until, people.get(version, 0)) for phase, version, until in rows]


@transaction.atomic
def save_recruitment(study: Study, values: Mapping[str, Any]) -> None:
    """Set how people join the study. Once it is launched, only caps, times and codes may change."""
    study = lock_study(study, StudyState.DRAFT, StudyState.LIVE, StudyState.PAUSED)
    try:
        wanted = Recruitment.model_validate(values).model_dump(exclude_defaults=True)
    except ValidationError as error:
        raise SpecError(" ".join(map(explain_error, error.errors()[:5]))) from None
    if not study.is_draft and any(wanted.get(name) != study.recruitment.get(name) for name in FROZEN):
        raise SpecError(
            _("After launch only the cap, the minutes, the time-out, the codes and the address can change.")
        )
    if wanted.get("open_link") and study.plan["annotators"] == "open":
        raise SpecError(
            _("An open link hands out the places of the plan. Set how many there are: the number of annotators.")
        )
    study.recruitment = wanted
    study.save(update_fields=["recruitment"])
