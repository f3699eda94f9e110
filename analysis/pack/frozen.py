"""The frozen study: its file as `create_study` reads it, its history, its units, and every wording that was used."""

from collections.abc import Iterator
from typing import Any

from analysis.files import sort_keys
from analysis.frames.evidence import BANK_ORDER, WITHHELD, count_text_tokens
from analysis.pack.redaction import Redactor, hash_text
from analysis.published_names import read_matches
from evaluation.models import Evaluator, Metric
from evaluation.services.calls import name_version
from generation.models import GeneratorRun
from items.models import Generator, Item, KeyCorrection, Text
from items.services.exporting import build_text_object
from items.values import hash_body
from llm.request_options import OPTIONS
from studies.models import InstrumentVersion, PeopleTexts, Study, UnitItem, Variant
from studies.services.instruments import get_source, read_content
from studies.services.phases import write_phases
from studies.strict_yaml import write_yaml

DETAILS = ("source", "genre", "level", "audience", "topic", "licence")
LABELS = ("dataset", "split")  # metadata of a text that tables group by
WORDINGS = ("question", "answer", "text", "explanation")
RUN_PARAMS = ("n_items", "n_options", "n_examples", "languages", "temperature", OPTIONS)
"""The portable parameters of a generation run; its other parameters are primary keys of this server."""


def iter_texts_with_items(study: Study) -> list[tuple[Text, list[Item]]]:
    """In the order of the bank, as in tables; an item of several units occurs once."""
    rows = UnitItem.objects.filter(unit__study=study).order_by(*BANK_ORDER)
    found: dict[int, tuple[Text, dict[int, Item]]] = {}
    for row in rows.select_related("item__text", "item__generator").prefetch_related("item__options"):
        found.setdefault(row.item.text_id, (row.item.text, {}))[1].setdefault(row.item_id, row.item)
    return [(text, list(items.values())) for text, items in found.values()]


