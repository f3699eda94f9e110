"""How reliably the items on these texts would rank the same readers again."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.formatting import number, of_people, of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.intervals import JACKKNIFE, Interval
from analysis.measures.reliability import LEAST_FACTOR_PARTS, alpha_of_parts, largest_block, omega_total, spearman_brown
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import people_in
from analysis.science.common import judgments_in, reading_stages, refuse
from analysis.science.tables import RELIABILITY
from analysis.tables.spec import Row, Table

FEWEST_PEOPLE = 30
MORE_TEXTS = 2
TOO_FEW = gettext_noop("Reliability needs 30 people who did the same items; here %(n)d.")
NO_SPREAD = gettext_noop("All these people have the same sum, so nothing can be ranked.")
VERSIONS_DIFFER = gettext_noop("These people read different versions of the texts, so their sums cannot be compared.")
FEW_PARTS = gettext_noop("A factor needs at least 3 parts.")
NOT_BY_ITEMS = gettext_noop("Only α over texts says what further texts would give.")
TEXTS, ITEMS = "text", "item"


def reliability_tables(evidence: Evidence) -> tuple[Table, ...]:
    stages = reading_stages(evidence)
    if stages is None:
        return ()
    mine = people_in(evidence).rows_of(judgments_in(evidence))
    read = mine[mine["stage"] == stages.with_text]
    if read.empty:
        return ()
    reason = _(VERSIONS_DIFFER) if evidence.frame["text_version"].nunique() > 1 else ""
    return (RELIABILITY.build(list(rows_of(*complete_scores(read), reason)), evidence.choices.convention),)


def complete_block(read: pd.DataFrame) -> pd.DataFrame:
    """The judgments of the largest block of people who finished the same texts."""
    scores = read.groupby(["annotator", "item_id"], sort=True)["correct"].mean().unstack("item_id")
    text = read.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(scores.columns)
    values, (code, _texts) = scores.to_numpy(dtype=np.float64), pd.factorize(text, sort=True)
    n_items = np.bincount(code)
    done = np.stack([(~np.isnan(values[:, code == each])).sum(axis=1) for each in range(len(n_items))], axis=1)
    people, texts = largest_block(done == n_items, FEWEST_PEOPLE)
    kept = scores.columns[np.isin(code, texts)]
    return read[read["annotator"].isin(scores.index[people]) & read["item_id"].isin(kept)]


def complete_scores(read: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """(people, items) share of options right and the text of each item, of the complete block."""
    block = complete_block(read)
    scores = block.groupby(["annotator", "item_id"], sort=True)["correct"].mean().unstack("item_id")
    text = block.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(scores.columns)
    return scores.to_numpy(dtype=np.float64), pd.factorize(text, sort=True)[0]


def rows_of(scores: np.ndarray, text: np.ndarray, reason: str = "") -> Iterator[dict[str, Any]]:
    """One row with the texts as parts, one with the items as parts."""
    texts = np.unique(text)
    by_text = np.stack([scores[:, text == each].sum(axis=1) for each in texts], axis=1) if len(texts) else scores
    for name, parts in ((TEXTS, by_text), (ITEMS, scores)):
        yield row_of(name, parts, len(texts), reason)


def row_of(name: str, parts: np.ndarray, n_texts: int, reason: str) -> dict[str, Any]:
    n, k = parts.shape
    reason = reason or (_(TOO_FEW) % {"n": n} if n < FEWEST_PEOPLE else "")
    about: dict[str, Any] = {"parts": name, "n_people": n, "n_parts": k, "omega": None, "longer": None}
    if reason:
        return about | {"alpha": refuse(reason), "reason": reason}
    found = alpha_of_parts(parts)
    if np.isnan(found.value):
        return about | {"alpha": refuse(_(NO_SPREAD)), "reason": _(NO_SPREAD)}
    interval = Interval(found.low, found.high, JACKKNIFE, "annotator", n, n * k, 0, None, "")
    few = _(FEW_PARTS) if k < LEAST_FACTOR_PARTS else ""
    is_of_texts = name == TEXTS
    return about | {
        "alpha": Estimate(found.value, dict.fromkeys(("readers", "annotators", "published"), interval)),
        "omega": None if few else omega_total(parts),
        "longer": spearman_brown(found.value, (n_texts + MORE_TEXTS) / n_texts) if is_of_texts else None,
        "reason": " ".join(filter(None, (few, "" if is_of_texts else _(NOT_BY_ITEMS)))),
    }


def reliability_sentence(tables: tuple[Table, ...]) -> list[str]:
    """A sentence on α with the texts as parts, if it is defined."""
    return [sentence for table in tables for row in table.rows if row["parts"] == TEXTS for sentence in say(row)]


def say(row: Row) -> list[str]:
    if row["alpha"] is None:
        return []
    values = {"alpha": number(row["alpha"]), "people": of_people(row["n_people"]), "texts": of_texts(row["n_parts"])}
    return [
        _("The items would rank readers with a reliability of %(alpha)s (α over texts: %(people)s, %(texts)s).")
        % values
    ]
