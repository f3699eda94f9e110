"""Answers of one evaluator in one stage in item-evaluation's JSONL: one text per line, one prediction per option.

It is the bank's format with predictions added, so `import_items` reads the texts and items of such a file.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Prefetch
from django.utils.translation import gettext as _

from analysis.choices import BadChoice
from analysis.frames.responses import query_submitted
from evaluation.models import Evaluator
from evaluation.services.calls import iter_unanswered_by, select_logprobs, select_replies
from items.models import Item
from items.services.exporting import build_text_object
from studies.models import Annotator, AnnotatorKind, Study, Unit

ITEM_EVALUATION = "item-evaluation"
Predictions = dict[tuple[str, str], dict[str, Any]]  # by item id and option id


@dataclass(frozen=True)
class Source:
    """Whose answers a file contains, and to which stage."""

    annotator: Annotator
    stage: str


def list_sources(study: Study, purposes: Collection[str] = ("main",)) -> list[Source]:
    """Each model and baseline with each stage in which it has answered."""
    answered = query_submitted(study, purposes).exclude(assignment__annotator__kind=AnnotatorKind.HUMAN)
    pairs = answered.order_by("assignment__annotator", "stage").values_list("assignment__annotator", "stage").distinct()
    known = study.annotators.in_bulk()
    return [Source(known[annotator], stage) for annotator, stage in pairs]


def find_source(study: Study, evaluator: str = "", stage: str = "", purposes: Collection[str] = ("main",)) -> Source:
    """The source that is meant; `BadChoice` with all possible ones if none or several match."""
    possible = list_sources(study, purposes)
    if not possible:
        raise BadChoice(
            _(
                "This format contains only answers of models and baselines, and none has answered this "
                "study. Choose csv."
            )
        )
    meant = [source for source in possible if evaluator in ("", source.annotator.code) and stage in ("", source.stage)]
    if len(meant) == 1:
        return meant[0]
    listed = "; ".join(f"evaluator {source.annotator.code}, stage {source.stage}" for source in possible)
    if not meant:
        raise BadChoice(_("There are no such answers in this study. Choose one of: %(choices)s.") % {"choices": listed})
    raise BadChoice(
        _("A file of this format contains the answers of one evaluator in one stage. Choose one of: %(choices)s.")
        % {"choices": listed}
    )


def iter_lines(study: Study, source: Source, purposes: Collection[str] = ("main",)) -> Iterator[dict[str, Any]]:
    """One mapping per text of the study, in order, with the items that the study asks about, as they were asked."""
    found = list_predictions(study, source, purposes)
    items = Item.objects.select_related("generator").prefetch_related("options")
    units = Unit.objects.filter(study=study).select_related("text").order_by("position")
    seen: dict[int, None] = {}
    for unit in units.prefetch_related(Prefetch("items", items.order_by("unit_items__position"))):
        if unit.text_id not in seen:
            seen[unit.text_id] = None
            yield add_predictions(build_text_object(unit.text, unit.items.all()), found, describe_source(study, source))


def describe_source(study: Study, source: Source) -> dict[str, Any]:
    annotator = source.annotator
    return {
        "study": study.slug,
        "setting": source.stage,
        "evaluator": annotator.code,
        "model": annotator.model or annotator.code,
        "reading": annotator.reading,
    }


def add_predictions(line: dict[str, Any], found: Predictions, extra: dict[str, Any]) -> dict[str, Any]:
    """The line with a prediction at each option, and with the three metadata entries that item-evaluation requires."""
    for item in line["items"]:
        item.setdefault("multiple", True)  # each option was judged separately
        for option in item["answers"]:
            option["prediction"] = found.get((item["id"], option["id"]))
    metadata = line["metadata"]
    line["metadata"] = {
        **metadata,
        "dataset": metadata.get("dataset") or extra["study"],
        "split": metadata.get("split") or "",
        "extra": {**(metadata.get("extra") or {}), **extra},
    }
    return line


def list_predictions(study: Study, source: Source, purposes: Collection[str]) -> Predictions:
    """What was answered, and what was asked but not answered; options that were never asked are missing."""
    found = {(row["item_id"], row["option_id"]): build_missing_prediction(row) for row in iter_not_answered(source)}
    answers = query_submitted(study, purposes).filter(
        assignment__annotator=source.annotator, stage=source.stage, question="answer", option__isnull=False
    )
    replies = {"reply_text": select_replies()["reply_text"], "reply_logprobs": select_logprobs()}
    rows = answers.annotate(**replies).order_by("assignment__round", "pk")
    ids = {"item_name": F("item__external_id"), "option_name": F("option__external_id")}
    for row in rows.values("value", "probability", *replies, **ids):
        found[row["item_name"], row["option_name"]] = {
            "pred_correct": row["value"],
            "prob_correct": row["probability"],
            "model_output": row["reply_text"],
            "logprobs": list_token_logprobs(row["reply_logprobs"]),
        }
    return found


def iter_not_answered(source: Source) -> Iterator[dict[str, Any]]:
    evaluator = Evaluator.objects.select_related("annotator__study").filter(annotator=source.annotator).first()
    if evaluator is None:
        return
    yield from (row for row in iter_unanswered_by(evaluator, None) if row["stage"] == source.stage)


def build_missing_prediction(row: dict[str, Any]) -> dict[str, Any]:
    return {"pred_correct": None, "prob_correct": None, "model_output": row["raw_output"], "logprobs": None}


def list_token_logprobs(logprobs: list[Any] | None) -> list[dict[str, float]] | None:
    """One mapping per generated token: its log-probability and those of the likeliest alternatives."""
    if logprobs is None:
        return None
    return [{**dict(top), token: value} for token, value, top in logprobs]
