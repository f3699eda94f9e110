"""Models answer a study: one call per option and stage, read as a label or as p(true), or one call per item and
stage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.letters import list_options, read_letters
from evaluation.models import RUN_KIND, Evaluator
from evaluation.setting import LABEL, LETTERS, ItemPosition, QuestionSetting, StudySetting, load_setting, read_key
from items.models import Item, Option, Text
from llm.answers import MASS_MISSING, LabelProbability, read_label, read_probability
from llm.models import Call, Run
from llm.registry import Request, RunKind, Unparsable
from studies.services.evaluating import OptionJudgments, close_answered, close_stage, is_answered, store_judgments


@dataclass(frozen=True)
class Judgment:
    """Whether a reply calls one option correct, the label written in it, and p(true)."""

    ticked: bool
    label: str | None
    p: LabelProbability


def read_judgment(setting: QuestionSetting, stage: str, text: str, logprobs: Sequence[Any] | None) -> Judgment:
    """The judgment in the reply about one option; `Unparsable` if it is unclear.

    As published, only the likeliest variant of each label counts, and p(true) is used however small their mass is.
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


def read_letter_judgments(setting: StudySetting, item_id: int, text: str) -> dict[int, bool]:
    """The judgments in the reply about all options of an item: option -> ticked; `Unparsable` if unclear."""
    order = setting.order_of(item_id)
    reading = read_letters(text, len(order))
    if reading.places is None:
        raise Unparsable(reading.reason)
    return {option: place in reading.places for place, option in enumerate(order)}


# Enough for a label and a few words around it; a cut-off reply is requested again with more.
MAX_TOKENS = 32
MAX_TOKENS_PUBLISHED = 10
PARAMS = {"temperature": 0, "max_tokens": MAX_TOKENS, "logprobs": True, "top_logprobs": 20}
AS_PUBLISHED = PARAMS | {"max_tokens": MAX_TOKENS_PUBLISHED}
TICKED, P_TRUE = "judged correct", "p(true)"  # names in the description of a reply


class EvaluationRunKind(RunKind):
    kind = RUN_KIND
    label = gettext_noop("Evaluation")

    def get_setting(self, run: Run) -> Any:
        return load_setting(run)

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        setting = self.get_setting(run)
        return ((key, setting.sample) for key in setting.call_keys())

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        setting, asked = self.get_setting(run), [read_key(key) for key, _sample in pairs]
        if setting.answering == LETTERS:
            return build_letter_requests(setting, asked)
        options = Option.objects.select_related("item").in_bulk({option for _stage, option in asked})
        texts = Text.objects.in_bulk({option.item.text_id for option in options.values()})
        texts = {pk: text.in_version(setting.text_version) for pk, text in texts.items()}
        return [build_request(setting, stage, options.get(pk), texts) for stage, pk in asked]

    def read(self, run: Run, call: Call) -> Any:
        setting, (stage, number) = self.get_setting(run), read_key(call.key)
        if setting.answering == LETTERS:
            ticks = read_letter_judgments(setting, number, call.answer)
            store_answer(setting, stage, setting.places[number], ticks, {})
            return {TICKED: list(ticks.values())}
        found = read_judgment(setting, stage, call.answer, call.answer_logprobs)
        probability = {} if found.p.p is None else {number: found.p.p}
        store_answer(setting, stage, setting.place_of_option[number], {number: found.ticked}, probability)
        return describe_judgment(found)

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """Ask once more for a label alone; not for p(true), where other words would be another measure."""
        setting = self.get_setting(run)
        if setting.reading != LABEL or setting.as_published:
            return None
        values = {"role": "assistant", "content": call.answer}
        again = {"role": "user", "content": setting.prompts.again}
        return Request([*(call.messages or []), values, again], build_params(setting))

    def conclude(self, run: Run) -> None:
        """Close the assignments: two workers may each have missed the other's last answer, and now no call is open."""
        evaluator = (
            Evaluator.objects.select_related("annotator__study").filter(annotator=run.params["annotator"]).first()
        )
        if evaluator is not None:
            close_answered(evaluator.annotator, evaluator.stages)

    def may_follow_up(self, run: Run, call: Call) -> bool:
        return not self.get_setting(run).as_published

    def url(self, run: Run) -> str | None:
        return reverse("study_evaluators", args=[self.get_setting(run).study.slug])


def build_request(setting: StudySetting, stage: str, option: Option | None, texts: dict[int, Text]) -> Request:
    """One user message: the stem and one option, and the text only in a stage that shows it."""
    if option is None:
        raise ValueError(_("The option is no longer in the project, so it cannot be used."))
    item, text = option.item, texts[option.item.text_id]
    words = setting.prompts.render(stage, title=text.title, body=text.body, question=item.stem, option=option.text)
    return make_request(setting, words, (setting.prompts.correct, setting.prompts.incorrect))


def build_letter_requests(setting: StudySetting, asked: Sequence[tuple[str, int]]) -> list[Request]:
    """One user message per item: the stem and all options with letters."""
    items = Item.objects.select_related("text").prefetch_related("options").in_bulk({item for _stage, item in asked})
    return [build_letter_request(setting, stage, items.get(pk)) for stage, pk in asked]


def build_letter_request(setting: StudySetting, stage: str, item: Item | None) -> Request:
    if item is None:
        raise ValueError(_("The item is no longer in the project, so it cannot be used."))
    wordings = {option.pk: option.text for option in item.options.all()}
    order = setting.order_of(item.pk)
    options = list_options(wordings[pk] for pk in order)
    text = item.text.in_version(setting.text_version)
    words = setting.prompts.render(stage, title=text.title, body=text.body, question=item.stem, options=options)
    return make_request(setting, words)


def make_request(setting: QuestionSetting, words: str, labels: tuple[str, ...] = ()) -> Request:
    """One user message. As published, its limit of ten tokens is part of the measure, and so never raised."""
    return Request([{"role": "user", "content": words}], build_params(setting), labels, setting.as_published)


def build_params(setting: QuestionSetting) -> dict[str, Any]:
    return (AS_PUBLISHED if setting.as_published else PARAMS) | {"temperature": setting.temperature}


def store_answer(
    setting: StudySetting, stage: str, place: ItemPosition, ticks: dict[int, bool], probability: dict[int, float]
) -> None:
    """Store the answers with the same service as people's. Existing answers stay."""
    assignment = setting.assignments[place.unit_id]
    judged = OptionJudgments(place.item_id, ticks, probability)
    store_judgments(assignment, setting.stages[stage], [judged], {place.item_id: place.options})
    if is_answered(assignment, stage, place.n_in_unit):
        stages = Evaluator.objects.get(annotator=assignment.annotator).stages  # read again: one may have been added
        close_stage(assignment, stages, place.n_in_unit)


def describe_judgment(judgment: Judgment) -> dict[str, Any]:
    """The description of a judgment that is stored beside its reply."""
    p = judgment.p
    found: dict[str, Any] = {"label": judgment.label, TICKED: judgment.ticked, P_TRUE: p.p}
    if p.p is not None:
        found |= {"label mass": p.mass, "little label mass": p.is_flagged}
    if p.missing:
        found |= {"label not returned": ", ".join(p.missing), "p(true) from": p.low, "p(true) to": p.high}
    return found
