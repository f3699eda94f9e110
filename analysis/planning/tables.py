"""The tables of the planner."""

from django.utils.translation import gettext_noop as _

from analysis.tables.spec import Column, TableSpec, count, estimate, number

COMPONENTS = TableSpec(
    "components", _("Variance of the answers in this study"), (
        "component",
        Column("component_said", _("Differences"), in_files=False),
        estimate("sd", _("Fitted"), ""),
        number("assumed", _("Assumed without answers")),
        "unit",
        Column("unit_said", _("Jackknife groups"), in_files=False),
        count("n_units", _("n")),
        count("n_judgments", _("Judgments")),
        "reason",
    ),
    notes=(
        _("Standard deviations in logits, fitted on people's answers by how pairs of judgments that share a text, an "
          "item, an option or an annotator go together (method of moments)."),
        _("In brackets: 95 % jackknife intervals (t). Each text is left out in turn, for annotators each annotator; "
          "more than 40 in 40 groups."),
    ),
)  # fmt: skip


def declare_outlook(sizes: tuple[Column, ...], widths: tuple[Column | str, ...]) -> TableSpec:
    """What a plan would give: its sizes besides the number of texts, and the widths of its intervals."""
    return TableSpec(
        "outlook", _("Power and widths of intervals, by simulation"), (
            Column("axis", _("Varied"), "axis"),
            "size",
            Column("own_plan", _("Own plan"), "truth"),
            count("texts", _("Texts")),
            *sizes,
            number("power", _("Power"), reason="reason"),
            number("power_error", _("Error"), reason="reason"),
            *widths,
            "studies",
            "seed",
            "reason",
        ),
    )  # fmt: skip
