"""What all judges share: the setting of a run, keys of calls, the interface of the ways of judging."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from evaluation.judges.prompts import JudgePrompts, read_judge_prompts
from evaluation.judges.scale import Scale, make_scale
from evaluation.setting import TEXT_VERSION
from items.models import Item
from llm.models import Call, Run
from llm.registry import Request
from studies.models import Assignment, InstrumentVersion, Study
from studies.protocols import Question, Stage
from studies.protocols.base import Value
from studies.services.declarations import get_declaration, get_wording
from studies.services.evaluating import Judgeable, judgment_type, list_judgeables, store_values

SWAPPED = "/swapped"  # the unit's first item is the second in the prompt
UNIT_KEY = "/unit/"


@dataclass(frozen=True)
class JudgeSetting:
    """How one study is judged in a run: with which prompts, about which subjects, and how replies are read.

    way: PAIRS, PICKS, SCORES or GATES. samples: how often each question is asked, None for once. scale: another scale
    than the study's, None for its own.
    """

    study: Study
    stage: Stage
    way: str
    wording: Mapping[str, Any]
    prompts: JudgePrompts
    reading: str
    samples: int | None
    temperature: float
    scale: Scale | None
    subjects: tuple[Judgeable, ...]
    annotator_id: int | None
    column: str  # the name of the metric columns that a judge without an annotator fills
    text_version: str = ""

    @cached_property
    def subject_at(self) -> dict[tuple[int, int], Judgeable]:
        """Subjects by unit and item, as in keys of calls; item 0 if the answer is stored without an item."""
        return {(about.unit_id, about.item_id or 0): about for about in self.subjects}

    @cached_property
    def assignments(self) -> dict[int, Assignment]:
        """The judge's assignments by unit, read once because every reply needs one."""
        rows = Assignment.objects.active().filter(annotator=self.annotator_id, round=1)
        return {row.unit_id: row for row in rows.select_related("annotator__study__instrument_version")}

    def items_of(self, subjects: Iterable[Judgeable]) -> dict[int, Item]:
        """The items with their texts and options, by primary key; ValueError if one was deleted."""
        keys = {pk for about in subjects for pk in about.item_ids}
        items = Item.objects.select_related("text").prefetch_related("options").in_bulk(keys)
        for item in items.values():
            item.text = item.text.in_version(self.text_version)
        return items


@dataclass(frozen=True)
class JudgeQuestion:
    """What one call asks: a question about a subject, and whether the pair is shown in the other order."""

    about: Judgeable
    question: str
    is_swapped: bool = False


def make_key(setting: JudgeSetting, asked: JudgeQuestion) -> str:
    about = asked.about
    end = SWAPPED if asked.is_swapped else ""
    return f"{setting.stage.name}{UNIT_KEY}{about.unit_id}/{about.item_id or 0}/{asked.question}{end}"


def read_key(setting: JudgeSetting, key: str) -> JudgeQuestion:
    is_swapped = key.endswith(SWAPPED)
    unit, item, question = key.removesuffix(SWAPPED).rpartition(UNIT_KEY)[2].split("/", 2)
    return JudgeQuestion(setting.subject_at[int(unit), int(item)], question, is_swapped)


def build_judge_params(study: Study, params: Mapping[str, Any], annotator_id: int | None) -> dict[str, Any]:
    """The parameters of a run. Without an annotator it can only be estimated, or it fills metric columns."""
    stage = get_declaration(study).stages[0].name
    return {**params, "study": study.pk, "stages": [stage], "annotator": annotator_id}


def load_judge_setting(run: Run) -> JudgeSetting:
    """The setting of a run, cached on the run object, which lives as long as one worker's turn."""
    known: JudgeSetting | None = getattr(run, "_judge_setting", None)
    if known is None:
        known = make_judge_setting(run.params)
        run._judge_setting = known  # type: ignore[attr-defined]
    return known


