"""The tables of the stopping questionnaire."""

from collections.abc import Iterable
from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.reports import tables
from analysis.reports.tables import EVALUATOR, GROUP, list_agreement_columns
from analysis.tables.spec import Column, Crossing, TableSpec, count, number

ALL = ""  # in a column of groups, generators or sources: all of them together
CATEGORY = Column("category", _("Category"), "question")
VIEW = Column("view", _("View"), "view")
GENERATOR = Column("generator", _("Generator"), "scope")
SOURCE = Column("source", _("Source"), "scope")
SCOPE = _("In files, an empty group, generator or source means all of them.")


def list_crossings(
    columns: Iterable[str], number: str, down: str, apart: str, beneath: tuple[str, ...]
) -> tuple[Crossing, ...]:
    """Grids of a number across each of these columns (group, generator, source), with the other two pooled."""
    titles = {"group": _("By group"), "generator": _("By generator"), "source": _("By source")}
    rest = {across: tuple((column, ALL) for column in titles if column != across) for across in columns}
    return tuple(
        Crossing(number, down, across, apart=(apart,), beneath=beneath, where=fixed, title=titles[across])
        for across, fixed in rest.items()
    )


FLOW = TableSpec(
    "flow", _("Where judgments stopped"), (
        GROUP,
        CATEGORY,
        count("reached", _("Reached"), _("judgments that answered the category")),
        count("stopped", _("Stopped"), _("judgments that ended with this answer")),
    ),
    keys=("group", "category"),
    notes=(
        SCOPE,
        _("Reached: judgments that answered the category. Stopped: those that ended with this answer "
          "although further questions were left."),
    ),
    crossings=(Crossing("reached", "category", "group", beneath=("stopped",)),),
    page_first=("category",),
)  # fmt: skip

NOT_STOPPED = ""
STOPS = TableSpec(
    "stopped", _("Where judgments stopped, by generator"), (
        GENERATOR,
        Column("category", _("Stopped at"), "question"),
        count("n", _("Judgments"), _("judgments of people that ended here")),
        count("n_all", _("All"), _("judgments of people of the generator's items")),
        number("share", _("Share"), _("share of all of them")),
    ),
    keys=("generator", "category"),
    notes=(_("An empty category: the judgment did not stop early. Judgments of all people."),),
)  # fmt: skip

CONTRASTS = replace(tables.CONTRASTS)  # a copy with a drill-down of its own

LABELS = TableSpec(
    "label_distributions", _("Distribution of labels"), (
        GROUP,
        SOURCE,
        GENERATOR,
        CATEGORY,
        Column("label", _("Label"), "label"),
        count("n", _("Judgments"), _("judgments with this label")),
        number("share_all", _("Share of all"), _("of all judgments, including “not applicable”"), reason="reason"),
        number(
            "share_applicable", _("Share of applicable"), _("of the judgments that reached the category"),
            reason="reason",
        ),
        "reason",
    ),
    keys=("group", "source", "generator", "category", "label"),
    notes=(
        SCOPE,
        _("Single judgments are counted, not majorities. Of all: including “not applicable”. Of "
          "applicable: only judgments that reached the category. Missing answers are in neither."),
    ),
    crossings=list_crossings(("generator", "source"), "n", "label", "category", ("share_all",)),
    page_first=("category", "label", "group", "generator"),
)  # fmt: skip

AGREEMENT = TableSpec(
    "agreement", _("Agreement"), (
        "language",
        GROUP,
        GENERATOR,
        SOURCE,
        CATEGORY,
        VIEW,
        *list_agreement_columns(_("Cohen's κ of first and second judgment")),
    ),
    keys=("group", "generator", "source", "category", "view"),
    notes=(
        SCOPE,
        _("Pairs of people who judged the same item. All: a category that was not reached has the label "
          "“not applicable”. Applicable: both people reached the category. Pairs with a missing answer "
          "are in neither."),
        _("κ is Cohen's κ of the first and second judgment of an item. Because different people may have "
          "judged different items, Fleiss' κ is shown as well, which ignores the order. If nearly all "
          "labels are the same, both are near 0 whatever the agreement; AC1 is not."),
    ),
    crossings=list_crossings(
        ("group", "generator", "source"), "percent", "category", "view", ("kappa", "ac1", "n_pairs")
    ),
    page_first=("category", "view"),
)  # fmt: skip

JUDGE_AGREEMENT = TableSpec(
    "agreement_with_humans", _("Agreement of models with people"),
    (EVALUATOR, "evaluator_kind", CATEGORY, VIEW, *list_agreement_columns(_("Cohen's κ of model and person"))),
    keys=("evaluator", "category", "view"),
    notes=(
        _("Each person's judgment of an item that the model judged is compared with the model's. "
          "Agreement among people is shown separately, with the same views."),
    ),
)  # fmt: skip

TABLES = (FLOW, STOPS, CONTRASTS, LABELS, AGREEMENT, JUDGE_AGREEMENT)
