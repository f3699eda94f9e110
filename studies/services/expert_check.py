"""Opening an expert check: experts judge a random sample of the answers, each under a link of their own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Response, Study, StudyState, UnitItem
from studies.protocols import Stage
from studies.services.declaring import declaration_of, wording_of
from studies.services.locking import locked
from studies.services.people import CODES
from studies.services.spec import SpecError
from studies.shown import new_handle, shuffled

ITEMS, EXPERTS = 100, 2
MOST_ITEMS, MOST_EXPERTS = 10_000, 20
STATES = (StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED)
Scores = dict[str, int]  # by question


@dataclass(frozen=True)
class OpenedCheck:
    """Who checks, and how much: the same items for each expert, a score being one answer about one of them."""

    experts: tuple[Annotator, ...]
    items: int
    scores: int


@dataclass(frozen=True)
class Drawn:
    """One item of the sample, with all scores of one of those who gave it any."""

    item: int
    annotator: str
    scores: Scores


def has_experts(study: Study) -> bool:
    return study.annotators.filter(purpose=Purpose.EXPERT).exists()


def may_check(study: Study) -> bool:
    """Whether an expert check can be opened: the protocol and the wording have one, and none is open yet."""
    return study.state in STATES and stage_of(study) is not None and not has_experts(study)


def stage_of(study: Study) -> Stage | None:
    """What experts are asked; None where the protocol has no check, or the wording says nothing of it."""
    check = declaration_of(study).check
    return check if check and check.name in wording_of(study) else None


@transaction.atomic
def open_expert_check(
    study: Study, items: int = ITEMS, experts: int = EXPERTS, purpose: Purpose = Purpose.MAIN
) -> OpenedCheck:
    """Draw `items` items from the study's seed, each with the scores of one person, and make links for the experts.

    Scores are those handed in by now by people of this purpose, each the latest. `SpecError` if there can be no check.
    """
    study = locked(study, *STATES)
    stage = stage_of(study)
    if stage is None:
        raise SpecError(_("Neither this kind of study nor its wording has an expert check."))
    if has_experts(study):
        raise SpecError(_("The expert check of this study is open already."))
    if not (1 <= items <= MOST_ITEMS and 1 <= experts <= MOST_EXPERTS):
        said = {"items": MOST_ITEMS, "experts": MOST_EXPERTS}
        raise SpecError(_("A check takes 1 to %(items)d items and 1 to %(experts)d experts.") % said)
    sample = draw(answers_to(study, stage, purpose), items, Random(f"{study.seed}/check"))
    if not sample:
        raise SpecError(_("Nobody has handed in a score yet, so there is nothing to check."))
    made = tuple(make_expert(study, number, sample, stage) for number in range(1, experts + 1))
    return OpenedCheck(made, len(sample), sum(len(each.scores) for each in sample))


def answers_to(study: Study, stage: Stage, purpose: Purpose) -> QuerySet[Response]:
    """What may be checked, earlier rounds first."""
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=purpose,
        assignment__returned_at=None,
        stage=stage.checks,
        question__in=[question.name for question in stage.questions],
    ).order_by("assignment__round", "pk")


def draw(answers: QuerySet[Response], n: int, rng: Random) -> list[Drawn]:
    """n of the items that have answers, or all; of each those of one annotator. The same seed draws the same again."""
    found: dict[str, dict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    keys: dict[str, int] = {}
    told = answers.values_list("item_id", "item__external_id", "assignment__annotator__code", "question", "value")
    for key, item_id, annotator, question, value in told:
        keys[item_id] = key
        found[item_id][annotator][question] = value
    chosen = rng.sample(sorted(found), min(n, len(found)))
    drawn = []
    for name in chosen:
        annotator = rng.choice(sorted(found[name]))
        drawn.append(Drawn(keys[name], annotator, found[name][annotator]))
    return drawn


def make_expert(study: Study, number: int, sample: list[Drawn], stage: Stage) -> Annotator:
    """An expert with the whole sample, text by text, in an order of their own."""
    code = f"{CODES[Purpose.EXPERT]}{number}"
    expert = Annotator.objects.create(study=study, code=code, purpose=Purpose.EXPERT, reading="ticked")
    rng = Random(f"{study.seed}/check/{number}")
    Assignment.objects.bulk_create(
        Assignment(
            annotator=expert,
            unit_id=unit,
            position=position,
            shown={stage.name: [[new_handle(), item, []] for item in items]},
            reopened={str(item): cells for item, cells in cells_of(sample, items).items()},
            stage=stage.name,
        )
        for position, (unit, items) in enumerate(by_unit(study, sample, rng))
    )
    return expert


def cells_of(sample: list[Drawn], items: Iterable[int]) -> Mapping[int, dict[str, dict[str, str | int]]]:
    """What is shown beside each question; whose score it is stays on the server."""
    chosen = set(items)
    return {
        each.item: {name: {"score": score, "annotator": each.annotator} for name, score in each.scores.items()}
        for each in sample
        if each.item in chosen
    }


def by_unit(study: Study, sample: list[Drawn], rng: Random) -> list[tuple[int, list[int]]]:
    """The units of the sample with its items in them, both in random order."""
    held: dict[int, list[int]] = {}
    rows = UnitItem.objects.filter(unit__study=study, item__in=[each.item for each in sample])
    for unit, item in rows.order_by("unit__position", "position").values_list("unit", "item"):
        held.setdefault(unit, []).append(item)
    return shuffled([(unit, shuffled(items, rng)) for unit, items in held.items()], rng)
