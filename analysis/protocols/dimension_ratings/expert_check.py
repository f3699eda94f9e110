"""Accuracy of scores by experts' verdicts on a random sample."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.scores import dimensions_of
from analysis.tables.spec import Crossing, Shown, Table, make_table
from studies.protocols.dimension_ratings.declaration import RIGHT

COLUMNS = ("dimension", "expert", "n", "accuracy")


def expert_check(evidence: Evidence) -> Table:
    """One row per dimension and expert: of the n scores that they judged on it, the share that they found right."""
    verdicts = evidence.verdicts
    experts = list(dict.fromkeys(verdicts["annotator"]))
    rows = [
        row_of(dimension, expert, verdicts[(verdicts["question"] == dimension) & (verdicts["annotator"] == expert)])
        for dimension in dimensions_of(evidence)
        for expert in experts
    ]
    shown = (
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Expert"), "expert"),
        Shown("n", "n", "count", about=_("scores that the expert checked")),
        Shown(_("Accuracy"), "accuracy", "number", about=_("share of the checked scores that the expert found right")),
    )
    return make_table(
        "expert_check", COLUMNS, rows, title=_("Expert check"), notes=notes(evidence), shown=shown,
        named_by=("dimension", "expert"), crossings=(Crossing("accuracy", "dimension", "expert"),),
    )  # fmt: skip


def row_of(dimension: str, expert: str, verdicts: Any) -> dict[str, Any]:
    n = len(verdicts)
    right = int((verdicts["value"] == RIGHT).sum())
    return {"dimension": dimension, "expert": expert, "n": n, "accuracy": right / n if n else None}


def notes(evidence: Evidence) -> tuple[str, ...]:
    if evidence.verdicts.empty:
        return (_("Empty: no expert has checked a sample of this study."),)
    both = evidence.verdicts.groupby(["item_id", "question"])["value"].agg(["nunique", "size"])
    both = both[both["size"] > 1]
    said = [_("Accuracy: the share of the checked scores that the expert found right. An item is drawn with the scores "
              "of one annotator.")]  # fmt: skip
    if len(both):
        counted = {"same": int((both["nunique"] == 1).sum()), "all": len(both)}
        said.append(_("The experts gave the same verdict on %(same)d of %(all)d scores.") % counted)
    return tuple(said)
