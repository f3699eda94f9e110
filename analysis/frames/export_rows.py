"""Answers as rows of an export, in the order in which they were given, read in chunks."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain, groupby, islice, repeat
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from django.db.models import F, FilteredRelation, Q, QuerySet

from analysis.frames.responses import AS_STORED, query_submitted
from evaluation.models import Evaluator
from evaluation.services.calls import get_parse_status, get_prompt_versions, get_raw_output, select_replies
from items.models import Item, Option
from jobs.progress import ANSWERS, report_progress
from studies.models import (
    Adjudication,
    Annotator,
    Assignment,
    InstrumentVersion,
    PhasePassed,
    Response,
    Ruling,
    Study,
    Submission,
    Unit,
    UnitItem,
)
from studies.phases import PROFILE
from studies.presentation_order import ShownItem, read_shown_items
from studies.protocols import PROTOCOLS, Declaration
from studies.protocols.base import COMPARED
from studies.services.declarations import get_declaration
from studies.services.phases import get_phases
from studies.services.responses.rows import COLUMNS as CONTRACT
from studies.services.responses.rows import UNIT_ITEMS, add_unit_items

EXTRAS = (
    "study",
    "instrument_version",
    "unit",
    "item_version",
    "generator",
    "key",
    "correct",
    "applicable",
    "position_shown",
    "order_in_session",
    "opened_at",
    "first_answered_at",
    "last_changed_at",
    "n_changes",
    "raw_output",
    "parse_status",
    "prompt_version",
    "variant",
    "sequence",
    "active_seconds",
    "idle_seconds",
    "adjudication",
    "adjudicated_value",
    "adjudicated_by",
    "adjudicated_at",
    "reason",
    "text_version",
    "block",
    "block_added_at",
)
COLUMNS = (*CONTRACT, *EXTRAS)
CONSENT_VERSION = "consent_version"
CHECKS = ("attention_right", "attention_asked")


def list_export_columns(study: Study) -> tuple[str, ...]:
    return add_unit_items(study, (*COLUMNS, *list_phase_columns(study)))


def list_phase_columns(study: Study) -> tuple[str, ...]:
    """The columns of a study's own phases: consent, background answers and results of attention checks."""
    phases = get_phases(study)
    asked = [f"{phase.kind}_{each.name}" for phase in phases if phase.kind in PROFILE for each in phase.questions]
    kinds = {phase.kind for phase in phases}
    return (
        *((CONSENT_VERSION,) if "consent" in kinds else ()),
        *asked,
        *(CHECKS if "attention" in kinds else ()),
    )


def list_free_text_columns(study: Study) -> list[str]:
    """The columns of phases that contain free text."""
    asked = [(phase, each) for phase in get_phases(study) if phase.kind in PROFILE for each in phase.questions]
    return [f"{phase.kind}_{each.name}" for phase, each in asked if each.kind == "text"]


def read_phase_answers(study: Study, annotator_pk: int) -> dict[str, Any]:
    """The columns of `list_phase_columns` for one annotator."""
    by_name = {phase.name: phase for phase in get_phases(study)}
    passages = PhasePassed.objects.filter(annotator=annotator_pk, phase__in=by_name)
    found: dict[str, Any] = {}
    right = asked = 0
    for passage in passages if by_name else ():
        phase = by_name[passage.phase]
        if phase.kind in PROFILE:
            found |= {f"{phase.kind}_{name}": value for name, value in passage.answers.items()}
        elif phase.kind == "consent":
            found[CONSENT_VERSION] = passage.version
        elif phase.kind == "attention":
            right, asked = right + (passage.score or 0), asked + len(phase.questions)
    return found | dict(zip(CHECKS, (right, asked), strict=True))


