"""The tables that answers of any protocol may have: people and models together, reliability, raters, readers."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.reports import tables
from analysis.reports.tables import ANSWERS_BY, GENERATOR, GROUP, ITEM, QUESTION, TEXT
from analysis.tables.spec import Column, TableSpec, count, estimate, number, prefixed_estimate

MEASURE = Column("measure", _("Measure"), "question")
N_TEXTS = count("n_texts", _("Texts"), _("texts that enter"))
N_ITEMS = count("n_items", _("Items"), _("items that enter"))
N_PEOPLE = count("n_people", _("People"), _("people who enter"))

JOINED = TableSpec(
    "people_and_models", _("People on some texts, models on all"), (
        GENERATOR,
        MEASURE,
        Column("method", _("Method"), "method"),
        estimate("value", _("Estimate"), _("what people would be expected to get right on all texts")),
        Column("slope", _("Slope"), "optional", about=_("how far the estimate follows the models; 0: not at all")),
        number("r", _("r"), _("correlation of people and models over the texts that people did")),
        count("n_texts", _("Texts with people"), _("drawn texts with people's answers")),
        count("n_texts_all", _("All texts"), _("texts with items by the generator")),
        Column("n_effective", _("As good as"), "optional", about=_("texts with people only that would be as good")),
        number("width_share", _("Width"), _("as a share of the width by people only")),
        "predictor",
        "remark",
        Column("remark_said", _("Remark"), in_files=False),
        "reason",
    ),
    records=True,
    keys=("generator", "measure", "method"),
    notes=(
        _("Each text counts by its number of options, whatever its number of judgments, so these shares may differ a "
          "little from the pooled shares of the main table."),
        _("People did texts that were drawn by chance. The estimate corrects what models say about all texts by how "
          "people differ from them on the drawn texts (difference estimator with a fitted slope, PPI++)."),
    ),
)  # fmt: skip

JOINED_CONTRASTS = replace(
    tables.CONTRASTS, name="people_and_models_contrasts", title=_("Differences, people and models together"),
    list_answers=None,
)  # fmt: skip

JOINED_VERSIONS = TableSpec(
    "people_and_models_versions", _("Versions of the texts, people and models together"), (
        Column("version", _("Version")),
        Column("compared_with", _("Compared with")),
        Column("method", _("Method"), "method"),
        estimate("difference", _("Difference"), _("in what people would be expected to get right on all texts, alone")),
        Column("low_adjusted", _("From, adjusted"), "optional", about=_("simultaneous interval")),
        Column("high_adjusted", _("To, adjusted"), "optional", about=_("simultaneous interval")),
        Column("p_adjusted", _("p, adjusted"), "optional", about=_("for all pairs of versions")),
        number("r", _("r"), _("correlation of people's and models' differences over the texts that people did")),
        count("n_texts", _("Texts with people"), _("drawn texts that people read in both versions")),
        count("n_texts_all", _("All texts"), _("texts that models read in all versions")),
        number("width_share", _("Width"), _("as a share of the width by people only")),
        "predictor",
        "remark",
        Column("remark_said", _("Remark"), in_files=False),
        "reason",
    ),
    records=True,
    keys=("version", "compared_with", "method"),
    notes=(
        _("Answerability of a version on all texts, by the difference estimator: models read each text in all "
          "versions, people read texts that were drawn by chance, each reader one version of a text."),
    ),
)  # fmt: skip

OTHERS = TableSpec(
    "generator_vs_others", _("Each generator against the mean of the others"), (
        MEASURE,
        ANSWERS_BY,
        GENERATOR,
        estimate("difference", _("Difference"), _("the generator minus the mean of the others, alone")),
        number("low_adjusted", _("From, adjusted"), _("simultaneous interval"), reason="reason"),
        number("high_adjusted", _("To, adjusted"), _("simultaneous interval"), reason="reason"),
        Column("p_adjusted", _("p, adjusted"), "p", about=_("for all generators of the family"), reason="reason"),
        "adjustment",
        "family_size",
        "n_texts",
        "reason",
    ),
    records=True,
    keys=("measure", "evaluator", "generator"),
    notes=(_("The largest of several figures is too large by luck; simultaneous intervals allow for that."),),
)  # fmt: skip

CARRY_OVER = TableSpec(
    "carry_over", _("Does guessing an item change how it is answered with the text?"), (
        ANSWERS_BY,
        MEASURE,
        estimate("effect", _("Effect"), _("of those who had guessed the item minus that of the others")),
        number("others_only", _("The others"), _("share right, or minutes per item, of people who had not guessed it")),
        N_ITEMS,
        N_TEXTS,
        "reason",
    ),
    keys=("evaluator", "measure"),
    notes=(
        _("The plan draws who guesses which items, so this comparison is an experiment."),
        _("Minutes are those of the stage with the text, divided by the number of its items, breaks included."),
    ),
)  # fmt: skip

RELIABILITY = TableSpec(
    "reliability", _("Reliability of the set of items"), (
        Column("parts", _("Parts"), "unit"),
        estimate("alpha", _("α"), _("Cronbach's α of the sum over these parts; interval by Feldt")),
        number("omega", _("ω"), _("ω total of one factor by maximum likelihood"), reason="reason"),
        number("longer", _("With two texts more"), _("α of two texts more, by Spearman and Brown"), reason="reason"),
        N_PEOPLE,
        count("n_parts", _("Number of parts"), _("parts that all of these people did")),
        "reason",
    ),
    records=True,
    keys=("parts",),
    notes=(
        _("How well the items on these texts would rank readers again. Parts are texts or items; items of one text "
          "share more than ability, so α over texts is the one to report where texts hold two items or more."),
    ),
)  # fmt: skip

G_STUDY = TableSpec(
    "g_study", _("Where the noise of ratings comes from"), (
        QUESTION,
        GROUP,
        prefixed_estimate("objects", _("Items"), _("variance between items: the signal")),
        prefixed_estimate("raters", _("Raters"), _("variance between raters: strictness")),
        prefixed_estimate("residual", _("Items × raters"), _("variance of raters' order of items, and error")),
        prefixed_estimate("relative", _("Eρ², one rater"), _("reliability of one rater for ranking items")),
        prefixed_estimate("absolute", _("Φ, one rater"), _("reliability of one rater's marks as they are")),
        number("raters_70", _("Raters for .7"), _("fewest raters whose mean reaches Eρ² .7")),
        number("raters_80", _("Raters for .8"), _("fewest raters whose mean reaches Eρ² .8")),
        count("n_items", _("Number of items"), _("items with ratings")),
        count("n_raters", _("Number of raters"), _("people who rated")),
        "reason",
    ),
    records=True,
    keys=("question", "group"),
    notes=(
        _("A negative component is printed as it is and counts as 0 in Eρ² and Φ."),
        _("Intervals are over texts (jackknife), for these raters."),
    ),
)  # fmt: skip

D_STUDY = TableSpec(
    "d_study", _("How many raters are enough"), (
        QUESTION,
        GROUP,
        count("n_raters", _("Raters"), _("raters of each item"), leads=False),
        number("relative", _("Eρ²"), _("reliability of their mean for ranking items"), reason="reason"),
        number("absolute", _("Φ"), _("reliability of their mean as it is"), reason="reason"),
        "reason",
    ),
    keys=("question", "group", "n_raters"),
)  # fmt: skip

SEVERITY = TableSpec(
    "rater_severity", _("Strict and generous raters"), (
        QUESTION,
        Column("annotator", _("Rater")),
        estimate("severity", _("Marks above the mean rater"), _("least squares over items; positive: higher marks")),
        number("residual_sd", _("Erratic"), _("standard deviation of what severity and items leave"), reason="reason"),
        number("share_middle", _("Middle"), _("share of marks in the middle of the scale"), reason="reason"),
        number("share_commonest", _("One mark"), _("share of the rater's commonest mark"), reason="reason"),
        number("r_others", _("r with the others"), _("correlation with the mean of the others on the same items"),
               reason="reason"),
        count("n", _("Ratings"), _("ratings of items that others rated too")),
        "reason",
    ),
    records=True,
    keys=("question", "annotator"),
)  # fmt: skip

FAIR_MEANS = TableSpec(
    "fair_means", _("Means as if all raters had rated all items"), (
        QUESTION,
        GENERATOR,
        number("raw", _("Raw mean"), _("mean of all ratings as given"), reason="reason"),
        estimate("fair", _("Fair mean"), _("mean of items after taking out raters' severity")),
        count("n_items", _("Items"), _("items with ratings")),
        "reason",
    ),
    keys=("question", "generator"),
    notes=(_("Intervals are over texts (jackknife), for these raters."),),
)  # fmt: skip

GENERATOR_G_STUDY = TableSpec(
    "g_study_generators", _("Where the noise of generators' means comes from"), (
        QUESTION,
        GROUP,
        prefixed_estimate("generators", _("Generators"), _("variance between generators: the signal")),
        number("texts", _("Texts"), _("variance between texts"), reason="reason"),
        number("raters", _("Raters"), _("variance between raters: strictness"), reason="reason"),
        number("generators_texts", _("Generators × texts"), _("variance of generators' order from text to text"),
               reason="reason"),
        number("generators_raters", _("Generators × raters"), _("variance of raters' order of generators"),
               reason="reason"),
        number("texts_raters", _("Texts × raters"), _("variance of raters' order of texts"), reason="reason"),
        number("residual", _("Rest"), _("variance of all three together, and error"), reason="reason"),
        prefixed_estimate("relative", _("Eρ²"), _("reliability of these texts and raters for ranking generators")),
        prefixed_estimate("absolute", _("Φ"), _("reliability of generators' means as they are")),
        number("texts_80", _("Texts for .8"), _("fewest texts that reach Eρ² .8 with these raters")),
        number("raters_80", _("Raters for .8"), _("fewest raters that reach Eρ² .8 with these texts")),
        count("n_generators", _("Number of generators"), _("generators with items on these texts")),
        replace(N_TEXTS, title=_("Number of texts")),
        count("n_raters", _("Number of raters"), _("people who rated all of these items")),
        "reason",
    ),
    page_first=("question", "group", "relative", "absolute", "texts_80", "raters_80", "generators"),
    records=True,
    keys=("question", "group"),
    notes=(
        _("Of the largest block of raters and texts in which each rater rated items of all generators on each text."),
        _("A negative component is printed as it is and counts as 0 in Eρ² and Φ."),
        _("Intervals are over texts (jackknife), for these raters."),
    ),
)  # fmt: skip

LABEL_SEVERITY = TableSpec(
    "label_severity", _("Who says yes more often"), (
        QUESTION,
        Column("annotator", _("Rater")),
        estimate("severity", _("More yes than the mean rater"), _("in logits, with items taken out")),
        number("share_yes", _("Share of yes"), _("share of the rater's labels that are yes")),
        count("n", _("Labels"), _("labels of items that others labelled too")),
        "reason",
    ),
    keys=("question", "annotator"),
    notes=(_("Intervals are over texts (jackknife), for these raters."),),
)  # fmt: skip

FAIR_SHARES = TableSpec(
    "fair_shares", _("Shares of yes as if all raters had labelled all items"), (
        QUESTION,
        GENERATOR,
        number("raw", _("Raw share"), _("share of yes of all labels as given"), reason="reason"),
        estimate("fair", _("Fair share"), _("share of yes by the mean rater over items like these")),
        count("n_items", _("Items"), _("items with labels")),
        "reason",
    ),
    keys=("question", "generator"),
    notes=(_("Intervals are over texts (jackknife), for these raters."),),
)  # fmt: skip

RASCH = TableSpec(
    "rasch", _("Difficulty by the Rasch model"), (
        TEXT,
        ITEM,
        number("share_right", _("Accuracy"), _("share of people who answered it right, with the text")),
        number("difficulty", _("Difficulty"), _("in logits; higher is harder"), reason="reason"),
        number("slope", _("Slope"), _("the common slope, or the item's own where the two-parameter model fits better"),
               reason="reason"),
        number("infit", _("Infit"), _("1 as expected; outside .7 to 1.3 the item does not fit"), reason="reason"),
        number("outfit", _("Outfit"), _("1 as expected; outside .7 to 1.3 the item does not fit"), reason="reason"),
        count("n_people", _("People"), _("people who answered it")),
        "model",
        "reason",
    ),
    records=True,
    keys=("item_id",),
    sort="item_id",
)  # fmt: skip

PERSON_FIT = TableSpec(
    "person_fit", _("Readers in the Rasch model"), (
        Column("annotator", _("Person")),
        number("ability", _("Ability"), _("in logits, expected a posteriori; higher is better")),
        number("ability_sd", _("SD"), _("posterior standard deviation of the ability")),
        number("infit", _("Infit"), _("1 as expected; above 2 the person answers against the difficulties")),
        number("outfit", _("Outfit"), _("1 as expected; above 2 the person answers against the difficulties")),
        count("n_items", _("Items"), _("items that the person answered")),
    ),
    records=True,
    keys=("annotator",),
)  # fmt: skip

DEPENDENCE = TableSpec(
    "local_dependence", _("Answers that depend on each other (Q3)"), (
        Column("pairs", _("Pairs"), "scope"),
        number("q3", _("Mean Q3"), _("mean correlation of residuals, minus the mean of all pairs"), reason="reason"),
        count("n_pairs", _("Number"), _("pairs that people answered both of"), leads=False),
        count("n_high", _("Above .2"), _("pairs whose Q3 is more than .2 above the mean of all"), leads=False),
        "reason",
    ),
    keys=("pairs",),
    notes=(_("Options of one item depend on each other by nature; items of one text should hardly do so."),),
)  # fmt: skip

DEPENDENT_PAIRS = TableSpec(
    "dependent_pairs", _("Items that depend on each other"), (
        Column("text_a", _("Text"), "text id"),
        Column("item_a", _("Item"), "item id"),
        Column("text_b", _("Text of the other"), "text id"),
        Column("item_b", _("Other item"), "item id"),
        number("q3", _("Q3"), _("correlation of residuals, minus the mean of all pairs")),
        N_PEOPLE,
    ),
    records=True,
    keys=("item_a", "item_b"),
    notes=(_("Pairs whose answers go together by more than .2 beyond what ability explains, the strongest first."),),
)  # fmt: skip

DIF = TableSpec(
    "dif", _("Items that treat two groups differently"), (
        TEXT,
        ITEM,
        Column("group_a", _("First group")),
        Column("group_b", _("Second group")),
        number("d", _("D"), _("−2.35 ln α; negative: harder for equally good readers of the second group"),
               low="low", high="high", reason="reason"),
        "low",
        "high",
        Column("category", _("Class")),
        Column("p", _("p"), "p", about=_("Mantel–Haenszel, with continuity correction"), reason="reason"),
        Column("p_adjusted", _("p, adjusted"), "p", about=_("Holm, over the items"), reason="reason"),
        count("n_people", _("People"), _("people of both groups who answered it")),
        "reason",
    ),
    records=True,
    keys=("item_id", "group_a", "group_b"),
    notes=(
        _("For equally good readers: people of both groups are compared at the same total score. A: negligible, "
          "B: moderate, C: large."),
    ),
)  # fmt: skip

TEXT_DIF = TableSpec(
    "text_dif", _("Texts that treat two groups differently"), (
        TEXT,
        Column("group_a", _("First group")),
        Column("group_b", _("Second group")),
        estimate("d", _("D"), _("sum of the items' D; negative: harder for equally good readers of the second group")),
        count("n_items", _("Items"), _("items of the text with a D")),
        count("n_people", _("People"), _("people of both groups who answered them")),
        "reason",
    ),
    records=True,
    keys=("text_id", "group_a", "group_b"),
    sort="text_id",
    notes=(
        _("For equally good readers. Errors of the items of a text are added as if they were independent; items that "
          "share more than ability make the interval too narrow."),
    ),
)  # fmt: skip

EFFECT = _("difference of items with the flaw from others of the same text and question type, all flaws together")
FLAWS = TableSpec(
    "item_flaws", _("Item-writing flaws and what goes with them"), (
        "flaw",
        Column("flaw_said", _("Flaw"), in_files=False),
        count("n_items", _("Items"), _("items with the flaw, by people where they coded it, else by rules")),
        count("n_asked", _("Coded items"), _("items that were coded with yes or no")),
        count("n_by_people", _("By people"), _("of these, coded by the majority of people in a study of flaws"),
              leads=False),
        count("n_texts", _("Texts"), _("texts that have items with and without it, answered by people")),
        prefixed_estimate("informativity", _("Informativity"), EFFECT),
        prefixed_estimate("answerability", _("Answerability"), EFFECT),
        prefixed_estimate("guessability", _("Guessability"), EFFECT),
        Column("p_adjusted", _("p, adjusted"), "p", about=_("of informativity; Holm, over the flaws"), reason="reason"),
        "reason",
    ),
    records=True,
    keys=("flaw",),
    page_first=("flaw_said", "n_items", "informativity", "answerability", "guessability", "p_adjusted"),
    notes=(
        _("Rules find flaws by words and lengths; flaws that take understanding are coded by people only. A "
          "difference is associated with a flaw and need not be caused by it."),
        _("For Basque, words are compared by their first five letters, for English and German by their word stem."),
        _("Intervals are over texts (jackknife), for these readers."),
    ),
)  # fmt: skip

FLAWED_ITEMS = TableSpec(
    "flawed_items", _("Items with flaws, and what people did with them"), (
        TEXT,
        ITEM,
        "flaw",
        Column("flaw_said", _("Flaw"), in_files=False),
        Column("remark", _("Remark")),
        Column("coded_by", _("Coded by"), "evaluator"),
        number("rarest", _("Rarest distractor"), _("share of people who chose it, with the text"), reason="reason"),
        count("n_rare", _("Below .05"), _("distractors that fewer than 5 % of people chose, with the text"),
              leads=False),
        number("miskey", _("Mis-key"), _("chance that the key of one of its options is wrong, the largest"),
               reason="reason"),
        N_PEOPLE,
        "reason",
    ),
    records=True,
    keys=("item_id", "flaw"),
    notes=(
        _("A distractor that fewer than 5 % of people choose is implausible to readers. A mis-key near 1 points to "
          "more than one right option, or none."),
    ),
)  # fmt: skip

VERSION = Column("version", _("Version"))
COMPARED_WITH = Column("compared_with", _("Compared with"))

TEXT_VERSIONS = TableSpec(
    "text_versions", _("What another version of the texts changes"), (
        MEASURE,
        ANSWERS_BY,
        Column("question_type", _("Type of question")),
        VERSION,
        COMPARED_WITH,
        number("mean", _("Mean"), _("of the version, whoever read it")),
        estimate("difference", _("Difference"), _("the version minus the other, within texts and readers, alone")),
        number("low_adjusted", _("From, adjusted"), _("simultaneous interval"), reason="reason"),
        number("high_adjusted", _("To, adjusted"), _("simultaneous interval"), reason="reason"),
        "p",
        Column("p_adjusted", _("p, adjusted"), "p", about=_("for all pairs of versions"), reason="reason"),
        "adjustment",
        "family_size",
        count("n_texts", _("Texts"), _("texts that were read in either version")),
        count("n_annotators", _("Readers"), _("readers of either version")),
        "reason",
    ),
    records=True,
    keys=("measure", "evaluator", "question_type", "version", "compared_with"),
    notes=(
        _("Each reader reads each text in one version only, and versions rotate over readers. Differences between "
          "texts and between readers are removed by least squares, so readers who left early need no correction."),
        _("Without the text an item is the same in all versions, so a difference in answerability is one in "
          "informativity. Where items are translated with their texts this does not hold."),
    ),
)  # fmt: skip

TEXT_VERSION_TEXTS = TableSpec(
    "text_version_texts", _("What another version changes on each text"), (
        MEASURE,
        TEXT,
        VERSION,
        COMPARED_WITH,
        estimate("difference", _("Difference"), _("the version minus the first, over readers of this text")),
        count("n_annotators", _("Readers"), _("readers of the version")),
        count("n_baseline", _("Readers of the other"), _("readers of the first version"), leads=False),
        "reason",
    ),
    records=True,
    keys=("measure", "text_id", "version"),
    sort="text_id",
    notes=(
        _("Differences between readers are removed. Intervals are Welch's, over the readers of a text, each text "
          "alone; of many texts some stand out by chance."),
    ),
)  # fmt: skip

BETWEEN = TableSpec(
    "between_protocols", _("Do both protocols rank alike?"), (
        Column("measure_a", _("First study"), "question"),
        Column("measure_b", _("Second study"), "question"),
        Column("ranked", _("Ranked"), "unit"),
        estimate("rho", _("ρ"), _("Spearman's ρ of means in both studies")),
        count("n", _("Number"), _("generators or items that both studies have")),
        N_TEXTS,
        "reason",
    ),
    records=True,
    keys=("measure_a", "measure_b", "ranked"),
    notes=(
        _("Of people's answers about items that both studies ask with the same words. Intervals are over texts "
          "(jackknife)."),
    ),
)  # fmt: skip

HOUR = TableSpec(
    "reliability_per_hour", _("Reliability of an hour"), (
        Column("study", _("Study")),
        Column("objects", _("Ranked"), "unit"),
        Column("measure", _("Measure"), "question"),
        number("alpha", _("α"), _("Cronbach's α over texts, as it is")),
        number("minutes", _("Minutes"), _("people's active time: of generators the median times the number of people")),
        estimate("hour", _("In an hour"), _("α of as many texts as one person answers in an hour (Spearman–Brown)")),
        count("n", _("Number"), _("readers or generators")),
        N_TEXTS,
        "reason",
    ),
    records=True,
    keys=("study", "objects", "measure"),
    notes=(
        _(
            "How well readers, or generators, would be ranked again. Minutes are active time; where none was recorded, "
            "they run from opening a page to submitting it."
        ),
    ),
)  # fmt: skip

TABLES = (
    JOINED, JOINED_CONTRASTS, JOINED_VERSIONS, OTHERS, CARRY_OVER, RELIABILITY, G_STUDY, D_STUDY, GENERATOR_G_STUDY,
    SEVERITY, FAIR_MEANS, LABEL_SEVERITY, FAIR_SHARES, RASCH, PERSON_FIT, DEPENDENCE, DEPENDENT_PAIRS, DIF, TEXT_DIF,
    FLAWS, FLAWED_ITEMS, TEXT_VERSIONS, TEXT_VERSION_TEXTS,
)  # fmt: skip
