"""The progress of a study: counted on request, never stored."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import Substr
from django.utils.translation import ngettext_lazy

from items.models import name_text
from studies.models import (
    Annotator,
    AnnotatorKind,
    Apart,
    Assignment,
    Purpose,
    Slot,
    Study,
    StudyState,
    Submission,
    UnitItem,
)
from studies.protocols import PROTOCOLS
from studies.services.declarations import get_declaration

DONE = {
    "text": ngettext_lazy("%(done)d of %(all)d text is done.", "%(done)d of %(all)d texts are done.", "all"),
    "item": ngettext_lazy("%(done)d of %(all)d question is done.", "%(done)d of %(all)d questions are done.", "all"),
    "pair": ngettext_lazy("%(done)d of %(all)d pair is done.", "%(done)d of %(all)d pairs are done.", "all"),
    "tuple": ngettext_lazy("%(done)d of %(all)d set is done.", "%(done)d of %(all)d sets are done.", "all"),
}


def say_done(study: Study, done: int, total: int) -> str:
    """A sentence on progress in the protocol's units: texts, questions, pairs or sets."""
    return str(DONE[PROTOCOLS[study.protocol].unit] % {"done": done, "all": total})


@dataclass(frozen=True)
class Progress:
    """Assignments of one purpose: how many are finished, out of how many."""

    annotators: int
    finished: int
    total: int

    @property
    def percent(self) -> int:
        return 100 * self.finished // self.total if self.total else 0


def count_progress(study: Study, purpose: Purpose = Purpose.MAIN) -> Progress:
    """Finished and all assignments of people (not of models) with that purpose."""
    return count_all_progress([study]).get((study.pk, purpose), Progress(0, 0, 0))


def count_all_progress(studies: Iterable[Study]) -> dict[tuple[int, str], Progress]:
    """The progress of each study by its primary key and the purpose; units without an assignment are left out.

    Units handed in before a link was revoked count; open units under a revoked link do not. Free places of an open
    link count as open.
    """
    studies = list(studies)
    counted = Assignment.objects.active().filter(annotator__study__in=studies, annotator__kind=AnnotatorKind.HUMAN)
    counted = counted.exclude(annotator__revoked_at__isnull=False, finished_at=None)
    rows = (
        counted.order_by()
        .values_list("annotator__study", "annotator__purpose")
        .annotate(
            annotators=Count("annotator", distinct=True),
            finished=Count("pk", filter=Q(finished_at__isnull=False)),
            total=Count("pk"),
        )
    )
    found = {(study, purpose): Progress(*numbers) for study, purpose, *numbers in rows}
    for study, number in count_waiting_places(studies).items():
        before = found.get((study, Purpose.MAIN), Progress(0, 0, 0))
        found[study, Purpose.MAIN] = replace(before, total=before.total + number)
    return found


def count_waiting_places(studies: Iterable[Study]) -> dict[int, int]:
    """The number of free cells of each study with an open link, by primary key."""
    mine = [study.pk for study in studies if study.open_token and study.state in (StudyState.LIVE, StudyState.PAUSED)]
    if not mine:
        return {}
    held = Assignment.objects.active().filter(slot=OuterRef("pk"))
    slots = Slot.objects.filter(~Exists(held), unit__study__in=mine, purpose=Purpose.MAIN)
    return dict(slots.order_by().values_list("unit__study").annotate(n=Count("pk")))


@dataclass(frozen=True)
class StudyProgress:
    """A study with its progress: of people, or of simulated ones if no person has finished anything."""

    study: Study
    progress: Progress
    is_simulated: bool

    @property
    def is_finished(self) -> bool:
        return bool(self.progress.total) and self.progress.finished == self.progress.total


def list_progress(studies: Iterable[Study]) -> list[StudyProgress]:
    """The progress of each study, in the same order."""
    studies = list(studies)
    counted = count_all_progress(studies)
    rows = []
    for study in studies:
        people, simulated = (
            counted.get((study.pk, each), Progress(0, 0, 0)) for each in (Purpose.MAIN, Purpose.SIMULATED)
        )
        is_simulated = bool(simulated.finished) and not people.finished
        rows.append(StudyProgress(study, simulated if is_simulated else people, is_simulated))
    return rows


def list_annotators(study: Study) -> list[Annotator]:
    """People with `n_done`, `n_open` and `left_to_others` (reason, number), in the order they were added."""
    active = Q(assignments__returned_at=None, assignments__pk__isnull=False)
    annotators = (
        study.annotators.filter(kind=AnnotatorKind.HUMAN)
        .annotate(
            n_done=Count("assignments", filter=active & Q(assignments__finished_at__isnull=False)),
            n_open=Count("assignments", filter=active & Q(assignments__finished_at=None)),
        )
        .order_by("pk")
    )
    given_back: dict[int, list[tuple[str, int]]] = {}
    returned = Assignment.objects.filter(annotator__study=study, returned_at__isnull=False).order_by("return_reason")
    returned = returned.exclude(apart__in=[Apart.PRACTICE, Apart.SURPLUS])
    for annotator, reason, number in returned.values_list("annotator", "return_reason").annotate(n=Count("pk")):
        given_back.setdefault(annotator, []).append((reason, number))
    found: list[Any] = list(annotators)
    for annotator in found:
        annotator.left_to_others = given_back.get(annotator.pk, [])
    return found


