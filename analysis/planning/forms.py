"""The assumptions of a planner page; all of them are in the address."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from analysis.measures.components import MOST
from studies.models import Assignment, Purpose, Slot, Study, UnitItem
from studies.services.launching import Outline, outline_draft
from studies.services.people_texts import filter_people_units


def make_size_field(label: Any, least: int, most: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most)


def make_share_field(label: Any, least: float = 0.01, most: float = 0.99) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=least, max_value=most, widget=forms.NumberInput({"step": "any"}))


def make_spread_field(label: Any) -> forms.FloatField:
    return make_share_field(label, 0, MOST**0.5)


class OutlookForm(forms.Form):
    """A GET form; fields that the address lacks are filled from `assumed`."""

    SIZES: tuple[str, ...] = ()
    EFFECTS: tuple[str, ...] = ()
    assumptions: Callable[[], Any]  # each protocol's form makes its own from the cleaned data

    def __init__(self, assumed: dict[str, Any], data: Any = None) -> None:
        given = {name: data.get(name) for name in self.base_fields if data and data.get(name)}
        super().__init__(assumed | given)
        self.is_changed = any(str(assumed[name]) != value for name, value in given.items())

    @property
    def parts(self) -> list[tuple[str, Any, list[forms.BoundField]]]:
        """The fields in their three groups, each with its name and title."""
        others = tuple(name for name in self.fields if name not in (*self.SIZES, *self.EFFECTS))
        named = (("sizes", _("Size"), self.SIZES), ("effects", _("Effects"), self.EFFECTS),
                 ("components", _("Standard deviations, in logits"), others))  # fmt: skip
        return [(name, title, [self[field] for field in names]) for name, title, names in named]


UNKNOWN_ANNOTATORS = 6  # assumed if people come by an open link: the number in the first published study


@dataclass(frozen=True)
class Sizes:
    """Means over texts, rounded. annotators: per text; judgments: of a pair of generators, per text.

    open: nobody is planned yet, so the number of annotators is an assumption. texts_all: the texts that models answer,
    if people answer only some of them.
    """

    texts: int
    generators: int
    items: int
    options: int
    annotators: int
    judgments: int
    texts_all: int
    open: bool = False


def read_sizes(study: Study) -> Sizes:
    """The sizes of a study's plan; raises `SpecError` for a draft that cannot be launched yet."""
    return read_draft_sizes(outline_draft(study)) if study.is_draft else read_running_sizes(study)


def read_draft_sizes(found: Outline) -> Sizes:
    units = found.for_people()
    texts = {unit.text.pk for unit, _seats in units}
    items = [item for text, its_items in found.chosen.texts for item in its_items if text.pk in texts]
    options = [len(item.options.all()) for item in items]
    return make_sizes(
        texts=len(texts),
        generators=len({item.generator_id for item in items}),
        n_items=len(items),
        options=options,
        n_units=len(units),
        n_assignments=sum(len(seats) for _unit, seats in units),
        texts_all=len(found.chosen.texts),
    )


def read_running_sizes(study: Study) -> Sizes:
    """The sizes of a launched study by its slots, or by its assignments if it was imported."""
    theirs = filter_people_units(study)
    units = UnitItem.objects.filter(unit__in=theirs)
    options = units.order_by().values_list("item").annotate(n=Count("item__options", distinct=True))
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN).count()
    people = Q(annotator__kind="human", annotator__purpose=Purpose.MAIN, round=1)
    return make_sizes(
        texts=theirs.order_by().values("text").distinct().count(),
        generators=units.order_by().values("item__generator").distinct().count(),
        n_items=len(options),
        options=[n for _item, n in options],
        n_units=theirs.count(),
        texts_all=study.units.order_by().values("text").distinct().count(),
        n_assignments=slots or Assignment.objects.active().filter(people, annotator__study=study).count(),
    )


def make_sizes(
    texts: int, generators: int, n_items: int, options: list[int], n_units: int, n_assignments: int, texts_all: int
) -> Sizes:
    counts = [n for n in options if n]
    annotators = n_assignments / n_units if n_units else 0
    per_text = n_units / texts * (annotators or UNKNOWN_ANNOTATORS) if texts else 0
    return Sizes(
        texts=texts,
        generators=generators,
        items=max(1, round(n_items / max(1, texts * generators))),
        options=round(sum(counts) / len(counts)) if counts else 1,
        annotators=max(1, round(annotators)) if annotators else UNKNOWN_ANNOTATORS,
        judgments=max(1, round(per_text / max(1, generators * (generators - 1) // 2))),
        texts_all=texts_all,
        open=not annotators,
    )
