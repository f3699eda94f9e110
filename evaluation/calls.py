"""The calls behind a model's answers: what came back, how it was read, and which answers are missing and why."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db.models import CharField, Exists, F, FloatField, OuterRef, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Concat

from evaluation.judges.missing import unanswered_by_judge
from evaluation.judges.setting import SWAPPED, UNIT_KEY
from evaluation.models import Evaluator
from evaluation.services import judges
from evaluation.services.asking import METHOD
from evaluation.services.evaluators import RUN_KIND, RUN_KINDS, SCOPE
from evaluation.setting import ITEM_KEY, OPTION_KEY, PROBABILITY
from llm.failures import Failure, remedy
from llm.models import Call, CallState
from studies.models import InstrumentVersion, Response, Study, UnitItem
from studies.services.evaluating import ANSWER

PARSED, SECOND, LITTLE_MASS = "parsed", "second_reply", "little_label_mass"
UNPARSED, DECLINED, NOT_ASKED, NOT_YET = "unparsed", "refused", "not_asked", "open"
CALLED = {Failure.PARSE: UNPARSED, Failure.CONTENT: DECLINED}
"""Failures that have a plainer name as a parse status; the others keep their own."""

UNANSWERED = (
    *("annotator", "model", "reading", "stage", "text_id", "item_id", "item_version", "option_id"),
    *("other_item_id", "question", "parse_status", "reason", "raw_output", "prompt_version"),
)
METHODS = (METHOD, judges.METHOD)
FIELDS = {
    "text_id": "item__text__external_id",
    "item_id": "item__external_id",
    "item_version": "item__version",
    "option_id": "option_external_id",
}
REPLY = {
    "reply_text": "text",
    "reply_state": "state",
    "reply_failure": "error_class",
    "reply_error": "error",
}
CHUNK = 2000


def reply_behind() -> dict[str, Subquery]:
    """For responses: text, turn and flag of the call that the answer was read from; null where there is none.

    Of a pair, `reply_swapped` is the text in the other order.

    Each row finds its call by an index, so an export of any size needs no further query. (One JSON object of all three
    would be shorter, but in the transaction of an export Django cannot find out whether SQLite knows JSON objects.)
    """
    first = calls_behind()
    return {
        "reply_text": Subquery(first.values("text")[:1]),
        "reply_turn": Subquery(first.values("turn")[:1]),
        "reply_flagged": Subquery(first.values(flagged=KeyTransform("little label mass", "parsed"))[:1]),
        "reply_swapped": Subquery(calls_behind([judged_key(SWAPPED)]).values("text")[:1]),
    }


def label_masses(study: Study, purposes: Collection[str] = ("main",)) -> Iterator[tuple[str, str, float]]:
    """Annotator, stage and p(true) + p(false) of each answer that was read from a reply with both probabilities."""
    rows = answers_with_mass(study, purposes)
    yield from rows.values_list("assignment__annotator__code", "stage", "mass")


def replies_with_mass(study: Study, purposes: Collection[str], annotator: str, stage: str) -> Iterator[dict[str, Any]]:
    """Each such answer of a model in a stage: what it is about, its p(true), its mass, and the reply with its call."""
    rows = answers_with_mass(study, purposes).filter(assignment__annotator__code=annotator, stage=stage)
    call = {name: Subquery(calls_behind().values(name)[:1]) for name in ("text", "run_id", "pk")}
    rows = rows.annotate(**{f"call_{name}": found for name, found in call.items()})
    fields = ("item__text__external_id", "item__external_id", "option__external_id")
    for *about, p, mass, text, run, pk in rows.values_list(
        *fields, "probability", "mass", "call_text", "call_run_id", "call_pk"
    ):
        said = dict(zip(("text_id", "item_id", "option_id"), about, strict=True))
        yield said | {"probability": p, "mass": mass, "raw_output": text, "call": call_name(run, pk)}


def call_name(run: int, call: int) -> str:
    """What names a call in a table."""
    return f"{run}/{call}"


def answers_with_mass(study: Study, purposes: Collection[str]) -> QuerySet[Any]:
    """The responses read from a reply with the probabilities of both labels, each with their sum as `mass`."""
    answers = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose__in=purposes,
        assignment__annotator__evaluator__method=METHOD,
        assignment__returned_at=None,
        probability__isnull=False,
    )
    # A number: as JSON it could not be read out of a subquery on SQLite.
    mass = Cast(KeyTextTransform("label mass", "parsed"), FloatField())
    return (
        answers.annotate(mass=Subquery(calls_behind().values(mass=mass)[:1])).filter(mass__isnull=False).order_by("pk")
    )


def reply_logprobs() -> Subquery:
    """For responses: the log-probabilities of the same call, as it stores them."""
    return Subquery(calls_behind().values("logprobs")[:1])


def calls_behind(keys: Sequence[Concat] | None = None) -> QuerySet[Call]:
    """The calls that a response may have been read from, the one that it was read from first."""
    keys = keys or [*keys_of(OuterRef("stage"), OuterRef("item_id"), OuterRef("option_id")), judged_key()]
    evaluator = OuterRef("assignment__annotator__evaluator")
    return Call.objects.filter(
        parsed__isnull=False,  # not the state: its index would be chosen, and walked through for each row
        run__project=OuterRef("assignment__annotator__study__project"),
        run__kind__in=RUN_KINDS,
        run__scope=Concat(Value(SCOPE), Cast(evaluator, CharField())),
        key__in=keys,
    ).order_by("pk")


def keys_of(stage: Any, item_id: Any, option_id: Any) -> list[Concat]:
    """Of the calls that can have asked about an option: on its own, or with the others of its item."""
    return [
        Concat(stage, Value(OPTION_KEY), Cast(option_id, CharField())),
        Concat(stage, Value(ITEM_KEY), Cast(item_id, CharField())),
    ]


def judged_key(end: str = "") -> Concat:
    """Of the call in which a judge was asked what a response answers."""
    unit, item = (Cast(OuterRef(name), CharField()) for name in ("assignment__unit_id", "item_id"))
    return Concat(
        OuterRef("stage"), Value(UNIT_KEY), unit, Value("/"), item, Value("/"), OuterRef("question"), Value(end)
    )


def raw_output(row: Mapping[str, Any]) -> str | None:
    """What the model wrote, word for word; of a pair the replies to both orders as a JSON list."""
    first, swapped = row["reply_text"], row["reply_swapped"]
    return first if swapped is None else json.dumps([first, swapped], ensure_ascii=False)


def parse_status(row: Mapping[str, Any]) -> str | None:
    """How an answer was read, from its `reading` and the columns of `reply_behind`; None without a call."""
    if row["reply_turn"] is None:
        return None
    if row["reading"] == PROBABILITY and row["reply_flagged"]:
        return LITTLE_MASS
    return SECOND if row["reply_turn"] else PARSED


def prompt_versions(study: Study) -> dict[int, str]:
    """name/language/version of the prompts of each model evaluator, by annotator."""
    rows = Evaluator.objects.filter(annotator__study=study, method__in=METHODS).values_list(
        "annotator", "params__prompt"
    )
    used = dict(rows)
    versions = InstrumentVersion.objects.filter(pk__in=used.values()).select_related("instrument")
    names = {version.pk: version_name(version) for version in versions}
    return {annotator: names[pk] for annotator, pk in used.items() if pk in names}


def version_name(version: InstrumentVersion) -> str:
    return f"{version.instrument.name}/{version.instrument.language}/{version.version}"


def unanswered(study: Study, purposes: Collection[str] = ("main",)) -> Iterator[dict[str, Any]]:
    """One mapping per answer that a model was asked for and has not given, with the columns of `UNANSWERED`.

    Two evaluators and two stages take four queries, however much is missing.
    """
    versions = prompt_versions(study)
    evaluators = Evaluator.objects.filter(
        annotator__study=study, annotator__purpose__in=purposes, method__in=METHODS
    ).select_related("annotator__study")
    for evaluator in evaluators:
        yield from unanswered_by(evaluator, versions.get(evaluator.annotator_id))


def unanswered_by(evaluator: Evaluator, prompt_version: str | None) -> Iterator[dict[str, Any]]:
    annotator = evaluator.annotator
    who = {"annotator": annotator.code, "model": annotator.model, "reading": annotator.reading}
    if evaluator.method == judges.METHOD:
        for about, reply in unanswered_by_judge(evaluator):
            yield {**who, **about, **why_missing(reply), "prompt_version": prompt_version}
        return
    for stage in evaluator.stages:
        rows = missing_options(evaluator, stage).values_list(*map(F, FIELDS.values()), *REPLY)
        for values in rows.iterator(chunk_size=CHUNK):
            about, reply = values[: len(FIELDS)], dict(zip(REPLY, values[len(FIELDS) :], strict=True))
            yield {
                **who, "stage": stage, "question": ANSWER, **dict(zip(FIELDS, about, strict=True)),
                **why_missing(reply), "prompt_version": prompt_version,
            }  # fmt: skip


def missing_options(evaluator: Evaluator, stage: str) -> Any:
    """The options without an answer in a stage, in the study's order, each with its last reply or nulls."""
    given = Response.objects.filter(
        assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, stage=stage, question=ANSWER
    )
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id,
        run__kind=RUN_KIND,
        run__scope=f"{SCOPE}{evaluator.pk}",
        key__in=keys_of(Value(stage), OuterRef("item"), OuterRef("option")),
    ).order_by("-run", "-sample", "-turn")
    asked = UnitItem.objects.filter(unit__study=evaluator.annotator.study_id).annotate(
        option=F("item__options"),
        option_external_id=F("item__options__external_id"),
        option_position=F("item__options__position"),
    )
    return (
        asked.filter(~Exists(given.filter(option=OuterRef("option"))), option__isnull=False)
        .annotate(**{name: Subquery(calls.values(column)[:1]) for name, column in REPLY.items()})
        .order_by("unit__position", "position", "option_position")
    )


def why_missing(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Status, reason and raw output of what was not answered."""
    if reply["reply_state"] is None:
        return {"parse_status": NOT_ASKED, "reason": None, "raw_output": None}
    failure = reply["reply_failure"]
    status = CALLED.get(failure, failure) or (NOT_ASKED if reply["reply_state"] == CallState.PLANNED else NOT_YET)
    reason = reply["reply_error"] or remedy(failure) or None
    return {"parse_status": status, "reason": reason, "raw_output": reply["reply_text"]}
