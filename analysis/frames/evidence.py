"""Everything a report needs to know about a study, read in one snapshot; the rest of the report is computation."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd
from django.db import connection
from django.db.models import Count, Q, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.codes import decide_flaws_by_majority
from analysis.frames.export_rows import is_paired, load_pair_frame, map_items_by_unit
from analysis.frames.responses import (
    Answers,
    compute_probability_right,
    keep_latest_rounds,
    load_every_round,
    query_submitted,
    select_judgments,
    select_rows,
)
from analysis.models import IndependentCoding, ItemCode
from analysis.published_names import list_own_generators, read_matches
from evaluation.metric_values import get_metric_families, iter_metric_rows
from evaluation.services.calls import PositionBias, get_positions
from evaluation.services.describing import list_caveats
from evaluation.services.evaluators import collect_seen_texts
from items.models import Generator, KeyCorrection, Text
from items.plain import count_tokens
from studies.models import Annotator, PeopleTexts, Purpose, Study, Submission, Unit, UnitItem
from studies.protocols import PROTOCOLS
from studies.services.expert_check import REHEARSING
from studies.services.phases import read_background

# Not `transaction.atomic()`: with SQLite's IMMEDIATE mode even a transaction that only reads takes the write lock.
BEGIN = {"sqlite": "BEGIN DEFERRED", "postgresql": "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"}


_state = threading.local()  # a connection belongs to a thread


def is_reading() -> bool:
    return getattr(_state, "is_reading", False)


@contextmanager
def open_consistent_read() -> Iterator[None]:
    """Read in one snapshot without holding a lock; does nothing inside an existing transaction or snapshot.

    Nothing may be written inside, and `atomic()` may not be used.
    """
    if connection.in_atomic_block or is_reading():
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(BEGIN[connection.vendor])
    _state.is_reading = True
    try:
        yield
    finally:
        _state.is_reading = False
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK")


ITEM_FIELDS = {
    "text_id": "item__text__external_id",
    "item_id": "item__external_id",
    "generator": "item__generator__name",
    "stem": "item__stem",
    "reference": "item__reference",
}
ITEM_COLUMNS = [*ITEM_FIELDS, "n_options", "n_keys"]
OPTION_FIELDS = {
    **{column: ITEM_FIELDS[column] for column in ("text_id", "item_id", "generator")},
    "option_id": "item__options__external_id",
    "key": "item__options__correct",
    "wording": "item__options__text",
}
BANK_ORDER = ("item__text_id", "item_id")  # not the order of units, which a launch draws at random and imports lack
SHORT = 60  # most letters of a value that may be a category
WITHHELD = "withheld"  # metadata key of a text whose words a replication pack leaves out


@dataclass(frozen=True)
class TextDraw:
    """The texts drawn at random for people: the inclusion probability of each text of the study, and the drawn ones."""

    chances: dict[str, float]
    drawn: frozenset[str]


@dataclass(frozen=True)
class Evidence:
    """The answers of a study, and what they are about.

    `frame` holds the responses that count (see `load_responses`), `every_round` those of all rounds.
    `items`: one row per item with text_id, item_id, generator, source, stem, reference, n_options, n_keys.
    `texts`: text_id, source, dataset (if only one of the two is known, it is used for both), tokens.
    `annotators`: code, kind, group, reading, purpose, person, variant ("" without one).
    `times`: annotator, text_id, stage, minutes of each submitted stage, and the `active` part of them. `minutes`: their
    sums by annotator.
    `pairs`: see `load_pair_frame`.
    `left_out`: number of responses by purpose that the choices leave out.
    `options`: one row per option of `items` with text_id, item_id, option_id, generator, key (as it is now), wording.
    `codes`: the current codes (see `analysis.codes`) by item_id.
    `verdicts`: what experts said about the answers of others: annotator, item_id, question, value.
    `metrics`: item_id, metric, value of every defined metric value of its items. `metric_families`: by metric, the
    family of its base model, or ""; `families`: the same by generator; `settings`: by generator, how it writes.
    `peculiarities`: sentences about evaluators whose prompts or replies are handled in an unusual way.
    `positions`: by code of a model, how often the order of a pair decided its answer.
    `metadata`: by item_id, the short texts in its metadata.
    `unit_items`: by unit, the ids of the items that are compared, in stored order; only where items are compared.
    `text_draw`: how the texts that people answer were drawn; None if they were not drawn at random.
    `flaw_codes`: by item_id and flaw, what the majority of people said in the project's studies of flaws.
    `seen_texts`: by code of a model, the texts whose human answers it has seen.
    `background`: by code of a person, answers to background questions by name of the question, if they form groups.
    `published_names`: by generator, the published generator that a researcher has matched with it, "" for none.
    """

    study: Study
    choices: Choices
    frame: pd.DataFrame
    every_round: pd.DataFrame
    generators: tuple[str, ...]
    items: pd.DataFrame
    texts: pd.DataFrame
    annotators: pd.DataFrame
    times: pd.DataFrame
    minutes: pd.DataFrame
    pairs: pd.DataFrame
    corrections: tuple[str, ...]
    left_out: dict[str, int]
    options: pd.DataFrame
    codes: dict[str, set[str]]
    verdicts: pd.DataFrame
    metrics: pd.DataFrame
    metric_families: dict[str, str]
    families: dict[str, str]
    peculiarities: tuple[str, ...] = ()
    positions: Mapping[str, PositionBias] = field(default_factory=dict)
    metadata: dict[str, dict[str, str]] = field(default_factory=dict)
    published_names: dict[str, str] = field(default_factory=dict)
    unit_items: dict[int, tuple[str, ...]] = field(default_factory=dict)
    text_draw: TextDraw | None = None
    flaw_codes: dict[str, dict[str, bool]] = field(default_factory=dict)
    seen_texts: dict[str, frozenset[str]] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    background: Mapping[str, dict[str, str]] = field(default_factory=dict)

    @cached_property
    def judgments(self) -> pd.DataFrame:
        """The judgments of options in `frame` (see `select_judgments`); tables share them, so none may change them."""
        return select_judgments(self.frame)

    @cached_property
    def judgments_with_p(self) -> pd.DataFrame:
        """The judgments with their probability of being right as `p_right`."""
        return self.judgments.assign(p_right=compute_probability_right(self.frame, self.judgments))


def repeat_by_item(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows, repeated for each item of their unit if the study compares items."""
    if not evidence.unit_items:
        return rows
    generators = evidence.items.set_index("item_id")["generator"]
    found = rows.assign(item_id=rows["unit"].map(evidence.unit_items)).explode("item_id", ignore_index=True)
    return found.assign(generator=found["item_id"].map(generators))


