"""Models score items sent by a program, with the prompts and readings of an evaluator, without a study.

The answers are the calls themselves, which are found by their content.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.instruments import get_stages
from evaluation.models import SCORING_KIND, Scoring
from evaluation.run_kind import EvaluationRunKind, describe_judgment, make_request, read_judgment
from evaluation.setting import OPTION_KEY
from llm.models import Call, Run
from llm.registry import Request
from studies.models import InstrumentVersion
from studies.prompts import Prompts, read_prompts

THRESHOLD = 0.5


@dataclass(frozen=True)
class SentOption:
    """An option of an item of a text, as sent."""

    text: Mapping[str, Any]
    item: Mapping[str, Any]
    option: Mapping[str, Any]


def iter_sent_options(texts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, SentOption]]:
    """Each option with its position, which is part of the key of its calls."""
    for n_text, text in enumerate(texts):
        for n_item, item in enumerate(text["items"]):
            for n_option, option in enumerate(item["answers"]):
                yield f"{n_text}.{n_item}.{n_option}", SentOption(text, item, option)


@dataclass(frozen=True)
class ScoringSetting:
    """How a run asks and reads; the same fields as an evaluator's setting in `run_kind`."""

    asked: Mapping[str, SentOption]
    stages: Mapping[str, bool]  # whether each shows the text
    prompts: Prompts
    reading: str
    temperature: float = 0
    sample: int = 0
    as_published: bool = False

    @property
    def thresholds(self) -> dict[str, float]:
        return dict.fromkeys(self.stages, THRESHOLD)


def load_setting(run: Run) -> ScoringSetting:
    """The setting of a run, cached on the run object, which lives as long as one worker's turn."""
    known: ScoringSetting | None = getattr(run, "_scoring_setting", None)
    if known is None:
        known = make_setting(run.params)
        run._scoring_setting = known  # type: ignore[attr-defined]
    return known


def make_setting(params: Mapping[str, Any]) -> ScoringSetting:
    """The setting from a run's parameters; in an estimate they hold `texts`, not the key of a stored `scoring`."""
    texts = params["texts"] if "texts" in params else Scoring.objects.get(pk=params["scoring"]).texts
    content = InstrumentVersion.objects.get(pk=params["prompt"]).content
    stages = get_stages(content)
    return ScoringSetting(dict(iter_sent_options(texts)), stages, read_prompts(content, stages), params["reading"])


class ScoringRunKind(EvaluationRunKind):
    kind = SCORING_KIND
    label = gettext_noop("Scoring")

    def get_setting(self, run: Run) -> ScoringSetting:
        return load_setting(run)

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        setting = load_setting(run)
        return ((f"{stage}{OPTION_KEY}{place}", 0) for stage in setting.stages for place in setting.asked)

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        return [self.render(run, *pair) for pair in pairs]

    def render(self, run: Run, key: str, sample: int) -> Request:
        setting, (stage, _slash, place) = load_setting(run), key.partition(OPTION_KEY)
        asked = setting.asked.get(place)
        if asked is None:
            raise ValueError(_("The option is no longer in the project, so it cannot be used."))
        words = setting.prompts.render(
            stage,
            title=asked.text.get("title", ""),
            body=asked.text["text"],
            question=asked.item["question"],
            option=asked.option["text"],
        )
        return make_request(setting, words, (setting.prompts.correct, setting.prompts.incorrect))

    def read(self, run: Run, call: Call) -> Any:
        stage = call.key.partition(OPTION_KEY)[0]
        return describe_judgment(read_judgment(load_setting(run), stage, call.answer, call.answer_logprobs))

    def conclude(self, run: Run) -> None:
        """Nothing remains to be done: the calls already are the answers."""

    def url(self, run: Run) -> None:
        """Answers have no page; programs read them."""
