"""Automatic metrics of questions: computed from the bank or imported from a file, stored per version of an item."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Count, F, Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.metrics import Question, Undefined, list_metrics
from evaluation.models import Metric, MetricValue
from items.formats.rows import Reading
from items.formats.table_cells import Table, read_cells
from items.models import Item
from items.plain import make_printable
from projects.models import Project
from studies.models import Study

AT_ONCE = 500
ITEM = "item_id"


class BadMetrics(ValueError):
    """The file cannot be imported; the message names the line or column, and what to do."""


@dataclass(frozen=True)
class MetricCounts:
    """How many items were processed, and how many values were stored or are undefined."""

    n_items: int
    n_values: int
    n_undefined: int


def query_bank_items(project: Project) -> QuerySet[Item]:
    return Item.objects.filter(project=project).current()


def query_study_items(study: Study) -> QuerySet[Item]:
    """The versions of items that the study shows."""
    return Item.objects.filter(pk__in=study.units.values("items"))


def compute_metrics(project: Project, items: QuerySet[Item]) -> MetricCounts:
    """Compute every metric of the catalogue for these items and store the values; safe to repeat."""
    computed = list_computable()
    metrics = {name: ensure_metric(project, name, is_computed=True) for name in computed}
    keys = list(items.order_by("text_id", "pk").values_list("pk", flat=True))
    n_values = n_undefined = 0
    for start in range(0, len(keys), AT_ONCE):
        some = iter_questions(keys[start : start + AT_ONCE])
        values = [value for item, question in some for value in compute_values(computed, metrics, item, question)]
        store_values(values)
        n_undefined += sum(value.value is None for value in values)
        n_values += sum(value.value is not None for value in values)
    return MetricCounts(len(keys), n_values, n_undefined)


def ensure_metric(project: Project, name: str, *, is_computed: bool, family: str = "") -> Metric:
    """The metric of that name, created if needed; a given family replaces the stored one."""
    values = {"is_computed": is_computed} | ({"family": family} if family else {})
    return Metric.objects.update_or_create(project=project, name=name, defaults=values)[0]


def iter_questions(keys: Sequence[int]) -> Iterator[tuple[Item, Question]]:
    """The items with their references: the current reference items on the same text, except themselves."""
    items = Item.objects.filter(pk__in=keys).select_related("text").prefetch_related("options").order_by("pk")
    texts = {item.text_id for item in items}
    references: dict[int, list[tuple[str, str]]] = {}
    for text, name, stem in (
        Item.objects.filter(text__in=texts, reference=True).current().values_list("text", "external_id", "stem")
    ):
        references.setdefault(text, []).append((name, stem))
    for item in items:
        others = [stem for name, stem in references.get(item.text_id, []) if name != item.external_id]
        yield item, make_question(item, others)


def make_question(item: Item, references: Sequence[str]) -> Question:
    keys = [option.text for option in item.options.all() if option.correct]
    answers = [item.expected_answer] if item.expected_answer else keys
    language = item.text.language.partition("-")[0]
    return Question(item.stem, item.text.body, language, tuple(answers), tuple(references))


def list_computable() -> dict[str, Callable[[Question], float]]:
    """The metrics that this server can compute, by name: METEOR only with WordNet's files."""
    return list_metrics(settings.LESART_WORDNET)


def compute_values(
    computed: Mapping[str, Callable[[Question], float]], metrics: Mapping[str, Metric], item: Item, question: Question
) -> Iterator[MetricValue]:
    for name, compute in computed.items():
        try:
            yield MetricValue(metric=metrics[name], item=item, value=compute(question))
        except Undefined as undefined:
            yield MetricValue(metric=metrics[name], item=item, reason=str(undefined))


def store_values(values: Iterable[MetricValue]) -> None:
    MetricValue.objects.bulk_create(
        values, update_conflicts=True, unique_fields=["metric", "item"], update_fields=["value", "reason"],
        batch_size=AT_ONCE,
    )  # fmt: skip


@transaction.atomic
def import_metrics(project: Project, content: bytes, families: Mapping[str, str] | None = None) -> MetricCounts:
    """Import a CSV with `item_id` and a column per metric for the newest versions; all or nothing, `BadMetrics`.

    An empty cell changes nothing. `families`: by metric, the family of its base model.
    """
    table, families = read_metrics(content), families or {}
    names = read_metric_names(table.header)
    if unknown := [name for name in families if name not in names]:
        raise BadMetrics(_("You gave a family for “%(name)s”, but the file has no such column.") % {"name": unknown[0]})
    items = dict(query_bank_items(project).values_list("external_id", "pk"))
    metrics = {name: ensure_metric(project, name, is_computed=False, family=families.get(name, "")) for name in names}
    seen: dict[str, int] = {}
    values = []
    for cells in table.rows:
        row = dict(zip(table.header, cells.cells, strict=True))
        item = find_item(row, cells.line, items, seen)
        for name in names:
            if (value := read_number(row, name, cells.line)) is not None:
                values.append(MetricValue(metric=metrics[name], item_id=item, value=value))
    store_values(values)
    return MetricCounts(len(seen), len(values), 0)


