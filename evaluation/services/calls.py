"""The calls behind a model's answers: replies, how they were read, which answers are missing and why, and the
position bias of judges."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, Exists, F, FloatField, OuterRef, QuerySet, Subquery, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, Coalesce, Concat

from evaluation.judges.base import SWAPPED, UNIT_KEY, JudgeQuestion, JudgeSetting, make_judge_setting, make_key
from evaluation.judges.prompts import FIRST, TIE
from evaluation.models import JUDGE_KIND, RUN_KIND, RUN_KINDS, Evaluator
from evaluation.services import judges
from evaluation.services.asking import METHOD
from evaluation.services.evaluators import SCOPE, make_scope
from evaluation.setting import ITEM_KEY, OPTION_KEY, PROBABILITY
from items.models import Item
from llm.failures import Failure, get_remedy
from llm.models import GOOD, Call, CallState
from studies.models import InstrumentVersion, Response, Study, UnitItem
from studies.services.evaluating import ANSWER, list_open_questions, read_values
from studies.services.responses.rows import UNIT_ITEMS, add_unit_items

ReplyFields = dict[str, Any]
REPLY_FIELDS = ("reply_text", "reply_state", "reply_failure", "reply_error")
NO_REPLY: ReplyFields = dict.fromkeys(REPLY_FIELDS)


def iter_unanswered_by_judge(evaluator: Evaluator) -> Iterator[tuple[dict[str, Any], ReplyFields]]:
    """The questions that should have an answer but have none: their subject, and the reply without an answer.

    Nothing for a judge from a replication pack that withholds its prompts: it cannot be asked any more.
    """
    if evaluator.params.get("prompt") is None:
        return
    annotator = evaluator.annotator
    params = {**evaluator.params, "study": annotator.study_id, "annotator": annotator.pk}
    setting, replies = make_judge_setting(params), get_failed_replies(evaluator)
    answers = read_values(annotator.study, [annotator])
    items = setting.items_of(setting.subjects)
    for about in setting.subjects:
        given = answers.get((setting.assignments[about.unit_id].pk, about.item_id), {})
        for name in list_open_questions(setting.stage, given, about.has_expected_answer):
            asked = JudgeQuestion(about, name)
            yield describe_missing(setting, asked, items), find_reply(setting, asked, replies)


def describe_missing(setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item]) -> dict[str, Any]:
    """A missing judgment; for a tuple, whose answers are not about a single item, `unit_item_ids` names all."""
    first, *others = (items[pk] for pk in asked.about.item_ids)
    is_one = asked.about.item_id is not None
    values = {
        "stage": setting.stage.name,
        "text_id": first.text.external_id,
        "item_id": first.external_id if is_one else None,
        "item_version": first.version if is_one else None,
        "other_item_id": others[0].external_id if others and is_one else None,
        "question": asked.question,
    }
    return values if is_one else values | {UNIT_ITEMS: " ".join(item.external_id for item in (first, *others))}


def find_reply(setting: JudgeSetting, asked: JudgeQuestion, replies: dict[str, ReplyFields]) -> ReplyFields:
    """The reply to a question; for the two orders of a pair, the one without an answer."""
    key = make_key(setting, asked)
    return replies.get(key) or replies.get(f"{key}{SWAPPED}") or NO_REPLY


def get_failed_replies(evaluator: Evaluator) -> dict[str, ReplyFields]:
    """The last failed reply by key."""
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id, run__kind=JUDGE_KIND, run__scope=make_scope(evaluator)
    ).exclude(state__in=[*GOOD, CallState.REJECTED])
    rows = calls.order_by("run", "sample", "turn").values_list("key", "text", "state", "error_class", "error")
    return {key: dict(zip(REPLY_FIELDS, reply, strict=True)) for key, *reply in rows}


PARSED, SECOND, LITTLE_MASS = "parsed", "second_reply", "little_label_mass"
UNPARSED, DECLINED, NOT_ASKED, NOT_YET = "unparsed", "refused", "not_asked", "open"
CALLED = {Failure.PARSE: UNPARSED, Failure.CONTENT: DECLINED}
"""Failures that have a plainer name as a parse status; the others keep their own."""

UNANSWERED = (
    *("annotator", "model", "reading", "stage", "text_id", "item_id", "item_version", "option_id"),
    *("other_item_id", "question", "parse_status", "reason", "raw_output", "prompt_version"),
)
METHODS = (METHOD, judges.METHOD)


def list_unanswered_columns(study: Study) -> tuple[str, ...]:
    return add_unit_items(study, UNANSWERED)


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


def select_replies() -> dict[str, Subquery]:
    """Annotations for responses: text, turn and flag of the call from which the answer was read; null if there is none.

    For a pair, `reply_swapped` is the reply to the other order.

    Each row finds its call by an index, so an export of any size needs no further query. (One JSON object of all three
    would be shorter, but in the transaction of an export Django cannot find out whether SQLite knows JSON objects.)
    """
    first = query_calls()
    return {
        "reply_text": Subquery(first.values("text")[:1]),
        "reply_turn": Subquery(first.values("turn")[:1]),
        "reply_flagged": Subquery(first.values(flagged=KeyTransform("little label mass", "parsed"))[:1]),
        "reply_swapped": Subquery(query_calls([build_judge_key(SWAPPED)]).values("text")[:1]),
    }


def iter_label_masses(study: Study, purposes: Collection[str] = ("main",)) -> Iterator[tuple[str, str, float]]:
    """Annotator, stage and p(true) + p(false) of each answer that was read from a reply with both probabilities."""
    rows = query_answers_with_mass(study, purposes)
    yield from rows.values_list("assignment__annotator__code", "stage", "mass")


def iter_replies_with_mass(
    study: Study, purposes: Collection[str], annotator: str, stage: str
) -> Iterator[dict[str, Any]]:
    """Each answer that has a label mass, of one model and stage: its subject, p(true), mass, reply and call."""
    rows = query_answers_with_mass(study, purposes).filter(assignment__annotator__code=annotator, stage=stage)
    call = {name: Subquery(query_calls().values(name)[:1]) for name in ("text", "run_id", "pk")}
    rows = rows.annotate(**{f"call_{name}": found for name, found in call.items()})
    fields = ("item__text__external_id", "item__external_id", "option__external_id")
    for *about, p, mass, text, run, pk in rows.values_list(
        *fields, "probability", "mass", "call_text", "call_run_id", "call_pk"
    ):
        values = dict(zip(("text_id", "item_id", "option_id"), about, strict=True))
        yield values | {"probability": p, "mass": mass, "raw_output": text, "call": name_call(run, pk)}


def name_call(run: int, call: int) -> str:
    """The name of a call in a table: RUN/CALL."""
    return f"{run}/{call}"


def query_answers_with_mass(study: Study, purposes: Collection[str]) -> QuerySet[Any]:
    """The responses read from a reply with the probabilities of both labels, each with their sum as `mass`."""
    answers = Response.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__purpose__in=purposes,
        assignment__annotator__evaluator__method=METHOD,
        assignment__returned_at=None,
        probability__isnull=False,
    )
    # A number, because SQLite could not extract it from JSON in a subquery.
    mass = Cast(KeyTextTransform("label mass", "parsed"), FloatField())
    return (
        answers.annotate(mass=Subquery(query_calls().values(mass=mass)[:1])).filter(mass__isnull=False).order_by("pk")
    )


def select_logprobs() -> Subquery:
    """An annotation for responses: the log-probabilities of the call from which each was read, as stored."""
    return Subquery(query_calls().values("logprobs")[:1])


def query_calls(keys: Sequence[Concat] | None = None) -> QuerySet[Call]:
    """The calls from which a response may have been read, the first one first."""
    keys = keys or [
        *build_option_keys(OuterRef("stage"), OuterRef("item_id"), OuterRef("option_id")),
        build_judge_key(),
    ]
    evaluator = OuterRef("assignment__annotator__evaluator")
    return Call.objects.filter(
        parsed__isnull=False,  # not the state: its index would be chosen, and walked through for each row
        run__project=OuterRef("assignment__annotator__study__project"),
        run__kind__in=RUN_KINDS,
        run__scope=Concat(Value(SCOPE), Cast(evaluator, CharField())),
        key__in=keys,
    ).order_by("pk")


def build_option_keys(stage: Any, item_id: Any, option_id: Any) -> list[Concat]:
    """The keys of calls that may have asked about an option: alone, or with the others of its item."""
    return [
        Concat(stage, Value(OPTION_KEY), Cast(option_id, CharField())),
        Concat(stage, Value(ITEM_KEY), Cast(item_id, CharField())),
    ]


def build_judge_key(end: str = "") -> Concat:
    """The key of the call that asked a judge for a response."""
    unit, item = Cast(OuterRef("assignment__unit_id"), CharField()), Cast(Coalesce(OuterRef("item_id"), 0), CharField())
    return Concat(
        OuterRef("stage"), Value(UNIT_KEY), unit, Value("/"), item, Value("/"), OuterRef("question"), Value(end)
    )


def get_raw_output(row: Mapping[str, Any]) -> str | None:
    """The model's reply word for word; for a pair the replies to both orders as a JSON list."""
    first, swapped = row["reply_text"], row["reply_swapped"]
    return first if swapped is None else json.dumps([first, swapped], ensure_ascii=False)