def collect_evidence(study: Study, choices: Choices, answers: Answers | None = None) -> Evidence:
    """The evidence of a study, read without a lock; `answers`: those of the purposes, if read in this snapshot."""
    with open_consistent_read():
        rounds = load_every_round(study, choices.purposes, adjudicated=choices.adjudicated, answers=answers)
        rounds = select_rows(rounds, choices.groups)
        times, texts = read_times(study, choices), read_texts(study)
        found = Evidence(
            study=study,
            choices=choices,
            frame=keep_latest_rounds(rounds),
            every_round=rounds,
            generators=list_own_generators(study),
            items=read_items(study, texts),
            texts=texts,
            annotators=read_annotators(study, choices),
            times=times,
            minutes=times.groupby("annotator", sort=True)[["minutes", "active"]].sum().reset_index(),
            pairs=load_pair_frame(study),
            corrections=describe_corrections(study),
            left_out=count_left_out(study, choices),
            options=read_options(study),
            codes=read_codes(study),
            verdicts=read_verdicts(study, choices),
            metrics=read_metrics(study),
            metric_families=get_metric_families(study),
            families=read_factor(study, "family"),
            settings=read_factor(study, "setting"),
            peculiarities=list_caveats(study, choices.purposes),
            positions=get_positions(study) if is_paired(study) else {},
            metadata=read_metadata(study),
            published_names=read_matches(study),
            unit_items=list_compared_items(study),
            text_draw=read_text_draw(study),
            flaw_codes=decide_flaws_by_majority(study),
            seen_texts=collect_seen_texts(study),
            background=read_background(study) if choices.dif_by else {},
        )
    return keep_shared_texts(found) if choices.shared_texts else found


def read_text_draw(study: Study) -> TextDraw | None:
    """How the texts for people were drawn, by external id; None if they were not drawn at random."""
    found = PeopleTexts.objects.filter(study=study).first()
    if found is None:
        return None
    return TextDraw({each["text_id"]: each["probability"] for each in found.texts}, found.drawn_ids)


