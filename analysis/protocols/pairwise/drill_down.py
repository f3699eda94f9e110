"""Behind the numbers of a pairwise study: the judgments of pairs, who won, and on which side."""

from collections.abc import Iterable

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.strengths import NO_TIES
from analysis.measures.wins import TIE
from analysis.protocols.pairwise.agreement import TIES_MISSING, WITHOUT_TIES
from analysis.protocols.pairwise.judged_pairs import PLACE, counted, judgments_by, judgments_of, winner
from analysis.protocols.pairwise.sides import ALL, of_known_sides
from analysis.reports.behind.listing import COUNTED, alike
from analysis.reports.behind.listing import counted as counted_of
from analysis.reports.evaluators import evaluator_named, people_in
from analysis.tables.spec import FrameRows, Row, Shown, Table, make_table
from studies.protocols.pairwise.declaration import TIE as TIE_WORD

COLUMNS = ("text_id", "item_a", "generator_a", "item_b", "generator_b", "annotator", "better", "shown_left")


def of_wins(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of two generators' pairs: those that one of them won, the ties, or all."""
    return listed(met(counted(evidence), row, column))


def of_judge_wins(evidence: Evidence, row: Row, column: str) -> Table:
    return listed(met(judgments_by(evidence, evaluator_named(evidence, row["evaluator"])), row, column))


def of_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """All judgments of the pairs that two people or more judged, as the row's view of ties has them."""
    judgments = judgments_of(evidence)
    if row["view"] == TIES_MISSING:
        judgments = judgments[judgments["outcome"] != TIE]
    if row["view"] == WITHOUT_TIES:
        tied = judgments.loc[judgments["outcome"] == TIE, "unit"]
        judgments = judgments[~judgments["unit"].isin(tied)]
    shared = judgments[judgments.groupby("unit")["annotator"].transform("nunique") > 1]
    return counted_of(evidence, shared, column) if column in COUNTED else listed(shared)


def of_ranking(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments of the generator's pairs that the row's model counts."""
    judgments = counted(evidence)
    mine = (judgments[["generator_first", "generator_second"]] == row["generator"]).any(axis=1)
    return listed(judgments[mine & ((row["method"] != NO_TIES) | (judgments["outcome"] != TIE))])


def of_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments about an item of one of the two generators and one of another."""
    judgments = counted(evidence)
    sides = judgments[["generator_first", "generator_second"]]
    either = sides.isin([row["generator_a"], row["generator_b"]]).any(axis=1)
    mine = judgments[either & (sides["generator_first"] != sides["generator_second"])]
    return counted_of(evidence, mine, column) if column in COUNTED else listed(mine)


def of_sides(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments that the generator's items won where the side is known."""
    won = of_known_sides(counted(evidence))
    return listed(won if row["generator"] == ALL else won[winner(won, "generator_") == row["generator"]])


def of_criteria(evidence: Evidence, row: Row, column: str) -> Table:
    """The judgments with a winner, each with whether the criterion was ticked; for the count the ticked ones."""
    answers = people_in(evidence).rows_of(evidence.frame)
    answers = answers[answers["question"] == row["criterion"]][[*PLACE, "value"]]
    found = counted(evidence).merge(answers.rename(columns={"value": "ticked"}), on=PLACE).astype({"ticked": bool})
    return listed(found[found["ticked"]] if column == "n" else found, "ticked")


def of_judges(evidence: Evidence, row: Row, column: str) -> Table:
    """Each judgment of a person beside what the model said of the same pair."""
    model = judgments_by(evidence, evaluator_named(evidence, row["evaluator"]))
    said = pd.Series(preferred(model).to_numpy(), index=model["unit"])
    people = judgments_of(evidence)
    both = people[people["unit"].isin(said.index)]
    both = both.assign(model_better=both["unit"].map(said))
    both["same"] = both["model_better"] == preferred(both)
    return listed(both, "model_better", "same", notes=alike(both["same"]))


def met(judgments: pd.DataFrame, row: Row, column: str) -> pd.DataFrame:
    """The judgments in which the two generators of a row met and which the column counts."""
    a, b = row["generator_a"], row["generator_b"]
    first, second = judgments["generator_first"], judgments["generator_second"]
    both = judgments[((first == a) & (second == b)) | ((first == b) & (second == a))]
    if column == "ties":
        return both[both["outcome"] == TIE]
    if column in ("wins_a", "wins_b"):
        return both[winner(both, "generator_") == row[column.replace("wins", "generator")]]
    return both


def preferred(judgments: pd.DataFrame) -> pd.Series:
    """The winner's id, or the word for a tie."""
    return winner(judgments).fillna(TIE_WORD)


def listed(judgments: pd.DataFrame, *more: str, notes: Iterable[str] = ()) -> Table:
    named = {"first": "item_a", "second": "item_b", "left": "shown_left"}
    named |= {"generator_first": "generator_a", "generator_second": "generator_b"}
    found = judgments.assign(better=preferred(judgments)).rename(columns=named)
    columns = (*COLUMNS, *more)
    rows = FrameRows(found.sort_values(["text_id", "item_a", "item_b", "annotator"]), columns)
    return make_table(
        "judgments", columns, rows, title=_("The judgments"), notes=tuple(notes), shown=shown(more)
    )  # fmt: skip


def shown(more: tuple[str, ...]) -> tuple[Shown, ...]:
    extra = {
        "ticked": Shown(_("Ticked"), "ticked", "truth"),
        "model_better": Shown(_("Better, says the model"), "model_better", "preference"),
        "same": Shown(_("The same"), "same", "truth"),
    }
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_a", "item id"),
        Shown(_("Generator"), "generator_a"),
        Shown(_("Item"), "item_b", "item id"),
        Shown(_("Generator"), "generator_b"),
        Shown(_("Annotator"), "annotator"),
        Shown(_("Better"), "better", "preference"),
        Shown(_("On the left"), "shown_left"),
        *(extra[name] for name in more),
    )


SOURCES = {
    "wins": of_wins,
    "contrasts": of_contrasts,
    "judge_wins": of_judge_wins,
    "agreement": of_agreement,
    "ranking": of_ranking,
    "sides": of_sides,
    "criteria": of_criteria,
    "agreement_with_humans": of_judges,
}
