"""Each option of each item, without and with the text, by people's answers: choices, unsure marks, wrong keys."""

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.item_analysis import discrimination, miskey, unit_means
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.reports.evaluators import people_in
from analysis.tables.spec import Row, Shown, Table, make_table

COLUMNS = (
    "text_id", "item_id", "option_id", "generator", "key", "stage", "n", "share_ticked", "share_correct",
    "share_unsure", "discrimination", "miskey", "reason",
)  # fmt: skip
NOBODY = gettext_noop("Nobody answered this in that stage.")
NO_MARKS = gettext_noop("Nothing is known of unsure marks.")
NOT_WITHOUT_TEXT = gettext_noop("Without the text there are no unsure marks, and answers say nothing about a key.")


def item_analysis(evidence: Evidence) -> Table:
    """A row per option and stage, in the order of the bank; nobody's answers leave shares undefined."""
    found = {stage: stage_rows(evidence, stage) for stage in (GUESS, READ)}
    rows = [row for both in zip(found[GUESS], found[READ], strict=True) for row in both]
    notes = (
        _("By the answers of people. Discrimination: correlation between being right about the option and the share "
          "right among all other judgments of the same person in that stage."),
        _("Mis-key: probability that the key is wrong, given the answers with the text; beforehand 2 % of the keys are "
          "taken to be wrong. With few answers it says little: see n."),
    )  # fmt: skip
    title, named_by = _("Item analysis"), ("item_id", "option_id", "stage")
    return make_table("item_analysis", COLUMNS, rows, title=title, notes=notes, shown=shown(), named_by=named_by)


def stage_rows(evidence: Evidence, stage: str) -> list[Row]:
    """One row per option, in the order of `evidence.options`."""
    options = evidence.options
    asked = people_in(evidence).rows_of(evidence.frame)
    asked = asked[(asked["question"] == "answer") & (asked["stage"] == stage) & asked["correct"].notna()]
    ticked, right, unsure = grids(asked, options, ("value", "correct", "unsure"))
    shares, separation = unit_means(right), discrimination(right)
    marks = unit_means(unsure)
    alarm = miskey((right == 1).sum(axis=0), shares.n) if stage == READ else None
    columns = {
        "n": shares.n,
        "share_ticked": unit_means(ticked).share,
        "share_correct": shares.share,
        "share_unsure": marks.share,
        "discrimination": separation.value,
        "miskey": alarm.probability if alarm else np.full(len(options), np.nan),
    }
    fixed = [_(NOT_WITHOUT_TEXT)] if alarm is None else [_(alarm.reason)] if alarm.reason else []
    return [
        {
            **dict(zip(options.columns, about, strict=True)),
            "stage": stage,
            **{name: values[place] for name, values in columns.items()},
            "reason": " ".join([*([_(why)] if why else []), *unmarked(stage, marks.n[place]), *fixed])
            if shares.n[place]
            else _(NOBODY),
        }
        for place, (about, why) in enumerate(zip(options.to_numpy(), separation.reasons, strict=True))
    ]


def unmarked(stage: str, known: int) -> list[str]:
    """Why a share of unsure marks is undefined where they are asked for, as in files that do not have them."""
    return [_(NO_MARKS)] if stage == READ and not known else []


def grids(asked: pd.DataFrame, options: pd.DataFrame, columns: tuple[str, ...]) -> list[np.ndarray]:
    """For each column (annotators, options) 0, 1, MISSING: what each annotator has there for each option."""
    rater, raters = pd.factorize(asked["annotator"])
    ids = ["item_id", "option_id"]
    unit = pd.MultiIndex.from_frame(options[ids]).get_indexer(pd.MultiIndex.from_frame(asked[ids]))
    found = []
    for column in columns:
        values = np.full((len(raters), len(options)), MISSING, dtype=np.int64)
        values[rater, unit] = asked[column].astype("boolean").astype("Int64").fillna(MISSING).to_numpy(dtype=np.int64)
        found.append(values)
    return found


def shown() -> tuple[Shown, ...]:
    separates = _("correlation of being right here with the share right of the same person's other judgments")
    wrong = _("probability that the key is wrong, by Bayes' rule from all options' judgments")
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Option"), "option_id"),
        Shown(_("Generator"), "generator"),
        Shown(_("Is a key"), "key", "truth"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("People"), "n", "count", about=_("people who judged the option in this stage")),
        Shown(_("Ticked"), "share_ticked", "number", reason="reason", about=_("share of people who ticked it")),
        Shown(_("Right"), "share_correct", "number", reason="reason", about=_("share of people who judged it rightly")),
        Shown(_("Unsure"), "share_unsure", "number", reason="reason", about=_("share of people who marked it unsure")),
        Shown(_("Discrimination"), "discrimination", "number", reason="reason", about=separates),
        Shown(_("Mis-key"), "miskey", "number", reason="reason", about=wrong),
    )
