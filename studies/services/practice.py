"""Practice units: on texts of their own, done first by everybody, outside the plan and all figures."""

from random import Random
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from items.plain import make_printable
from projects.scratch import Save
from studies.models import Annotator, Apart, Assignment, Purpose, Study, Unit
from studies.models.study import PRACTICE
from studies.presentation_order import draw_orders
from studies.protocols import PROTOCOLS, Declaration
from studies.services.phases import PRACTICE_ROUND, read_phases
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