def get_parse_status(row: Mapping[str, Any]) -> str | None:
    """How an answer was read, from its `reading` and the columns of `select_replies`; None without a call."""
    if row["reply_turn"] is None:
        return None
    if row["reading"] == PROBABILITY and row["reply_flagged"]:
        return LITTLE_MASS
    return SECOND if row["reply_turn"] else PARSED


def get_prompt_versions(study: Study) -> dict[int, str]:
    """name/language/version of the prompts of each model evaluator, by annotator."""
    rows = Evaluator.objects.filter(annotator__study=study, method__in=METHODS).values_list(
        "annotator", "params__prompt"
    )
    used = dict(rows)
    versions = InstrumentVersion.objects.filter(pk__in=used.values()).select_related("instrument")
    names = {version.pk: name_version(version) for version in versions}
    return {annotator: names[pk] for annotator, pk in used.items() if pk in names}


def name_version(version: InstrumentVersion) -> str:
    return f"{version.instrument.name}/{version.instrument.language}/{version.version}"


def iter_unanswered(study: Study, purposes: Collection[str] = ("main",)) -> Iterator[dict[str, Any]]:
    """One mapping per answer that a model was asked for but has not given, with the columns of `UNANSWERED`.

    Two evaluators and two stages take four queries, regardless of how much is missing.
    """
    versions = get_prompt_versions(study)
    evaluators = Evaluator.objects.filter(
        annotator__study=study, annotator__purpose__in=purposes, method__in=METHODS
    ).select_related("annotator__study")
    for evaluator in evaluators:
        yield from iter_unanswered_by(evaluator, versions.get(evaluator.annotator_id))


