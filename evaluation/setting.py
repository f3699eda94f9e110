"""How a run asks and reads: everything that its calls share, from the run's parameters alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from random import Random
from typing import Any, Protocol

from llm.models import Run
from llm.request_options import OPTIONS
from studies.models import Assignment, InstrumentVersion, Study, UnitItem
from studies.prompts import (
    OF_THE_KEY,
    OF_THE_TEXT,
    QUESTION,
    TEXT,
    TITLE,
    Layout,
    check_again,
    check_slots,
    fill_template,
    get_part,
    read_layout,
    read_prompts,
)  # fmt: skip
from studies.protocols import Stage
from studies.services.declarations import get_declaration

OPTIONS_SLOT = "options"


@dataclass(frozen=True)
class LetterPrompts:
    """The checked templates by stage, and the layout, of an instrument."""

    layout: Layout
    templates: Mapping[str, str]
    again: str

    def render(self, stage: str, *, title: str, body: str, question: str, options: str) -> str:
        text = self.layout.lay_out(title, body)
        return fill_template(
            self.templates[stage], {TEXT: text, TITLE: title, QUESTION: question, OPTIONS_SLOT: options}
        )


def read_letter_prompts(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> LetterPrompts:
    """The prompts of an instrument for these stages (name: whether it shows the text), or `BadTemplate`."""
    for check in make_letter_checks(content, with_text):
        check()
    templates = {stage: get_part(content, stage, str) for stage in with_text}
    return LetterPrompts(read_layout(content), templates, get_part(content, "again", str))


def make_letter_checks(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> Iterator[Callable[[], object]]:
    """Checks that raise `BadTemplate`, each for one part of the instrument."""
    yield partial(read_layout, content)
    for stage, shows_text in with_text.items():
        yield partial(check_stage, content, stage, shows_text)
    yield partial(check_again, content)


def get_letter_slots(stage_shows_text: bool) -> tuple[list[str], list[str]]:
    """The slots that the template of a stage needs, and those it may also use."""
    return ([TEXT, QUESTION, OPTIONS_SLOT], [TITLE]) if stage_shows_text else ([QUESTION, OPTIONS_SLOT], [])


def check_stage(content: Mapping[str, Any], stage: str, shows_text: bool) -> None:
    needed, optional = get_letter_slots(shows_text)
    hidden = OF_THE_KEY if shows_text else OF_THE_KEY | OF_THE_TEXT
    check_slots(stage, get_part(content, stage, str), needed, optional, hidden)


LABEL, PROBABILITY = "label", "probability"
READINGS = (LABEL, PROBABILITY)
OPTIONWISE, LETTERS = "option", "letters"
TEXT_VERSION = "text_version"  # the version that is read in a study of text versions; empty: the original texts
DEFAULTS: dict[str, Any] = {
    "as_published": False, "answering": OPTIONWISE, "temperature": 0, "sample": 0, OPTIONS: {}, TEXT_VERSION: "",
}  # fmt: skip
"""The values for evaluators that were added before these parameters existed."""
READERS: dict[str, Callable[..., Any]] = {OPTIONWISE: read_prompts, LETTERS: read_letter_prompts}
OPTION_KEY, ITEM_KEY = "/", "/item/"  # separator of stage and number in the key of a call


class QuestionSetting(Protocol):
    """What is needed to ask about an option and to read the reply."""

    @property
    def prompts(self) -> Any: ...
    @property
    def reading(self) -> str: ...
    @property
    def thresholds(self) -> Mapping[str, float]: ...
    @property
    def as_published(self) -> bool: ...
    @property
    def temperature(self) -> float: ...


@dataclass(frozen=True)
class StudySetting:
    """One study, asked in some stages with these prompts, and read in this way."""

    study: Study
    stages: Mapping[str, Stage]
    prompts: Any  # Prompts, or LetterPrompts if all options are asked about at once
    reading: str
    thresholds: Mapping[str, float]
    as_published: bool
    answering: str
    temperature: float
    sample: int
    """The number of the repetition with the same prompts at this temperature; 0 is the first."""
    places: Mapping[int, "ItemPosition"]
    annotator_id: int | None
    text_version: str = ""

    @cached_property
    def assignments(self) -> dict[int, Assignment]:
        """The evaluator's assignments by unit, read once because every reply needs one."""
        rows = Assignment.objects.active().filter(annotator=self.annotator_id).select_related("annotator__study")
        return {assignment.unit_id: assignment for assignment in rows}

    @cached_property
    def place_of_option(self) -> dict[int, "ItemPosition"]:
        return {option: place for place in self.places.values() for option in place.options}

    def order_of(self, item_id: int) -> list[int]:
        """The order of the options in a prompt about all of them, drawn from the study's seed.

        Data sets often list the key first. The prompt is stored with its call.
        """
        options = list(self.places[item_id].options)
        Random(f"{self.study.seed}/{item_id}").shuffle(options)
        return options

    def call_keys(self) -> Iterator[str]:
        """The keys of all calls: by stage, then by text, so that prompts with the same beginning are adjacent."""
        for stage in self.stages:
            for place in self.places.values():
                if self.answering == LETTERS:
                    yield make_item_key(stage, place.item_id)
                else:
                    yield from (make_option_key(stage, option) for option in place.options)


