"""The tables of the agreement lab, and of the question whether a model can replace people."""

from django.utils.translation import gettext_noop as _

from analysis.reports.tables import ANSWERS_BY, QUESTION, STAGE
from analysis.tables.spec import Column, TableSpec, count, estimate, number

WEIGHTED = _("mean of Cohen's κ over pairs, weighted by shared judgments")

STAND_IN = TableSpec(
    "stand_in", _("Can a model replace annotators?"), (
        ANSWERS_BY,
        "evaluator_kind",
        STAGE,
        QUESTION,
        estimate("kappa", _("κ with people"), WEIGHTED),
        number(
            "kappa_people", _("κ between people"), WEIGHTED, low="people_low", high="people_high", reason="reason"
        ),
        number("epsilon", _("ε"), _("cost of a person, as chosen above"), leads=False),
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
        _("Cohen's κ is the mean over pairs, weighted by shared judgments: the model with each person, "
          "and each pair of people, on the units that the model answered."),
        _("Alternative-annotator test (Calderon, Reichart & Dror 2025): each person is left out in turn. "
          "The model passes against this person if it agrees with the others at least as often, less ε "
          "for the cost of a person. Winning rate: share of people against whom it passes; from one half "
          "on the model can replace an annotator. p are adjusted by Benjamini and Yekutieli."),
        _("The test treats units as independent; units of the same text are not fully independent."),
        _("With intervals over readers and texts, the interval of a model's κ covers other people and "
          "texts, but only this model."),
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
        _("p(true) compared with the keys. Brier score: mean squared error. ECE: mean distance between p "
          "and the share of keys over tenths of p; with few judgments it is above 0 by chance even if "
          "every p is correct."),
    ),
)  # fmt: skip

BIASES = TableSpec(
    "stand_in_biases", _("Biases"), (
        ANSWERS_BY,
        STAGE,
        Column("bias", _("Bias"), "bias"),
        estimate("excess", _("Excess"), _("share called correct less share of keys")),
        number("excess_people", _("Excess of people"), _("the same for people's answers")),
        count("n", _("n"), _("the model's judgments of options that have it")),
        "n_texts",
        "reason",
    ),
    keys=("evaluator", "stage", "bias"),
    notes=(
        _("Excess: share of options called correct minus share of keys; 0 means no bias. First option: "
          "excess of the option stored first minus that of the others. Longest option: excess of an "
          "item's longest option minus that of the others, for items with a single longest option."),
        _("If each option is asked about separately, the model does not see which option comes first. "
          "Each person sees the options in a different order."),
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
        number("prevalence", _("Most frequent label")),
        count("n_texts", _("Texts")),
        "interval",
        "reason",
    ),
    notes=(_("For two annotators, Conger's κ equals Cohen's κ, Fleiss' κ equals Scott's π, and "
             "Brennan–Prediger equals Bennett's S."),),
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
        _("z and p (two-sided) test against chance agreement. Units are treated as independent; units of "
          "the same text are not, so p is too small. Standard errors use n − 1 units, the asymptotic one "
          "n."),
        _("Fleiss' κ is tested over all judged units if they all have the same number of judgments."),
    ),
)  # fmt: skip

# Both have a count for each category after the first column.
CONTINGENCY = TableSpec(
    "agreement_contingency", _("Contingency table"), (Column("category", _("Category"), "label"),)
)  # fmt: skip
LABELS = TableSpec(
    "agreement_labels", _("Labels by annotator"),
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
        number("prevalence", _("Most frequent label"), reason="reason"),
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
