"""The numbers of docs/choosing.md, by the functions of the planner: widths and power, pairs, and what models are worth.

    python -m bench.choosing [--seed 1] [--studies 500]

Three generators × three questions × three options; 58 % right without the text and 84 % with it; a difference of .10.
"""

from __future__ import annotations

import argparse
import os

import django


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--studies", type=int, default=500)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from analysis.measures.power import Plan, informativity_curve, preference_outlook
    from analysis.measures.prediction_powered import gain
    from analysis.protocols.guess_then_read.planner import DIFFERENCE, GUESS, READ
    from analysis.protocols.pairwise.planner import PREFERRED, TEXT_SPREAD

    read, drawn = (READ, READ - DIFFERENCE), {"seed": options.seed, "studies": options.studies}

    def show(people: int, texts: list[int], over_readers: bool) -> None:
        plan = Plan(texts[0], people)
        curve = informativity_curve(plan, ("texts", texts), GUESS, read, over_readers=over_readers, **drawn)
        for n, found in zip(texts, curve, strict=True):
            whom = "readers" if over_readers else "these people"
            print(f"{people} people, {n} texts, {whom}: width {found.width:.3f}, power {found.power:.2f}", flush=True)

    show(6, [10, 20, 40, 80], False)
    show(12, [40], False)
    show(6, [20, 40], True)
    show(3, [20], True)
    show(3, [20], False)
    for texts, judgments in ((40, 3), (80, 3), (40, 6)):
        found = preference_outlook(texts, judgments, PREFERRED, text_spread=TEXT_SPREAD, **drawn)
        print(f"pairs, {texts} texts × {judgments} judgments: power {found.power:.2f}")
    for r in (0.5, 0.7, 0.9):
        print(f"20 of 100 texts, r {r}: worth {20 * (gain(r, 20, 100) - 1):.1f} more texts")


if __name__ == "__main__":
    main()
