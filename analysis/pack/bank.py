"""Texts, items and generators of a study as a pack holds them: the versions that it showed."""

from collections.abc import Iterator
from typing import Any

from analysis.evidence import BANK_ORDER, WITHHELD, n_tokens
from analysis.pack.discretion import Discretion, hashed_text
from analysis.sorted_keys import sorted_keys
from evaluation.calls import version_name
from evaluation.models import Metric
from generation.models import GeneratorRun
from items.models import Generator, Item, KeyCorrection, Text
from items.services.exporting import text_object
from studies.models import InstrumentVersion, Study, UnitItem

DETAILS = ("source", "genre", "level", "audience", "topic", "licence")
LABELS = ("dataset", "split")  # of a text's metadata: tables are by data set
WORDINGS = ("question", "answer", "text", "explanation")
RUN_PARAMS = ("n_items", "n_options", "n_examples", "languages", "temperature")  # others are keys of this server


def texts_with_items(study: Study) -> list[tuple[Text, list[Item]]]:
    """In the order of the bank, as tables list them; an item that is in several units stands once."""
    rows = UnitItem.objects.filter(unit__study=study).order_by(*BANK_ORDER)
    found: dict[int, tuple[Text, dict[int, Item]]] = {}
    for row in rows.select_related("item__text", "item__generator").prefetch_related("item__options"):
        found.setdefault(row.item.text_id, (row.item.text, {}))[1].setdefault(row.item_id, row.item)
    return [(text, list(items.values())) for text, items in found.values()]


def bank_objects(study: Study, discretion: Discretion) -> Iterator[dict[str, Any]]:
    """One object per text in the shape in which `import_items` reads it."""
    for text, items in texts_with_items(study):
        said = text_object(text, items)
        if text.external_id in discretion.hidden:
            said = withheld(text, said, discretion)
        elif discretion.hidden:
            said["items"] = [item_without_quotes(item, text.external_id, discretion) for item in said["items"]]
        yield said


def withheld(text: Text, said: dict[str, Any], discretion: Discretion) -> dict[str, Any]:
    """A text that may not be shared: its hash and number of tokens, its details, and of its items what is asked."""
    said.pop("text_sha256", None)
    details = {name: getattr(text, name) for name in DETAILS if getattr(text, name)}
    about = {name: value for name, value in text.metadata.items() if name in LABELS and isinstance(value, str)}
    body = hashed_text(text)
    kept = {WITHHELD: {"sha256": body.removeprefix("sha256:"), "n_tokens": n_tokens(text)}, "shareable": False}
    quotes = text.title in text.body or discretion.quotes(text.title)
    return said | {
        "title": text.external_id if quotes or not text.title else text.title,
        "text": body,
        "metadata": discretion.everywhere(about) | {"extra": discretion.everywhere(details) | kept},
        "items": [item_without_quotes(item, text.external_id, discretion) for item in said["items"]],
    }  # fmt: skip


def item_without_quotes(item: dict[str, Any], text_id: str, discretion: Discretion) -> dict[str, Any]:
    """Its words, unless they quote a hidden text. Explanations about such a text stay out."""
    hidden = text_id in discretion.hidden
    answers = [
        {name: words(discretion, name, value) for name, value in option.items() if name != "explanation" or not hidden}
        for option in item["answers"]
    ]
    said = {name: words(discretion, name, value) for name, value in item.items()}
    metadata = {"metadata": discretion.nested(text_id, item["metadata"])} if "metadata" in item else {}
    return said | {"answers": answers} | metadata


def words(discretion: Discretion, name: str, value: Any) -> Any:
    """A field of an item or option, which may be what people read of it."""
    return discretion.wording(value) if name in WORDINGS else value


def versions(study: Study) -> dict[str, dict[str, int]]:
    """Which version of each text and item the study showed, where it is not the first."""
    shown = texts_with_items(study)
    return {
        "texts": {text.external_id: text.version for text, _items in shown if text.version > 1},
        "items": {item.external_id: item.version for _text, items in shown for item in items if item.version > 1},
    }


def generators(study: Study, discretion: Discretion) -> list[dict[str, Any]]:
    """The generators of the study's items in the order of the bank, each with the runs in which a model wrote."""
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    return [
        {
            "name": generator.name,
            "kind": generator.kind,
            "description": discretion.unquoted(generator.description),
            "factors": sorted_keys(discretion.everywhere(generator.factors)),
            "runs": [about_run(each) for each in generator.generator_runs.select_related("run")],
        }
        for generator in Generator.objects.filter(pk__in=used).order_by("pk")
    ]


def metrics(study: Study) -> list[dict[str, Any]]:
    """The metrics of which the study's items have values, in the project's order, with what tables say of them."""
    known = Metric.objects.filter(values__item__unit_items__unit__study=study).order_by("pk").distinct()
    return [{"metric": each.name, "is_computed": each.is_computed, "family": each.family} for each in known]


def about_run(generated: GeneratorRun) -> dict[str, Any]:
    """What a model was asked with when it wrote: never where, or with which key."""
    run = generated.run
    return {
        "model": run.model,
        "prompts": [version_name(version) for version in prompts_of_run(generated)],
        "params": {name: run.params[name] for name in RUN_PARAMS if name in run.params},
        "state": run.state,
        "n_calls": run.calls.count(),
        "started_at": moment(run.started_at),
        "finished_at": moment(run.finished_at),
    }


def prompts_of_run(generated: GeneratorRun) -> list[InstrumentVersion]:
    keys = generated.run.params.get("instruments") or {}
    return list(InstrumentVersion.objects.filter(pk__in=keys.values()).select_related("instrument").order_by("pk"))


def corrections(study: Study, discretion: Discretion) -> list[dict[str, Any]]:
    """Every correction of a key of the study's items, without who made it."""
    shown = UnitItem.objects.filter(unit__study=study).values("item")
    found = KeyCorrection.objects.filter(item__in=shown)
    return [
        {
            "item_id": made.item.external_id,
            "option_id": made.option_external_id,
            "correct": made.correct,
            "reason": discretion.unquoted(made.reason),
            "made_at": moment(made.made_at),
        }
        for made in found.select_related("item")
    ]


def moment(time: Any) -> str | None:
    return time.isoformat() if time else None
