"""The stage form: built from what a stage declares, for a page that works with and without JavaScript."""

from dataclasses import dataclass, field

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

    def __init__(self, assignment: Assignment, stage: Stage, data=None):
        self.assignment, self.stage = assignment, stage
        self.shown = shown_items(assignment.shown, stage.name)
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
                levels = [(str(level), level) for level in question.levels]
                self.fields[name] = forms.TypedChoiceField(choices=levels, coerce=int, empty_value=None, required=False)

    def add_choices(self, name: str, handles: list[str]) -> None:
        choices = [(handle, handle) for handle in handles]
        self.fields[name] = forms.MultipleChoiceField(choices=choices, required=False)

    def clean(self):
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

    def value(self, name: str):
        """What stands in a field now: as sent, else as drafted."""
        return self[name].value() if name in self.fields else None

    def chosen(self, name: str) -> list[str]:
        return list(self.value(name) or [])

    def sent(self, handle: str) -> dict:
        """The values of one item as a draft stores them; what the form does not know is dropped."""
        values = {}
        for kind in FIELDS:
            bound = self.fields.get(f"{kind}-{handle}")
            given = self.value(f"{kind}-{handle}")
            if bound is None or not given:
                continue
            allowed = {key for key, _label in bound.choices}
            kept = [key for key in given if key in allowed] if isinstance(given, list) else given
            if kept and (isinstance(kept, list) or kept in allowed):
                values[kind] = kept
        return values

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
        scale = self.fields.get(f"rating-{shown.handle}")
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
            levels=tuple(level for _key, level in scale.choices) if scale else (),
            rating=int(rating) if str(rating or "").isdecimal() else None,
            errors=list(self.errors.get(f"answer-{shown.handle}", [])) if self.is_bound else [],
            answered=bool(ticked) and (scale is None or bool(rating)),
        )


def drafted(assignment: Assignment, stage: Stage, shown: list[ShownItem]) -> dict:
    """Initial values: this stage's drafts, else what the stage that this one starts from was answered with."""
    handles = {item.item_id: item.handle for item in shown}
    initial = {}
    for name in filter(None, (stage.starts_from, stage.name)):
        for draft in assignment.drafts.filter(stage=name, item__in=handles):
            kept = {"answer": draft.values.get("answer")} if name != stage.name else draft.values
            initial |= {f"{kind}-{handles[draft.item_id]}": kept.get(kind) for kind in FIELDS if kind in kept}
    return initial