def count_guesses(study: Study) -> list[tuple[str, int]]:
    """How often each generator's items are guessed in the plan, over all texts."""
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN, generator__isnull=False)
    counted = slots.order_by("generator__pk").values_list("generator__name").annotate(n=Count("pk"))
    return [(str(name), int(number)) for name, number in counted]


def classify_annotator(annotator: Annotator) -> str:
    """The state of an annotator of `list_annotators`."""
    counts: Any = annotator  # n_done and n_open are added by the query
    if counts.n_done and not counts.n_open:
        return "finished"
    if annotator.revoked_at:
        return "revoked"
    return "begun" if annotator.joined_at or counts.n_done else "unseen"


# The coverage grid: by text and generator, how many people have done each stage, and how many are planned.

MAX_TEXTS = 40  # rows that a page shows


@dataclass(frozen=True)
class Cell:
    """How many people have done a stage of a text, and how many are planned; without a plan it is empty."""

    done: int
    planned: int

    @property
    def tone(self) -> str:
        if not self.planned:
            return "none"
        return "done" if self.done >= self.planned else ("part" if self.done else "")


@dataclass(frozen=True)
class Coverage:
    """columns: (stage, generator's name or ""). rows: (text's name, cells). n_more: rows that are not shown."""

    columns: list[tuple[str, str]]
    rows: list[tuple[str, list[Cell]]]
    n_more: int

    @property
    def n_complete(self) -> int:
        return sum(all(cell.done >= cell.planned for cell in cells) for _text, cells in self.rows)


def build_coverage(study: Study) -> Coverage:
    """The grid of people whose answers count. A stage has one column per generator if each unit is about one item, or
    if the stage shows the items of one generator."""
    stages = get_declaration(study).stages
    own = map_own_generators(study)
    planned: Counter[tuple[int, str, str]] = Counter()
    done: Counter[tuple[int, str, str]] = Counter()
    by_generator = {stage.name: stage.items == "slot generator" or bool(own) for stage in stages}
    for text, unit, guessed, number in count_planned(study):
        for stage in stages:
            planned[text, stage.name, own.get(unit, guessed) if by_generator[stage.name] else ""] += number
    for text, unit, guessed, name, number in count_submitted(study):
        done[text, name, own.get(unit, guessed) if by_generator.get(name) else ""] += number
    columns = [
        (stage.name, name)
        for stage in stages
        for name in (sorted({key[2] for key in planned if key[1] == stage.name}) if by_generator[stage.name] else [""])
    ]
    rows = [
        (name, [Cell(done[text, *column], planned[text, *column]) for column in columns])
        for text, name in list_texts(study)
    ]
    rows.sort(key=lambda row: all(cell.done >= cell.planned for cell in row[1]))  # complete rows come last
    return Coverage(columns, rows[:MAX_TEXTS], max(0, len(rows) - MAX_TEXTS))


def list_texts(study: Study) -> Iterable[tuple[int, str]]:
    start = Substr("text__body", 1, 200)
    rows = study.units.order_by("position").values_list("text", "text__title", start)
    return {text: name_text(title, body) for text, title, body in rows}.items()


def map_own_generators(study: Study) -> dict[int, str]:
    """By unit the generator of its item, if each unit is one item; else empty."""
    rows = list(UnitItem.objects.filter(unit__study=study).values_list("unit", "item__generator__name"))
    return dict(rows) if len({unit for unit, _name in rows}) == len(rows) else {}


def count_planned(study: Study) -> Iterable[tuple[int, int, str, int]]:
    """(text, unit, generator that is guessed, cells) of the plan."""
    cells = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN).order_by()
    for text, unit, name in cells.values_list("unit__text", "unit", "generator__name"):
        yield text, unit, name or "", 1


def count_submitted(study: Study) -> Iterable[tuple[int, int, str, str, int]]:
    """(text, unit, generator that is guessed, stage, hand-ins) of the first round."""
    held = Assignment.objects.active().filter(
        annotator__study=study, annotator__purpose=Purpose.MAIN, annotator__kind=AnnotatorKind.HUMAN, round=1
    )
    rows = Submission.objects.filter(assignment__in=held).order_by()
    found = rows.values_list("assignment__unit__text", "assignment__unit", "assignment__slot__generator__name", "stage")
    for text, unit, name, stage in found:
        yield text, unit, name or "", stage, 1
