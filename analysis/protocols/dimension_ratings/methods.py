"""How dimensions were rated, for the methods draft."""

from django.utils.translation import gettext as _

from analysis.pack.methods import Facts, table, with_ends
from studies.services.declarations import get_declaration


def describe_design(facts: Facts) -> str:
    declaration = get_declaration(facts.study)
    scales = [question for question in declaration.stages[0].questions if question.kind == "scale"]
    values = {
        "dimensions": ", ".join(question.name for question in scales),
        "low": scales[0].levels[0],
        "high": scales[0].levels[-1],
        "rounds": facts.rounds,
    }
    return _("Annotators rated each question from %(low)s to %(high)s on these dimensions: %(dimensions)s (rounds of "
             "rating: %(rounds)s), as in QGEval (2024).") % values  # fmt: skip


def describe_agreement(facts: Facts) -> str:
    every = table(facts, "alpha").rows
    first = min((row["round"] for row in every), default=1)
    rows = [row for row in every if row["round"] == first]
    by = ", ".join(f"{row['dimension']} {with_ends(row, 'alpha')}" for row in rows)
    if first > 1:
        return _("The first round is unknown. Krippendorff's α after the second round, no reliability: %(by)s.") % {
            "by": by
        }
    return _("Krippendorff's α in the first round: %(by)s.") % {"by": by}
