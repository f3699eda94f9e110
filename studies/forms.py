"""The stage form: built from what a stage declares, for a page that works with and without JavaScript."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from items.models import Item, Option
from studies.models import Assignment
from studies.protocols import Stage
from studies.services.answers import Given
from studies.shown import ShownItem, shown_items

NONE = "none"
FIELDS = ("answer", "unsure", "rating")


@dataclass
class OptionRow:
    handle: str
    number: int
    text: str
    ticked: bool
    unsure: bool


@dataclass
class ItemBlock:
    """One item as the page draws it."""

    handle: str
    number: int
    stem: str
    lang: str
    options: list[OptionRow]
    none: bool
    unsure_asked: bool
    levels: tuple[int, ...]
    rating: int | None
    errors: list[str] = field(default_factory=list)
    answered: bool = False


class StageForm(forms.Form):
    """The questions of one stage of an assignment. Unbound, it stands as the drafts left it."""

    def __init__(self, assignment: Assignment, stage: Stage, data: Mapping[str, Any] | None = None):
        self.assignment, self.stage = assignment, stage
        self.shown = shown_items(assignment.shown, stage.name)
        self.allowed: dict[str, list[str]] = {}
        super().__init__(data, initial=None if data is not None else drafted(assignment, stage, self.shown))
        for shown in self.shown:
            self.add_item(shown)

    def add_item(self, shown: ShownItem) -> None:
        handles = [option.handle for option in shown.options]
        for question in self.stage.questions:
            name = f"{question.name}-{shown.handle}"
            if question.kind == "tick":
                self.add_choices(name, [*handles, NONE])
                if question.unsure:
                    self.add_choices(f"unsure-{shown.handle}", handles)
            else:
                self.add_scale(name, question.levels)

    def add_choices(self, name: str, handles: list[str]) -> None:
        self.allowed[name] = handles
        choices = [(handle, handle) for handle in handles]
        self.fields[name] = forms.MultipleChoiceField(choices=choices, required=False)

    def add_scale(self, name: str, levels: tuple[int, ...]) -> None:
        self.allowed[name] = [str(level) for level in levels]
        choices = [(str(level), level) for level in levels]
        self.fields[name] = forms.TypedChoiceField(choices=choices, coerce=int, empty_value=None, required=False)

    def clean(self) -> dict[str, Any] | None:
        for shown in self.shown:
            for problem in self.problems(shown):
                self.add_error(f"answer-{shown.handle}", problem)
        return super().clean()

    def problems(self, shown: ShownItem) -> list[str]:
        """What is missing or contradictory in the answer to one item, in sentences."""
        ticked = self.cleaned_data.get(f"answer-{shown.handle}") or []
        found = []
        if shown.options and not ticked:
            found.append(_("Tick an option, or choose “None is correct”."))
        if NONE in ticked and len(ticked) > 1:
            found.append(_("“None is correct” and a ticked option contradict each other: keep one of them."))
        rating = f"rating-{shown.handle}"
        if rating in self.fields and self.cleaned_data.get(rating) is None:
            found.append(_("Rate the question."))
        return found

    def value(self, name: str) -> Any:
        """What stands in a field now: as sent, else as drafted."""
        return self[name].value() if name in self.fields else None

    def chosen(self, name: str) -> list[str]:
        return list(self.value(name) or [])

    def names(self, handle: str) -> dict[str, str]:
        """The form's fields about one item, by kind."""
        return {kind: f"{kind}-{handle}" for kind in FIELDS if f"{kind}-{handle}" in self.fields}

    def sent(self, handle: str) -> dict[str, Any]:
        """The values of one item as a draft stores them, in a fixed order; what the form does not know is dropped."""
        values: dict[str, Any] = {}
        for kind, name in self.names(handle).items():
            given, allowed = self.value(name), self.allowed[name]
            if isinstance(given, list):
                values[kind] = [handle for handle in allowed if handle in given]
            elif given in allowed:
                values[kind] = given
        return {kind: value for kind, value in values.items() if value}

    def given(self, shown: ShownItem) -> Given:
        """The answer to one item in the words of the protocol; what was left untouched is not in it."""
        ticks, values = {}, {}
        for question in self.stage.questions:
            value = self.value(f"{question.name}-{shown.handle}")
            if value and question.kind == "tick":
                ticks[question.name] = {option.option_id: option.handle in value for option in shown.options}
            elif value:
                values[question.name] = int(value)
        unsure = self.chosen(f"unsure-{shown.handle}")
        marked = frozenset(option.option_id for option in shown.options if option.handle in unsure)
        return Given(shown.item_id, ticks, values, marked)

    @property
    def blocks(self) -> list[ItemBlock]:
        """The items in the order shown, ready for the template."""
        items = Item.objects.select_related("text").in_bulk([shown.item_id for shown in self.shown])
        texts = dict(Option.objects.filter(item__in=items).values_list("pk", "text"))
        return [self.block(number, shown, items[shown.item_id], texts) for number, shown in enumerate(self.shown, 1)]

    def block(self, number: int, shown: ShownItem, item: Item, texts: dict[int, str]) -> ItemBlock:
        ticked, unsure = self.chosen(f"answer-{shown.handle}"), self.chosen(f"unsure-{shown.handle}")
        levels = self.allowed.get(f"rating-{shown.handle}", [])
        rating = self.value(f"rating-{shown.handle}")
        options = [
            OptionRow(option.handle, place, texts[option.option_id], option.handle in ticked, option.handle in unsure)
            for place, option in enumerate(shown.options, 1)
        ]
        return ItemBlock(
            handle=shown.handle,
            number=number,
            stem=item.stem,
            lang=item.text.language,
            options=options,
            none=NONE in ticked,
            unsure_asked=f"unsure-{shown.handle}" in self.fields,
            levels=tuple(map(int, levels)),
            rating=int(rating) if rating in levels else None,
            errors=[str(error) for error in self.errors.get(f"answer-{shown.handle}", [])] if self.is_bound else [],
            answered=bool(ticked) and (not levels or rating in levels),
        )


def drafted(assignment: Assignment, stage: Stage, shown: list[ShownItem]) -> dict[str, Any]:
    """Initial values by field: this stage's drafts, and where there is none what an earlier stage was answered with."""
    standing = standing_values(assignment, stage)
    return {
        f"{kind}-{item.handle}": value
        for item in shown
        for kind, value in standing.get(item.item_id, {}).items()
        if kind in FIELDS
    }


def standing_values(assignment: Assignment, stage: Stage) -> dict[int, dict[str, Any]]:
    """By item, what stands in the form before anything more is entered."""
    drafts = assignment.drafts.filter(stage__in=[stage.name, stage.starts_from or stage.name])
    by_stage: dict[str, dict[int, dict[str, Any]]] = {}
    for draft in drafts:
        by_stage.setdefault(draft.stage, {})[draft.item_id] = draft.values
    earlier = by_stage.get(stage.starts_from or "", {})
    return {item: {"answer": values.get("answer")} for item, values in earlier.items()} | by_stage.get(stage.name, {})
