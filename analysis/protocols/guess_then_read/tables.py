"""The tables of guess-then-read."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.planning.tables import declare_outlook
from analysis.reports import tables
from analysis.reports.estimates import INTERVAL_COLUMNS
from analysis.reports.tables import ANSWERS_BY, GENERATOR, ITEM, STAGE, TEXT
from analysis.tables.spec import Column, TableSpec, count, estimate, number, prefixed_estimate

N_ITEMS = count("n_items", _("Items"), _("items with judgments"))
N_TEXTS = count("n_texts", _("Texts"), _("texts with judgments"))
OF_GENERATOR, OF_ITEM, OF_STAGE = ("generator",), ("item_id",), ("stage",)

POOLED = TableSpec(
    "informativity", _("Informativity"), (
        GENERATOR,
        ANSWERS_BY,
        "evaluator_kind",
        "reading",
        prefixed_estimate(
            "guessability",
            _("Guessability"),
            _("share of correct judgments without the text"),
            n="judgments",
            best="low",
        ),
        prefixed_estimate(
            "answerability",
            _("Answerability"),
            _("share of correct judgments with the text"),
            n="judgments",
            best="high",
        ),
        prefixed_estimate(
            "informativity", _("Informativity"), _("answerability minus guessability"), n="judgments", best="high"
        ),
        "n_guess",
        "n_read",
        N_ITEMS,
        N_TEXTS,
        count("n_annotators", _("Annotators"), _("annotators with judgments")),
        *INTERVAL_COLUMNS,
    ),
    keys=("generator", "evaluator"),
    shared=OF_GENERATOR,
    notes=(
        _("Pooled: answerability over everybody who read an item, guessability over those who guessed it."),
        _("Informativity is answerability minus guessability; each option is one judgment."),
    ),
)  # fmt: skip

MATCHED = replace(
    POOLED, name="informativity_matched", title=_("Informativity, matched"),
    notes=(_("Matched: only items that the same annotator answered both without and with the text."), POOLED.notes[1]),
)  # fmt: skip

CONTRASTS = replace(tables.CONTRASTS)  # a copy with a drill-down of its own

STANDARDISED = TableSpec(
    "informativity_standardised", _("Informativity at a common mix of items"), (
        "category_kind",
        Column("category_kind_said", _("Items divided by"), in_files=False),
        "category",
        Column("category_said", _("Category"), in_files=False),
        GENERATOR,
        ANSWERS_BY,
        number("share_items", _("Share of its items"), _("share of the generator's items")),
        number("share_items_common", _("Share of all items"), _("share of all items: the weight")),
        estimate(
            "informativity", _("Informativity"),
            _("answerability minus guessability within each category, weighted by its share of all items"),
        ),
        "reason",
        N_ITEMS,
        N_TEXTS,
    ),
    keys=("category_kind", "category", "generator", "evaluator"),
    shared=OF_GENERATOR,
)  # fmt: skip

BY_BIAS = _("with half a judgment added to each count")
BIASES = TableSpec(
    "beside_accuracy", _("Beyond accuracy: bias and whole items"), (
        GENERATOR,
        ANSWERS_BY,
        STAGE,
        number("share_correct", _("Options correct"), _("share of correct judgments")),
        number("constant", _("Always “incorrect”"), _("accuracy of someone who calls no option correct")),
        number("balanced", _("Balanced"), _("mean of the accuracies on keys and on distractors"), reason="reason"),
        number("d_prime", _("d′"), BY_BIAS, reason="reason"),
        number("criterion", _("Criterion"), BY_BIAS, reason="reason"),
        prefixed_estimate(
            "items_right", _("Whole items correct"),
            _("share of items with all options judged correctly"), n="texts",
        ),
        count("n", _("Judgments"), _("judgments of options")),
        "n_keys",
        "n_items",
        count("n_texts", _("Texts"), _("texts of these judgments")),
        "reason",
    ),
    keys=("generator", "evaluator", "stage"),
    shared=OF_GENERATOR,
    notes=(
        _("Always “incorrect”: accuracy of someone who calls no option correct. Balanced: mean of the "
          "accuracies on keys and on distractors; .5 means no discrimination."),
        _("d′: how well keys are distinguished from distractors; 0 means not at all. Criterion: below 0 "
          "a bias toward calling options correct, above 0 toward calling them incorrect. Half a judgment "
          "is added to each count (Hautus 1995), so d′ of constant answers is small, not 0."),
    ),
)  # fmt: skip

AREA = _("share of pairs of key and distractor in which the key has the higher p(true)")
PROBABILITIES = TableSpec(
    "informativity_probability", _("Informativity from probabilities"), (
        GENERATOR,
        ANSWERS_BY,
        prefixed_estimate("auc_guess", _("AUC without the text"), AREA),
        prefixed_estimate("auc_read", _("AUC with the text"), AREA),
        prefixed_estimate("auc_difference", _("Difference"), _("AUC with the text minus AUC without")),
        prefixed_estimate("bits", _("Bits"), _("mean gain of log2 p of the right label by the text")),
        "n_guess",
        "n_read",
        count("n_both", _("Options in both stages"), _("options with p(true) in both stages")),
        count("n_floored", _("Taken as 2^−20"), _("probabilities of the right label that are below this")),
        count("n_texts", _("Texts"), _("texts of these options")),
    ),
    keys=("generator", "evaluator"),
    shared=OF_GENERATOR,
    notes=(
        _("AUC: how often a key has a higher p(true) than a distractor (ties count half); no threshold "
          "is needed. Bits: gain in log2 probability of the correct label from the text, mean over "
          "options judged in both stages; probabilities below 2^−20 are set to 2^−20 and counted."),
    ),
)  # fmt: skip

INTERVALS = TableSpec(
    "informativity_intervals", _("Intervals of informativity by method"), (
        GENERATOR,
        ANSWERS_BY,
        estimate("informativity", _("Informativity"), _("answerability minus guessability")),
        Column("unit", _("Left out or drawn"), "unit"),
        Column("method", _("Method"), "method"),
        "low",
        "high",
        Column("width", _("Width"), "optional"),
        count("n_units", _("Units"), _("what is left out or drawn"), leads=False),
        count("n_responses", _("Judgments"), _("judgments in both stages")),
        *("replicates", "seed", "n_texts_effective", "n_annotators_effective", "share_from_readers", "reason"),
    ),
    keys=("generator", "evaluator", "unit", "method"),
    shared=OF_GENERATOR,
    notes=(
        _("Texts and annotators, one t per variance component (default): covers other readers and other "
          "texts. Texts: covers other texts, but only these annotators. Texts and annotators resampled "
          "(Owen 2007): covers both, conservative. Single judgments (as published): treats judgments as "
          "independent."),
        _("The default interval of models and baselines is over texts only."),
    ),
    page_first=("generator", "evaluator", "unit", "method"),
)  # fmt: skip

AGREEMENT = TableSpec(
    "agreement_with_humans", _("Agreement with people"), (
        ANSWERS_BY,
        "evaluator_kind",
        STAGE,
        estimate(
            "kappa", _("Cohen's κ"), _("mean of Cohen's κ over pairs, weighted by shared judgments"), n="texts"
        ),
        number(
            "kappa_unweighted", _("κ, unweighted"),
            _("mean of Cohen's κ over pairs; of all people the mean of each person's mean with the others"),
            reason="reason",
        ),
        "low",
        "high",
        number("percent", _("Percent agreement"), _("share of shared judgments that agree"), reason="reason"),
        number(
            "ac1", _("AC1"), _("mean of Gwet's AC1 over pairs, weighted by shared judgments"), reason="reason"
        ),
        count("n_pairs", _("Pairs"), _("pairs of annotators with a κ")),
        count("n_judgments", _("Shared judgments"), _("options that both of a pair judged, all pairs")),
        "reason",
    ),
    keys=("evaluator", "stage"),
    shared=OF_STAGE,
    notes=(
        _("Cohen's κ of pairs over the options that both judged, ticked or not. κ weighs pairs by the judgments they "
          "share; the unweighted mean of all people is the mean of each person's mean with the others."),
        _("Percent agreement and Gwet's AC1 count all shared judgments, also of pairs without a κ (both said the same "
          "throughout): when nearly all judgments are alike, κ is low whatever the agreement."),
        _("Over readers and texts, the interval of a model, a baseline or a single person beside people covers other "
          "people and texts, but only this model or person."),
    ),
)  # fmt: skip

RATINGS = TableSpec(
    "ratings", _("Ratings"), (
        GENERATOR,
        Column("evaluator", _("Ratings by"), "evaluator"),  # followed by a count for each level of the scale
        count("n", _("Ratings"), _("ratings of items")),
        estimate("mean", _("Mean"), _("mean of the ratings"), n="texts", best="high"),
        "reason",
    ),
    keys=("generator", "evaluator"),
    shared=OF_GENERATOR,
)  # fmt: skip

BY_RATING = TableSpec(
    "accuracy_by_rating", _("Accuracy by rating"), (
        Column("rating", _("Rating")),  # it names the row
        STAGE,
        estimate("accuracy", _("Accuracy"), _("share of correct judgments"), n="texts"),
        count("n", _("Judgments"), _("judgments of options of items with this rating")),
        N_TEXTS,
        "reason",
    ),
    keys=("rating", "stage"),
    notes=(
        _("A person's own rating with the same person's answers to that item; without the text only the items that "
          "this person guessed. Generators pooled."),
    ),
)  # fmt: skip

SURE = _("Certainty: probability that this holds for more than half of all such people, from these "
         "answers alone (Jeffreys' prior). The list is sorted by it.")  # fmt: skip
GUESSABLE = TableSpec(
    "guessable_items", _("Guessable items"), (
        TEXT,
        ITEM,
        GENERATOR,
        count("n_annotators", _("People"), _("people who answered the item in this stage")),
        count("n_right", _("Right"), _("people who judged all of its options correctly")),
        number("share_right", _("Accuracy"), _("share of people who judged all of its options correctly")),
        number(
            "certainty", _("Certainty"), _("probability that it holds for most such people (Jeffreys' prior)"),
            in_files=False,
        ),
        "codes",
        Column("codes_said", _("Codes"), in_files=False),
    ),
    keys=("item_id",),
    shared=OF_ITEM,
    notes=(
        _("An answer is correct if all options of the item were judged correctly. Listed are items that "
          "more than half of the people answered correctly without the text."),
        SURE,
    ),
    sort="-certainty",
)  # fmt: skip

UNANSWERABLE = replace(
    GUESSABLE, name="unanswerable_items", title=_("Unanswerable items"), notes=(
        _("An answer is wrong if any option of the item was judged incorrectly. Listed are items that "
          "more than half of the people answered wrongly with the text."),
        SURE,
    ),
)  # fmt: skip

ITEM_ANALYSIS = TableSpec(
    "item_analysis", _("Item analysis"), (
        TEXT,
        ITEM,
        Column("option_id", _("Option")),
        GENERATOR,
        Column("key", _("Is a key"), "truth"),
        STAGE,
        count("n", _("People"), _("people who judged the option in this stage")),
        number("share_ticked", _("Ticked"), _("share of people who ticked it"), reason="reason"),
        number("share_correct", _("Right"), _("share of people who judged it correctly"), reason="reason"),
        number("share_unsure", _("Unsure"), _("share of people who marked it unsure"), reason="reason"),
        number(
            "discrimination", _("Discrimination"),
            _("correlation of a correct answer here with the same person's accuracy on the other options"),
            low="discrimination_low", high="discrimination_high", reason="discrimination_reason",
        ),
        number(
            "miskey", _("Mis-key"),
            _("probability that the key is wrong, by Bayes' rule from all options' judgments"), reason="reason",
        ),
        "discrimination_low",
        "discrimination_high",
        "discrimination_reason",
        "reason",
    ),
    keys=("item_id", "option_id", "stage"),
    shared=OF_STAGE,
    notes=(
        _("From people's answers. Discrimination: correlation between a correct answer on this option "
          "and the person's accuracy on all other options of the stage; interval by a jackknife over people, from 10."),
        _("Mis-key: probability that the key is wrong, given the answers with the text (prior: 2 % of "
          "the keys are wrong). With few answers it is unreliable; see n."),
    ),
)  # fmt: skip

OUTLOOK = declare_outlook(
    (
        count("annotators", _("Annotators")),
        count("items", _("Items")),
        number("r", _("r"), _("correlation of models on all texts with people; empty where models play no part")),
    ),
    (
        number("width", _("Width, informativity"), reason="reason"),
        number("difference_width", _("Width, difference"), reason="reason"),
    ),
)

TABLES = (
    POOLED, MATCHED, CONTRASTS, STANDARDISED, BIASES, PROBABILITIES, INTERVALS, AGREEMENT, RATINGS, BY_RATING,
    GUESSABLE, UNANSWERABLE, ITEM_ANALYSIS,
)  # fmt: skip
