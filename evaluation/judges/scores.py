"""Scores on dimensions: one call per item and dimension, with the anchors of the levels from the study's wording."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_noop

from evaluation.judges.base import (
    LABEL_PARAMS,
    Judge,
    JudgeQuestion,
    JudgeSetting,
    build_request,
    format_question,
    get_item,
    read_key,
    render_item,
    store_judgment,
)
from evaluation.judges.prompts import JudgePrompts
from evaluation.judges.scale import Scale, format_score, make_scale, read_score
from evaluation.metric_values import ensure_metric, store_values
from evaluation.models import Metric, MetricValue
from evaluation.setting import LABEL
from items.models import Item
from llm.answers import read_shares
from llm.models import Call, Run
from llm.registry import Request, Unparsable
from studies.prompts import fill_template
from studies.protocols import Question
from studies.services.evaluating import list_judged_questions
from studies.services.stage_form import find_wording

NO_SCORE = gettext_noop("The model gave no score.")


def name_column(judge: str, dimension: str) -> str:
    return f"{judge}:{dimension}"


def write_columns(setting: JudgeSetting, run: Run) -> None:
    """Store, by item and dimension, the mean of the readable scores; undefined if there are none."""
    metrics: dict[str, Metric] = {}
    values = []
    for key, scores in collect_scores(run).items():
        asked = read_key(setting, key)
        assert asked.about.item_id is not None  # see `check_columns`
        name = name_column(setting.column, asked.question)
        if name not in metrics:
            metrics[name] = ensure_metric(setting.study.project, name, is_computed=True)
        mean = sum(scores) / len(scores) if scores else None
        reason = "" if scores else NO_SCORE
        values.append(MetricValue(metric=metrics[name], item_id=asked.about.item_id, value=mean, reason=reason))
    store_values(values)


def collect_scores(run: Run) -> Mapping[str, list[float]]:
    """The scores by key of a call, in the order of the plan; an empty list if no reply could be read."""
    found: dict[str, list[float]] = {key: [] for key in list_planned_keys(run)}
    read = Call.objects.good().filter(run=run).order_by("position", "sample", "turn")
    for key, parsed in read.values_list("key", "parsed").iterator(chunk_size=2000):
        found[key].append(parsed["score"])
    return found


def list_planned_keys(run: Run) -> Iterator[str]:
    return iter(run.calls.filter(turn=0, sample=0).order_by("position").values_list("key", flat=True))


class Scores(Judge):
    """A whole score on the study's scale is an answer; any other number goes into a metric column."""

    def plan(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        for about in setting.subjects:
            asked = list_judged_questions(setting.stage)
            for question in setting.stage.applicable_questions(about.has_expected_answer):
                if question in asked and setting.prompts.asks_about(question.name):
                    yield JudgeQuestion(about, question.name)

    def build_requests(self, setting: JudgeSetting, asked: Sequence[JudgeQuestion]) -> list[Request]:
        items = setting.items_of(each.about for each in asked)
        params = LABEL_PARAMS | {"temperature": setting.temperature}
        return [
            build_request(self.render_words(setting, each, items), params, render_system(setting, each))
            for each in asked
        ]

    def render_words(self, setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item]) -> str:
        item = get_item(items, asked.about.item_id)
        shown = render_item(setting.prompts, setting.stage, setting.wording, item, f"{setting.study.seed}/{item.pk}")
        question = setting.stage.question(asked.question)
        return render_rating_prompt(setting.prompts, setting.wording, item, shown, question, setting.scale)

    def read(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run, call: Call) -> dict[str, Any]:
        score = read_judge_score(setting, asked, call)
        if setting.annotator_id is not None:
            store_judgment(setting, asked.about, {asked.question: score["score"]})
        return score

    def find_second_prompt(self, setting: JudgeSetting, asked: JudgeQuestion) -> str | None:
        """The prompt after a reply without a score. None with samples or probabilities, which it would change."""
        if setting.reading != LABEL or setting.samples:
            return None
        return setting.prompts.fill("again", **get_scale(setting, asked).ends)

    def finish(self, setting: JudgeSetting, run: Run) -> None:
        if setting.annotator_id is None:
            write_columns(setting, run)


def get_scale(setting: JudgeSetting, asked: JudgeQuestion) -> Scale:
    """The judge's own scale, or else the study's."""
    return setting.scale or get_study_scale(setting.stage.question(asked.question))


def get_study_scale(question: Question) -> Scale:
    return make_scale(sorted(map(int, question.levels)))


def render_system(setting: JudgeSetting, asked: JudgeQuestion) -> str:
    words = find_wording(setting.stage.question(asked.question), setting.wording)
    about = {"dimension": words.get("title", asked.question), "help": words.get("help", "")}
    return fill_template(setting.prompts.system, {**about, **get_scale(setting, asked).ends})


def read_judge_score(setting: JudgeSetting, asked: JudgeQuestion, call: Call) -> dict[str, Any]:
    """The score in the reply, or its expected value from the digits' probabilities; `Unparsable` if there is none."""
    scale = get_scale(setting, asked)
    words = find_wording(setting.stage.question(asked.question), setting.wording)
    read = read_score(call.answer, scale, words.get("title", asked.question))
    if setting.reading == LABEL:
        if read.score is None:
            raise Unparsable(read.reason)
        return {"score": read.score}
    shares = read_shares(call.answer_logprobs, [format_score(level) for level in scale.levels], read.label or None)
    if shares.shares is None:
        raise Unparsable(shares.reason)
    expected = sum(int(label) * share for label, share in shares.shares.items())
    return {"score": expected, "label mass": shares.mass, "little label mass": shares.is_flagged}


def render_rating_prompt(
    prompts: JudgePrompts,
    wording: Mapping[str, Any],
    item: Item,
    shown: Mapping[str, str],
    question: Question,
    own: Scale | None,
) -> str:
    """The prompt about one item on one dimension; `shown`: see `render_item`."""
    words, bounds = find_wording(question, wording), (own or get_study_scale(question)).ends
    return prompts.rate_with_text(
        question.name,
        title=item.text.title,
        body=item.text.body,
        asked=format_question(words, question),
        dimension=words.get("title", question.name),
        help=words.get("help", ""),
        levels=prompts.fill("own_scale", **bounds)
        if own and "own_scale" in prompts.parts
        else render_levels(words, wording, question),
        **shown,
        **bounds,
    )


def render_levels(words: Mapping[str, Any], wording: Mapping[str, Any], question: Question) -> str:
    """Each level of the scale with its words in the study's wording, one per line, in the wording's order."""
    entries = words.get("levels") or wording.get("levels") or []
    known = {entry["value"]: entry for entry in entries}
    order = [entry["value"] for entry in entries if entry["value"] in question.levels]
    if len(order) < len(question.levels):  # only its ends are named
        order = sorted(question.levels, reverse=order[:1] == [max(question.levels)])
    return "\n".join(render_level(level, known.get(level, {})) for level in order)


def render_level(level: int, entry: Mapping[str, Any]) -> str:
    meaning = ": ".join(entry[name] for name in ("label", "anchor") if entry.get(name))
    return f"{level} = {meaning}" if meaning else str(level)
