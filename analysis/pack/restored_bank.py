"""Texts, items, generators, corrections and metrics of a pack as rows of an empty project."""

import csv
import io
import math
from collections.abc import Callable, Iterable
from dataclasses import fields
from datetime import datetime
from functools import partial
from math import isfinite
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from analysis.pack.archive import BadPack, PackReader
from evaluation.models import MAX_METRIC_NAME, Metric, MetricValue
from evaluation.services.calls import POSITION, PositionBias
from evaluation.services.evaluators import ALL_TEXTS, SEEN
from evaluation.setting import READERS
from items.models import MAX_ID, Generator, GeneratorKind, Item, KeyCorrection, Option, Text
from items.plain import make_printable, unescape_formula
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from llm.request_options import OPTIONS, Effort, check_extra
from projects.models import Project
from studies.services.responses.rows import BadCell, parse_time

BATCH = 500


def restore_bank(pack: PackReader, project: Project) -> dict[str, Item]:
    """Store the bank; returns the items by id, with text, generator and options. `BadPack` for what no bank can hold.

    In an archive of a project, texts and items of an earlier study exist already; later wordings are new versions.
    """
    restore_generators(pack, project)
    restore_items(pack, project)
    items = Item.objects.current().filter(project=project)
    found = items.select_related("text", "generator").prefetch_related("options")
    by_id = {item.external_id: item for item in found}
    restore_corrections(pack, by_id)
    restore_metrics(pack, project, by_id)
    return by_id


def restore_items(pack: PackReader, project: Project) -> None:
    reading = read_bank_file(pack.read("bank/items.jsonl"), "lesart", name="items.jsonl")
    try:
        import_items(project, reading, ImportOptions(update=True), filename="items.jsonl")
    except ImportRefused as refused:
        first = refused.plan.problems.listed[0]
        values = {"line": first.line, "reason": first.reason}
        raise BadPack(_("bank/items.jsonl, line %(line)s: %(reason)s") % values) from None
    restore_versions(pack, project)


def restore_generators(pack: PackReader, project: Project) -> None:
    """Store the generators in the order of the pack, because tables list them in the order of the bank."""
    for entry in pack.lines("bank/generators.jsonl"):
        name, kind = read_string(entry, "name", MAX_ID), read_string(entry, "kind", 20)
        if kind not in GeneratorKind.values:
            raise BadPack(_("“%(kind)s” is not a kind of generator.") % {"kind": make_printable(kind)})
        factors = entry.get("factors")
        words = read_string(entry, "description", 100_000)
        about = {"kind": kind, "description": words, "factors": factors if isinstance(factors, dict) else {}}
        Generator.objects.get_or_create(project=project, name=name, defaults=about)


def restore_versions(pack: PackReader, project: Project) -> None:
    entry = pack.object("bank/versions.json")
    for model, versions in ((Text, entry.get("texts")), (Item, entry.get("items"))):
        for name, version in (versions or {}).items():
            if isinstance(version, int) and 0 < version < 10_000:
                model.objects.current().filter(project=project, external_id=name).update(version=version)


def restore_corrections(pack: PackReader, items: dict[str, Item]) -> None:
    for entry in pack.lines("bank/key_corrections.jsonl"):
        item, made_at = find_item(items, entry.get("item_id")), read_time(entry, "made_at")
        about = {
            "option_external_id": read_string(entry, "option_id", MAX_ID),
            "correct": entry.get("correct") is True,
        }
        same = {"item__project": item.project_id, "item__external_id": item.external_id, "made_at": made_at}
        if not KeyCorrection.objects.filter(**about, **same).exists():  # another study of the project has it too
            made = KeyCorrection.objects.create(item=item, reason=read_string(entry, "reason", 100_000), **about)
            KeyCorrection.objects.filter(pk=made.pk).update(made_at=made_at or made.made_at)


def restore_metrics(pack: PackReader, project: Project, items: dict[str, Item]) -> None:
    """Store metrics and their values. The file repeats the values of an item that belongs to several units."""
    rows = read_metric_rows(pack)
    names = map_old_metric_names(rows)
    metrics = {
        each.name: each for each in map(partial(restore_metric, project, names), read_lines(pack, "bank/metrics.jsonl"))
    }
    values: dict[tuple[int, int], MetricValue] = {}
    for row in rows:
        name = read_string(row, "metric", MAX_METRIC_NAME)
        name = names.get(name, name)
        if name not in metrics:
            about = {"is_computed": row.get("is_computed") == "true"}
            metrics[name], _is_new = Metric.objects.get_or_create(project=project, name=name, defaults=about)
        item = find_item(items, row.get("item_id"))
        values[metrics[name].pk, item.pk] = MetricValue(
            metric=metrics[name], item=item, value=read_number(row, "value"), reason=read_string(row, "reason", 200)
        )
    MetricValue.objects.bulk_create(values.values(), batch_size=BATCH, ignore_conflicts=True)


def read_lines(pack: PackReader, name: str) -> Iterable[dict[str, Any]]:
    """The lines of a file; none if the pack lacks it, as packs of earlier versions may."""
    return pack.lines(name) if pack.has(name) else ()


def read_metric_rows(pack: PackReader) -> list[dict[str, str]]:
    lines = csv.DictReader(io.StringIO(pack.read("bank/metrics.csv").decode(), newline=""))
    return [{name: unescape_formula(cell or "") for name, cell in cells.items() if name} for cells in lines]


