"""The single answers behind a number of the informativity tables, so that anybody can count again."""

from django.utils.translation import gettext as _

from analysis.choices import BadChoice
from analysis.evidence import Evidence
from analysis.reports.answers import GUESS, READ, judgments_of, matched
from analysis.reports.evaluators import all_evaluators
from analysis.tables import Shown, Table, make_table

STAGES = {"guessability": (GUESS,), "answerability": (READ,), "informativity": (GUESS, READ)}
COLUMNS = ("text_id", "item_id", "option_id", "generator", "annotator", "stage", "ticked", "key", "right")


def behind(evidence: Evidence, measure: str, generator: str, evaluator: str, *, only_matched: bool) -> Table:
    """The judgments that the cell counts, sorted by text; `BadChoice` for a number that no table has."""
    named = {each.name: each for each in all_evaluators(evidence)}
    if measure not in STAGES or generator not in evidence.generators or evaluator not in named:
        raise BadChoice(_("There is no such number in the results of this study. Follow a number on the results page."))
    judgments = judgments_of(evidence.frame)
    if only_matched:
        judgments = matched(judgments)
    judgments = named[evaluator].rows_of(judgments)
    chosen = judgments[(judgments["generator"] == generator) & judgments["stage"].isin(STAGES[measure])]
    chosen = chosen.assign(ticked=chosen["value"], key=chosen["value"] == chosen["correct"], right=chosen["correct"])
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    ordered = chosen.sort_values(
        ["item_id", "option_id", "stage", "annotator"],
        key=lambda column: column.map(places) if column.name == "item_id" else column,
    )
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in ordered[list(COLUMNS)].to_numpy()]
    return make_table("judgments", COLUMNS, rows, title=_("The judgments"), shown=shown())


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Text"), "text_id", "text id"),
        Shown(_("Item"), "item_id", "item id"),
        Shown(_("Option"), "option_id"),
        Shown(_("Annotator"), "annotator"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("Ticked"), "ticked", "truth"),
        Shown(_("Key"), "key", "truth"),
        Shown(_("Right"), "right", "truth"),
    )
