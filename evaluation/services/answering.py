"""Baselines answer: text by text, each text stored at once, so that what was interrupted is gone on with."""

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from django.db.models import Count, Q

from evaluation.baselines import EXACT, FUZZY, MAJORITY, Keys, exact, majority, near, nearest
from evaluation.models import Evaluator
from evaluation.services.baselines import BEST
from items.models import Item, Option
from studies.models import Assignment, Study, UnitItem
from studies.protocols import Stage
from studies.services.declaring import declaration_of
from studies.services.evaluating import Judged, close_answered, store_judgments

BATCH = 100
Ticker = Callable[[Assignment, Item, Sequence[Option]], list[bool]]


def answer(evaluator: Evaluator, seconds: float | None = None) -> bool:
    """Let a baseline answer what it has not answered, for that long at most; whether everything is answered.

    One that has answered everything is left alone.
    """
    started = time.monotonic()
    tick, stages = ticker(evaluator), asked(evaluator)
    for assignment in unfinished(evaluator):
        for stage in stages:
            store_judgments(assignment, stage, judged(assignment, tick), options_of(assignment))
        if seconds is not None and time.monotonic() - started > seconds:
            break
    return close_answered(evaluator.annotator, evaluator.stages)


def asked(evaluator: Evaluator) -> list[Stage]:
    declaration = declaration_of(evaluator.annotator.study)
    return [declaration.stage(name) for name in evaluator.stages]


def unfinished(evaluator: Evaluator) -> Iterator[Assignment]:
    """In batches: a large study does not fit into one list of ids."""
    keys = iter(list(evaluator.annotator.assignments.open().values_list("pk", flat=True)))
    while batch := list(islice(keys, BATCH)):
        rows = Assignment.objects.filter(pk__in=batch).select_related("unit__text", "annotator__study")
        yield from rows.prefetch_related("unit__items__options")


def options_of(assignment: Assignment) -> dict[int, set[int]]:
    return {item.pk: {option.pk for option in item.options.all()} for item in assignment.unit.items.all()}


def judged(assignment: Assignment, tick: Ticker) -> list[Judged]:
    """What the baseline says about each item of the unit; it says the same in every stage that it answers."""
    found = []
    for item in assignment.unit.items.all():
        options = list(item.options.all())
        ticks = tick(assignment, item, options)
        found.append(Judged(item.pk, {option.pk: ticked for option, ticked in zip(options, ticks, strict=True)}))
    return found


def ticker(evaluator: Evaluator) -> Ticker:
    """The method as a function of a unit, an item of it and the item's options."""
    study, params = evaluator.annotator.study, evaluator.params
    if evaluator.method == MAJORITY:
        return by_majority(study)
    if evaluator.method == EXACT:
        return lambda assignment, item, options: exact(assignment.unit.text.body, wordings(options))
    if evaluator.method == FUZZY and params["rule"] == BEST:
        return lambda assignment, item, options: nearest(
            assignment.unit.text.body, wordings(options), f"{study.seed}/{item.external_id}"
        )
    if evaluator.method == FUZZY:
        return lambda assignment, item, options: near(assignment.unit.text.body, wordings(options), params["threshold"])
    raise ValueError(f"{evaluator.method} is no baseline.")


def wordings(options: Sequence[Option]) -> list[str]:
    return [option.text for option in options]


def by_majority(study: Study) -> Ticker:
    """The label that is commoner in the study's other texts, by the keys as they are now."""
    keys = keys_by_unit(study)
    everything = Keys(sum(own.n_keys for own in keys.values()), sum(own.n_options for own in keys.values()))
    return lambda assignment, item, options: [majority(everything.without(keys[assignment.unit_id]))] * len(options)


def keys_by_unit(study: Study) -> dict[int, Keys]:
    rows = UnitItem.objects.filter(unit__study=study).order_by().values_list("unit")
    counted = rows.annotate(
        n_keys=Count("item__options", filter=Q(item__options__correct=True)), n_options=Count("item__options")
    )
    return {unit: Keys(n_keys, n_options) for unit, n_keys, n_options in counted}
