"""The frozen study: its file as `create_study` reads it, its history, its units, and every wording that was used."""

from typing import Any

from analysis.pack.bank import moment, prompts_of_run
from analysis.pack.discretion import Discretion
from evaluation.models import Evaluator
from generation.models import GeneratorRun
from studies.models import InstrumentVersion, Study, UnitItem
from studies.services.instruments import source_of

HISTORY = ("created_at", "launched_at", "main_opened_at", "closed_at")


def study_file(study: Study) -> dict[str, Any]:
    """The study as a mapping that `create_study` reads."""
    plan = {**study.plan, "seed": study.seed}
    return {
        "slug": study.slug,
        "title": study.title,
        "protocol": study.protocol,
        "language": study.language,
        "instrument": str(study.instrument_version.instrument),
        "items": study.selection,
        "plan": plan,
        "params": study.params,
        "groups": study.groups,
    }


def history(study: Study) -> dict[str, Any]:
    return {
        "state": study.state,
        "instrument": about_instrument(study.instrument_version),
        **{name: moment(getattr(study, name)) for name in HISTORY},
    }


def about_instrument(version: InstrumentVersion) -> dict[str, Any]:
    return {"file": file_of(version), "version": version.version, "hash": version.content_hash}


def file_of(version: InstrumentVersion) -> str:
    return f"instruments/{version.instrument.name}-{version.instrument.language}-{version.version}.yaml"


def instruments(study: Study, discretion: Discretion) -> dict[str, str]:
    """The YAML of the study's wording and of the prompts of its evaluators and generators, by file.

    Examples in prompts may quote a text that may not be shared: then the file says only what it was.
    """
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    runs = GeneratorRun.objects.filter(generator__in=used).select_related("run")
    prompts = [version for run in runs for version in prompts_of_run(run)]
    prompts += [version for version in evaluator_prompts(study).values() if version is not None]
    found = {file_of(study.instrument_version): source_of(study.instrument_version)}
    for version in prompts:
        source = source_of(version)
        found[file_of(version)] = f"# withheld: {version.content_hash}\n" if discretion.quotes(source) else source
    return found


def evaluator_prompts(study: Study) -> dict[int, InstrumentVersion | None]:
    """The prompts with which each evaluator was asked, by annotator; None for baselines."""
    keys = dict(Evaluator.objects.filter(annotator__study=study).values_list("annotator", "params__prompt"))
    rows = InstrumentVersion.objects.select_related("instrument").in_bulk([key for key in keys.values() if key])
    return {annotator: rows.get(key) if key else None for annotator, key in keys.items()}


def units(study: Study) -> list[dict[str, Any]]:
    rows = study.units.order_by("position").select_related("text").prefetch_related("unit_items__item")
    return [
        {
            "unit": unit.position,
            "text_id": unit.text.external_id,
            "part": unit.part,
            "items": [row.item.external_id for row in unit.unit_items.all()],
        }
        for unit in rows
    ]
