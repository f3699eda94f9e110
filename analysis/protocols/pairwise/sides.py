"""Whether the side on which an item stood decided: of its wins, how many it won on the left."""

from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.wins import TIE
from analysis.protocols.pairwise.judged_pairs import calibration_note, counted, winner
from analysis.reports.estimates import arm_of, share_of, with_codes
from analysis.tables.spec import Shown, Table, make_table

COLUMNS = ("generator", "share_left", "low", "high", "n", "reason")
ALL = "all"


def sides(evidence: Evidence) -> Table:
    """A row for all wins whose side is known, and one for those of each generator. By lot alone it is .5."""
    won = wins_of(counted(evidence))
    groups = [(ALL, won)] + [(name, won[won["generator"] == name]) for name in evidence.generators]
    rows = [side_row(evidence, name, mine) for name, mine in groups]
    notes = (
        _("Of the judgments that a generator's items won, the share in which the winner stood on the left. Where the "
          "side says nothing it is near .50. Ties and judgments of unknown sides are left out."),
        *calibration_note(evidence),
    )  # fmt: skip
    return make_table(
        "sides", COLUMNS, rows, title=_("Left and right"), notes=notes, shown=shown(), named_by=("generator",)
    )


def wins_of(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per judgment with a winner and a known side: text_id, annotator, generator of the winner, on_left."""
    won = of_known_sides(judgments)
    on_left = winner(won) == won["left"]
    return pd.DataFrame(
        {
            "text_id": won["text_id"],
            "annotator": won["annotator"],
            "generator": winner(won, "generator_"),
            "on_left": on_left,
        }
    )


def of_known_sides(judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments with a winner of which it is known what stood on the left."""
    return judgments[(judgments["outcome"] != TIE) & judgments["left"].notna()]


def side_row(evidence: Evidence, name: str, won: pd.DataFrame) -> dict[str, Any]:
    arm = arm_of(with_codes(won), "on_left")
    found = share_of(arm, evidence.choices.seed, _("There is no judgment to compute this from."))
    low, high, reason = found.ends(evidence.choices.convention)
    return {
        "generator": name,
        "share_left": found.value,
        "low": low,
        "high": high,
        "n": len(won),
        "reason": reason,
        "generator_said": _("all generators") if name == ALL else name,
        "intervals": {"share_left": found.as_json()},
    }


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Winner's generator"), "generator_said"),
        Shown(
            _("Won on the left"),
            "share_left",
            "number",
            "low",
            "high",
            "reason",
            about=_("share of wins in which the winner stood on the left"),
        ),
        Shown(_("Wins"), "n", "count", about=_("judgments with a winner whose side is known")),
    )
