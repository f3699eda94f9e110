"""The tables of the agreement lab, and of the question whether a model may stand in for people."""

from django.utils.translation import gettext_noop as _

from analysis.reports.tables import ANSWERS_BY, STAGE
from analysis.tables.spec import Column, TableSpec, count, estimate, number

QUESTION = Column("question", _("Question"), "question")
WEIGHTED = _("mean of Cohen's κ over pairs, weighted by shared judgments")

STAND_IN = TableSpec(
    "stand_in", _("Can a model stand in for people?"), (
        ANSWERS_BY,
        "evaluator_kind",
        STAGE,
        QUESTION,
        estimate("kappa", _("κ with people"), WEIGHTED),
        number(
            "kappa_people", _("κ between people"), WEIGHTED, low="people_low", high="people_high", reason="reason"
        ),
        number("epsilon", _("ε"), _("what a person costs, as chosen above"), leads=False),
        number(
            "winning_rate", _("Winning rate"),
            _("share of people against whom the model passes (alternative-annotator test)"), reason="reason",
        ),
        number(
            "advantage", _("At least as good"),
            _("mean share of units on which the model is at least as good as the person left out"), reason="reason",
        ),
        Column("passed", _("Passes the test"), "truth"),
        count("n_people", _("People"), _("people who answered the question")),
        "n_few_units",
        count("n_units", _("Units"), _("units that the model and a person judged")),
        "n_texts",
        "reason",
    ),
    keys=("evaluator", "stage", "question"),
    notes=(
        _("Cohen's κ is the mean over pairs, weighted by shared judgments: of the model with each person, and of each "
          "two people, on what the model answered too."),
        _("Alternative-annotator test (Calderon, Reichart & Dror 2025): each person is left out in turn, and the model "
          "passes against a person if it agrees with the others about as often, less ε for what a person costs. "
          "Winning rate: share of people against whom it passes; it may stand in from one half on. p are adjusted "
          "after Benjamini and Yekutieli."),
        _("The test takes units as independent; units of one text are not quite."),
        _("Over readers and texts, the interval of a model's κ covers other people and texts; the model is this one."),
    ),
)  # fmt: skip

CALIBRATION = TableSpec(
    "stand_in_calibration", _("Calibration of probabilities"), (
        ANSWERS_BY,
        STAGE,
        number("bin_low", _("p from"), leads=False),
        number("bin_high", _("to"), leads=False),
        number("mean_p", _("Mean p"), _("mean of p(true) in this tenth")),
        number("share_keys", _("Share of keys"), _("share of keys among the options of this tenth")),
        count("n", _("n"), _("judgments with a probability in this tenth")),
        number("brier", _("Brier score"), _("mean squared error of p(true) over all tenths")),
        number("ece", _("ECE"), _("mean distance between p and the share of keys, over all tenths")),
        number("ece_by_chance", _("ECE by chance"), _("about what ECE would be if every p were right")),
        "n_all",
    ),
    keys=("evaluator", "stage", "bin_low"),
    notes=(
        _("p(true) against the keys. Brier score: mean squared error. ECE: mean distance between p and the share of "
          "keys over tenths of p; with few judgments it is above 0 by chance even where every p is right."),
    ),
)  # fmt: skip

BIASES = TableSpec(
    "stand_in_biases", _("Biases"), (
        ANSWERS_BY,
        STAGE,
        Column("bias", _("Bias"), "bias"),
        estimate("excess", _("Excess"), _("share called correct less share of keys")),
        number("excess_people", _("Excess of people"), _("the same by the answers of people")),
        count("n", _("n"), _("the model's judgments of options that have it")),
        "n_texts",
        "reason",
    ),
    keys=("evaluator", "stage", "bias"),
    notes=(
        _("Excess: share of options called correct less share of keys, so that 0 is no bias. For the first option: "
          "excess of the one that stands first in the bank less that of the others; for the longest the same of the "
          "longest option of an item, where one is longest."),
        _("Where each option is asked about on its own, the model does not see which stands first; people see options "
          "in an order of their own."),
    ),
)  # fmt: skip

COEFFICIENTS = TableSpec(
    "agreement_lab", _("Coefficients"), (
        Column("coefficient", _("Coefficient"), "coefficient"),
        Column("weights", _("Weights or level"), "weights"),
        estimate("value", _("Value"), ""),
        Column("se_units", _("Standard error over units"), "optional"),
        count("n_units", _("Units")),
        count("n_pairs", _("Pairs of judgments")),
        count("n_judgments", _("Judgments")),
        number("prevalence", _("Commonest label")),
        count("n_texts", _("Texts")),
        "interval",
        "reason",
    ),
    notes=(_("Of two annotators Conger's κ is Cohen's, Fleiss' κ is Scott's π and Brennan–Prediger is Bennett's S."),),
)  # fmt: skip

TESTS = TableSpec(
    "agreement_tests", _("Tests against chance"), (
        Column("coefficient", _("Coefficient"), "coefficient"),
        "about",
        Column("about_said", _("Of"), in_files=False),
        number("value", _("Value"), reason="reason"),
        Column("se_units", _("Standard error over units"), "optional"),
        Column("se_asymptotic", _("Asymptotic standard error"), "optional"),
        Column("se_null", _("Standard error under chance"), "optional"),
        number("z", _("z"), reason="reason"),
        Column("p", _("p"), "p", reason="reason"),
        count("n_units", _("Units")),
        "reason",
    ),
    notes=(
        _("z and p (two-sided) are against agreement by chance. Units are taken as independent of each other; those "
          "of one text are not, so p is too small. Standard errors are over n − 1 units, the asymptotic one over n."),
        _("Fleiss' κ is tested over the units that somebody judged, if all of them have the same number of judgments."),
    ),
)  # fmt: skip

# Both with a count for each category after the first column.
CONTINGENCY = TableSpec(
    "agreement_contingency", _("Contingency table"), (Column("category", _("Category"), "label"),)
)  # fmt: skip
LABELS = TableSpec(
    "agreement_labels", _("What each annotator gave"),
    (Column("annotator", _("Annotator")), count("n", _("Judgments"))),
)  # fmt: skip

QUESTIONS = TableSpec(
    "agreement_questions", _("Question by question"), (
        STAGE,
        QUESTION,
        Column("view", _("View"), "view"),
        number("percent", _("Percent agreement"), reason="reason"),
        number("conger_kappa", _("Conger's κ"), reason="reason"),
        number("ac1", _("AC1"), reason="reason"),
        number("alpha", _("Krippendorff's α"), reason="reason"),
        "level",
        number("prevalence", _("Commonest label"), reason="reason"),
        count("n_units", _("Units")),
        count("n_pairs", _("Pairs of judgments")),
        "n_judgments",
        count("n_texts", _("Texts")),
        count("n_annotators", _("Annotators")),
        "reason",
    ),
    page_first=("question",),
)  # fmt: skip

TABLES = (STAND_IN, CALIBRATION, BIASES)
