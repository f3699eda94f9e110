"""The coverage grid: of each text and generator, how many people have done each stage, of those planned."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from studies.models import AnnotatorKind, Assignment, Purpose, Slot, Study, Submission, UnitItem
from studies.services.declarations import get_declaration

MAX_TEXTS = 40  # rows that a page shows


@dataclass(frozen=True)
class Cell:
    """So many have done it, of so many planned; without a plan the cell is empty."""

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


def cover_texts(study: Study) -> Coverage:
    """The grid of people who count. Columns by generator where a stage shows, or a unit is about, one generator's."""
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
    rows.sort(key=lambda row: all(cell.done >= cell.planned for cell in row[1]))  # what is complete comes last
    return Coverage(columns, rows[:MAX_TEXTS], max(0, len(rows) - MAX_TEXTS))


def list_texts(study: Study) -> Iterable[tuple[int, str]]:
    rows = study.units.order_by("position").values_list("text", "text__title", "text__external_id")
    return {text: title or name for text, title, name in rows}.items()


def map_own_generators(study: Study) -> dict[int, str]:
    """By unit the generator of its item, where each unit is one item; else nothing."""
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