def list_compared_items(study: Study) -> dict[int, tuple[str, ...]]:
    if not PROTOCOLS[study.protocol].compares:
        return {}
    return {unit: tuple(items.values()) for unit, items in map_items_by_unit(study).items()}


def keep_shared_texts(evidence: Evidence) -> Evidence:
    """The evidence limited to texts about which people and each model and baseline have answered something."""
    answered = evidence.every_round[["annotator", "kind", "text_id"]].drop_duplicates()
    who = answered["annotator"].where(answered["kind"] != "human", "")  # people count as one
    shared = set(answered["text_id"]).intersection(*(set(texts) for _who, texts in answered.groupby(who)["text_id"]))

    def keep(frame: pd.DataFrame) -> pd.DataFrame:
        return frame[frame["text_id"].isin(shared)].reset_index(drop=True)

    return replace(
        evidence,
        frame=keep(evidence.frame),
        every_round=keep(evidence.every_round),
        items=keep(evidence.items),
        texts=keep(evidence.texts),
        options=keep(evidence.options),
    )


def read_metadata(study: Study) -> dict[str, dict[str, str]]:
    """The short texts in the metadata of each item, by item id, including further imported columns."""
    rows = UnitItem.objects.filter(unit__study=study).values_list("item__external_id", "item__metadata")
    return {item_id: select_short_texts(metadata | (metadata.get("extra") or {})) for item_id, metadata in rows}


def select_short_texts(fields: Mapping[str, Any]) -> dict[str, str]:
    """The short values, which may be categories."""
    return {name: value for name, value in fields.items() if isinstance(value, str) and 0 < len(value) <= SHORT}


def read_verdicts(study: Study, choices: Choices) -> pd.DataFrame:
    """The verdicts of experts; simulated ones only where simulated answers are included."""
    found = keep_latest_rounds(load_every_round(study, (Purpose.EXPERT,)))[
        ["annotator", "item_id", "question", "value"]
    ]
    if Purpose.SIMULATED in choices.purposes:
        return found
    return found[~found["annotator"].astype(str).str.startswith(REHEARSING)].reset_index(drop=True)


def read_factor(study: Study, factor: str) -> dict[str, str]:
    """A factor of each generator, empty if it has none."""
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    factors = Generator.objects.filter(pk__in=used).order_by("pk").values_list("name", "factors")
    return {name: str(values.get(factor, "")) for name, values in factors}


def read_metrics(study: Study) -> pd.DataFrame:
    rows = [
        (row["item_id"], row["metric"], row["value"]) for row in iter_metric_rows(study) if row["value"] is not None
    ]
    frame = pd.DataFrame.from_records(rows, columns=["item_id", "metric", "value"])
    return frame.drop_duplicates(["item_id", "metric"], ignore_index=True)


def read_items(study: Study, texts: pd.DataFrame) -> pd.DataFrame:
    rows = (
        UnitItem.objects.filter(unit__study=study)
        .annotate(
            n_options=Count("item__options"), n_keys=Count("item__options", filter=Q(item__options__correct=True))
        )
        .order_by(*BANK_ORDER)
        .values_list(*(ITEM_FIELDS.get(column, column) for column in ITEM_COLUMNS))
    )
    found = pd.DataFrame.from_records(list(rows), columns=ITEM_COLUMNS).drop_duplicates("item_id", ignore_index=True)
    return found.assign(source=found["text_id"].map(texts.set_index("text_id")["source"]))


def read_options(study: Study) -> pd.DataFrame:
    rows = (
        UnitItem.objects.filter(unit__study=study, item__options__isnull=False)
        .order_by(*BANK_ORDER, "item__options__position")
        .values_list(*OPTION_FIELDS.values())
    )
    frame = pd.DataFrame.from_records(list(rows), columns=list(OPTION_FIELDS))
    return frame.drop_duplicates(["item_id", "option_id"], ignore_index=True)


def read_codes(study: Study, coding: IndependentCoding | None = None) -> dict[str, set[str]]:
    """The team's codes by item id, or those of one independent coder."""
    found: dict[str, set[str]] = {}
    current = ItemCode.objects.current(coding).filter(study=study)
    for item_id, code in current.values_list("item__external_id", "code"):
        found.setdefault(item_id, set()).add(code)
    return found