def map_old_metric_names(rows: list[dict[str, str]]) -> dict[str, str]:
    """New names for the BLEU-4 and ROUGE-L of earlier packs, which split words differently from the published ones.

    Later packs have both variants if they were computed.
    """
    computed = {row.get("metric"): row.get("is_computed") == "true" for row in rows}
    renamed = {name: f"{name} (words)" for name in ("BLEU-4", "ROUGE-L")}
    return {old: new for old, new in renamed.items() if computed.get(old) and new not in computed}


def restore_metric(project: Project, names: dict[str, str], entry: dict[str, Any]) -> Metric:
    """The metric of an entry, which is stored if the project lacks it. names: new names for some metrics."""
    name, family = read_string(entry, "metric", MAX_METRIC_NAME), read_string(entry, "family", 100)
    about = {"is_computed": entry.get("is_computed") is True, "family": family}
    return Metric.objects.get_or_create(project=project, name=names.get(name, name), defaults=about)[0]


def find_item(items: dict[str, Item], name: Any) -> Item:
    if name not in items:
        raise BadPack(_("The pack refers to the item “%(item)s”, but does not contain it.") % {"item": show_name(name)})
    return items[name]


def find_option(item: Item, name: Any) -> Option:
    found = {option.external_id: option for option in item.options.all()}
    if name not in found:
        raise BadPack(_("The pack refers to the option “%(option)s” of “%(item)s”, but does not contain it.")
                      % {"option": show_name(name), "item": show_name(item.external_id)})  # fmt: skip
    return found[name]


def read_string(entry: dict[str, Any], name: str, longest: int) -> str:
    """A text field, "" if it is missing."""
    value = entry.get(name) or ""
    if not isinstance(value, str) or len(value) > longest or "\0" in value:
        raise BadPack(_("A field of the pack is not a text, or is too long: %(name)s.") % {"name": name})
    return value


def read_count(entry: dict[str, Any], name: str) -> int:
    """A field with a whole number from 0."""
    value = entry.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise BadPack(_("A field of the pack is not a whole number: %(name)s.") % {"name": name})
    return value


def read_number(entry: dict[str, Any], name: str) -> float | None:
    written = entry.get(name) or ""
    try:
        value = float(written) if written else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise BadPack(_("A field of the pack is not a number: %(name)s.") % {"name": name})
    return value


def read_time(entry: dict[str, Any], name: str) -> datetime | None:
    """A field with a time, None if it is missing."""
    try:
        return parse_time(name, read_string(entry, name, 40))
    except BadCell:
        raise BadPack(_("A field of the pack is not a time: %(name)s.") % {"name": name}) from None


def show_name(name: Any) -> str:
    return make_printable(str(name), 200)


def read_evaluator_params(entry: Any, who: str) -> dict[str, Any]:
    """The settings of an evaluator; `BadPack` for impossible ones."""
    if not isinstance(entry, dict):
        raise BadPack(explain_bad_annotator(who))
    for name, value in entry.items():
        if not SHAPES.get(name, is_plain)(value):
            words = _("The pack contains invalid settings for the evaluator “%(who)s”: %(name)s.")
            raise BadPack(words % {"who": show_name(who), "name": show_name(name)})
    return entry


def explain_bad_annotator(who: str) -> str:
    return _("The pack contains invalid data about the annotator “%(who)s”.") % {"who": show_name(who)}


def is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | bool) or is_number(value)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 and isfinite(value)


def is_count(value: Any) -> bool:
    return is_whole(value) and value < 10_000


def is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31


def are_thresholds(value: Any) -> bool:
    return isinstance(value, dict) and all(map(is_number, value.values()))


def is_tuning(value: Any) -> bool:
    """Nothing, or the study on which thresholds were chosen, with the curve of each stage."""
    if not value:
        return value is None or value == {}
    stages = value.get("stages") if isinstance(value, dict) else None
    return isinstance(stages, dict) and isinstance(value.get("study"), str) and all(map(is_curve, stages.values()))


def is_curve(facts: Any) -> bool:
    return (
        isinstance(facts, dict)
        and is_number(facts.get("threshold"))
        and is_number(facts.get("accuracy"))
        and isinstance(facts.get("curve"), list)
        and all(isinstance(step, list) and len(step) == 3 and all(map(is_number, step)) for step in facts["curve"])
    )


def is_position(value: Any) -> bool:
    names = {each.name for each in fields(PositionBias)}
    return isinstance(value, dict) and set(value) == names and all(map(is_whole, value.values()))


def are_options(value: Any) -> bool:
    """The request options sent with the prompt."""
    if not isinstance(value, dict) or not set(value) <= {"max_tokens", "reasoning_effort", "extra"}:
        return False
    try:
        check_extra(value.get("extra", {}))
    except ValidationError:
        return False
    effort = value.get("reasoning_effort", "")
    return is_whole(value.get("max_tokens", 0)) and (effort == "" or effort in Effort.values)


def are_seen_texts(value: Any) -> bool:
    """All texts, or those with these ids."""
    return value == ALL_TEXTS or (isinstance(value, list) and all(isinstance(each, str) for each in value))


SHAPES: dict[str, Callable[[Any], bool]] = {
    "as_published": lambda value: isinstance(value, bool),
    "answering": lambda value: isinstance(value, str) and value in READERS,
    "temperature": is_number,
    "sample": is_count,
    "thresholds": are_thresholds,
    "tuning": is_tuning,
    POSITION: is_position,
    OPTIONS: are_options,
    SEEN: are_seen_texts,
}