@dataclass(frozen=True)
class ItemPosition:
    """The position of an item in the study: its unit, its options, and the number of options of the unit."""

    item_id: int
    unit_id: int
    options: tuple[int, ...]
    n_in_unit: int


def make_option_key(stage: str, option_id: int) -> str:
    return f"{stage}{OPTION_KEY}{option_id}"


def make_item_key(stage: str, item_id: int) -> str:
    return f"{stage}{ITEM_KEY}{item_id}"


def read_key(key: str) -> tuple[str, int]:
    """Stage and option of a call, or stage and item if all options are asked about at once."""
    stage, number = key.split("/")[0], key.rpartition("/")[2]
    return stage, int(number)


def build_run_params(
    study: Study, stages: list[str], params: Mapping[str, Any], annotator_id: int | None
) -> dict[str, Any]:
    """The parameters of a run. Without an annotator it can only be estimated: it cannot store answers."""
    return {**params, "study": study.pk, "stages": stages, "annotator": annotator_id}


def load_setting(run: Run) -> StudySetting:
    """The setting of a run, cached on the run object, which lives as long as one worker's turn."""
    known: StudySetting | None = getattr(run, "_evaluation_setting", None)
    if known is None:
        known = make_setting(run.params)
        run._evaluation_setting = known  # type: ignore[attr-defined]
    return known


def make_setting(params: Mapping[str, Any]) -> StudySetting:
    params = {**DEFAULTS, **params}
    study = Study.objects.select_related("instrument_version").get(pk=params["study"])
    declaration = get_declaration(study)
    stages = {name: declaration.stage(name) for name in params["stages"]}
    content = InstrumentVersion.objects.get(pk=params["prompt"]).content
    return StudySetting(
        study=study,
        stages=stages,
        prompts=READERS[params["answering"]](content, find_text_stages(stages.values())),
        reading=params["reading"],
        thresholds=params["thresholds"],
        as_published=params["as_published"],
        answering=params["answering"],
        temperature=params["temperature"],
        sample=params["sample"],
        places=load_places(study),
        annotator_id=params["annotator"],
        text_version=params[TEXT_VERSION],
    )


def find_text_stages(stages: Iterable[Stage]) -> dict[str, bool]:
    """Whether each stage shows the text, by the stage's name."""
    return {stage.name: "text" in stage.shows for stage in stages}


def load_places(study: Study) -> dict[int, ItemPosition]:
    """The positions by item, in the study's order; read at once, as a cursor cannot stay open during planning."""
    rows = UnitItem.objects.filter(unit__study=study, item__options__isnull=False)
    ordered = rows.order_by("unit__position", "position", "item__options__position")
    found: dict[int, tuple[int, list[int]]] = {}
    in_unit: dict[int, int] = {}
    for item_id, unit_id, option_id in ordered.values_list("item_id", "unit_id", "item__options"):
        found.setdefault(item_id, (unit_id, []))[1].append(option_id)
        in_unit[unit_id] = in_unit.get(unit_id, 0) + 1
    return {item: ItemPosition(item, unit, tuple(options), in_unit[unit]) for item, (unit, options) in found.items()}
