"""Judges as a kind of run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_noop

from evaluation.judges.base import Judge, JudgeQuestion, JudgeSetting, load_judge_setting, make_key, read_key
from evaluation.judges.gates import Gates
from evaluation.judges.pairs import Pairs, Picks
from evaluation.judges.scores import Scores
from evaluation.models import JUDGE_KIND
from evaluation.setting import LABEL
from llm.models import Call, Run
from llm.registry import Request, RunKind
from studies.models import Annotator
from studies.services.evaluating import GATES, PAIRS, PICKS, SCORES, close_judged

JUDGES: Mapping[str, Judge] = {PAIRS: Pairs(), PICKS: Picks(), SCORES: Scores(), GATES: Gates()}


class JudgeRunKind(RunKind):
    kind = JUDGE_KIND
    label = gettext_noop("Judgment")

    def plan(self, run: Run) -> Iterator[tuple[str, int]]:
        setting = load_judge_setting(run)
        return repeat_samples(setting, JUDGES[setting.way].plan(setting))

    def plan_all(self, run: Run) -> Iterator[tuple[str, int]]:
        setting = load_judge_setting(run)
        return repeat_samples(setting, JUDGES[setting.way].plan_all(setting))

    def render(self, run: Run, key: str, sample: int) -> Request:
        return self.render_all(run, [(key, sample)])[0]

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        setting = load_judge_setting(run)
        return JUDGES[setting.way].build_requests(setting, [read_key(setting, key) for key, _sample in pairs])

    def read(self, run: Run, call: Call) -> Any:
        setting = load_judge_setting(run)
        return JUDGES[setting.way].read(setting, read_key(setting, call.key), run, call)

    def next_calls(self, run: Run, call: Call) -> Iterable[tuple[str, int]]:
        setting = load_judge_setting(run)
        return repeat_samples(setting, JUDGES[setting.way].list_next(setting, read_key(setting, call.key)))

    def reprompt(self, run: Run, call: Call) -> Request | None:
        setting = load_judge_setting(run)
        again = JUDGES[setting.way].find_second_prompt(setting, read_key(setting, call.key))
        if again is None or setting.reading != LABEL:
            return None
        messages: list[dict[str, Any]] = [
            {"role": "assistant", "content": call.answer},
            {"role": "user", "content": again},
        ]
        return Request([*(call.messages or []), *messages], dict(call.params or {}))

    def conclude(self, run: Run) -> None:
        setting = load_judge_setting(run)
        JUDGES[setting.way].finish(setting, run)
        if setting.annotator_id is not None:
            for annotator in Annotator.objects.filter(pk=setting.annotator_id):
                close_judged(annotator)

    def url(self, run: Run) -> str | None:
        return reverse("study_evaluators", args=[load_judge_setting(run).study.slug])


def repeat_samples(setting: JudgeSetting, asked: Iterable[JudgeQuestion]) -> Iterator[tuple[str, int]]:
    return ((make_key(setting, each), sample) for each in asked for sample in range(setting.samples or 1))
