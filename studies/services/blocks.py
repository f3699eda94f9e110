"""More texts for a running study: a numbered block with a plan of its own; the earlier plan stays as it is."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from random import Random

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Text
from items.plain import make_printable
from projects.audit import record_act
from projects.models import User
from studies.models import Assignment, Purpose, Study, StudyState, Unit
from studies.presentation_order import shuffle
from studies.protocols import PROTOCOLS
from studies.services.evaluating import add_evaluator_units
from studies.services.later_units import assign_units
from studies.services.selection import ChosenTexts, choose_items, plan_units, save_units
from studies.services.spec import SpecError
from studies.services.states import lock_study

MAX_ADDED = 5_000  # assignments added at once, which takes some seconds


@dataclass(frozen=True)
class AddedBlock:
    """What adding texts has created; `assignments`: those of people."""

    number: int
    texts: int
    units: int
    assignments: int


@transaction.atomic
def add_texts(
    study: Study, names: Sequence[str], *, finished_too: bool = False, made_by: User | None = None
) -> AddedBlock:
    """Add texts of the project, by external id, to a live or paused study, and give them to the people at work.

    `finished_too`: also to people who have finished. With an open link, the new cells wait for the next visitors.
    Models and baselines get the new units, too. `SpecError` if nothing can be added; `WrongState`.
    """
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    if problem := explain_fixed_texts(study):
        raise SpecError(problem, "texts")
    chosen = choose_named(study, names)
    number = 2 + len(study.blocks)
    seed = f"{study.seed}/block/{number}"
    chosen.texts = shuffle(chosen.texts, Random(seed))
    units = save_block(study, chosen, number)
    for purpose in (Purpose.MAIN, Purpose.SIMULATED):
        assign_units(
            study, purpose, units, finished_too=finished_too, seed=Random(seed).getrandbits(31), limit=MAX_ADDED
        )
    add_evaluator_units(study, units)
    note_block(study, chosen, units, finished_too, made_by)
    record_act(study.project_id, "texts_added", study, number=len(chosen.texts))
    mine = Assignment.objects.active().filter(unit__in=units, annotator__purpose=Purpose.MAIN, slot__isnull=False)
    return AddedBlock(number, len(chosen.texts), len(units), mine.count())


def explain_fixed_texts(study: Study) -> str:
    """Why the study cannot have more texts; empty if it can."""
    if study.plan.get("people_texts"):
        return _("People do texts that were drawn by chance. Texts that are added later would have no probability.")
    if study.plan.get("own_texts") or study.plan.get("shared_texts"):
        return _("In this plan each person has texts of their own, so no more can be added.")
    return ""


def choose_named(study: Study, names: Sequence[str]) -> ChosenTexts:
    """These texts with their items; `SpecError` unless all of them can be added."""
    if not names:
        raise SpecError(_("Choose at least one text."), "texts")
    known = list_known(study)
    if twice := sorted(set(names) & known):
        sentence = _("These texts are in the study already: %(texts)s.")
        raise SpecError(sentence % {"texts": list_names(twice)}, "texts")
    chosen = choose_texts(study, names)
    if without := sorted(set(names) - {text.external_id for text, _items in chosen.texts}):
        sentence = _("These texts have no items that the study could ask about: %(texts)s.")
        raise SpecError(sentence % {"texts": list_names(without)}, "texts")
    if chosen.texts[0][0].language != get_language(study):
        sentence = _("The texts of this study are in another language: %(language)s.")
        raise SpecError(sentence % {"language": get_language(study)}, "texts")
    return chosen


def list_names(names: Sequence[str]) -> str:
    return ", ".join(make_printable(name) for name in names[:5]) + (" …" if len(names) > 5 else "")


def find_new_texts(study: Study) -> ChosenTexts:
    """The texts of the project that can be added, with the items that the study would ask about."""
    texts = (
        study.project.texts.available().filter(language=get_language(study)).exclude(external_id__in=list_known(study))
    )
    try:
        return choose_texts(study, list(texts.values_list("external_id", flat=True)))
    except SpecError:  # none of them has fitting items
        return ChosenTexts([])


def choose_texts(study: Study, names: Sequence[str]) -> ChosenTexts:
    """Those of the texts that have items by the study's generators, chosen as at launch."""
    asked = copy(study)
    asked.selection = {"texts": list(names), "generators": list_generators(study)}
    return choose_items(asked)


def list_known(study: Study) -> set[str]:
    """External ids of the study's texts, including those for practice."""
    return set(Unit.everything.filter(study=study).values_list("text__external_id", flat=True))


def list_generators(study: Study) -> list[str] | str:
    """The generators that the study compares: those of the items in its units."""
    if not PROTOCOLS[study.protocol].needs_items:
        return "all"
    names = study.units.order_by().values_list("items__generator__name", flat=True).distinct()
    return sorted(name for name in names if name)


def get_language(study: Study) -> str:
    """The language of the texts of the study."""
    return str(Text.objects.filter(units__study=study).values_list("language", flat=True)[0])


def save_block(study: Study, chosen: ChosenTexts, number: int) -> list[Unit]:
    last = Unit.everything.filter(study=study).aggregate(last=Max("position"))["last"]
    made = save_units(study, plan_units(study, chosen), first=last + 1, block=number)
    pks = [unit.pk for unit in made]
    return list(study.units.filter(pk__in=pks).select_related("text").prefetch_related("items__options"))


def note_block(
    study: Study, chosen: ChosenTexts, units: Sequence[Unit], finished_too: bool, made_by: User | None
) -> None:
    """Store number, date and size of the block, and add its texts to the study's selection."""
    block = {
        "number": 2 + len(study.blocks),
        "added_at": timezone.now().isoformat(),
        "made_by": made_by.pk if made_by else None,
        "texts": len(chosen.texts),
        "units": len(units),
        "finished_too": finished_too,
    }
    study.blocks = [*study.blocks, block]
    if study.selection.get("texts", "all") != "all":
        new = [text.external_id for text, _items in chosen.texts]
        study.selection = study.selection | {"texts": [*study.selection["texts"], *new]}
    study.save(update_fields=["blocks", "selection"])
