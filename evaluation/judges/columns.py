"""Scores that are no answers: a scale of the judge's own, means of samples, expected values. One column a dimension."""

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext_noop

from evaluation.judges.setting import JudgeSetting, read_key
from evaluation.models import Metric, MetricValue
from evaluation.services.metrics import metric_called, store
from llm.models import Call, Run

NO_SCORE = gettext_noop("The model gave no score.")


def column_name(judge: str, dimension: str) -> str:
    return f"{judge}:{dimension}"


def write_columns(setting: JudgeSetting, run: Run) -> None:
    """Of each item and dimension the mean of the scores that could be read; undefined where none could."""
    metrics: dict[str, Metric] = {}
    values = []
    for key, scores in scores_by_key(run).items():
        asked = read_key(setting, key)
        name = column_name(setting.column, asked.question)
        if name not in metrics:
            metrics[name] = metric_called(setting.study.project, name, is_computed=True)
        mean = sum(scores) / len(scores) if scores else None
        reason = "" if scores else NO_SCORE
        values.append(MetricValue(metric=metrics[name], item_id=asked.about.item_id, value=mean, reason=reason))
    store(values)


def scores_by_key(run: Run) -> Mapping[str, list[float]]:
    """In the order of the plan; empty where no reply could be read."""
    found: dict[str, list[float]] = {key: [] for key in planned_keys(run)}
    read = Call.objects.good().filter(run=run).order_by("position", "sample", "turn")
    for key, parsed in read.values_list("key", "parsed").iterator(chunk_size=2000):
        found[key].append(parsed["score"])
    return found


def planned_keys(run: Run) -> Iterator[str]:
    return iter(run.calls.filter(turn=0, sample=0).order_by("position").values_list("key", flat=True))