def make_judge_setting(params: Mapping[str, Any]) -> JudgeSetting:
    study = Study.objects.select_related("instrument_version", "project").get(pk=params["study"])
    stage = get_declaration(study).stages[0]
    way = judgment_type(stage)
    if way is None:
        raise ValueError(f"The protocol {study.protocol} asks nothing that a model can judge.")
    prompts = read_judge_prompts(InstrumentVersion.objects.get(pk=params["prompt"]).content, way)
    own = params.get("scale")
    return JudgeSetting(
        study=study,
        stage=stage,
        way=way,
        wording=get_wording(study).get(stage.name, {}),
        prompts=prompts,
        reading=params["reading"],
        samples=params.get("samples"),
        temperature=params.get("temperature") or 0,
        scale=make_scale((1, own)) if own else prompts.scale,
        subjects=tuple(list_judgeables(study)),
        annotator_id=params["annotator"],
        column=params.get("column", ""),
        text_version=params.get(TEXT_VERSION, ""),
    )


# Enough for a label and a few words around it; a cut-off reply is requested again with more.
MAX_TOKENS = 32
LABEL_PARAMS = {"temperature": 0, "max_tokens": MAX_TOKENS, "logprobs": True, "top_logprobs": 20}


class Judge(ABC):
    """One way of judging."""

    @abstractmethod
    def plan(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        """The questions at the start, text by text."""

    @abstractmethod
    def build_requests(self, setting: JudgeSetting, asked: Sequence[JudgeQuestion]) -> list[Request]:
        """The prompts; ValueError with a sentence if they are impossible."""

    @abstractmethod
    def read(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run, call: Call) -> dict[str, Any]:
        """Store the judgment in the reply, and return a description of it; `Unparsable` if there is none."""

    def plan_all(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        """The plan including everything that `list_next` may add."""
        return self.plan(setting)

    def list_next(self, setting: JudgeSetting, asked: JudgeQuestion) -> Iterable[JudgeQuestion]:
        """The questions after the answer to that one."""
        return ()

    def find_second_prompt(self, setting: JudgeSetting, asked: JudgeQuestion) -> str | None:
        """The prompt after a reply without an answer; None: no second prompt."""
        return setting.prompts.fill("again")

    def finish(self, setting: JudgeSetting, run: Run) -> None:
        """Called when all replies are read, in the transaction that marks the run as done."""
        return


def store_judgment(
    setting: JudgeSetting, about: Judgeable, values: dict[str, Value], picks: Iterable[str] = ()
) -> None:
    """Store the values as answers of the judge, with the same checks as for people."""
    store_values(setting.assignments[about.unit_id], setting.stage, about, values, picks)


def get_item(items: dict[int, Item], pk: int | None) -> Item:
    if pk not in items:
        raise ValueError("The item is no longer in the project, so it cannot be used.")
    return items[pk]


def render_options(stage: Stage, wording: Mapping[str, Any], item: Item, seed: str) -> str:
    """The options as the stage shows them to people, one per line, with keys marked or listed first if it does so;
    empty if it shows none."""
    options = list(item.options.all()) if "options" in stage.shows else []
    Random(seed).shuffle(options)
    if stage.keys == "first":
        options.sort(key=lambda option: not option.correct)
    mark = f" ({wording['key']})" if stage.keys != "hidden" and wording.get("key") else ""
    return "\n".join(f"- {option.text}{mark if option.correct else ''}" for option in options)


def render_item(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], item: Item, seed: str
) -> dict[str, str]:
    """The values for the slots about an item; `options` begins on a new line, `expected` is a filled part."""
    options, answer = render_options(stage, wording, item, seed), item.expected_answer.strip()
    has_expected = answer and "expected" in prompts.parts
    return {
        "question": item.stem,
        "options": f"\n{options}" if options else "",
        "expected": prompts.fill("expected", answer=answer) if has_expected else "",
    }


def format_question(words: Mapping[str, Any], question: Question) -> str:
    """The question in the wording that people see, with its help; if it has none, its title."""
    asked = words.get("question") or words.get("title") or question.name.replace("_", " ")
    return " ".join(filter(None, (asked, words.get("help", ""))))


def build_request(words: str, params: dict[str, Any], system: str = "") -> Request:
    """One user message, after a system message if there is one."""
    before = [{"role": "system", "content": system}] if system else []
    return Request([*before, {"role": "user", "content": words}], params)
