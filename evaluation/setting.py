"""How a run asks and reads: everything that its calls have in common, from the run's parameters alone."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from evaluation.letter_prompts import read_letter_prompts
from llm.models import Run
from studies.models import Assignment, InstrumentVersion, Study, UnitItem
from studies.prompts import read_prompts
from studies.protocols import Stage
from studies.services.declaring import declaration_of

LABEL, PROBABILITY = "label", "probability"
READINGS = (LABEL, PROBABILITY)
OPTIONWISE, LETTERS = "option", "letters"
BEFORE: dict[str, Any] = {"as_published": False, "answering": OPTIONWISE, "temperature": 0, "sample": 0}
"""How those ask and read that were made before this could be chosen."""
READERS: dict[str, Callable[..., Any]] = {OPTIONWISE: read_prompts, LETTERS: read_letter_prompts}
OPTION_KEY, ITEM_KEY = "/", "/item/"  # what stands between stage and number in the key of a call


@dataclass(frozen=True)
class Setting:
    """One study asked in some stages, with these prompts, read in this way."""

    study: Study
    stages: Mapping[str, Stage]
    prompts: Any  # Prompts, or LetterPrompts where all options are asked about at once
    reading: str
    thresholds: Mapping[str, float]
    as_published: bool
    answering: str
    temperature: float
    sample: int
    """Which draw of the same prompts at this temperature; 0 is the first."""
    places: Mapping[int, "Place"]
    annotator_id: int | None

    @cached_property
    def assignments(self) -> dict[int, Assignment]:
        """The evaluator's, by unit: read once, because every reply needs one."""
        rows = Assignment.objects.active().filter(annotator=self.annotator_id).select_related("annotator__study")
        return {assignment.unit_id: assignment for assignment in rows}

    @cached_property
    def place_of_option(self) -> dict[int, "Place"]:
        return {option: place for place in self.places.values() for option in place.options}

    def order_of(self, item_id: int) -> list[int]:
        """The options in the order in which one prompt asks about them all, drawn from the study's seed.

        Data sets like to list the key first. The prompt is kept with its call.
        """
        options = list(self.places[item_id].options)
        Random(f"{self.study.seed}/{item_id}").shuffle(options)
        return options

    def call_keys(self) -> Iterator[str]:
        """Stage by stage, and in each text by text, so that prompts with the same beginning follow one another."""
        for stage in self.stages:
            for place in self.places.values():
                if self.answering == LETTERS:
                    yield item_key_of(stage, place.item_id)
                else:
                    yield from (key_of(stage, option) for option in place.options)


@dataclass(frozen=True)
class Place:
    """An item in the study: its unit, its options, and how many options the unit has."""

    item_id: int
    unit_id: int
    options: tuple[int, ...]
    n_in_unit: int


def key_of(stage: str, option_id: int) -> str:
    return f"{stage}{OPTION_KEY}{option_id}"


def item_key_of(stage: str, item_id: int) -> str:
    return f"{stage}{ITEM_KEY}{item_id}"


def read_key(key: str) -> tuple[str, int]:
    """Stage and option of a call, or stage and item where all options are asked about at once."""
    stage, number = key.split("/")[0], key.rpartition("/")[2]
    return stage, int(number)


def params_for(study: Study, stages: list[str], params: Mapping[str, Any], annotator_id: int | None) -> dict[str, Any]:
    """What a run has to carry. Without an annotator it can be planned, but not answered."""
    return {**params, "study": study.pk, "stages": stages, "annotator": annotator_id}


def setting_of(run: Run) -> Setting:
    """Kept on the run object, which lives as long as one worker's turn."""
    known: Setting | None = getattr(run, "_evaluation_setting", None)
    if known is None:
        known = make_setting(run.params)
        run._evaluation_setting = known  # type: ignore[attr-defined]
    return known


def make_setting(params: Mapping[str, Any]) -> Setting:
    params = {**BEFORE, **params}
    study = Study.objects.select_related("instrument_version").get(pk=params["study"])
    declaration = declaration_of(study)
    stages = {name: declaration.stage(name) for name in params["stages"]}
    content = InstrumentVersion.objects.get(pk=params["prompt"]).content
    return Setting(
        study=study,
        stages=stages,
        prompts=READERS[params["answering"]](content, with_text(stages.values())),
        reading=params["reading"],
        thresholds=params["thresholds"],
        as_published=params["as_published"],
        answering=params["answering"],
        temperature=params["temperature"],
        sample=params["sample"],
        places=places_of(study),
        annotator_id=params["annotator"],
    )


def with_text(stages: Iterable[Stage]) -> dict[str, bool]:
    """By stage: whether it shows the text."""
    return {stage.name: "text" in stage.shows for stage in stages}


def places_of(study: Study) -> dict[int, Place]:
    """By item, in the study's order. All at once: rows cannot be read on while the plan is written."""
    rows = UnitItem.objects.filter(unit__study=study, item__options__isnull=False)
    ordered = rows.order_by("unit__position", "position", "item__options__position")
    found: dict[int, tuple[int, list[int]]] = {}
    in_unit: dict[int, int] = {}
    for item_id, unit_id, option_id in ordered.values_list("item_id", "unit_id", "item__options"):
        found.setdefault(item_id, (unit_id, []))[1].append(option_id)
        in_unit[unit_id] = in_unit.get(unit_id, 0) + 1
    return {item: Place(item, unit, tuple(options), in_unit[unit]) for item, (unit, options) in found.items()}
