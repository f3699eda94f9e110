"""How models and baselines of a pack were asked and read: what tables and pages compute with has to have its shape."""

from collections.abc import Callable
from dataclasses import fields
from math import isfinite
from typing import Any

from django.utils.translation import gettext as _

from analysis.pack.reader import BadPack
from analysis.pack.restored_bank import shown
from evaluation.services.position import POSITION, Position
from evaluation.setting import READERS


def params_in(said: Any, who: str) -> dict[str, Any]:
    """The settings of an evaluator; `BadPack` for one that none can have."""
    if not isinstance(said, dict):
        raise BadPack(no_annotator(who))
    for name, value in said.items():
        if not SHAPES.get(name, is_plain)(value):
            words = _("The pack says of “%(who)s” what no evaluator can be: %(name)s.")
            raise BadPack(words % {"who": shown(who), "name": shown(name)})
    return said


def no_annotator(who: str) -> str:
    return _("The pack says of “%(who)s” what no annotator can be.") % {"who": shown(who)}


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
    names = {each.name for each in fields(Position)}
    return isinstance(value, dict) and set(value) == names and all(map(is_whole, value.values()))


SHAPES: dict[str, Callable[[Any], bool]] = {
    "as_published": lambda value: isinstance(value, bool),
    "answering": lambda value: isinstance(value, str) and value in READERS,
    "temperature": is_number,
    "sample": is_count,
    "thresholds": are_thresholds,
    "tuning": is_tuning,
    POSITION: is_position,
}