# The source of each column, starting from an annotator or an answer; the other columns are computed or do not apply to
# this protocol.
PERSON_FIELDS = {
    "annotator_pk": "pk",
    "annotator": "code",
    "annotator_kind": "kind",
    "group": "group",
    "person": "person",
    "purpose": "purpose",
    "model": "model",
    "reading": "reading",
    "study": "study__slug",
    "variant": "variant__name",
}
# Fields of an answer and its assignment. The rows that they refer to are shared by many answers (`LookupCache`).
FIELDS = {
    "round": "assignment__round",
    "text_version": "assignment__text_version",
    "unit_pk": "assignment__unit_id",
    "assignment_pk": "assignment_id",
    "stage": "stage",
    "item_pk": "item_id",
    "option_pk": "option_id",
    "version_pk": "instrument_version_id",
    "question": "question",
    "submitted_at": "submitted_at",
    "comment": "comment",
    "first_answered_at": "first_answered_at",
    "last_changed_at": "last_changed_at",
    "n_changes": "n_changes",
    "pk": "pk",
}
UNIT = {"unit": "position", "part": "part", "block": "block", "text_id": "text__external_id"}
ITEM = {"item_id": "external_id", "item_version": "version", "generator": "generator__name"}
OPTION = {"option_id": "external_id", "key": "correct"}
INSTRUMENT = {"instrument": "instrument__name", "language": "instrument__language", "version": "version"}
# Fields of a decision about a response, and of a flag or an exclusion.
SETTLED = {"settled": "settled", "by": "decided_by__username", "at": "decided_at", "reason": "reason"}
ADJUDICATION_FIELDS = {
    "adjudicated_value": "decision__value",
    **{f"decision_{name}": f"decision__{field}" for name, field in SETTLED.items()},
    **{f"apart_{name}": f"apart__{field}" for name, field in SETTLED.items()},
}
NOT_SETTLED = {"adjudication": "", "reason": ""}
TIMES = ("submitted_at", "opened_at", "first_answered_at", "last_changed_at")
SHOWN = ("assignment_pk", "stage", "item_pk", "option_pk")  # keys of `read_places_shown`
SIDES = ("other_item_id", "shown_left")
REPLIES = ("reply_text", "reply_turn", "reply_flagged", "reply_swapped", "reading")
TRUTH_OF_STORED = {None: None, 0: False, 1: True}
ORDER = ("assignment__position", "assignment_id", "pk")
CHUNK = 2000
MAX_CACHED = 50_000  # units, items or options in memory at a time
Columns = dict[str, Any]  # a chunk of rows: the values of each column by name; a constant column is an endless iterable


def iter_export_rows(study: Study, purposes: Collection[str]) -> Iterator[dict[str, Any]]:
    """One mapping per response of any round, with the columns of `list_export_columns`, by annotator in order."""
    names = list_export_columns(study)
    rows = chain.from_iterable(zip(*columns, strict=False) for columns in iter_export_chunks(study, purposes))
    return (dict(zip(names, values, strict=True)) for values in rows)


def iter_export_chunks(study: Study, purposes: Collection[str]) -> Iterator[list[Iterable[Any]]]:
    """Chunks of rows, as the values of each column of `list_export_columns`. A constant column is endless."""
    submitted, names = query_submitted(study, purposes), list_export_columns(study)
    # The database would number the answers by sorting all of them, as wide as they are.
    stored = np.fromiter(submitted.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=CHUNK), np.int64)
    n = 0
    for columns in iter_chunks(study, purposes, submitted):
        report_progress(ANSWERS, n := n + len(columns["pk"]))
        columns["sequence"] = (np.searchsorted(stored, columns["pk"]) + 1).tolist()
        yield [columns.get(name, repeat(None)) for name in names]


class LookupCache:
    """Rows that answers refer to, by primary key, as columns of the export; each is read when it is first needed."""

    def __init__(self, rows: QuerySet[Any], fields: Mapping[str, str]):
        self.rows, self.fields = rows, fields
        self.found: dict[int | None, tuple[Any, ...]] = {}

    def look_up(self, keys: Sequence[int | None]) -> Columns:
        """The columns for these keys. The cache is emptied when it has become too large."""
        if len(self.found) > MAX_CACHED:
            self.found.clear()
        self.found[None] = (None,) * len(self.fields)
        if missing := set(keys) - self.found.keys():
            rows = self.rows.filter(pk__in=missing).values_list("pk", *self.fields.values())
            self.found.update((pk, values) for pk, *values in rows)
        return name_columns(self.fields, map(self.found.__getitem__, keys))


