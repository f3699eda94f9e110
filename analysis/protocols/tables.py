"""The tables of a protocol without a plug-in of its own."""

from django.utils.translation import gettext_noop as _

from analysis.agreement.tables import QUESTION
from analysis.reports.tables import ANSWERS_BY, GENERATOR, STAGE
from analysis.tables.spec import Column, Crossing, TableSpec, count, estimate, number

COUNTS = TableSpec(
    "counts", _("Answers"), (
        ANSWERS_BY,
        STAGE,
        QUESTION,
        count("n", _("Answers"), _("answers to this question")),
        count("n_items", _("Items"), _("items with such an answer")),
        count("n_texts", _("Texts"), _("texts with such an answer")),
        count("n_annotators", _("Annotators"), _("annotators who gave such an answer")),
    ),
    keys=("evaluator", "stage", "question"),
)  # fmt: skip

DISTRIBUTIONS = TableSpec(
    "distributions", _("Distributions"), (
        ANSWERS_BY,
        STAGE,
        QUESTION,
        Column("label", _("Answer"), "label"),
        count("n", _("n"), _("answers with this value")),
        count("n_all", _("All"), _("answers to this question")),
        number("share", _("Share"), _("share of answers with this value")),
    ),
    keys=("evaluator", "stage", "question", "label"),
)  # fmt: skip

MEANS = TableSpec(
    "means", _("Means by generator"), (
        ANSWERS_BY,
        STAGE,
        QUESTION,
        GENERATOR,
        estimate("mean", _("Mean"), _("mean of the answers on the question's scale"), counts="judgments"),
        count("n", _("Answers"), _("answers about items by the generator")),
        "reason",
    ),
    keys=("evaluator", "stage", "question", "generator"),
    notes=(_("Only questions that are answered on a scale."),),
    crossings=(Crossing("mean", "generator", "question", apart=("evaluator", "stage")),),
)  # fmt: skip

AGREEMENT = TableSpec(
    "agreement", _("Agreement"), (
        STAGE,
        QUESTION,
        number("percent", _("Percent agreement"), _("share of pairs with the same answer"), reason="reason"),
        number("conger_kappa", _("Conger's κ"), _("agreement beyond chance"), reason="reason"),
        number("ac1", _("AC1"), _("Gwet's AC1, robust to very unequal labels"), reason="reason"),
        number("alpha", _("Krippendorff's α"), _("agreement beyond chance"), reason="reason"),
        "level",
        count("n_units", _("Units"), _("units judged by at least two people")),
        "n_pairs",
        count("n_annotators", _("Annotators"), _("people who answered this question")),
        "reason",
    ),
    keys=("stage", "question"),
    notes=(_("Units judged by at least two people. α at interval level for scales, otherwise nominal."),),
)  # fmt: skip

TABLES = (COUNTS, DISTRIBUTIONS, MEANS, AGREEMENT)
