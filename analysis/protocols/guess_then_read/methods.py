"""How guess-then-read was done and what came out, for the methods draft."""

from django.utils.translation import gettext as _

from analysis.pack.methods import Facts, table, with_ends
from analysis.reports.evaluators import HUMAN


def describe_design(facts: Facts) -> str:
    said = [
        _("Following Säuberli & Clematide (2024), annotators first judged every option of one generator's items "
          "without seeing the text, then those of all generators with the text."),
        _("People rated each item as well.") if any(row["n"] for row in table(facts, "ratings").rows) else "",
        _("Models and baselines judged the items of all generators in each stage that they answered.")
        if facts.evaluators else "",
        _("Text informativity is the share of options judged rightly with the text less that without it."),
    ]  # fmt: skip
    return " ".join(filter(None, said))


def describe_agreement(facts: Facts) -> str:
    rows = {row["stage"]: row for row in table(facts, "agreement_with_humans").rows if row["evaluator"] == HUMAN}
    values = {stage: with_ends(rows.get(stage), "kappa") for stage in ("guess", "read")}
    return _("Mean Cohen's κ between people was %(guess)s without the text and %(read)s with it.") % values


def describe_outcome(facts: Facts) -> str:
    rows = [row for row in table(facts, "informativity").rows if row["evaluator"] == HUMAN]
    by = ", ".join(f"{row['generator']} {with_ends(row, 'informativity')}" for row in rows)
    return _("Text informativity by people's answers: %(by)s.") % {"by": by} if by else ""
