"""How often items of one generator were preferred to those of another."""

from itertools import combinations

import numpy as np
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.wins import pair_counts
from analysis.protocols.pairwise.judged_pairs import calibration_note, coded, counted
from analysis.tables.spec import Crossing, Shown, Table, make_table

COLUMNS = ("generator_a", "generator_b", "wins_a", "wins_b", "ties", "n")


def wins(evidence: Evidence) -> Table:
    """One row per two generators, in the order of the bank, also where they never met."""
    first, second, outcome, _text = coded(evidence, counted(evidence))
    g = len(evidence.generators)
    counts = pair_counts(first, second, outcome, g, np.zeros(len(first), dtype=np.int64), 1).total()
    rows = [
        {
            "generator_a": evidence.generators[a],
            "generator_b": evidence.generators[b],
            "wins_a": int(counts.wins[a, b]),
            "wins_b": int(counts.wins[b, a]),
            "ties": int(counts.ties[a, b]),
            "n": int(counts.n[a, b]),
        }
        for a, b in combinations(range(g), 2)
    ]
    notes = (_("Each judgment counts once: several people may have judged one pair."), *calibration_note(evidence))
    named_by = ("generator_a", "generator_b")
    return make_table(
        "wins", COLUMNS, rows, title=_("Wins and ties"), notes=notes, shown=shown(), named_by=named_by,
        crossings=(win_matrix(),),
    )  # fmt: skip


def win_matrix(apart: tuple[str, ...] = ()) -> Crossing:
    """Each generator against each other: how often the one of the row was preferred."""
    return Crossing(
        "wins_a", "generator_a", "generator_b", apart=apart, beneath=("ties", "n"), mirrored=True, back="wins_b",
        heading=_("Generator"), title=_("Wins of the generator of the row over that of the column"),
    )  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Generator A"), "generator_a"),
        Shown(_("Generator B"), "generator_b"),
        Shown(_("A wins"), "wins_a", "count", about=_("judgments that preferred A")),
        Shown(_("B wins"), "wins_b", "count", about=_("judgments that preferred B")),
        Shown(_("Ties"), "ties", "count", about=_("judgments that preferred neither")),
        Shown(_("Judgments"), "n", "count", about=_("judgments of pairs of these two")),
    )
