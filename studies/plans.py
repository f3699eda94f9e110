"""Counterbalanced plans: which seats do which texts, and whose items each seat guesses on each text.

A seat is a place in the plan that an annotator takes. A plan is a list over texts of lists over seats; a cell names
the generator whose items are guessed, or None if the seat does not do the text. Plans depend on the seed and on the
order of the generators, never on their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

import numpy as np

from studies.plan_search import Design, IntArray, balance_labels

Plan = list[list[str | None]]

ORDERS_TRIED = 20  # random orders in which a new seat is filled; the most balanced result is kept


class PlanError(ValueError):
    """No plan is possible with these numbers; the message says which to change."""


def make_guess_plan(
    texts: Sequence[Sequence[str]], annotators: int, seed: int, *, who: Sequence[Sequence[int]] | None = None
) -> Plan:
    """For each text and seat, the generator whose items the seat guesses; None if the seat does not do the text.

    texts[t] are the generators with items on text t, who[t] the seats that do it (default all). Within a text, the
    numbers of guesses per generator never differ by more than one. As far as the sizes allow, each seat guesses each
    generator equally often, each generator is guessed equally often in the study, any two seats guess the same
    generator on equally many texts, and these texts are spread evenly over the generators.
    """
    seats = _check_seats(len(texts), annotators, who)
    names = _list_generators(texts)
    if not names:
        return []
    share = np.array([[(name in text) / len(text) for name in names] for text in texts])
    design = Design(annotators, share, seats, np.ones(len(names)))
    labels = balance_labels(design, np.random.default_rng(seed))
    return [[names[label] if label >= 0 else None for label in row] for row in labels.tolist()]


def assign_seats(
    texts: int, annotators: int, per_unit: int | None = None, shared: int = 0, own: int = 0, *, seed: int
) -> list[list[int]]:
    """The seats of each text, ascending.

    per_unit None: all seats do all texts. per_unit k: exactly k seats per text; loads differ by at most one; any two
    seats have about equally many texts in common. shared, own: the first `shared` texts are done by all, each seat does
    `own` more that nobody else does, drawn from the rest; then texts must be shared + own * annotators.
    """
    _check_numbers(texts, annotators, per_unit, shared, own)
    rng = np.random.default_rng(seed)
    everybody = list(range(annotators))
    if own:
        owners = rng.permutation(np.repeat(everybody, own)).tolist()
        return [everybody[:] for _ in range(shared)] + [[owner] for owner in owners]
    if per_unit is None or per_unit == annotators:
        return [everybody[:] for _ in range(texts)]
    return _draw_seats(texts, annotators, per_unit, rng)


def extend_plan(
    plan: Sequence[Sequence[str | None]],
    texts: Sequence[Sequence[str]],
    seed: int,
    *,
    does: Collection[int] | None = None,
) -> list[str | None]:
    """The cells of one more seat, text by text; `does` are the texts it does (default all).

    On each text it gets a generator with the fewest guesses so far; among those the one it has least often itself,
    then the one shared with seats that it shares least with, then the one guessed least in the study. Other cells
    stay.
    """
    doing = _check_texts(plan, texts, does)
    rng = np.random.default_rng(seed)
    present = _PresentPlan(plan, texts, doing)
    tries = [_fill_new_seat(present, doing, rng) for _ in range(ORDERS_TRIED)]
    return min(tries, key=_NewSeat.unevenness).column


class _PresentPlan:
    """Counts of a plan that do not depend on the order in which a new seat is filled."""

    def __init__(self, plan: Sequence[Sequence[str | None]], texts: Sequence[Sequence[str]], doing: list[int]) -> None:
        self.texts, self.seats = len(texts), max(map(len, plan), default=0)
        self.overall = Counter(cell for row in plan for cell in row)
        self.fewest = {text: _find_fewest(plan[text], texts[text]) for text in doing}
        names = _list_generators(texts)
        self.lack = {name: sum((name in texts[text]) / len(texts[text]) for text in doing) for name in names}
        self.partners: dict[tuple[int, str], IntArray] = {
            (text, name): np.array([seat for seat, cell in enumerate(plan[text]) if cell == name], dtype=int)
            for text in doing
            for name in self.fewest[text]
        }


def _fill_new_seat(present: _PresentPlan, doing: list[int], rng: np.random.Generator) -> _NewSeat:
    """A new seat, filled greedily text by text in a random order."""
    seat, fewest = _NewSeat(present), present.fewest
    mixed = [doing[at] for at in rng.permutation(len(doing))]
    # texts without a choice come first, so that the others can compensate
    for text in sorted(mixed, key=lambda text: len(fewest[text])):
        candidates = [fewest[text][at] for at in rng.permutation(len(fewest[text]))]
        seat.take(text, min(candidates, key=partial(seat.rank, text)))
    return seat


class _NewSeat:
    """The column of a seat that joins a plan, and the counts on which each choice is based."""

    def __init__(self, present: _PresentPlan) -> None:
        self.partners = present.partners
        self.column: list[str | None] = [None] * present.texts
        self.overall, self.lack = present.overall.copy(), dict(present.lack)
        self.met: IntArray = np.zeros(present.seats, dtype=int)

    def rank(self, text: int, name: str) -> tuple[float, int, int]:
        """Lowest is best: most needed first, then fewest texts shared with those who guess it, then its total."""
        met = int(self.met[self.partners[text, name]].sum())
        return -round(self.lack[name], 9), met, self.overall[name]

    def take(self, text: int, name: str) -> None:
        self.column[text] = name
        self.lack[name] -= 1
        self.overall[name] += 1
        self.met[self.partners[text, name]] += 1

    def unevenness(self) -> tuple[float, int]:
        """Lowest is best: over the seat's generators, then over the seats it shares texts with."""
        return round(sum(lack**2 for lack in self.lack.values()), 9), int((self.met**2).sum())


