"""The tables of guess-then-read."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.planning.tables import declare_outlook
from analysis.reports import tables
from analysis.reports.estimates import INTERVAL_COLUMNS
from analysis.reports.tables import ANSWERS_BY, GENERATOR, STAGE
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
            "guessability", _("Guessability"), _("share of judgments right without the text"), n="judgments", best="low"
        ),
        prefixed_estimate(
            "answerability", _("Answerability"), _("share of judgments right with the text"), n="judgments", best="high"
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

CONTRASTS = replace(tables.CONTRASTS)

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
    "beside_accuracy", _("Beside accuracy: biases and items as a whole"), (
        GENERATOR,
        ANSWERS_BY,
        STAGE,
        number("share_correct", _("Options right"), _("share of judgments that are right")),
        number("constant", _("Always “incorrect”"), _("share right of who calls no option correct")),
        number("balanced", _("Balanced"), _("mean of the shares right on keys and on distractors"), reason="reason"),
        number("d_prime", _("d′"), BY_BIAS, reason="reason"),
        number("criterion", _("Criterion"), BY_BIAS, reason="reason"),
        prefixed_estimate(
            "items_right", _("Items right as a whole"),
            _("share of items of which every option is judged rightly"), n="texts",
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
        _("Always “incorrect”: the share right of somebody who calls no option correct. Balanced: mean of the shares "
          "right on keys and on distractors; .5 for anybody who tells nothing apart."),
        _("d′: how well keys are told from distractors, 0 for not at all. Criterion: below 0 a bias to call options "
          "correct, above 0 one to call them incorrect. Half a judgment is added to each count (Hautus 1995), so that "
          "d′ of answers that are all the same is small, not 0."),
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
        _("AUC: how often a key has a higher p(true) than a distractor, ties half; no threshold is needed. Bits: by "
          "how many the text makes the right label likelier, mean over options judged in both stages; a probability "
          "below 2^−20 is taken as that, and counted."),
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
        _("Texts and annotators, each part of the variance with its own t: the default, readers and texts. Both stand "
          "for others. Texts: these texts stand for all like them, these annotators only for themselves. Texts and "
          "annotators drawn (Owen 2007): both stand for others, rather too wide than too narrow. Single judgments (as "
          "published): as if no two shared a text or an annotator."),
        _("Models and baselines stand for themselves: their default interval is over texts only."),
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
        number("percent", _("Percent agreement"), _("share of shared judgments alike"), reason="reason"),
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
          "people and texts, but stands for this model or person only."),
    ),
)  # fmt: skip

RATINGS = TableSpec(
    "ratings", _("Ratings"), (
        GENERATOR,
        Column("evaluator", _("Ratings by"), "evaluator"),  # then a count for each level of the scale
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
        estimate("accuracy", _("Share right"), _("share of judgments right"), n="texts"),
        count("n", _("Judgments"), _("judgments of options of items rated so")),
        N_TEXTS,
        "reason",
    ),
    keys=("rating", "stage"),
    notes=(
        _("A person's own rating with the same person's answers to that item; without the text only the items that "
          "this person guessed. Generators pooled."),
    ),
)  # fmt: skip

SURE = _("Sure: how probable it is that this holds for more than half of all such people, by these answers alone "
         "(Jeffreys' prior); the list is sorted by it.")  # fmt: skip
GUESSABLE = TableSpec(
    "guessable_items", _("Guessable items"), (
        Column("text_id", _("Text"), "text id"),
        Column("item_id", _("Item"), "item id"),
        GENERATOR,
        count("n_annotators", _("People"), _("people who answered the item in this stage")),
        count("n_right", _("Right"), _("people who judged all of its options rightly")),
        number("share_right", _("Share right"), _("share of people who judged all of its options rightly")),
        number(
            "certainty", _("Sure"), _("probability that it holds for most such people (Jeffreys' prior)"),
            in_files=False,
        ),
        "codes",
        Column("codes_said", _("Codes"), in_files=False),
    ),
    keys=("item_id",),
    shared=OF_ITEM,
    notes=(
        _("Right means that all options of the item were judged correctly; listed if that holds for more than half "
          "of the people who answered it without the text."),
        SURE,
    ),
    sort="-certainty",
)  # fmt: skip

UNANSWERABLE = replace(
    GUESSABLE, name="unanswerable_items", title=_("Unanswerable items"), notes=(
        _("Wrong means that some option of the item was judged incorrectly; listed if that holds for more than half "
          "of the people who answered it with the text."),
        SURE,
    ),
)  # fmt: skip

ITEM_ANALYSIS = TableSpec(
    "item_analysis", _("Item analysis"), (
        Column("text_id", _("Text"), "text id"),
        Column("item_id", _("Item"), "item id"),
        Column("option_id", _("Option")),
        GENERATOR,
        Column("key", _("Is a key"), "truth"),
        STAGE,
        count("n", _("People"), _("people who judged the option in this stage")),
        number("share_ticked", _("Ticked"), _("share of people who ticked it"), reason="reason"),
        number("share_correct", _("Right"), _("share of people who judged it rightly"), reason="reason"),
        number("share_unsure", _("Unsure"), _("share of people who marked it unsure"), reason="reason"),
        number(
            "discrimination", _("Discrimination"),
            _("correlation of being right here with the share right of the same person's other judgments"),
            reason="reason",
        ),
        number(
            "miskey", _("Mis-key"),
            _("probability that the key is wrong, by Bayes' rule from all options' judgments"), reason="reason",
        ),
        "reason",
    ),
    keys=("item_id", "option_id", "stage"),
    shared=OF_STAGE,
    notes=(
        _("By the answers of people. Discrimination: correlation between being right about the option and the share "
          "right among all other judgments of the same person in that stage."),
        _("Mis-key: probability that the key is wrong, given the answers with the text; beforehand 2 % of the keys are "
          "taken to be wrong. With few answers it says little: see n."),
    ),
)  # fmt: skip

OUTLOOK = declare_outlook(
    (count("annotators", _("Annotators")), count("items", _("Items"))),
    (
        number("width", _("Width, informativity"), reason="reason"),
        number("difference_width", _("Width, difference"), reason="reason"),
    ),
)

TABLES = (
    POOLED, MATCHED, CONTRASTS, STANDARDISED, BIASES, PROBABILITIES, INTERVALS, AGREEMENT, RATINGS, BY_RATING,
    GUESSABLE, UNANSWERABLE, ITEM_ANALYSIS,
)  # fmt: skip