def iter_unanswered_by(evaluator: Evaluator, prompt_version: str | None) -> Iterator[dict[str, Any]]:
    annotator = evaluator.annotator
    who = {"annotator": annotator.code, "model": annotator.model, "reading": annotator.reading}
    if evaluator.method == judges.METHOD:
        for about, reply in iter_unanswered_by_judge(evaluator):
            yield {**who, **about, **explain_missing(reply), "prompt_version": prompt_version}
        return
    for stage in evaluator.stages:
        rows = query_missing_options(evaluator, stage).values_list(*map(F, FIELDS.values()), *REPLY)
        for values in rows.iterator(chunk_size=CHUNK):
            about, reply = values[: len(FIELDS)], dict(zip(REPLY, values[len(FIELDS) :], strict=True))
            yield {
                **who, "stage": stage, "question": ANSWER, **dict(zip(FIELDS, about, strict=True)),
                **explain_missing(reply), "prompt_version": prompt_version,
            }  # fmt: skip


def query_missing_options(evaluator: Evaluator, stage: str) -> Any:
    """The options without an answer in a stage, in the study's order, each with its last reply or nulls."""
    given = Response.objects.filter(
        assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, stage=stage, question=ANSWER
    )
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id,
        run__kind=RUN_KIND,
        run__scope=f"{SCOPE}{evaluator.pk}",
        key__in=build_option_keys(Value(stage), OuterRef("item"), OuterRef("option")),
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