def _find_fewest(row: Sequence[str | None], generators: Sequence[str]) -> list[str]:
    """The generators of a text with the fewest guesses in its row."""
    guesses = Counter(row)
    low = min(guesses[name] for name in generators)
    return [name for name in generators if guesses[name] == low]


def _draw_seats(texts: int, annotators: int, per_unit: int, rng: np.random.Generator) -> list[list[int]]:
    """Exactly `per_unit` seats per text. The search of `balance_labels` labels each seat as in (0) or out (1), and only
    two seats that are both in count as meeting."""
    part = per_unit / annotators
    everybody: IntArray = np.arange(annotators)
    design = Design(annotators, np.tile([part, 1 - part], (texts, 1)), (everybody,) * texts, np.array([1.0, 0.0]))
    return [np.flatnonzero(row == 0).tolist() for row in balance_labels(design, rng)]


def _list_generators(texts: Sequence[Sequence[str]]) -> list[str]:
    """All generators, in the order in which they are first given."""
    for at, text in enumerate(texts):
        if not text or len(set(text)) < len(text):
            raise PlanError(
                f"Text {at + 1} needs at least one generator, and each only once; correct its list of items."
            )
    return list(dict.fromkeys(name for text in texts for name in text))


def _check_seats(texts: int, annotators: int, who: Sequence[Sequence[int]] | None) -> tuple[IntArray, ...]:
    """Per text its seats, ascending."""
    if annotators < 1:
        raise PlanError("A plan needs at least one annotator; set their number to 1 or more.")
    rows = [range(annotators)] * texts if who is None else who
    if len(rows) != texts:
        raise PlanError(f"There are {texts} texts but seats for {len(rows)}; give the seats of every text.")
    for at, row in enumerate(rows):
        if len(set(row)) < len(row) or not all(0 <= seat < annotators for seat in row):
            raise PlanError(
                f"Text {at + 1} names a seat twice or one outside 0 to {annotators - 1}; correct its seats."
            )
    return tuple(np.array(sorted(row), dtype=np.int64) for row in rows)


def _check_texts(
    plan: Sequence[Sequence[str | None]], texts: Sequence[Sequence[str]], does: Collection[int] | None
) -> list[int]:
    """The texts of the new seat, ascending."""
    if len(plan) != len(texts):
        raise PlanError(f"The plan has {len(plan)} texts but generators are given for {len(texts)}; give both for all.")
    doing = sorted(set(range(len(texts)) if does is None else does))
    if doing and not 0 <= doing[0] <= doing[-1] < len(texts):
        raise PlanError(f"The new seat can only do texts 0 to {len(texts) - 1}; correct its list.")
    return doing


def _check_numbers(texts: int, annotators: int, per_unit: int | None, shared: int, own: int) -> None:
    """Raise `PlanError` if numbers contradict each other."""
    if texts < 0 or annotators < 1 or shared < 0 or own < 0:
        raise PlanError("A plan needs at least one annotator, and no number below 0; correct the numbers of the plan.")
    if per_unit is not None and not 1 <= per_unit <= annotators:
        raise PlanError(f"Each text can be done by 1 to {annotators} annotators, not by {per_unit}; change per_unit.")
    if not shared and not own:
        return
    if per_unit is not None:
        raise PlanError("Give either per_unit or shared and own texts, not both.")
    needed = shared + own * annotators
    if needed != texts:
        raise PlanError(
            f"{shared} shared texts and {own} of their own for each of {annotators} annotators are {needed} texts, "
            f"but the study has {texts}; change the numbers or the selection of texts."
        )


def fill_evenly(units: int, seats: int, per_unit: int, *, seed: int) -> list[list[int]]:
    """Exactly `per_unit` seats per unit, ascending; numbers of units per seat differ by at most one.

    Units are filled in a random order, each with the seats that have fewest units; of these, those that
    share the fewest units with the seats already chosen, then at random.
    """
    if not 1 <= per_unit <= seats:
        raise PlanError(f"Each unit can be done by 1 to {seats} annotators, not by {per_unit}; change per_unit.")
    rng = np.random.default_rng(seed)
    load, met = np.zeros(seats, dtype=np.int64), np.zeros((seats, seats), dtype=np.int64)
    found: list[list[int]] = [[] for _ in range(units)]
    above = units * per_unit + 1  # an upper bound on units shared by two seats
    for unit in rng.permutation(units).tolist():
        chosen: list[int] = []
        order = load * above  # first by load, then by what is shared
        for lots in rng.random((per_unit, seats)):
            best = (order == order.min()).nonzero()[0]
            chosen.append(seat := int(best[lots[best].argmin()]))
            order += met[seat]
            order[seat] = above * above
        load[chosen] += 1
        met[[[seat] for seat in chosen], chosen] += 1
        found[unit] = sorted(chosen)
    return found
