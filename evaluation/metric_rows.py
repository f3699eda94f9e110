"""Metric values as rows of an export, and beside the items of a page."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Count, F, Max

from evaluation.models import Metric, MetricValue
from items.models import Item
from studies.models import Study

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
COLUMNS = tuple(FIELDS)
CHUNK = 2000


def metric_rows(study: Study) -> Iterator[dict[str, Any]]:
    """One mapping per item of the study and metric, with the columns of `COLUMNS`, in the study's order."""
    values = MetricValue.objects.filter(item__unit_items__unit__study=study)
    ordered = values.order_by("item__unit_items__unit__position", "item__unit_items__position", "metric")
    for row in ordered.values_list(*map(F, FIELDS.values())).iterator(chunk_size=CHUNK):
        yield dict(zip(COLUMNS, row, strict=True))


def metric_families(study: Study) -> dict[str, str]:
    """The metrics of which the study's items have values, in the project's order, with their base models' families."""
    known = Metric.objects.filter(values__item__unit_items__unit__study=study).order_by("pk").distinct()
    return dict(known.values_list("name", "family"))


def state_of_metrics(study: Study) -> list[Any]:
    """What changes whenever a metric value of the study's items does; for caches."""
    values = MetricValue.objects.filter(item__unit_items__unit__study=study)
    changed = Metric.objects.filter(project=study.project).aggregate(last=Max("changed_at"))["last"]
    return [*values.aggregate(n=Count("pk"), last=Max("pk")).values(), str(changed)]


def values_by_item(items: Iterable[Item]) -> dict[int, list[MetricValue]]:
    """The values of each item, by primary key, with one query."""
    found: dict[int, list[MetricValue]] = {}
    keys = [item.pk for item in items]
    for value in MetricValue.objects.filter(item__in=keys).select_related("metric").order_by("metric"):
        found.setdefault(value.item_id, []).append(value)
    return found
