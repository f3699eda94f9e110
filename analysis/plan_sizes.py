"""How large a study is planned, as the planner reckons with it: of a draft as it would be launched, else as it is."""

from dataclasses import dataclass

from django.db.models import Count, Q

from studies.models import Assignment, Purpose, Slot, Study, UnitItem
from studies.services.launching import Outline, outline

UNKNOWN_ANNOTATORS = 6  # where annotators come as they like: so many did the published guess-then-read study


@dataclass(frozen=True)
class Sizes:
    """Means over texts, rounded. annotators: who do a text; judgments: of a pair of generators, on a text.

    open: nobody is planned yet, and the number of annotators is an assumption.
    """

    texts: int
    generators: int
    items: int
    options: int
    annotators: int
    judgments: int
    open: bool = False


def sizes_of(study: Study) -> Sizes:
    """`SpecError` for a draft that cannot be launched as it stands."""
    return sizes_of_draft(outline(study)) if study.is_draft else sizes_of_running(study)


def sizes_of_draft(found: Outline) -> Sizes:
    items = [item for _text, its_items in found.chosen.texts for item in its_items]
    options = [len(item.options.all()) for item in items]
    return sized(
        texts=len(found.chosen.texts),
        generators=len({item.generator_id for item in items}),
        n_items=len(items),
        options=options,
        n_units=len(found.units),
        n_assignments=sum(map(len, found.who)),
    )


def sizes_of_running(study: Study) -> Sizes:
    """Who is planned stands in the slots; imported answers have only assignments."""
    units = UnitItem.objects.filter(unit__study=study)
    options = units.order_by().values_list("item").annotate(n=Count("item__options", distinct=True))
    slots = Slot.objects.filter(unit__study=study, purpose=Purpose.MAIN).count()
    people = Q(annotator__kind="human", annotator__purpose=Purpose.MAIN, round=1)
    return sized(
        texts=study.units.order_by().values("text").distinct().count(),
        generators=units.order_by().values("item__generator").distinct().count(),
        n_items=len(options),
        options=[n for _item, n in options],
        n_units=study.units.count(),
        n_assignments=slots or Assignment.objects.active().filter(people, annotator__study=study).count(),
    )


def sized(texts: int, generators: int, n_items: int, options: list[int], n_units: int, n_assignments: int) -> Sizes:
    having = [n for n in options if n]
    annotators = n_assignments / n_units if n_units else 0
    a_text = n_units / texts * (annotators or UNKNOWN_ANNOTATORS) if texts else 0
    return Sizes(
        texts=texts,
        generators=generators,
        items=max(1, round(n_items / max(1, texts * generators))),
        options=round(sum(having) / len(having)) if having else 1,
        annotators=max(1, round(annotators)) if annotators else UNKNOWN_ANNOTATORS,
        judgments=max(1, round(a_text / max(1, generators * (generators - 1) // 2))),
        open=not annotators,
    )
