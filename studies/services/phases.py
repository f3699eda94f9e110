"""Take an annotator through the phases of a study: which is next, what was answered, who may continue.

Pictures of phases: a study file holds them as data URIs, a study their digests; the project keeps the pictures.
Practice has units of its own, on other texts than the study's.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Picture, Text
from items.pictures import BadPicture, read_data_uri, store_pictures, write_picture_uris
from items.plain import make_printable
from projects.models import Project
from projects.scratch import Save
from studies.models import Annotator, Apart, Assignment, EndReason, PhasePassed, Purpose, Study, Unit
from studies.models.study import PRACTICE
from studies.phases import AFTER_UNITS, Phase, PhaseQuestion
from studies.presentation_order import draw_orders
from studies.protocols import PROTOCOLS, Declaration
from studies.services.declarations import cache_value, get_annotator_declaration, get_annotator_wording
from studies.services.selection import (
    ChosenTexts,
    PlannedUnit,
    UnitContents,
    choose_items,
    find_items,
    plan_units,
    read_contents,
)
from studies.services.spec import SpecError

FOLDER = Path(__file__).resolve().parent.parent
PRACTICE_ROUND = 0  # practice has a round of its own

_launched: dict[tuple[int, datetime, datetime | None], tuple[Phase, ...]] = {}


def get_phases(study: Study) -> tuple[Phase, ...]:
    """The study's own phases in order; none if people go through those of the instrument."""
    if not study.launched_at:
        return read_phases(study)
    key = study.pk, study.launched_at, study.phases_changed_at
    if key not in _launched:
        cache_value(_launched, key, read_phases(study))
    return _launched[key]


def read_phases(study: Study) -> tuple[Phase, ...]:
    return tuple(Phase.model_validate(phase) for phase in study.phases)


def forget_launched() -> None:
    """Clear the cache when the database is replaced, as in tests, where primary keys may mean something else."""
    _launched.clear()


def list_phases(annotator: Annotator) -> tuple[Phase, ...]:
    """The annotator's phases: those of the study, else those of the instrument. Experts have none."""
    if annotator.purpose == Purpose.EXPERT:
        return ()
    own = get_phases(annotator.study)
    return own or make_phases(get_annotator_declaration(annotator).phases)


@cache
def make_phases(kinds: tuple[str, ...]) -> tuple[Phase, ...]:
    return tuple(Phase(kind=kind) for kind in kinds)


def get_phase(annotator: Annotator, name: str) -> Phase | None:
    return next((phase for phase in list_phases(annotator) if phase.name == name), None)


def list_background_questions(study: Study) -> list[PhaseQuestion]:
    """The background questions with answers to choose from, which can form groups of people."""
    phases = [phase for phase in get_phases(study) if phase.kind == "background"]
    return [question for phase in phases for question in phase.questions if question.possible_answers]


def read_background(study: Study) -> dict[str, dict[str, str]]:
    """The answers to the background questions, by the person's code and the question's name."""
    known = {question.name: question for question in list_background_questions(study)}
    phases = [phase.name for phase in get_phases(study) if phase.kind == "background"]
    found: dict[str, dict[str, str]] = {}
    passages = PhasePassed.objects.filter(annotator__study=study, phase__in=phases).order_by("annotator", "pk")
    for code, answers in passages.values_list("annotator__code", "answers") if known else ():
        chosen = {name: value for name, value in answers.items() if name in known}
        found.setdefault(code, {}).update(chosen)
    return found


def read_passages(annotator: Annotator) -> dict[str, PhasePassed]:
    return {passage.phase: passage for passage in annotator.phases_passed.all()}


def find_open_phase(annotator: Annotator, current: Assignment | None, done: Assignment | None) -> str | None:
    """The phase that comes before the next unit, or after the last; None if none does.

    `current`: the next assignment, not begun yet; `done`: the one just handed in, which means that the phases before
    it were passed.
    """
    phases = list_phases(annotator)
    if done and not any(phase.kind in ("attention", "practice", "survey") for phase in phases):
        return None
    passages = read_passages(annotator)
    for phase in phases:
        if phase.kind == "practice" and current and current.round == PRACTICE_ROUND:
            return None
        if is_due(phase, annotator, current) and not (phase.name in passages and passages[phase.name].passed_at):
            return phase.name
    return None


