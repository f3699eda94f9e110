"""Even plans for protocols without guesses: who does which unit, least filled first, from a seed."""

from __future__ import annotations

import numpy as np

from studies.plans import PlanError


def least_filled(units: int, seats: int, per_unit: int, *, seed: int) -> list[list[int]]:
    """Exactly `per_unit` seats a unit, ascending; numbers of units per seat differ by at most one.

    Units are filled in a random order, each by those who have fewest; of these by who has shared fewest units with
    those already chosen for it, then by lot.
    """
    if not 1 <= per_unit <= seats:
        raise PlanError(f"Each unit can be done by 1 to {seats} annotators, not by {per_unit}; change per_unit.")
    rng = np.random.default_rng(seed)
    load, met = np.zeros(seats, dtype=np.int64), np.zeros((seats, seats), dtype=np.int64)
    found: list[list[int]] = [[] for _ in range(units)]
    for unit in rng.permutation(units).tolist():
        chosen: list[int] = []
        for _place in range(per_unit):
            shared = met[chosen].sum(axis=0)
            order = np.lexsort((rng.random(seats), shared, load))
            chosen.append(next(seat for seat in order.tolist() if seat not in chosen))
        load[chosen] += 1
        met[np.ix_(chosen, chosen)] += 1
        found[unit] = sorted(chosen)
    return found
