"""The tables that reports of several protocols have, and the columns that many tables share."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.tables.spec import Column, Crossing, TableSpec, count, estimate, number

GENERATOR = Column("generator", _("Generator"))
GENERATOR_A = Column("generator_a", _("Generator A"))
GENERATOR_B = Column("generator_b", _("Generator B"))
ANSWERS_BY = Column("evaluator", _("Answers by"), "evaluator")
EVALUATOR = Column("evaluator", _("Evaluator"), "evaluator")
STAGE = Column("stage", _("Stage"), "stage")
TEXT = Column("text_id", _("Text"), "text id")
ITEM = Column("item_id", _("Item"), "item id")
QUESTION = Column("question", _("Question"), "question")
GROUP = Column("group", _("Group"), "group")
ANNOTATOR = Column("annotator", _("Annotator"))

DESCRIPTION = TableSpec(
    "description", _("Description"), (
        Column("about", _("About"), "about"),
        "name",
        Column("name_said", _("Name"), in_files=False),
        Column("source", _("Source"), "scope"),
        Column("quantity", _("Quantity"), "quantity"),
        number("value", _("Value"), reason="reason"),
        Column("n", _("n"), "count", leads=False),  # not a cell of a page
        "reason",
    ),
    keys=("about", "name", "source", "quantity"),
    notes=(
        _("Tokens are words and punctuation marks."),
        _("Minutes from opening a stage to submitting it, including breaks."),
    ),
)  # fmt: skip

VARIANTS = TableSpec(
    "variants", _("Variants side by side"), (
        Column("variant", _("Variant")),
        Column("category", _("Category"), "question"),
        Column("view", _("View"), "view"),
        Column("measure", _("Measure"), "quantity"),
        estimate("value", _("Value"), _("of the people of this variant alone")),
        count("n", _("n"), _("people, stages handed in, or units with agreement")),
        "reason",
    ),
    keys=("variant", "category", "view", "measure"),
    notes=(
        _("Agreement is between annotators of one variant. All other tables combine the variants."),
        _("Minutes from opening a stage to submitting it, including breaks; median over submitted stages."),
    ),
)  # fmt: skip

CONTRASTS = TableSpec(
    "contrasts", _("Differences between generators"), (
        Column("measure", _("Measure"), "question"),
        ANSWERS_BY,
        GENERATOR_A,
        GENERATOR_B,
        Column("difference", _("Difference A − B"), "number", "low", "high", "reason", about=_("each pair alone")),
        number("low_adjusted", _("From, adjusted"), _("simultaneous interval"), reason="reason"),
        number("high_adjusted", _("To, adjusted"), _("simultaneous interval"), reason="reason"),
        "p",
        Column("p_adjusted", _("p, adjusted"), "p", about=_("for all pairs of the family"), reason="reason"),
        "adjustment",
        count("family_size", _("Pairs"), _("pairs of generators that are compared together"), leads=False),
        count("n_texts", _("Texts"), _("texts with judgments about either generator")),
        count("n_annotators", _("Annotators"), _("annotators with such judgments")),
        "reason",
    ),
    keys=("measure", "evaluator", "generator_a", "generator_b"),
    notes=(
        _("The difference is generator A minus generator B. A family is all pairs of one measure by one evaluator."),
    ),
)  # fmt: skip

LABEL_MASS = TableSpec(
    "label_mass", _("Label mass"), (
        ANSWERS_BY,
        STAGE,
        number("mean", _("Mean"), _("mean of p(true) + p(false) over calls")),
        number("median", _("Median"), _("median of p(true) + p(false) over calls")),
        number("least", _("Least"), _("least p(true) + p(false) of a call")),
        count("n", _("n"), _("calls with probabilities of both labels")),
    ),
    keys=("evaluator", "stage"),
    notes=(_("p(true) + p(false) at the first token of the answer, before normalization."),),
)  # fmt: skip

ERROR_CODES = TableSpec(
    "error_codes", _("Error codes"), (
        Column("generator", _("Generator"), "scope"),
        "code",
        Column("code_said", _("Code"), in_files=False),
        count("n", _("n"), _("items with this code")),
        number("share_of_all", _("Share of all items"), _("share of the generator's items that have this code")),
        number(
            "share_of_erroneous", _("Share of erroneous items"),
            _("share of the generator's items with any error that have this code"),
        ),
    ),
    keys=("generator", "code"),
    crossings=(Crossing("share_of_all", "generator", "code_said", beneath=("n",)),),
)  # fmt: skip

PUBLISHED = TableSpec(
    "published", _("Published beside recomputed"), (
        "table",
        "row",
        "measure",
        Column("row_said", _("What it is of"), in_files=False),
        Column("measure_said", _("Measure"), in_files=False),
        "group",
        Column("group_said", _("Published group"), in_files=False),
        "published",
        "published_low",
        "published_high",
        Column("published_said", _("Published"), in_files=False),
        Column("published_n", _("Published n"), "optional"),
        "own",
        "own_low",
        "own_high",
        Column("own_said", _("This study"), cell="own_cell", in_files=False),
        Column("own_n", _("This study's n"), "optional", cell="own_n_cell"),
        "reason",
    ),
)  # fmt: skip

# Columns of single answers, for drill-down.
ANSWERS = {column.name: column for column in (
    TEXT,
    ITEM,
    Column("option_id", _("Option")),
    Column("item_a", _("Item A"), "item id"),
    Column("item_b", _("Item B"), "item id"),
    Column("unit_items", _("Items compared")),
    Column("shown_first", _("Shown first"), "item id"),
    Column("shown_second", _("Shown second"), "item id"),
    Column("generator", _("Generator")),
    Column("generator_a", _("Generator A")),
    Column("generator_b", _("Generator B")),
    Column("source", _("Source")),
    Column("category", _("Category"), "tag"),
    Column("group", _("Group")),
    ANNOTATOR,
    Column("annotator_a", _("Annotator A")),
    Column("annotator_b", _("Annotator B")),
    Column("stage", _("Stage"), "stage"),
    QUESTION,
    Column("dimension", _("Dimension"), "question"),
    Column("round", _("Round"), "count"),
    Column("score", _("Score"), "count"),
    Column("score_2", _("Round 2"), "optional"),
    Column("ticked", _("Ticked"), "truth"),
    Column("ticked_a", _("Ticked by A"), "truth"),
    Column("ticked_b", _("Ticked by B"), "truth"),
    Column("ticked_options", _("Ticked")),
    Column("value", _("Answer"), "label"),
    Column("value_a", _("Answer of A"), "label"),
    Column("value_b", _("Answer of B"), "label"),
    Column("label", _("Label"), "label"),
    Column("label_a", _("Label of A"), "label"),
    Column("label_b", _("Label of B"), "label"),
    Column("same", _("The same"), "truth"),
    Column("key", _("Is a key"), "truth"),
    Column("keys", _("Its keys")),
    Column("right", _("Right"), "truth"),
    Column("unsure", _("Unsure"), "truth"),
    Column("marked", _("Has it"), "truth"),
    Column("counted", _("Counted"), "truth"),
    Column("this", _("This option"), "truth"),
    Column("probability", _("p(true)"), "optional"),
    Column("p_guess", _("p(true) without the text"), "optional"),
    Column("p_read", _("p(true) with the text"), "optional"),
    Column("rating", _("Rating"), "optional"),
    Column("minutes", _("Minutes"), "optional"),
    Column("stem", _("Question")),
    Column("words", _("Words"), "optional"),
    Column("verdict", _("Looked at"), "verdict"),
    Column("part", _("Part"), "optional"),
    Column("tokens", _("Tokens"), "optional"),
    Column("n_options", _("Number of options"), "optional"),
    Column("n_keys", _("Number of keys"), "optional"),
    Column("n_answers", _("Answers"), "optional"),
    Column("n_items", _("Items"), "optional"),
    Column("n_people", _("People"), "optional"),
    Column("n_units", _("Units"), "optional"),
    Column("n_shared", _("Shared judgments"), "optional"),
    Column("n_same", _("The same"), "optional"),
    Column("n_judged", _("Judgments"), "optional"),
    Column("n_right", _("Right"), "optional"),
    Column("n_others", _("Other judgments"), "optional"),
    Column("n_others_right", _("Right"), "optional"),
    Column("share_others", _("Accuracy"), "optional"),
    Column("kappa", _("Cohen's κ"), "optional"),
    Column("ac1", _("AC1"), "optional"),
    Column("model_at_least", _("Model at least as good"), "optional"),
    Column("person_at_least", _("Person at least as good"), "optional"),
    Column("p", _("p"), "p"),
    Column("p_adjusted", _("p, adjusted"), "p"),
    Column("passed", _("Passed"), "truth"),
    Column("mass", _("Label mass"), "optional"),
    Column("better", _("Better"), "preference"),
    Column("shown_left", _("On the left")),
    Column("model_better", _("Model's choice"), "preference"),
    Column("better_swapped", _("Better, with B first"), "preference"),
    Column("flipped", _("Flipped"), "truth"),
    Column("names_first", _("The item shown first"), "truth"),
    Column("raw_output", _("Reply"), "reply"),
    Column("raw_output_swapped", _("Reply, with B first"), "reply"),
    Column("call", _("Call"), "call"),
    Column("call_swapped", _("Call, with B first"), "call"),
)}  # fmt: skip

# The columns of `labels.measure_labels`; each table says what its κ compares.
LABEL_AGREEMENT = (
    number("percent", _("Percent agreement"), _("share of pairs with the same answer"), reason="reason"),
    Column("kappa", _("Cohen's κ"), "number", reason="reason"),
    number(
        "kappa_order_free", _("Fleiss' κ"), _("κ with a common distribution of labels for all annotators"),
        reason="reason",
    ),
    number("ac1", _("AC1"), _("Gwet's AC1, robust to very unequal labels"), reason="reason"),
    count("n_pairs", _("Pairs"), _("pairs of judgments of one item")),
    Column("reason"),
)  # fmt: skip


def list_agreement_columns(kappa: str) -> tuple[Column, ...]:
    """The columns of agreement between labels; `kappa`: a message for translation on whose agreement it is."""
    return tuple(replace(column, about=kappa) if column.name == "kappa" else column for column in LABEL_AGREEMENT)
