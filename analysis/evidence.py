"""Everything a report needs of a study, read at one moment; what follows from it is arithmetic."""

import re
from dataclasses import dataclass

import pandas as pd
from django.db.models import Count, Q, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.consistency import consistent_read
from analysis.frames import chosen, every_round, latest_rounds
from analysis.handed_in import handed_in
from analysis.models import ItemCode
from analysis.paired import pairs_of
from evaluation.describing import said_of_evaluators
from items.models import Generator, KeyCorrection
from studies.models import Annotator, Study, Submission, Unit, UnitItem

ITEM_FIELDS = {
    "text_id": "item__text__external_id",
    "item_id": "item__external_id",
    "generator": "item__generator__name",
    "source": "item__text__source",
    "stem": "item__stem",
}
ITEM_COLUMNS = [*ITEM_FIELDS, "n_options", "n_keys"]
OPTION_FIELDS = {
    **{column: ITEM_FIELDS[column] for column in ("text_id", "item_id", "generator")},
    "option_id": "item__options__external_id",
    "key": "item__options__correct",
}
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Evidence:
    """What the answers of a study are, and what they are about.

    `frame` holds the responses that count (see `responses_frame`), `every_round` those of all rounds.
    `items`: one row per item with text_id, item_id, generator, source, stem, n_options, n_keys.
    `texts`: text_id, source, tokens. `annotators`: code, kind, group, reading, purpose, variant ("" without one).
    `times`: annotator, minutes of each stage handed in. `minutes`: annotator, minutes in all. `pairs`: see `pairs_of`.
    `left_out`: number of responses by purpose that the choices leave out.
    `options`: one row per option of `items` with text_id, item_id, option_id, generator, key (as it is now).
    `codes`: the codes that stand (see `analysis.codes`) by item_id.
    `peculiarities`: sentences about evaluators that are not asked or read in the usual way.
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
    peculiarities: tuple[str, ...] = ()


def evidence_of(study: Study, choices: Choices) -> Evidence:
    """Read a study once, without a lock."""
    with consistent_read():
        rounds = chosen(every_round(study, choices.purposes), choices.groups)
        times = times_of(study, choices)
        return Evidence(
            study=study,
            choices=choices,
            frame=latest_rounds(rounds),
            every_round=rounds,
            generators=generators_of(study),
            items=items_of(study),
            texts=texts_of(study),
            annotators=annotators_of(study, choices),
            times=times,
            minutes=times.groupby("annotator", sort=True)["minutes"].sum().reset_index(),
            pairs=pairs_of(study),
            corrections=corrections_of(study),
            left_out=left_out(study, choices),
            options=options_of(study),
            codes=codes_of(study),
            peculiarities=said_of_evaluators(study, choices.purposes),
        )


def generators_of(study: Study) -> tuple[str, ...]:
    """The generators of the study's items, in the order of the bank."""
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    return tuple(Generator.objects.filter(pk__in=used).order_by("pk").values_list("name", flat=True))


def items_of(study: Study) -> pd.DataFrame:
    rows = (
        UnitItem.objects.filter(unit__study=study)
        .annotate(
            n_options=Count("item__options"), n_keys=Count("item__options", filter=Q(item__options__correct=True))
        )
        .order_by("unit__position", "position")
        .values_list(*(ITEM_FIELDS.get(column, column) for column in ITEM_COLUMNS))
    )
    return pd.DataFrame.from_records(list(rows), columns=ITEM_COLUMNS).drop_duplicates("item_id", ignore_index=True)


def options_of(study: Study) -> pd.DataFrame:
    rows = (
        UnitItem.objects.filter(unit__study=study, item__options__isnull=False)
        .order_by("unit__position", "position", "item__options__position")
        .values_list(*OPTION_FIELDS.values())
    )
    frame = pd.DataFrame.from_records(list(rows), columns=list(OPTION_FIELDS))
    return frame.drop_duplicates(["item_id", "option_id"], ignore_index=True)


def codes_of(study: Study) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    standing = ItemCode.objects.standing().filter(study=study)
    for item_id, code in standing.values_list("item__external_id", "code"):
        found.setdefault(item_id, set()).add(code)
    return found


def texts_of(study: Study) -> pd.DataFrame:
    """Tokens are words and punctuation marks."""
    units = Unit.objects.filter(study=study).order_by("position")
    rows = [
        (external_id, source, len(TOKEN.findall(body)))
        for external_id, source, body in units.values_list("text__external_id", "text__source", "text__body")
    ]
    frame = pd.DataFrame.from_records(rows, columns=["text_id", "source", "tokens"])
    return frame.drop_duplicates("text_id", ignore_index=True)


def annotators_of(study: Study, choices: Choices) -> pd.DataFrame:
    """Everybody of the chosen purposes and groups who has handed something in."""
    answered = handed_in(study, choices.purposes).order_by().values("assignment__annotator")
    chosen = Annotator.objects.filter(pk__in=answered).order_by("pk")
    if choices.groups is not None:
        chosen = chosen.filter(~Q(kind="human") | Q(group__in=choices.groups))
    fields = ("code", "kind", "group", "reading", "purpose")
    rows = list(chosen.values_list(*fields, Coalesce("variant__name", Value(""))))
    return pd.DataFrame.from_records(rows, columns=["annotator", *fields[1:], "variant"])


def times_of(study: Study, choices: Choices) -> pd.DataFrame:
    """How long people had each stage open until handing it in, breaks included; without those of unknown times."""
    timed = Submission.objects.filter(
        assignment__annotator__study=study,
        assignment__annotator__kind="human",
        assignment__annotator__purpose__in=choices.purposes,
        assignment__returned_at=None,
        opened_at__isnull=False,
        submitted_at__isnull=False,
    )
    times = timed.values_list("assignment__annotator__code", "opened_at", "submitted_at")
    rows = [
        (code, (submitted - opened).total_seconds() / 60) for code, opened, submitted in times if opened and submitted
    ]
    return pd.DataFrame.from_records(rows, columns=["annotator", "minutes"])


def corrections_of(study: Study) -> tuple[str, ...]:
    """Keys that were corrected after the study was launched, one sentence each."""
    if study.launched_at is None:
        return ()
    ids = UnitItem.objects.filter(unit__study=study).values("item__external_id")
    found = KeyCorrection.objects.filter(
        item__project=study.project, item__external_id__in=ids, made_at__gt=study.launched_at
    ).select_related("item")
    return tuple(correction_sentence(correction) for correction in found)


def correction_sentence(correction: KeyCorrection) -> str:
    values = {
        "option": correction.option_external_id,
        "item": correction.item.external_id,
        "day": f"{correction.made_at:%Y-%m-%d}",
        "reason": correction.reason,
    }
    if correction.correct:
        return _("Key corrected on %(day)s, after launch: %(option)s of %(item)s is now a key. %(reason)s") % values
    return _("Key corrected on %(day)s, after launch: %(option)s of %(item)s is no key any more. %(reason)s") % values


def left_out(study: Study, choices: Choices) -> dict[str, int]:
    """How many responses of each purpose are not in the figures."""
    counted = (
        handed_in(study, ("main", "pilot", "simulated"))
        .exclude(assignment__annotator__purpose__in=choices.purposes)
        .order_by()
        .values_list("assignment__annotator__purpose")
        .annotate(n=Count("pk"))
    )
    return dict(counted.order_by("assignment__annotator__purpose"))
