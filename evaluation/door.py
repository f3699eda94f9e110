"""Models answer a study: one call per option and setting, read as a label or as p(true)."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.models import Evaluator
from evaluation.services.evaluators import RUN_KIND
from evaluation.setting import LABEL, Setting, read_key, setting_of
from items.models import Option, Text
from llm.labels import read_label
from llm.models import Call, Run
from llm.probabilities import LabelProbability, read_probability
from llm.registry import Door, Request, Unparsable
from studies.services.evaluating import Judged, close_answered, close_stage, is_answered, store_judgments

# A label and a few words around it; the engine doubles it once for a reply that was cut off.
MAX_TOKENS = 32
PARAMS = {"temperature": 0, "max_tokens": MAX_TOKENS, "logprobs": True, "top_logprobs": 20}


class EvaluationDoor(Door):
    kind = RUN_KIND
    label = gettext_noop("Evaluation")

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        return ((key, 0) for key in setting_of(run).call_keys())

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        setting, asked = setting_of(run), [read_key(key) for key, _sample in pairs]
        options = Option.objects.select_related("item").in_bulk({option for _stage, option in asked})
        texts = Text.objects.in_bulk({option.item.text_id for option in options.values()})
        return [request_for(setting, stage, options.get(pk), texts) for stage, pk in asked]

    def read(self, run: Run, call: Call) -> Any:
        setting, (stage, option_id) = setting_of(run), read_key(call.key)
        p = read_probability(call.logprobs, setting.prompts.correct, setting.prompts.incorrect)
        ticked, label = judge(setting, stage, call.text or "", p)
        store(setting, stage, option_id, ticked, p.p)
        return shown(label, ticked, p)

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """Asks for a lone label once; where p(true) is read, other words would be another measure."""
        setting = setting_of(run)
        if setting.reading != LABEL:
            return None
        said = {"role": "assistant", "content": call.text}
        again = {"role": "user", "content": setting.prompts.again}
        return Request([*(call.messages or []), said, again], PARAMS)

    def finished(self, run: Run) -> None:
        """Two workers may each have missed the other's last answer to a text; now nothing is on its way."""
        evaluator = (
            Evaluator.objects.select_related("annotator__study").filter(annotator=run.params["annotator"]).first()
        )
        if evaluator is not None:
            close_answered(evaluator.annotator, evaluator.stages)

    def url(self, run: Run) -> str | None:
        return reverse("study_evaluators", args=[setting_of(run).study.slug])


def request_for(setting: Setting, stage: str, option: Option | None, texts: dict[int, Text]) -> Request:
    """One user message: the stem and one option, and the text only in a stage that shows it."""
    if option is None:
        raise ValueError(_("The option is no longer in the bank, so it cannot be asked about."))
    item, text = option.item, texts[option.item.text_id]
    words = setting.prompts.render(stage, title=text.title, body=text.body, question=item.stem, option=option.text)
    return Request([{"role": "user", "content": words}], PARAMS)


def judge(setting: Setting, stage: str, text: str, p: LabelProbability) -> tuple[bool, str | None]:
    """Whether the reply calls the option correct, and the label written in it; `Unparsable` if it does not say."""
    prompts = setting.prompts
    reading = read_label(text, [prompts.correct, prompts.incorrect])
    if setting.reading == LABEL:
        if reading.label is None:
            raise Unparsable(reading.reason)
        return reading.label == prompts.correct, reading.label
    if p.p is None:
        raise Unparsable(p.reason)
    return p.p >= setting.thresholds[stage], reading.label


def store(setting: Setting, stage: str, option_id: int, ticked: bool, p: float | None) -> None:
    """The answer, through the gate of people. One that is there stays."""
    place = setting.place_of_option[option_id]
    assignment = setting.assignments[place.unit_id]
    judged = Judged(place.item_id, {option_id: ticked}, {} if p is None else {option_id: p})
    store_judgments(assignment, setting.stages[stage], [judged], {place.item_id: place.options})
    if is_answered(assignment, stage, place.n_in_unit):
        stages = Evaluator.objects.get(annotator=assignment.annotator).stages  # as they are now: one may have come
        close_stage(assignment, stages, place.n_in_unit)


def shown(label: str | None, ticked: bool, p: LabelProbability) -> dict[str, Any]:
    """What people see of a reply beside it."""
    found: dict[str, Any] = {"label": label, "judged correct": ticked, "p(true)": p.p}
    if p.p is not None:
        found |= {"label mass": p.mass, "little label mass": p.is_flagged}
    if p.missing:
        found |= {"label not returned": ", ".join(p.missing), "p(true) from": p.low, "p(true) to": p.high}
    return found