def is_due(phase: Phase, annotator: Annotator, current: Assignment | None) -> bool:
    """Whether the phase comes now, if it was not passed: attention checks after their number of units, a survey after
    all."""
    if phase.kind in ("practice", "thanks"):
        return False
    if phase.kind == "attention":
        return phase.after is not None and count_finished(annotator) >= phase.after
    return phase.kind not in AFTER_UNITS or current is None


def count_finished(annotator: Annotator) -> int:
    return annotator.assignments.worked_on().filter(round=1, finished_at__isnull=False).count()


@cache
def load_usual_words(language: str) -> dict[str, dict[str, Any]]:
    """The default words of all kinds of phases in a language; in English if Lesart lacks the language."""
    path = FOLDER / f"phase_words.{language.partition('-')[0]}.yaml"
    loaded = yaml.safe_load((path if path.exists() else FOLDER / "phase_words.en.yaml").read_text("utf-8"))
    return dict(loaded)


def get_usual_words(name: str, language: str, wording: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a phase or page without words of its own: the instrument's, else those shipped with Lesart."""
    usual = load_usual_words(language).get(name, {})
    words = dict(wording.get("done" if name == "thanks" else name) or usual)
    return words | {"button": words.get("agree") or words.get("start") or usual.get("button", "")}


def get_phase_words(annotator: Annotator, name: str) -> dict[str, Any]:
    """The words of a phase, or of another page, as this annotator sees them."""
    phase = get_phase(annotator, name)
    usual = get_usual_words(phase.kind if phase else name, annotator.study.language, get_annotator_wording(annotator))
    return fill_words(phase, usual)


def fill_words(phase: Phase | None, usual: Mapping[str, Any]) -> dict[str, Any]:
    """The phase's own title, text and button; the defaults for those it lacks."""
    if phase is None:
        return dict(usual)
    has_text = phase.paragraphs or phase.points
    text: dict[str, Any] = {"paragraphs": phase.paragraphs, "points": phase.points} if has_text else {}
    if has_text and phase.markup:
        text |= {"markdown": phase.markdown, "pictures": phase.pictures}
    values = {"title": phase.title, "button": phase.button}
    return {**usual, **text, **{name: words for name, words in values.items() if words}}


def note_answers(
    annotator: Annotator, phase: Phase, answers: Mapping[str, str], passage: PhasePassed | None
) -> PhasePassed:
    """Store a try at the phase, after those of the `passage`, and its result: it is passed, or the annotator is
    screened out."""
    now = timezone.now()
    tries = passage.tries + 1 if passage else 1
    passage = passage or PhasePassed(annotator=annotator, phase=phase.name)
    passage.version, passage.tries, passage.answers = phase.version_shown, tries, dict(answers)
    passage.score = phase.score(answers) if phase.is_scored else None
    if phase.screens_out(answers) or (not phase.is_passed(passage.score or 0) and tries >= phase.max_tries):
        passage.failed_at = now
        end_annotator(annotator, EndReason.SCREENED_OUT if phase.kind == "background" else EndReason.FAILED_CHECK)
    elif phase.is_passed(passage.score or 0) and phase.kind != "training":
        passage.passed_at = now
    passage.save()
    return passage


def end_annotator(annotator: Annotator, reason: EndReason) -> None:
    """End the annotator's part: their cells are free for others, and none of their answers are counted."""
    now = timezone.now()
    annotator.assignments.active().update(returned_at=now, return_reason=reason.label)
    annotator.assignments.update(apart=None)
    Annotator.objects.filter(pk=annotator.pk).update(ended_as=reason, ended_at=now)
    annotator.ended_as, annotator.ended_at = reason, now


def store_phases(project: Project, phases: Iterable[Phase]) -> list[dict[str, Any]]:
    """The phases as a study stores them; their pictures are stored in the project. `SpecError` for an invalid
    picture."""
    return [store_phase(project, phase) for phase in phases]


def store_phase(project: Project, phase: Phase) -> dict[str, Any]:
    content = phase.model_dump(exclude_defaults=True)
    if not phase.pictures:
        return content
    known = set(
        Picture.objects.filter(project=project, digest__in=phase.pictures.values()).values_list("digest", flat=True)
    )
    digests, new = {}, []
    for name, value in phase.pictures.items():
        if value in known:
            digests[name] = value
            continue
        try:
            new.append(picture := read_data_uri(value))
        except BadPicture as bad:
            raise SpecError(_("The picture “%(name)s”: %(why)s") % {"name": make_printable(name), "why": bad}) from None
        digests[name] = picture.digest
    store_pictures(project, new)
    return content | {"pictures": digests}


def write_phases(study: Study) -> list[dict[str, Any]]:
    """The phases in the format of a study file, with their pictures."""
    return [
        phase | ({"pictures": write_picture_uris(study.project_id, phase["pictures"])} if "pictures" in phase else {})
        for phase in study.phases
    ]


def list_phase_pictures(project: Project) -> set[str]:
    """The digests of the pictures in phases of the project, including earlier wordings."""
    found = Study.objects.filter(project=project).values_list("phases", "earlier_phases")
    phases = [phase for now, before in found for phase in (*now, *(each["phase"] for each in before))]
    return {digest for phase in phases for digest in phase.get("pictures", {}).values()}


# Practice units: on texts of their own, done first by everybody, outside the plan and all figures.


def list_practice_texts(study: Study) -> list[str]:
    return [text for phase in read_phases(study) if phase.kind == "practice" for text in phase.texts]


def plan_practice(study: Study, chosen: ChosenTexts) -> list[PlannedUnit]:
    """The units of the practice texts; `SpecError` if a text is unknown, has no items, or belongs to the study."""
    wanted = list_practice_texts(study)
    if not wanted:
        return []
    asked = {text.external_id for text, _items in chosen.texts}
    if both := [make_printable(name) for name in wanted if name in asked]:
        raise SpecError(
            _("The text “%(name)s” is for practice and for the main part. Leave it out of one of them.")
            % {"name": "”, “".join(both)}
        )
    texts = list(study.project.texts.current().filter(external_id__in=wanted))
    items = find_items(study, texts) if PROTOCOLS[study.protocol].needs_items else []
    found = [(text, [item for item in items if item.text_id == text.pk]) for text in texts]
    usable = {text.external_id for text, own in found if own or not PROTOCOLS[study.protocol].needs_items}
    if missing := [make_printable(name) for name in wanted if name not in usable]:
        raise SpecError(
            _("The project has no text “%(name)s” with items to practise on.") % {"name": "”, “".join(missing)}
        )
    units = plan_units(study, ChosenTexts(found))
    return [PlannedUnit(unit.text, unit.items, PRACTICE) for unit in units]


def list_practice_choices(study: Study) -> list[Text]:
    """The texts that can be practised on: those that the study leaves out, with items if it asks about items."""
    asked = {text.pk for text, _items in choose_items(study, for_plan=True).texts}
    others = [text for text in study.project.texts.available() if text.pk not in asked]
    if PROTOCOLS[study.protocol].needs_items:
        with_items = {item.text_id for item in find_items(study, others, for_plan=True)}
        others = [text for text in others if text.pk in with_items]
    return others


def pick_practice_text(study: Study) -> str:
    """The id of the first text that can be practised on; `SpecError` if the study asks about all that could."""
    others = list_practice_choices(study)
    if not others:
        raise SpecError(
            _("People practise on a text with items that the study leaves out. Add one, or leave one out of the study.")
        )
    return others[0].external_id


def create_practice(annotators: list[Annotator], study: Study, declaration: Declaration, save: Save) -> None:
    """Create the assignments for practice, which come before all others.

    They are marked as returned from the start, so that no plan counts them.
    """
    units = read_contents(Unit.everything.filter(study=study, part=PRACTICE)).values()
    now = timezone.now()
    save(
        Assignment,
        (
            Assignment(
                annotator=annotator,
                unit_id=unit.pk,
                round=PRACTICE_ROUND,
                position=0,
                shown=draw_practice_orders(annotator, unit, declaration),
                stage=declaration.stages[0].name,
                returned_at=now,
                apart=Apart.PRACTICE,
            )
            for annotator in annotators
            if annotator.purpose != Purpose.EXPERT
            for unit in units
        ),
    )


def draw_practice_orders(annotator: Annotator, unit: UnitContents, declaration: Declaration) -> dict[str, list[Any]]:
    """The order of items and options in each stage. If only one generator's items are guessed, the seed draws it."""
    rng = Random(f"{annotator.study.seed}/practice/{annotator.purpose}/{annotator.seat}/{unit.position}")
    generator = rng.choice(sorted({item.generator_id for item in unit.items})) if unit.items else None
    return draw_orders(declaration, unit.items, generator, rng)