def read_texts(study: Study) -> pd.DataFrame:
    """One row per text; tokens are words and punctuation marks (see `items.plain`)."""
    units = Unit.objects.filter(study=study).order_by("text_id", "position").select_related("text")
    rows = [(unit.text.external_id, *find_origin(unit.text), count_text_tokens(unit.text)) for unit in units]
    frame = pd.DataFrame.from_records(rows, columns=["text_id", "source", "dataset", "tokens"])
    return frame.drop_duplicates("text_id", ignore_index=True)


def find_origin(text: Text) -> tuple[str, str]:
    """Source and data set of a text. Most files name only one of the two, which is then used for both."""
    value = text.metadata.get("dataset")
    dataset = value.strip() if isinstance(value, str) else ""
    return text.source or dataset, dataset or text.source


def count_text_tokens(text: Text) -> int:
    """The number of tokens of a text; for one from a replication pack without its words, the number in the pack."""
    extra = text.metadata.get("extra")
    withheld = extra.get(WITHHELD) if isinstance(extra, Mapping) else None
    counted = withheld.get("n_tokens") if isinstance(withheld, Mapping) else None
    return counted if isinstance(counted, int) else count_tokens(text.body)


def read_annotators(study: Study, choices: Choices) -> pd.DataFrame:
    """The annotators of the chosen purposes and groups who have submitted something."""
    answered = query_submitted(study, choices.purposes).order_by().values("assignment__annotator")
    chosen = Annotator.objects.filter(pk__in=answered).order_by("pk")
    if choices.groups is not None:
        chosen = chosen.filter(~Q(kind="human") | Q(group__in=choices.groups))
    fields = ("code", "kind", "group", "reading", "purpose", "person")
    rows = list(chosen.values_list(*fields, Coalesce("variant__name", Value(""))))
    return pd.DataFrame.from_records(rows, columns=["annotator", *fields[1:], "variant"])


def read_times(study: Study, choices: Choices) -> pd.DataFrame:
    """Minutes from opening each stage to submitting it, by people, including breaks; stages without times are left out.

    active: the part of these minutes in which they were active; all of them if that is unknown.
    """
    timed = Submission.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind="human",
        assignment__annotator__purpose__in=choices.purposes,
        assignment__returned_at=None,
        opened_at__isnull=False,
        submitted_at__isnull=False,
    ).order_by("pk")
    about = ("assignment__annotator__code", "assignment__unit__text__external_id", "stage")
    rows = []
    for *names, opened, submitted, active in timed.values_list(*about, "opened_at", "submitted_at", "active_seconds"):
        if opened and submitted:
            seconds = (submitted - opened).total_seconds()
            rows.append((*names, seconds / 60, (seconds if active is None else active) / 60))
    return pd.DataFrame.from_records(rows, columns=["annotator", "text_id", "stage", "minutes", "active"])


def describe_corrections(study: Study) -> tuple[str, ...]:
    """One sentence for each key that was corrected after the launch of the study."""
    return tuple(describe_correction(correction) for correction in list_corrections(study))


def list_corrections(study: Study) -> list[KeyCorrection]:
    """The corrections of keys after the launch, in the item versions of the study."""
    if study.launched_at is None:
        return []
    shown = UnitItem.objects.filter(unit__study=study).values("item")
    found = KeyCorrection.objects.filter(item__in=shown, made_at__gt=study.launched_at)
    return list(found.select_related("item"))


def describe_correction(correction: KeyCorrection) -> str:
    values = {
        "option": correction.option_external_id,
        "item": correction.item.external_id,
        "day": f"{correction.made_at:%Y-%m-%d}",
        "reason": correction.reason,
    }
    if correction.correct:
        return _("Key corrected on %(day)s, after launch: %(option)s of %(item)s is now a key. %(reason)s") % values
    return _("Key corrected on %(day)s, after launch: %(option)s of %(item)s is no longer a key. %(reason)s") % values


def count_left_out(study: Study, choices: Choices) -> dict[str, int]:
    """The number of responses that the report leaves out, by purpose."""
    counted = (
        query_submitted(study, ("main", "pilot", "simulated"))
        .exclude(assignment__annotator__purpose__in=choices.purposes)
        .order_by()
        .values_list("assignment__annotator__purpose")
        .annotate(n=Count("pk"))
    )
    return dict(counted.order_by("assignment__annotator__purpose"))
