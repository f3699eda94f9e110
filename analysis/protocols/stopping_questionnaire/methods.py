"""How the stopping questionnaire was done, for the methods draft."""

from django.utils.translation import gettext as _

from analysis.pack.methods import Facts, table, written
from studies.services.declarations import get_declaration


def describe_design(facts: Facts) -> str:
    questions = [question.name for question in get_declaration(facts.study).stages[0].questions]
    return _("Each question was judged by a questionnaire that stops where further questions make no sense (Horbach et "
             "al., 2020); it asks: %(questions)s.") % {"questions": ", ".join(questions)}  # fmt: skip


def describe_agreement(facts: Facts) -> str:
    everyone = {"group": "", "generator": "", "source": "", "view": "all"}
    rows = [
        row for row in table(facts, "agreement").rows if all(row[column] == value for column, value in everyone.items())
    ]
    by = ", ".join(f"{row['category']} {written(row['kappa'])}" for row in rows)
    return _("Cohen's κ, with “not applicable” as a label of its own: %(by)s.") % {"by": by}
