"""Rates of simulated studies, with the error of the simulation."""

from __future__ import annotations

import argparse
import math


def rate(hits: float, n: int) -> str:
    """A share of n simulated studies or tests and its standard error."""
    if not n:
        return "none"
    share = hits / n
    return f"{share:.3f} (SE {math.sqrt(share * (1 - share) / n):.3f}, n {n})"


def options(about: str | None, studies: int) -> argparse.Namespace:
    """--studies and --seed."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=studies)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()