def read_metrics(content: bytes) -> Table:
    """The cells of the file; general problems are reported as for a table of items."""
    reading = Reading()
    table = read_cells(content, reading)
    for problem in reading.problems.listed:
        raise BadMetrics(f"{name_line(problem.line)}: {problem.reason}")
    for warning in reading.warnings.listed:  # a wrongly decoded name could be that of another metric
        raise BadMetrics(f"{warning.reason} " + _("Save the file as UTF-8."))
    assert table is not None
    return table


def name_line(line: int) -> str:
    return str(_("Line %(line)d") % {"line": line} if line else _("The file"))


def read_metric_names(header: Sequence[str]) -> list[str]:
    names = [name for name in header if name != ITEM]
    if ITEM not in header or not names:
        raise BadMetrics(_("The file needs the column item_id and one column per metric, named after the metric."))
    computed = list_computable()
    for name in names:
        if name in computed:
            raise BadMetrics(_("“%(name)s” is computed by Lesart. Rename the column.") % {"name": name})
    return names


def find_item(row: Mapping[str, str], line: int, items: Mapping[str, int], seen: dict[str, int]) -> int:
    values: dict[str, Any] = {"line": line, "name": make_printable(row[ITEM])}
    if row[ITEM] not in items:
        raise BadMetrics(_("Line %(line)d: the project has no item “%(name)s”.") % values)
    first = seen.setdefault(row[ITEM], line)
    if first != line:
        values["first"] = first
        raise BadMetrics(_("Line %(line)d: the item “%(name)s” already occurs in line %(first)d.") % values)
    return items[row[ITEM]]


def read_number(row: Mapping[str, str], name: str, line: int) -> float | None:
    if not (cell := row[name]):
        return None
    try:
        value = float(cell) if cell.isascii() and "_" not in cell else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        values = {"line": line, "name": name, "cell": make_printable(cell, 40)}
        raise BadMetrics(
            _("Line %(line)d, %(name)s: “%(cell)s” is not a number. Leave the cell empty if there is no value.")
            % values
        )
    return value


FIELDS = {
    "text_id": "item__text__external_id",
    "item_id": "item__external_id",
    "item_version": "item__version",
    "generator": "item__generator__name",
    "metric": "metric__name",
    "is_computed": "metric__is_computed",
    "value": "value",
    "reason": "reason",
}
METRIC_COLUMNS = tuple(FIELDS)
CHUNK = 2000


def iter_metric_rows(study: Study) -> Iterator[dict[str, Any]]:
    """One mapping per item of the study and metric, with the columns of `METRIC_COLUMNS`, in the study's order."""
    values = MetricValue.objects.filter(item__unit_items__unit__study=study)
    ordered = values.order_by("item__unit_items__unit__position", "item__unit_items__position", "metric")
    for row in ordered.values_list(*map(F, FIELDS.values())).iterator(chunk_size=CHUNK):
        yield dict(zip(METRIC_COLUMNS, row, strict=True))


def get_metric_families(study: Study) -> dict[str, str]:
    """The metrics with values for the study's items, in the project's order, with their base models' families."""
    known = Metric.objects.filter(values__item__unit_items__unit__study=study).order_by("pk").distinct()
    return dict(known.values_list("name", "family"))


def get_metrics_state(study: Study) -> list[Any]:
    """A value that changes whenever a metric value of the study's items does; for caches."""
    values = MetricValue.objects.filter(item__unit_items__unit__study=study)
    changed = Metric.objects.filter(project=study.project).aggregate(last=Max("changed_at"))["last"]
    return [*values.aggregate(n=Count("pk"), last=Max("pk")).values(), str(changed)]


def group_values(items: Iterable[Item]) -> dict[int, list[MetricValue]]:
    """The values of each item, by primary key, with one query."""
    found: dict[int, list[MetricValue]] = {}
    keys = [item.pk for item in items]
    for value in MetricValue.objects.filter(item__in=keys).select_related("metric").order_by("metric"):
        found.setdefault(value.item_id, []).append(value)
    return found


REASONS = (
    gettext_noop("The question contains no words."),
    gettext_noop("This text has no reference question."),
    gettext_noop("The question has no key and no expected answer."),
    gettext_noop("The formula does not apply to the language of the text."),
)