def explain_missing(reply: Mapping[str, Any]) -> dict[str, Any]:
    """Status, reason and raw output of a missing answer."""
    if reply["reply_state"] is None:
        return {"parse_status": NOT_ASKED, "reason": None, "raw_output": None}
    failure = reply["reply_failure"]
    status = CALLED.get(failure, failure) or (NOT_ASKED if reply["reply_state"] == CallState.PLANNED else NOT_YET)
    reason = reply["reply_error"] or get_remedy(failure) or None
    return {"parse_status": status, "reason": reason, "raw_output": reply["reply_text"]}


# Position bias of judges: whether the order of a pair decided the answer, from the calls in both orders.


POSITION = "position"  # in the params of an evaluator from a replication pack: the fields of PositionBias


@dataclass(frozen=True)
class PositionBias:
    """`n` pairs were answered in both orders, `n_flipped` of them differently (counted as ties).

    `n_decided` answers, to either order, name a winner; `n_first` of these name the item that was shown first.
    """

    n: int
    n_flipped: int
    n_first: int
    n_decided: int

    @property
    def share_flipped(self) -> float | None:
        return self.n_flipped / self.n if self.n else None

    @property
    def share_first(self) -> float | None:
        return self.n_first / self.n_decided if self.n_decided else None


def get_positions(study: Study) -> dict[str, PositionBias]:
    """The position bias of each judge of pairs, by its label."""
    known = Evaluator.objects.filter(annotator__study=study, method=judges.METHOD).select_related("annotator__study")
    found = {evaluator.annotator.code: get_position(evaluator) for evaluator in known}
    return {code: position for code, position in found.items() if position is not None}


def get_position(evaluator: Evaluator) -> PositionBias | None:
    """The position bias of a judge; None if it does not judge pairs, or before its first answer.

    A judge from a replication pack has no calls; for it, the values are those stored in the pack.
    """
    if evaluator.method != judges.METHOD:
        return None
    replies = get_replies(evaluator)
    if not replies and POSITION in evaluator.params:
        return PositionBias(**evaluator.params[POSITION])
    return count_positions(replies) if replies else None


@dataclass(frozen=True)
class Reply:
    """A judge's answer about a pair in one order: `choice` is FIRST, SECOND or TIE in the prompt's order of items, and
    `better` the same in the pair's own order.

    `unit`: the primary key of the pair's unit; `text`: the reply word for word; `call`: see `name_call`.
    """

    unit: int
    is_swapped: bool
    choice: str
    better: str
    text: str
    call: str


def get_replies(evaluator: Evaluator) -> dict[str, Reply]:
    """The latest answer to each order, by the key of its call."""
    calls = Call.objects.good().filter(
        run__project=evaluator.annotator.study.project_id, run__kind=JUDGE_KIND, run__scope=make_scope(evaluator)
    )
    rows = calls.order_by("run", "turn").values_list("key", "parsed", "text", "run_id", "pk")
    return {
        key: Reply(
            unit=int(key.rpartition(UNIT_KEY)[2].partition("/")[0]),
            is_swapped=key.endswith(SWAPPED),
            choice=parsed["said"],
            better=parsed["better"],
            text=text,
            call=name_call(run, pk),
        )
        for key, parsed, text, run, pk in rows
        if parsed and "better" in parsed
    }


def pair_replies(replies: Mapping[str, Reply]) -> list[tuple[Reply, Reply]]:
    """The two replies about each pair that has both, the one in the pair's own order first."""
    return [
        (reply, other)
        for key, reply in replies.items()
        if not reply.is_swapped and (other := replies.get(f"{key}{SWAPPED}")) is not None
    ]


def list_decided(replies: Mapping[str, Reply]) -> list[Reply]:
    """The replies that name a winner."""
    return [reply for reply in replies.values() if reply.choice != TIE]


def count_positions(replies: Mapping[str, Reply]) -> PositionBias:
    both, winners = pair_replies(replies), list_decided(replies)
    return PositionBias(
        n=len(both),
        n_flipped=sum(one.better != other.better for one, other in both),
        n_first=sum(reply.choice == FIRST for reply in winners),
        n_decided=len(winners),
    )
