"""Models answer a study: one call per option and setting, read as label or as p(true), or one per item and setting."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.judging import Judgment, judge, judge_letters
from evaluation.letters import listing
from evaluation.models import Evaluator
from evaluation.services.evaluators import RUN_KIND
from evaluation.setting import LABEL, LETTERS, Place, Setting, read_key, setting_of
from items.models import Item, Option, Text
from llm.models import Call, Run
from llm.registry import Door, Request
from studies.services.evaluating import Judged, close_answered, close_stage, is_answered, store_judgments

# A label and a few words around it; the engine doubles it once for a reply that was cut off.
MAX_TOKENS = 32
MAX_TOKENS_PUBLISHED = 10
PARAMS = {"temperature": 0, "max_tokens": MAX_TOKENS, "logprobs": True, "top_logprobs": 20}
AS_PUBLISHED = PARAMS | {"max_tokens": MAX_TOKENS_PUBLISHED}


class EvaluationDoor(Door):
    kind = RUN_KIND
    label = gettext_noop("Evaluation")

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        setting = setting_of(run)
        return ((key, setting.sample) for key in setting.call_keys())

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        setting, asked = setting_of(run), [read_key(key) for key, _sample in pairs]
        if setting.answering == LETTERS:
            return letter_requests(setting, asked)
        options = Option.objects.select_related("item").in_bulk({option for _stage, option in asked})
        texts = Text.objects.in_bulk({option.item.text_id for option in options.values()})
        return [request_for(setting, stage, options.get(pk), texts) for stage, pk in asked]

    def read(self, run: Run, call: Call) -> Any:
        setting, (stage, number) = setting_of(run), read_key(call.key)
        if setting.answering == LETTERS:
            ticks = judge_letters(setting, number, call.text or "")
            store(setting, stage, setting.places[number], ticks, {})
            return {"judged correct": list(ticks.values())}
        found = judge(setting, stage, call.text or "", call.logprobs)
        probability = {} if found.p.p is None else {number: found.p.p}
        store(setting, stage, setting.place_of_option[number], {number: found.ticked}, probability)
        return shown(found)

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """Asks for a lone label once; where p(true) is read, other words would be another measure."""
        setting = setting_of(run)
        if setting.reading != LABEL or setting.as_published:
            return None
        said = {"role": "assistant", "content": call.text}
        again = {"role": "user", "content": setting.prompts.again}
        return Request([*(call.messages or []), said, again], params_of(setting))

    def finished(self, run: Run) -> None:
        """Two workers may each have missed the other's last answer to a text; now nothing is on its way."""
        evaluator = (
            Evaluator.objects.select_related("annotator__study").filter(annotator=run.params["annotator"]).first()
        )
        if evaluator is not None:
            close_answered(evaluator.annotator, evaluator.stages)

    def may_follow_up(self, run: Run, call: Call) -> bool:
        return not setting_of(run).as_published

    def url(self, run: Run) -> str | None:
        return reverse("study_evaluators", args=[setting_of(run).study.slug])


def request_for(setting: Setting, stage: str, option: Option | None, texts: dict[int, Text]) -> Request:
    """One user message: the stem and one option, and the text only in a stage that shows it."""
    if option is None:
        raise ValueError(_("The option is no longer in the bank, so it cannot be asked about."))
    item, text = option.item, texts[option.item.text_id]
    words = setting.prompts.render(stage, title=text.title, body=text.body, question=item.stem, option=option.text)
    return asked_with(setting, words, (setting.prompts.correct, setting.prompts.incorrect))


def letter_requests(setting: Setting, asked: Sequence[tuple[str, int]]) -> list[Request]:
    """One user message an item: the stem and all options under letters."""
    items = Item.objects.select_related("text").prefetch_related("options").in_bulk({item for _stage, item in asked})
    return [letter_request(setting, stage, items.get(pk)) for stage, pk in asked]


def letter_request(setting: Setting, stage: str, item: Item | None) -> Request:
    if item is None:
        raise ValueError(_("The item is no longer in the bank, so it cannot be asked about."))
    wordings = {option.pk: option.text for option in item.options.all()}
    order = setting.order_of(item.pk)
    options = listing(wordings[pk] for pk in order)
    text = item.text
    words = setting.prompts.render(stage, title=text.title, body=text.body, question=item.stem, options=options)
    return asked_with(setting, words)


def asked_with(setting: Setting, words: str, labels: tuple[str, ...] = ()) -> Request:
    return Request([{"role": "user", "content": words}], params_of(setting), labels)


def params_of(setting: Setting) -> dict[str, Any]:
    return (AS_PUBLISHED if setting.as_published else PARAMS) | {"temperature": setting.temperature}


def store(setting: Setting, stage: str, place: Place, ticks: dict[int, bool], probability: dict[int, float]) -> None:
    """The answers, through the gate of people. One that is there stays."""
    assignment = setting.assignments[place.unit_id]
    judged = Judged(place.item_id, ticks, probability)
    store_judgments(assignment, setting.stages[stage], [judged], {place.item_id: place.options})
    if is_answered(assignment, stage, place.n_in_unit):
        stages = Evaluator.objects.get(annotator=assignment.annotator).stages  # as they are now: one may have come
        close_stage(assignment, stages, place.n_in_unit)


def shown(judgment: Judgment) -> dict[str, Any]:
    """What people see of a reply beside it."""
    p = judgment.p
    found: dict[str, Any] = {"label": judgment.label, "judged correct": judgment.ticked, "p(true)": p.p}
    if p.p is not None:
        found |= {"label mass": p.mass, "little label mass": p.is_flagged}
    if p.missing:
        found |= {"label not returned": ", ".join(p.missing), "p(true) from": p.low, "p(true) to": p.high}
    return found
