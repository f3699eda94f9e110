"""The frozen study: its file as `create_study` reads it, its history, its units, and every wording that was used."""

from typing import Any

from analysis.pack.bank import moment, prompts_of_run
from analysis.pack.discretion import Discretion
from analysis.sorted_keys import sorted_keys
from evaluation.models import Evaluator
from generation.models import GeneratorRun
from studies.instrument_yaml import write_yaml
from studies.models import InstrumentVersion, Study, UnitItem, Variant
from studies.services.instruments import content_as_written, source_of

HISTORY = ("created_at", "launched_at", "main_opened_at", "closed_at")


def study_file(study: Study) -> dict[str, Any]:
    """The study as a mapping that `create_study` reads."""
    plan = {**sorted_keys(study.plan), "seed": study.seed}
    variants = [
        {"name": each.name, "instrument": str(each.instrument_version.instrument), "params": sorted_keys(each.params)}
        for each in variants_of(study)
    ]
    return {
        "slug": study.slug,
        "title": study.title,
        "protocol": study.protocol,
        "language": study.language,
        "instrument": str(study.instrument_version.instrument),
        "items": sorted_keys(study.selection),
        "plan": plan,
        "params": sorted_keys(study.params),
        "groups": study.groups,
        **({"variants": variants} if variants else {}),
    }


def variants_of(study: Study) -> list[Variant]:
    return list(study.variants.select_related("instrument_version__instrument"))


def history(study: Study) -> dict[str, Any]:
    return {
        "state": study.state,
        "instrument": about_instrument(study.instrument_version),
        "variants": {each.name: about_instrument(each.instrument_version) for each in variants_of(study)},
        **{name: moment(getattr(study, name)) for name in HISTORY},
    }


def about_instrument(version: InstrumentVersion) -> dict[str, Any]:
    return {"file": file_of(version), "version": version.version, "hash": version.content_hash}


def file_of(version: InstrumentVersion) -> str:
    return f"instruments/{version.instrument.name}-{version.instrument.language}-{version.version}.yaml"


def instruments(study: Study, discretion: Discretion) -> dict[str, str]:
    """The YAML of the study's wordings and of the prompts of its evaluators and generators, by file.

    Examples in prompts may quote a text that may not be shared: then the file says only what it was. Of what people
    were shown, only the quote is replaced, as answers are checked by the rest.
    """
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    runs = GeneratorRun.objects.filter(generator__in=used).select_related("run")
    prompts = [version for run in runs for version in prompts_of_run(run)]
    prompts += [version for version in evaluator_prompts(study).values() if version is not None]
    found = {}
    for version in prompts:
        withheld = f"# withheld: {version.content_hash}\n"
        found[file_of(version)] = withheld if discretion.quotes(source_of(version)) else discreet(version, discretion)
    for version in (study.instrument_version, *(each.instrument_version for each in variants_of(study))):
        found[file_of(version)] = discreet(version, discretion)
    return found


def discreet(version: InstrumentVersion, discretion: Discretion) -> str:
    """As it was written, comments and all; made anew where it quotes a hidden text or names somebody's address."""
    source = source_of(version)
    if discretion.unquoted(source) == source:
        return source
    return write_yaml(discretion.everywhere(content_as_written(version)))


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