def iter_bank_objects(study: Study, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """One object per text, in the format that `import_items` reads."""
    for text, items in iter_texts_with_items(study):
        entry = build_text_object(text, items)
        if text.external_id in redactor.hidden:
            entry = describe_withheld(text, entry, redactor)
        elif redactor.hidden:
            entry["items"] = [remove_quotes(item, text.external_id, redactor) for item in entry["items"]]
        yield entry


def describe_withheld(text: Text, entry: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    """A text that may not be shared: its hash, number of tokens and details, and of its items only what is asked."""
    for name in ("text_sha256", "markup", "pictures"):
        entry.pop(name, None)
    details = {name: getattr(text, name) for name in DETAILS if getattr(text, name)}
    about = {name: value for name, value in text.metadata.items() if name in LABELS and isinstance(value, str)}
    body = hash_text(text)
    versions = [each | {"text": f"sha256:{hash_body(each['text'])}"} for each in text.versions]
    kept = {WITHHELD: {"sha256": body.removeprefix("sha256:"), "n_tokens": count_text_tokens(text)}, "shareable": False}
    quotes = text.title in text.body or redactor.quotes(text.title)
    return entry | {
        "title": text.external_id if quotes or not text.title else text.title,
        "text": body,
        **({"versions": versions} if versions else {}),
        "metadata": redactor.redact_all(about) | {"extra": redactor.redact_all(details) | kept},
        "items": [remove_quotes(item, text.external_id, redactor) for item in entry["items"]],
    }  # fmt: skip


def remove_quotes(item: dict[str, Any], text_id: str, redactor: Redactor) -> dict[str, Any]:
    """The item without quotes of hidden texts, without tags, and without explanations if its own text is hidden."""
    hidden = text_id in redactor.hidden
    answers = [
        {
            name: redact_field(redactor, name, value)
            for name, value in option.items()
            if name != "explanation" or not hidden
        }
        for option in item["answers"]
    ]
    values = {name: redact_field(redactor, name, value) for name, value in item.items() if name != "tags"}
    metadata = {"metadata": redactor.redact_nested(text_id, item["metadata"])} if "metadata" in item else {}
    return values | {"answers": answers} | metadata


def redact_field(redactor: Redactor, name: str, value: Any) -> Any:
    """A field of an item or option; fields that people read are redacted."""
    return redactor.redact_wording(value) if name in WORDINGS else value


def list_versions(study: Study) -> dict[str, dict[str, int]]:
    """The version of each text and item that the study showed, if it is not the first."""
    shown = iter_texts_with_items(study)
    return {
        "texts": {text.external_id: text.version for text, _items in shown if text.version > 1},
        "items": {item.external_id: item.version for _text, items in shown for item in items if item.version > 1},
    }


def list_generators(study: Study, redactor: Redactor) -> list[dict[str, Any]]:
    """The generators of the study's items in the order of the bank, each with the runs in which a model wrote."""
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    return [
        {
            "name": generator.name,
            "kind": generator.kind,
            "description": redactor.hash_if_quoted(generator.description),
            "factors": sort_keys(redactor.redact_all(generator.factors)),
            "runs": [describe_run(each) for each in generator.generator_runs.select_related("run")],
        }
        for generator in Generator.objects.filter(pk__in=used).order_by("pk")
    ]


def list_metrics(study: Study) -> list[dict[str, Any]]:
    """The metrics with values for the study's items, in the project's order, with their descriptions."""
    known = Metric.objects.filter(values__item__unit_items__unit__study=study).order_by("pk").distinct()
    return [{"metric": each.name, "is_computed": each.is_computed, "family": each.family} for each in known]


def describe_run(generated: GeneratorRun) -> dict[str, Any]:
    """The model, prompts and parameters of a generation run; never an address or API key."""
    run = generated.run
    return {
        "model": run.model,
        "prompts": [name_version(version) for version in list_run_prompts(generated)],
        "params": {name: run.params[name] for name in RUN_PARAMS if name in run.params},
        "state": run.state,
        "n_calls": run.calls.count(),
        "started_at": format_time(run.started_at),
        "finished_at": format_time(run.finished_at),
    }


def list_run_prompts(generated: GeneratorRun) -> list[InstrumentVersion]:
    keys = generated.run.params.get("instruments") or {}
    return list(InstrumentVersion.objects.filter(pk__in=keys.values()).select_related("instrument").order_by("pk"))


def list_corrections(study: Study, redactor: Redactor) -> list[dict[str, Any]]:
    """Every correction of a key of the study's items, without the person who made it."""
    shown = UnitItem.objects.filter(unit__study=study).values("item")
    found = KeyCorrection.objects.filter(item__in=shown)
    return [
        {
            "item_id": made.item.external_id,
            "option_id": made.option_external_id,
            "correct": made.correct,
            "reason": redactor.hash_if_quoted(made.reason),
            "made_at": format_time(made.made_at),
        }
        for made in found.select_related("item")
    ]


def format_time(time: Any) -> str | None:
    return time.isoformat() if time else None


HISTORY = ("created_at", "launched_at", "main_opened_at", "closed_at")


def build_study_file(study: Study) -> dict[str, Any]:
    """The study as a mapping that `create_study` reads, with its keys in a fixed order."""
    variants = [
        {"name": each.name, "instrument": str(each.instrument_version.instrument), "params": sort_keys(each.params)}
        for each in list_variants(study)
    ]
    return {
        "slug": study.slug,
        "title": study.title,
        "protocol": study.protocol,
        "language": study.language,
        "instrument": str(study.instrument_version.instrument),
        "items": sort_keys(study.selection),
        "plan": {**sort_keys(study.plan), "seed": study.seed},
        "params": sort_keys(study.params),
        "groups": study.groups,
        **({"variants": variants} if variants else {}),
        **({"phases": phases} if (phases := list_worded_phases(study)) else {}),  # without platforms' completion codes
    }


def list_worded_phases(study: Study) -> list[dict[str, Any]]:
    """The phases that people went through, except the practice, whose texts are not in the pack."""
    return [phase for phase in write_phases(study) if phase["kind"] != "practice"]


def list_variants(study: Study) -> list[Variant]:
    return list(study.variants.select_related("instrument_version__instrument"))


def describe_history(study: Study) -> dict[str, Any]:
    return {
        "state": study.state,
        "instrument": describe_instrument(study.instrument_version),
        "variants": {each.name: describe_instrument(each.instrument_version) for each in list_variants(study)},
        "published_names": read_matches(study),
        **{name: format_time(getattr(study, name)) for name in HISTORY},
        "people_texts": describe_people_texts(study),
        "blocks": [{name: value for name, value in each.items() if name != "made_by"} for each in study.blocks],
    }


def describe_people_texts(study: Study) -> dict[str, Any] | None:
    """The draw of texts for people; None if they did all texts. Without who made it, as a pack holds no names."""
    draw = PeopleTexts.objects.filter(study=study).first()
    if draw is None:
        return None
    about = {name: getattr(draw, name) for name in ("n", "by", "rests_on", "seed", "texts")}
    later = [{name: value for name, value in each.items() if name != "made_by"} for each in draw.later]
    return about | {"made_at": format_time(draw.made_at), "later": later}


def describe_instrument(version: InstrumentVersion) -> dict[str, Any]:
    return {"file": name_instrument_file(version), "version": version.version, "hash": version.content_hash}


def name_instrument_file(version: InstrumentVersion) -> str:
    return f"instruments/{version.instrument.name}-{version.instrument.language}-{version.version}.yaml"


def iter_instruments(study: Study, redactor: Redactor) -> dict[str, str]:
    """The YAML of the study's wordings and of the prompts of its evaluators and generators, by file.

    Examples in prompts may quote a text that may not be shared: the file is then replaced by a note. In what people
    were shown, only the quote is replaced, as answers are checked against the rest.
    """
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    runs = GeneratorRun.objects.filter(generator__in=used).select_related("run")
    prompts = [version for run in runs for version in list_run_prompts(run)]
    prompts += [version for version in map_evaluator_prompts(study).values() if version is not None]
    found = {}
    for version in prompts:
        withheld = f"# withheld: {version.content_hash}\n"
        found[name_instrument_file(version)] = (
            withheld if redactor.quotes(get_source(version)) else redact_instrument(version, redactor)
        )
    for version in (study.instrument_version, *(each.instrument_version for each in list_variants(study))):
        found[name_instrument_file(version)] = redact_instrument(version, redactor)
    return found


def redact_instrument(version: InstrumentVersion, redactor: Redactor) -> str:
    """The original YAML with its comments; written anew if it quotes a hidden text or contains somebody's address."""
    source = get_source(version)
    if redactor.hash_if_quoted(source) == source:
        return source
    return write_yaml(redactor.redact_all(read_content(version)))


def map_evaluator_prompts(study: Study) -> dict[int, InstrumentVersion | None]:
    """The prompts with which each evaluator was asked, by annotator; None for baselines."""
    keys = dict(Evaluator.objects.filter(annotator__study=study).values_list("annotator", "params__prompt"))
    rows = InstrumentVersion.objects.select_related("instrument").in_bulk([key for key in keys.values() if key])
    return {annotator: rows.get(key) if key else None for annotator, key in keys.items()}


def iter_units(study: Study) -> list[dict[str, Any]]:
    """Each unit with its items. No prefetch: SQLite refuses one over thousands of units."""
    shown = UnitItem.objects.filter(unit__study=study).order_by("unit", "position")
    items: dict[int, list[str]] = {}
    for unit, item in shown.values_list("unit", "item__external_id"):
        items.setdefault(unit, []).append(item)
    rows = study.units.order_by("position").values_list("pk", "position", "text__external_id", "part", "block")
    return [
        {"unit": position, "text_id": text, "part": part, "block": block, "items": items.get(pk, [])}
        for pk, position, text, part, block in rows
    ]