def name_columns(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> Columns:
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def iter_chunks(study: Study, purposes: Collection[str], submitted: QuerySet[Response]) -> Iterator[Columns]:
    """Chunks of each annotator's rows as columns, with primary keys and without `sequence`.

    Replies of models and decisions are joined only if an annotator has any.
    """
    evaluators = set(Evaluator.objects.filter(annotator__study=study).values_list("annotator_id", flat=True))
    decisions = Adjudication.objects.filter(response__assignment__annotator__study=study, reopened_at=None)
    decided = set(decisions.order_by().values_list("response__assignment__annotator_id", flat=True))
    prompts = get_prompt_versions(study)
    units = map_items_by_unit(study) if PROTOCOLS[study.protocol].unit in COMPARED else {}
    known = {
        "unit_pk": LookupCache(Unit.everything.all(), UNIT),
        "item_pk": LookupCache(Item.objects.all(), ITEM),
        "option_pk": LookupCache(Option.objects.all(), OPTION),
        "version_pk": LookupCache(InstrumentVersion.objects.all(), INSTRUMENT),
    }
    people = Annotator.objects.filter(study=study, purpose__in=purposes).order_by("pk")
    for values in people.values_list(*PERSON_FIELDS.values()):
        person = dict(zip(PERSON_FIELDS, values, strict=True))
        pk = person["annotator_pk"]
        replies = select_replies() if pk in evaluators else {}
        answers = (
            submitted.filter(assignment__annotator=pk)
            .order_by(*ORDER)
            .annotate(**AS_STORED, **replies, **(join_adjudications() if pk in decided else {}))
        )
        fields = FIELDS | (ADJUDICATION_FIELDS if pk in decided else {})
        names = (*fields, *AS_STORED, *replies)
        given = answers.values_list(*map(F, fields.values()), *AS_STORED, *replies).iterator(chunk_size=CHUNK)
        yield from complete_chunks(study, units, known, names, given, person, prompts.get(pk))


def complete_chunks(
    study: Study,
    units: dict[int, dict[int, str]],
    known: dict[str, LookupCache],
    names: tuple[str, ...],
    rows: Iterator[tuple[Any, ...]],
    person: dict[str, Any],
    prompt_version: str | None,
) -> Iterator[Columns]:
    """Chunks of an annotator's rows as columns: the values read from the database (`names`), and the computed ones."""
    first = list(islice(rows, CHUNK))
    if not first:
        return
    kind, pk = PROTOCOLS[study.protocol].unit, person["annotator_pk"]
    places = read_places_shown(pk, [stage.name for stage in get_declaration(study).every_stage])
    sides = read_sides_shown(pk, units) if kind == "pair" else {}
    opened = read_stage_times(pk)
    added = {number: date and date.isoformat() for number, date in study.block_dates.items()}
    same = person | read_phase_answers(study, pk) | NOT_SETTLED
    same["applicable"] = True  # a question that was not asked has no row; the wide export says where
    constant = {name: repeat(value) for name, value in same.items()}
    for given in chain([first], iter(lambda: list(islice(rows, CHUNK)), [])):
        columns: Columns = constant | name_columns(names, given)
        for key, cache in known.items():
            columns |= cache.look_up(columns[key])
        if opened:
            keys = zip(columns["assignment_pk"], columns["stage"], strict=True)
            columns |= name_columns(TimeSpent._fields, [opened.get(key, NO_TIMES) for key in keys])
        if sides:
            columns |= name_columns(SIDES, [sides.get(pk, (None, None)) for pk in columns["assignment_pk"]])
        if kind == "tuple":
            columns[UNIT_ITEMS] = [" ".join(units[unit].values()) for unit in columns["unit_pk"]]
        columns["block_added_at"] = list(map(added.__getitem__, columns["block"]))
        if places:
            subjects = list(zip(*map(columns.__getitem__, SHOWN), strict=True))
            columns["order_in_session"] = [places.get((*subject[:3], None)) for subject in subjects]
            columns["position_shown"] = [places.get(subject) if subject[3] else None for subject in subjects]
        complete_columns(columns)
        if "apart_settled" in names:
            columns |= join_rows(map(build_adjudication_columns, split_rows(columns, ADJUDICATION_FIELDS)))
        if "reply_turn" in names:
            columns |= join_rows(build_reply_columns(row, prompt_version) for row in split_rows(columns, REPLIES))
        yield columns


decode = lru_cache(maxsize=1000)(json.loads)  # a million answers have few different values


def complete_columns(columns: Columns) -> None:
    """Add the columns that are computed from other columns."""
    for name in TIMES:
        if name in columns:
            columns[name] = [time and time.isoformat() for time in columns[name]]
    columns["value"] = list(map(decode, columns["written"]))
    columns["unsure"] = list(map(TRUTH_OF_STORED.__getitem__, columns["marked"]))
    columns["probability"] = columns["chance"]
    judged = zip(columns["key"], columns["value"], strict=True)
    columns["correct"] = [None if key is None else value == key for key, value in judged]
    instruments = zip(*map(columns.__getitem__, INSTRUMENT), strict=True)
    columns["instrument_version"] = [f"{name}/{language}/{version}" for name, language, version in instruments]


def split_rows(columns: Columns, names: Iterable[str]) -> Iterator[dict[str, Any]]:
    """These columns, row by row."""
    names = tuple(names)
    return (dict(zip(names, values, strict=True)) for values in zip(*map(columns.__getitem__, names), strict=False))


def join_rows(rows: Iterable[dict[str, Any]]) -> Columns:
    rows = list(rows)
    return {name: [row[name] for row in rows] for name in rows[0]}


def build_reply_columns(row: dict[str, Any], prompt_version: str | None) -> dict[str, Any]:
    """The columns of the export about what a model wrote."""
    return {
        "prompt_version": None if row["reply_turn"] is None else prompt_version,
        "raw_output": get_raw_output(row),
        "parse_status": get_parse_status(row),
    }


def join_adjudications() -> dict[str, FilteredRelation]:
    """The current decision about the response, and whether it is flagged or excluded."""
    holds, decided = Q(adjudications__reopened_at=None), Q(adjudications__settled=Ruling.DECIDED)
    return {
        "decision": FilteredRelation("adjudications", condition=holds & decided),
        "apart": FilteredRelation("adjudications", condition=holds & ~decided),
    }


def build_adjudication_columns(row: dict[str, Any]) -> dict[str, Any]:
    """The columns of the export about adjudication; if an answer is both decided and flagged, both, decision first."""
    decisions = [
        (row[f"{kind}_settled"], row[f"{kind}_reason"]) for kind in ("decision", "apart") if row[f"{kind}_settled"]
    ]
    at = row["decision_at"] or row["apart_at"]
    return {
        "adjudication": "; ".join(settled for settled, _reason in decisions),
        "adjudicated_by": row["decision_by"] or row["apart_by"],
        "adjudicated_at": at.isoformat() if at else None,
        "reason": "; ".join(reason for _settled, reason in decisions if reason),
    }


def read_places_shown(annotator_pk: int, stages: list[str]) -> dict[tuple, int]:
    """The positions at which an annotator saw items and options, counted from 1; missing if an import lacks the order.

    {(assignment, stage, item, None): position among all items shown, (…, option): position within the item}
    """
    places: dict[tuple, int] = {}
    shown = Assignment.objects.active().filter(annotator=annotator_pk).order_by("position", "pk")
    session = 0
    for assignment, orders in shown.values_list("pk", "shown"):
        for stage in stages:
            for item in read_shown_items(orders, stage):
                session += 1
                places[assignment, stage, item.item_id, None] = session
                for number, option in enumerate(item.options, 1):
                    places[assignment, stage, item.item_id, option.option_id] = number
    return places


class TimeSpent(NamedTuple):
    """When a stage was opened, and the active and idle seconds until it was submitted; None if unknown."""

    opened_at: datetime | None
    active_seconds: int | None
    idle_seconds: int | None


NO_TIMES = TimeSpent(None, None, None)


def read_stage_times(annotator_pk: int) -> dict[tuple[int, str], TimeSpent]:
    """The times of each submitted stage, by assignment and stage; stages without times are missing."""
    known = Submission.objects.filter(assignment__annotator=annotator_pk, opened_at__isnull=False)
    return {(each.assignment_id, each.stage): split_time(each) for each in known}


def split_time(submission: Submission) -> TimeSpent:
    """The times of a submission; idle is the time from opening to submitting minus the active seconds."""
    opened, ended, active = submission.opened_at, submission.submitted_at, submission.active_seconds
    if active is None or opened is None or ended is None:
        return TimeSpent(opened, None, None)
    return TimeSpent(opened, active, max(0, round((ended - opened).total_seconds()) - active))


def map_items_by_unit(study: Study) -> dict[int, dict[int, str]]:
    """The items of each unit in their order: their ids by primary key."""
    found: dict[int, dict[int, str]] = {}
    items = UnitItem.objects.filter(unit__study=study).order_by("unit", "position")
    for unit, pk, external_id in items.values_list("unit_id", "item_id", "item__external_id"):
        found.setdefault(unit, {})[pk] = external_id
    return found


def read_sides_shown(annotator_pk: int, pairs: dict[int, dict[int, str]]) -> dict[int, tuple[str, str | None]]:
    """The second item of the pair and the item on the left (None if unknown), by assignment."""
    found = {}
    mine = Assignment.objects.active().filter(annotator=annotator_pk)
    for assignment, unit, shown in mine.values_list("pk", "unit_id", "shown"):
        pair = pairs[unit]
        left = next((items[0].item_id for items in map(read_first_shown, shown.values()) if items), None)
        found[assignment] = list(pair.values())[1], pair.get(left or 0)
    return found


def read_first_shown(order: list) -> list[ShownItem]:
    return read_shown_items({"": order}, "")[:1]


PAIR_COLUMNS = ["annotator", "unit", "round", "first", "second", "generator_first", "generator_second", "left"]


def is_paired(study: Study) -> bool:
    return PROTOCOLS[study.protocol].unit == "pair"


def load_pair_frame(study: Study) -> pd.DataFrame:
    """One row per assignment of a pairwise study, with the columns `PAIR_COLUMNS`; empty for other studies.

    `unit` is a primary key; `first`, `second` and `left` are ids of items, `left` is missing if the side is unknown.
    """
    if not is_paired(study):
        return pd.DataFrame(columns=PAIR_COLUMNS)
    items = UnitItem.objects.filter(unit__study=study).order_by("unit", "position")
    units: dict[int, list[tuple[int, str, str]]] = {}
    fields = ("unit_id", "item_id", "item__external_id", "item__generator__name")
    for unit, pk, external_id, generator in items.values_list(*fields):
        units.setdefault(unit, []).append((pk, external_id, generator))
    assignments = Assignment.objects.active().filter(annotator__study=study)
    rows = [
        build_pair_row(code, unit, number, units[unit], shown)
        for code, unit, number, shown in assignments.values_list("annotator__code", "unit_id", "round", "shown")
    ]
    return pd.DataFrame.from_records(rows, columns=PAIR_COLUMNS)


def build_pair_row(code: str, unit: int, number: int, pair: list[tuple[int, str, str]], shown: dict) -> tuple:
    (_one, first, generator_first), (_other, second, generator_second) = pair
    named: dict[int | None, str] = {pk: external_id for pk, external_id, _generator in pair}
    left = next((named[items[0].item_id] for items in map(read_first_shown, shown.values()) if items), None)
    return code, unit, number, first, second, generator_first, generator_second, left


NO_ANSWER = dict.fromkeys(("value", "option_id", "option_pk", "option_position", "key", "probability", "unsure"))
SUBJECT = itemgetter("annotator", "round", "stage", "item_pk")


def iter_not_applicable_rows(
    rows: Iterable[dict[str, Any]], declaration: Declaration, by_code: Mapping[str, Declaration]
) -> Iterator[dict[str, Any]]:
    """A row without a value for each question that does not apply to an item, given the other answers about it.

    No rows if no question has a condition, or if the study has rounds: a later round has single answers only.
    `by_code`: the declarations of annotators with a variant.
    """
    if declaration.rounds is not None:
        return
    for (annotator, _round, name, _item), about in groupby(sorted(rows, key=SUBJECT), key=SUBJECT):
        answers, stage = list(about), by_code.get(annotator, declaration).stage(name)
        if any(each.asked_if for each in stage.questions):
            given = {row["question"]: row["value"] for row in answers if row["option_id"] is None}
            for question, is_asked in stage.find_applicable(given, stage.questions).items():
                if is_asked is False:
                    yield answers[0] | NO_ANSWER | {"question": question, "comment": ""}
