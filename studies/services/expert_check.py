"""Opening an expert check: experts judge a random sample of the answers, each under a link of their own."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from studies.models import Annotator, AnnotatorKind, Assignment, Purpose, Response, Study, StudyState, UnitItem
from studies.presentation_order import make_handle, shuffle
from studies.protocols import Stage
from studies.services.declarations import get_declaration, get_wording
from studies.services.people import CODE_PREFIXES
from studies.services.spec import SpecError
from studies.services.states import lock_study

ITEMS, EXPERTS = 100, 2
REHEARSING = "sim-expert-"  # prefix of the codes of experts who check simulated answers
MAX_ITEMS, MAX_EXPERTS = 10_000, 20
STATES = (StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED)
Scores = dict[str, int]  # by question


@dataclass(frozen=True)
class OpenedCheck:
    """Who checks, and how much: all experts get the same items; a score is one answer about one of them."""

    experts: tuple[Annotator, ...]
    items: int
    scores: int


@dataclass(frozen=True)
class SampledItem:
    """One item of the sample, with all scores that one annotator gave it."""

    item: int
    annotator: str
    scores: Scores


def filter_experts(study: Study, purpose: Purpose = Purpose.MAIN) -> QuerySet[Annotator]:
    """The experts who check the answers of people, or of simulated annotators."""
    experts, rehearsing = study.annotators.filter(purpose=Purpose.EXPERT), Q(code__startswith=REHEARSING)
    return experts.filter(rehearsing) if purpose == Purpose.SIMULATED else experts.exclude(rehearsing)


def has_experts(study: Study, purpose: Purpose = Purpose.MAIN) -> bool:
    return filter_experts(study, purpose).exists()


def can_open_expert_check(study: Study) -> bool:
    """Whether an expert check can be opened: protocol and wording provide for one, and none is open yet."""
    return study.state in STATES and get_check_stage(study) is not None and not has_experts(study)


def get_check_stage(study: Study) -> Stage | None:
    """What experts are asked; None if the protocol has no check, or the wording has no words for it."""
    check = get_declaration(study).check
    return check if check and check.name in get_wording(study) else None


@transaction.atomic
def open_expert_check(
    study: Study, items: int = ITEMS, experts: int = EXPERTS, purpose: Purpose = Purpose.MAIN
) -> OpenedCheck:
    """Draw `items` items from the study's seed, each with the scores of one person, and make links for the experts.

    The scores are those handed in by now by people of this purpose, the latest of each. `SpecError` if no check is
    possible.
    """
    study = lock_study(study, *STATES)
    stage = get_check_stage(study)
    if stage is None:
        raise SpecError(_("This study's protocol and wording have no expert check."))
    if has_experts(study, purpose):
        raise SpecError(_("The expert check of this study is already open."))
    if not (1 <= items <= MAX_ITEMS and 1 <= experts <= MAX_EXPERTS):
        values = {"items": MAX_ITEMS, "experts": MAX_EXPERTS}
        raise SpecError(_("Choose 1 to %(items)d items and 1 to %(experts)d experts.") % values)
    sample = draw_sample(filter_checkable_answers(study, stage, purpose), items, Random(f"{study.seed}/check"))
    if not sample:
        raise SpecError(_("Nobody has handed in a score yet, so there is nothing to check."))
    prefix = REHEARSING if purpose == Purpose.SIMULATED else CODE_PREFIXES[Purpose.EXPERT]
    made = tuple(make_expert(study, f"{prefix}{number}", sample, stage) for number in range(1, experts + 1))
    return OpenedCheck(made, len(sample), sum(len(each.scores) for each in sample))


def filter_checkable_answers(study: Study, stage: Stage, purpose: Purpose) -> QuerySet[Response]:
    """The answers that can be checked, earlier rounds first."""
    return Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind=AnnotatorKind.HUMAN,
        assignment__annotator__purpose=purpose,
        assignment__returned_at=None,
        stage=stage.checks,
        question__in=[question.name for question in stage.questions],
    ).order_by("assignment__round", "pk")


def draw_sample(answers: QuerySet[Response], n: int, rng: Random) -> list[SampledItem]:
    """n of the items that have answers, or all; of each the scores of one annotator. The same seed draws the same
    again."""
    found: dict[str, dict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    keys: dict[str, int] = {}
    rows = answers.values_list("item_id", "item__external_id", "assignment__annotator__code", "question", "value")
    for key, item_id, annotator, question, value in rows:
        keys[item_id] = key
        found[item_id][annotator][question] = value
    chosen = rng.sample(sorted(found), min(n, len(found)))
    drawn = []
    for name in chosen:
        annotator = rng.choice(sorted(found[name]))
        drawn.append(SampledItem(keys[name], annotator, found[name][annotator]))
    return drawn


def make_expert(study: Study, code: str, sample: list[SampledItem], stage: Stage) -> Annotator:
    """An expert with the whole sample, text by text, in a random order of their own."""
    expert = Annotator.objects.create(study=study, code=code, purpose=Purpose.EXPERT, reading="ticked")
    rng = Random(f"{study.seed}/check/{code.rpartition('-')[2]}")
    Assignment.objects.bulk_create(
        Assignment(
            annotator=expert,
            unit_id=unit,
            position=position,
            shown={stage.name: [[make_handle(), item, []] for item in items]},
            reopened={str(item): cells for item, cells in build_cells(sample, items).items()},
            stage=stage.name,
        )
        for position, (unit, items) in enumerate(group_by_unit(study, sample, rng))
    )
    return expert


def build_cells(sample: list[SampledItem], items: Iterable[int]) -> Mapping[int, dict[str, dict[str, str | int]]]:
    """The score shown beside each question, by item; the browser does not get whose it is."""
    chosen = set(items)
    return {
        each.item: {name: {"score": score, "annotator": each.annotator} for name, score in each.scores.items()}
        for each in sample
        if each.item in chosen
    }


def group_by_unit(study: Study, sample: list[SampledItem], rng: Random) -> list[tuple[int, list[int]]]:
    """The units of the sample with its items in them, both in random order."""
    held: dict[int, list[int]] = {}
    rows = UnitItem.objects.filter(unit__study=study, item__in=[each.item for each in sample])
    for unit, item in rows.order_by("unit__position", "position").values_list("unit", "item"):
        held.setdefault(unit, []).append(item)
    return shuffle([(unit, shuffle(items, rng)) for unit, items in held.items()], rng)
