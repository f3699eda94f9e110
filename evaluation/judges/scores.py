"""Scores on dimensions: one call per item and dimension, with the level anchors of the study's own wording."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.judges.base import LABEL_PARAMS, Judge, found, keep, said_by_user
from evaluation.judges.columns import write_columns
from evaluation.judges.prompts import JudgePrompts
from evaluation.judges.setting import Asked, JudgeSetting
from evaluation.setting import LABEL
from items.models import Item
from llm.labels import read_label
from llm.models import Call, Run
from llm.probabilities import read_shares
from llm.registry import Request, Unparsable
from studies.protocols import Question


class Scores(Judge):
    """A whole score on the study's scale is an answer; any other number is a value of a metric column."""

    def plan(self, setting: JudgeSetting) -> Iterator[Asked]:
        for about in setting.subjects:
            for question in setting.stage.about(about.has_expected_answer):
                yield Asked(about, question.name)

    def requests(self, setting: JudgeSetting, asked: Sequence[Asked]) -> list[Request]:
        items = setting.items_of(each.about for each in asked)
        params = LABEL_PARAMS | {"temperature": setting.temperature}
        return [said_by_user(self.words(setting, each, items), params) for each in asked]

    def words(self, setting: JudgeSetting, asked: Asked, items: dict[int, Item]) -> str:
        item = found(items, asked.about.item_id)
        return rated(setting.prompts, setting.wording, item, setting.stage.question(asked.question), setting.scale)

    def read(self, setting: JudgeSetting, asked: Asked, run: Run, call: Call) -> dict[str, Any]:
        said = score(setting, asked, call)
        if setting.annotator_id is not None:
            keep(setting, asked.about, {asked.question: said["score"]})
        return said

    def again(self, setting: JudgeSetting, asked: Asked) -> str | None:
        """Of samples, and where probabilities are read, other words would be another measure."""
        if setting.reading != LABEL or setting.samples:
            return None
        return setting.prompts.fill("again", **ends(scale_of(setting, asked)))

    def finish(self, setting: JudgeSetting, run: Run) -> None:
        if setting.annotator_id is None:
            write_columns(setting, run)


def scale_of(setting: JudgeSetting, asked: Asked) -> tuple[int, ...]:
    return scale(setting.stage.question(asked.question), setting.scale)


def scale(question: Question, own: int | None) -> tuple[int, ...]:
    """The judge's own scale from 1, or else the study's."""
    return tuple(range(1, own + 1)) if own else tuple(map(int, question.levels))


def ends(levels: Sequence[int]) -> dict[str, str]:
    return {"lowest": str(levels[0]), "highest": str(levels[-1])}


def score(setting: JudgeSetting, asked: Asked, call: Call) -> dict[str, Any]:
    """The score written, or its expected value by the digits' probabilities; `Unparsable` if there is none."""
    labels = [str(level) for level in scale_of(setting, asked)]
    written = read_label(call.text or "", labels)
    if setting.reading == LABEL:
        if written.label is None:
            raise Unparsable(written.reason)
        return {"score": int(written.label)}
    shares = read_shares(call.logprobs, labels, written.label)
    if shares.shares is None:
        raise Unparsable(shares.reason)
    expected = sum(int(label) * share for label, share in shares.shares.items())
    return {"score": expected, "label mass": shares.mass, "little label mass": shares.is_flagged}


def rated(prompts: JudgePrompts, wording: Mapping[str, Any], item: Item, question: Question, own: int | None) -> str:
    """The prompt about one item on one dimension."""
    words: Mapping[str, Any] = next(
        (entry for entry in wording.get("dimensions", []) if entry["name"] == question.name), {}
    )
    bounds = ends(scale(question, own))
    answer = item.expected_answer.strip()
    return prompts.about(
        "rate",
        title=item.text.title,
        body=item.text.body,
        question=item.stem,
        dimension=words.get("title", question.name),
        help=words.get("help", ""),
        levels=prompts.fill("own_scale", **bounds) if own else levels(words, wording, question),
        expected=prompts.fill("expected", answer=answer) if answer else "",
        **bounds,
    )


def levels(words: Mapping[str, Any], wording: Mapping[str, Any], question: Question) -> str:
    """Each step of the scale with what the study's wording says of it, one a line, in the wording's order."""
    entries = words.get("levels") or wording.get("levels") or []
    known = {entry["value"]: entry for entry in entries}
    order = [entry["value"] for entry in entries if entry["value"] in question.levels]
    order += [level for level in question.levels if level not in known]
    return "\n".join(level_line(level, known.get(level, {})) for level in order)


def level_line(level: int, entry: Mapping[str, Any]) -> str:
    meaning = ": ".join(entry[name] for name in ("label", "anchor") if entry.get(name))
    return f"{level} = {meaning}" if meaning else str(level)
