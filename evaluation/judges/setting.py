"""How a run judges: everything that its calls have in common, from the run's parameters alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evaluation.judges.prompts import JudgePrompts, read_judge_prompts
from items.models import Item
from llm.models import Run
from studies.models import Assignment, InstrumentVersion, Study
from studies.protocols import Stage
from studies.services.declaring import declaration_of, wording_of
from studies.services.judgeable import way_of
from studies.services.judging import Judgeable, judgeables

SWAPPED = "/swapped"  # of a pair: the unit's first item is asked about as the second
UNIT_KEY = "/unit/"


@dataclass(frozen=True)
class JudgeSetting:
    """One study judged with these prompts. `samples` and `scale` are None where the study's own score is asked once."""

    study: Study
    stage: Stage
    way: str
    wording: Mapping[str, Any]
    prompts: JudgePrompts
    reading: str
    samples: int | None
    temperature: float
    scale: int | None
    subjects: tuple[Judgeable, ...]
    annotator_id: int | None
    column: str  # the name of the metric columns that a judge without an annotator fills

    @cached_property
    def subject_at(self) -> dict[tuple[int, int], Judgeable]:
        return {(about.unit_id, about.item_id): about for about in self.subjects}

    @cached_property
    def assignments(self) -> dict[int, Assignment]:
        """The judge's, by unit: read once, because every reply needs one."""
        rows = Assignment.objects.active().filter(annotator=self.annotator_id, round=1)
        return {row.unit_id: row for row in rows.select_related("annotator__study__instrument_version")}

    def items_of(self, subjects: Iterable[Judgeable]) -> dict[int, Item]:
        """The items with their texts and options, by primary key; ValueError where one has gone."""
        keys = {pk for about in subjects for pk in (about.item_id, about.other_id) if pk}
        return Item.objects.select_related("text").prefetch_related("options").in_bulk(keys)


@dataclass(frozen=True)
class Asked:
    """What one call is about."""

    about: Judgeable
    question: str
    is_swapped: bool = False


def key_of(setting: JudgeSetting, asked: Asked) -> str:
    about = asked.about
    end = SWAPPED if asked.is_swapped else ""
    return f"{setting.stage.name}{UNIT_KEY}{about.unit_id}/{about.item_id}/{asked.question}{end}"


def read_key(setting: JudgeSetting, key: str) -> Asked:
    is_swapped = key.endswith(SWAPPED)
    unit, item, question = key.removesuffix(SWAPPED).rpartition(UNIT_KEY)[2].split("/", 2)
    return Asked(setting.subject_at[int(unit), int(item)], question, is_swapped)


def judge_params(study: Study, params: Mapping[str, Any], annotator_id: int | None) -> dict[str, Any]:
    """What a run has to carry. Without an annotator it can be planned, or fills metric columns."""
    stage = declaration_of(study).stages[0].name
    return {**params, "study": study.pk, "stages": [stage], "annotator": annotator_id}


def judge_setting_of(run: Run) -> JudgeSetting:
    """Kept on the run object, which lives as long as one worker's turn."""
    known: JudgeSetting | None = getattr(run, "_judge_setting", None)
    if known is None:
        known = make_judge_setting(run.params)
        run._judge_setting = known  # type: ignore[attr-defined]
    return known


def make_judge_setting(params: Mapping[str, Any]) -> JudgeSetting:
    study = Study.objects.select_related("instrument_version", "project").get(pk=params["study"])
    stage = declaration_of(study).stages[0]
    way = way_of(stage)
    if way is None:
        raise ValueError(f"The protocol {study.protocol} asks nothing that a model can judge.")
    content = InstrumentVersion.objects.get(pk=params["prompt"]).content
    return JudgeSetting(
        study=study,
        stage=stage,
        way=way,
        wording=wording_of(study).get(stage.name, {}),
        prompts=read_judge_prompts(content, way),
        reading=params["reading"],
        samples=params.get("samples"),
        temperature=params.get("temperature") or 0,
        scale=params.get("scale"),
        subjects=tuple(judgeables(study)),
        annotator_id=params["annotator"],
        column=params.get("column", ""),
    )
