"""The tables of pairwise comparisons."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.planning.tables import declare_outlook
from analysis.reports import tables
from analysis.reports.tables import EVALUATOR, GENERATOR, GENERATOR_A, GENERATOR_B, list_agreement_columns
from analysis.tables.spec import Column, Crossing, TableSpec, count, estimate, number

RANKING = TableSpec(
    "ranking", _("Ranking"), (
        "method",
        Column("method_said", _("Model"), in_files=False),
        GENERATOR,
        number("rank", _("Rank"), _("place by strength"), reason="reason"),
        Column("ranks", _("Possible ranks"), in_files=False),
        estimate("strength", _("Strength"), _("logarithm of the worth, against the mean of all generators")),
        "rank_low",
        "rank_high",
        count("n", _("Judgments"), _("judgments of pairs with an item of the generator")),
        "reason",
    ),
    keys=("method", "generator"),
    notes=(
        _("Strengths are logarithms of worths, with mean 0: a difference of d means odds of e to the d to win rather "
          "than lose."),
        _("Possible ranks: one generator ranks above another if the interval of their difference "
          "excludes 0."),
        _("A generator that never lost, never won, or is not connected with the others has no finite strength."),
    ),
    crossings=(Crossing("strength", "generator", "method_said", beneath=("rank", "ranks")),),
)  # fmt: skip

CONTRASTS = replace(tables.CONTRASTS)  # a copy with a drill-down of its own

WIN_COLUMNS = (
    GENERATOR_A,
    GENERATOR_B,
    count("wins_a", _("A wins"), _("judgments that preferred A")),
    count("wins_b", _("B wins"), _("judgments that preferred B")),
    count("ties", _("Ties"), _("judgments that preferred neither")),
    count("n", _("Judgments"), _("judgments of pairs of these two generators")),
)  # fmt: skip
WIN_MATRIX = Crossing(
    "wins_a", "generator_a", "generator_b", beneath=("ties", "n"), mirrored=True, back="wins_b",
    heading=_("Generator"), title=_("Wins of the generator of the row over that of the column"),
)  # fmt: skip

WINS = TableSpec(
    "wins",
    _("Wins and ties"),
    WIN_COLUMNS,
    keys=("generator_a", "generator_b"),
    notes=(_("Every judgment counts; several people may have judged the same pair."),),
    crossings=(WIN_MATRIX,),
)  # fmt: skip

AGREEMENT = TableSpec(
    "agreement", _("Agreement"), (
        Column("view", _("Ties"), "view"),
        number(
            "percent", _("Percent agreement"),
            _("mean over pairs of items of the share of agreeing pairs of judgments"), reason="reason",
        ),
        estimate(
            "conger_kappa", _("Conger's κ"),
            _("agreement beyond chance, each annotator with a distribution of their own"),
        ),
        Column("strength", _("Strength"), in_files=False),
        number("prevalence", _("Most frequent label"), _("its share of all judgments"), in_files=False),
        count("n_units", _("Pairs"), _("pairs of items that two or more people judged")),
        count("n_annotators", _("Annotators"), _("people who judged these pairs")),
        "reason",
    ),
    keys=("view",),
    notes=(
        _("Over pairs that at least two people judged, the calibration included. Agreement is about the items, not the "
          "sides: first or second item as the plan drew them, or as an imported file first names them."),
        _("Without ties: pairs that anyone judged a tie are left out. Ties missing: only the tied "
          "judgments are left out."),
        _("The word for κ is that of Landis and Koch (1977)."),
        _("With single judgments (as published) the interval of κ treats pairs as independent."),
    ),
)  # fmt: skip

SIDES = TableSpec(
    "sides", _("Left and right"), (
        "generator",
        Column("generator_said", _("Winner's generator"), in_files=False),
        estimate("share_left", _("Won on the left"), _("share of wins in which the winner was on the left")),
        count("n", _("Wins"), _("judgments with a winner whose side is known")),
        "reason",
    ),
    keys=("generator",),
    notes=(
        _("Share of a generator's wins in which the winner was shown on the left. Without side bias it "
          "is near .50. Ties and judgments with unknown sides are left out."),
    ),
)  # fmt: skip

CRITERIA = TableSpec(
    "criteria", _("Deciding criteria"), (
        Column("criterion", _("Criterion"), "question"),
        count("n", _("Ticked"), _("judgments in which it was selected")),
        count("n_decided", _("Judgments with a winner"), _("judgments with a winner")),
        number("share", _("Share"), _("of the judgments with a winner")),
    ),
    keys=("criterion",),
    notes=(_("Asked for judgments with a winner; several criteria can be selected."),),
)  # fmt: skip

JUDGE_WINS = TableSpec(
    "judge_wins",
    _("Wins and ties by models"),
    (EVALUATOR, "evaluator_kind", *WIN_COLUMNS),
    keys=("evaluator", "generator_a", "generator_b"),
    notes=(
        _("Judgments of models only; the tables above count people. A judgment that flips with the order is a tie."),
    ),
    crossings=(replace(WIN_MATRIX, apart=("evaluator",)),),
)  # fmt: skip

JUDGE_AGREEMENT = TableSpec(
    "agreement_with_humans",
    _("Agreement of models with people"),
    (EVALUATOR, "evaluator_kind", *list_agreement_columns(_("Cohen's κ of model and person"))),
    keys=("evaluator",),
    notes=(
        _("Each person's judgment of a pair that the model judged is compared with the model's, "
          "including the calibration."),
    ),
)  # fmt: skip

POSITION_BIAS = TableSpec(
    "position_bias", _("Order of a pair"), (
        EVALUATOR,
        count("n", _("Pairs in both orders"), _("pairs with a reply in each order")),
        number("share_flipped", _("Flipped"), _("share of pairs whose two orders differ"), reason="reason"),
        number(
            "share_first", _("Item shown first"), _("share of replies with a winner that name the item shown first"),
            reason="reason",
        ),
        count("n_decided", _("Replies with a winner"), _("replies that name a winner")),
        "reason",
    ),
    keys=("evaluator",),
    notes=(
        _("Each pair is asked in both orders. Flipped: the two orders got different answers, so the pair "
          "counts as a tie. Item shown first: share of replies with a winner that name the item shown "
          "first; without position bias it is near .50."),
    ),
)  # fmt: skip

OUTLOOK = declare_outlook(
    (count("judgments", _("Judgments")),), (number("width", _("Width, share"), reason="reason"), "difference_width")
)

TABLES = (RANKING, CONTRASTS, WINS, AGREEMENT, SIDES, CRITERIA, JUDGE_WINS, JUDGE_AGREEMENT, POSITION_BIAS)
