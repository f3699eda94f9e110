"""Who would get what if a draft were launched now."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from items.models import Item
from items.plain import write_csv
from studies.models import Purpose, Study
from studies.services.declarations import get_declaration
from studies.services.launching import AT_ONCE, Outline, outline_launch
from studies.services.people import make_code
from studies.services.planning import plan_cells
from studies.services.quotas import assign_groups, count_annotators, has_group_quotas
from studies.services.selection import PlannedUnit
from studies.services.text_versions import Rotation, list_text_versions


@dataclass
class PlannedPerson:
    """What one person would get: each unit with the generator whose items are guessed, empty if none is."""

    seat: int
    code: str
    group: str
    cells: list[tuple[PlannedUnit, str]] = field(default_factory=list)

    @property
    def n_texts(self) -> int:
        return len({unit.text.pk for unit, _guessed in self.cells})

    @property
    def n_units(self) -> int:
        return len(self.cells)

    @property
    def guesses(self) -> list[tuple[str, int]]:
        """How many units of each generator the person guesses."""
        return sorted(Counter(guessed for _unit, guessed in self.cells if guessed).items())


@dataclass(frozen=True)
class PlanPreview:
    """All people of the plan. `is_too_large`: whose items are guessed is searched only by the launch."""

    people: list[PlannedPerson]
    outline: Outline
    rotation: Rotation
    is_too_large: bool


def preview_plan(study: Study) -> PlanPreview:
    """What the launch would give to each person; `SpecError` if the draft cannot be launched. Writes nothing."""
    outline = outline_launch(study)
    is_too_large = get_declaration(study).guesses and sum(map(len, outline.who)) > AT_ONCE
    rows = (
        [dict.fromkeys(row) for row in outline.who] if is_too_large else plan_cells(study, outline.units, outline.who)
    )
    names = dict(study.project.generators.values_list("pk", "name"))
    people = list_planned_people(study)
    for unit, row in zip(outline.units, rows, strict=True):
        for seat, generator in row.items():
            people[seat].cells.append((unit, names[generator] if generator else ""))
    texts = dict.fromkeys(unit.text.pk for unit in outline.units)
    rotation = Rotation(list_text_versions(study), {text: place for place, text in enumerate(texts)})
    return PlanPreview(people, outline, rotation, is_too_large)


def list_planned_people(study: Study) -> list[PlannedPerson]:
    """The places of the plan. Without personal links, groups without numbers are drawn when people come."""
    n = count_annotators(study)
    comes_later = bool(study.recruitment.get("open_link"))
    groups = [""] * n if comes_later and not has_group_quotas(study) else assign_groups(study, 0, n)
    width = 3 if comes_later else max(2, len(str(n)))
    return [PlannedPerson(seat, make_code(Purpose.MAIN, seat, width), groups[seat]) for seat in range(n)]


COLUMNS = ("person", "group", "text_id", "item_ids", "guessed_generator", "text_version")


def write_plan(study: Study, plan: PlanPreview) -> str:
    """Every unit of every person as CSV."""
    return write_csv(COLUMNS, list_plan_rows(study, plan))


def list_plan_rows(study: Study, plan: PlanPreview) -> Iterator[tuple[str, ...]]:
    ids = dict(Item.objects.filter(project=study.project).values_list("pk", "external_id"))
    for person in plan.people:
        for unit, guessed in person.cells:
            items = " ".join(ids[item.pk] for item in unit.items)
            version = plan.rotation.choose(unit.text.pk, person.seat)
            yield person.code, person.group, unit.text.external_id, items, guessed, version
