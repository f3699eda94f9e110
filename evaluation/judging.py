"""What a stored reply says under the rules of a setting: pure reading, so that the same reply can be read otherwise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.letters import read_letters
from evaluation.setting import LABEL, Setting
from llm.labels import read_label
from llm.probabilities import MASS_MISSING, LabelProbability, read_probability
from llm.registry import Unparsable


@dataclass(frozen=True)
class Judgment:
    """Whether a reply calls one option correct, the label written in it, and p(true)."""

    ticked: bool
    label: str | None
    p: LabelProbability


def judge(setting: Setting, stage: str, text: str, logprobs: Sequence[Any] | None) -> Judgment:
    """The reply about one option; `Unparsable` if it does not say.

    As published, the larger of a label's variants stands for them, and the ratio counts whatever mass they have.
    """
    prompts, published = setting.prompts, setting.as_published
    p = read_probability(
        logprobs, prompts.correct, prompts.incorrect, larger=published, least_mass=0 if published else MASS_MISSING
    )
    reading = read_label(text, [prompts.correct, prompts.incorrect])
    if setting.reading == LABEL:
        if reading.label is None:
            raise Unparsable(reading.reason)
        return Judgment(reading.label == prompts.correct, reading.label, p)
    if p.p is None:
        raise Unparsable(p.reason)
    return Judgment(p.p >= setting.thresholds[stage], reading.label, p)


def judge_letters(setting: Setting, item_id: int, text: str) -> dict[int, bool]:
    """The reply about all options of an item: option -> ticked; `Unparsable` if it does not say."""
    order = setting.order_of(item_id)
    reading = read_letters(text, len(order))
    if reading.places is None:
        raise Unparsable(reading.reason)
    return {option: place in reading.places for place, option in enumerate(order)}
