"""The search for counterbalanced plans: labels on (text, seat) cells, balanced over seats and over pairs of seats."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

NOBODY = -1  # the label of a seat that does not do the text
CANDIDATES = 48  # seats considered per step, which bounds the cost of a step
REPEAT = 1.0  # weight of meetings under the same label, relative to all meetings of a pair
HOT, COLD = 1.0, 0.5  # first and last temperature
WEAK, STRONG = 0.5, 3.0  # first and last weight of balance within a seat, relative to balance over pairs
STEPS_PER_CELL, FEWEST_STEPS, MOST_STEPS, MOST_WORK = 5, 300, 60_000, 2_000_000
ALL_STEPS = 10_000  # of all starts together; then no further start


@dataclass(frozen=True)
class Design:
    """The cells to be labeled.

    share: (texts, labels), the part of a text's seats that should get each label; rows sum to 1.
    who: per text the seats that do it. paired: (labels,), 1 if two seats with this label on a text count as meeting.
    """

    seats: int
    share: FloatArray
    who: tuple[IntArray, ...]
    paired: FloatArray

    @cached_property
    def assignment_matrix(self) -> FloatArray:
        """(texts, seats): 1 where the seat is assigned the text."""
        found = np.zeros((len(self.who), self.seats))
        for text, seats in enumerate(self.who):
            found[text, seats] = 1
        return found

    @cached_property
    def target(self) -> FloatArray:
        """(texts, labels): wanted seats per text and label; fractions if the numbers do not divide evenly."""
        return np.asarray(self.assignment_matrix.sum(axis=1, keepdims=True) * self.share)

    @cached_property
    def target_of_seats(self) -> FloatArray:
        """(seats, labels): texts per seat and label in a perfectly even plan."""
        return np.asarray(self.assignment_matrix.T @ self.share)

    @cached_property
    def open_texts(self) -> IntArray:
        """Texts on which a change is possible."""
        several = (self.share > 0).sum(axis=1) > 1
        return np.flatnonzero(several & (self.assignment_matrix.sum(axis=1) > 0))

    @cached_property
    def group(self) -> float:
        """Mean number of seats with the same label on a text, at least 2."""
        places = (self.target > 0) & (self.paired > 0)
        return max(2.0, float(self.target[places].mean()) if places.any() else 0.0)


Cost = tuple[float, float]


def balance_labels(design: Design, rng: np.random.Generator) -> IntArray:
    """(texts, seats) labels, NOBODY where a seat does not do the text.

    Guaranteed: on each text a label gets floor or ceil of the wanted number of seats. As far as the search gets: each
    seat has its labels equally often, and any two seats share equally many texts, spread over different labels.
    Simulated annealing (Kirkpatrick, Gelatt & Vecchi 1983) over swaps within a text, from fresh starts until the bound
    or the budget is reached. The same numbers give the same plan: the budget is counted in steps, not in seconds.
    """
    steps, bound = _count_steps(design), _compute_bound(design)
    best, best_cost = _start(design, rng), (np.inf, np.inf)
    for _ in range(max(1, ALL_STEPS // steps)):
        state = _State(design, _start(design, rng))
        for labels in (state.labels.copy(), state.anneal(steps, rng)):
            cost = _compute_cost(design, labels)
            if cost < best_cost:
                best, best_cost = labels, cost
        if best_cost <= bound or not design.open_texts.size:
            break
    return best


def _count_steps(design: Design) -> int:
    """Steps of one run: by size, bounded so that large plans take seconds; the work per step grows with the seats."""
    wanted = max(FEWEST_STEPS, STEPS_PER_CELL * int(design.assignment_matrix.sum()))
    return min(wanted, MOST_STEPS, MOST_WORK // design.seats + 1)


def _start(design: Design, rng: np.random.Generator) -> IntArray:
    """A first plan: text by text in random order, each label goes to the seats that need it most."""
    labels = np.full((len(design.who), design.seats), NOBODY)
    lack_of_seats, lack = design.target_of_seats.copy(), np.zeros(design.share.shape[1])
    for text in rng.permutation(len(design.who)):
        sizes = _round_sizes(design.target[text], lack, rng)
        free = rng.permutation(design.who[text])
        for label in rng.permutation(np.flatnonzero(sizes)):
            order = np.argsort(-lack_of_seats[free, label].round(9), kind="stable")
            chosen, free = free[order[: sizes[label]]], free[order[sizes[label] :]]
            labels[text, chosen] = label
            lack_of_seats[chosen, label] -= 1
    return labels


def _round_sizes(wanted: FloatArray, lack: FloatArray, rng: np.random.Generator) -> IntArray:
    """`wanted` rounded to whole numbers with the same sum; remainders go to labels below their target (updates
    `lack`)."""
    sizes = np.floor(wanted + 1e-9).astype(np.int64)
    over = round(float(wanted.sum())) - int(sizes.sum())
    lack += wanted
    short = np.where(wanted > sizes + 1e-9, (lack - sizes).round(9), -np.inf)
    order = np.lexsort((rng.random(len(sizes)), -short))
    sizes[order[:over]] += 1
    lack -= sizes
    return sizes


def _compute_cost(design: Design, labels: IntArray) -> Cost:
    """(unevenness of seats and labels, unevenness of pairs); the first decides."""
    given = labels[:, :, None] == np.arange(design.share.shape[1])
    by_seat = given.sum(axis=0) - design.target_of_seats
    overall = by_seat.sum(axis=0)
    met = np.triu(_count_meetings(design, given))
    balance = float((by_seat**2).sum()) + float((overall**2).sum())
    return round(balance, 6), float((met.sum(axis=0) ** 2).sum() + REPEAT * (met**2).sum())


def _count_meetings(design: Design, given: NDArray[np.bool_]) -> FloatArray:
    """(labels, seats, seats): on how many texts both seats have the label; 0 for labels that are not paired."""
    mine = given.transpose(2, 1, 0).astype(np.float64) * design.paired[:, None, None]
    met = np.asarray(mine @ mine.transpose(0, 2, 1))
    met[:, range(design.seats), range(design.seats)] = 0
    return met


def _compute_bound(design: Design) -> Cost:
    """A lower bound on the cost of any plan; for some sizes no plan reaches it."""
    seats = sum(_least_square_error(row) for row in design.target_of_seats)
    overall = _least_square_error(design.target.sum(axis=0))
    sizes = np.floor(design.target + 1e-9)
    over = design.assignment_matrix.sum(axis=1) - sizes.sum(axis=1)
    # each seat beyond `sizes` joins a label that already has floor(wanted) seats
    meetings = round(float((sizes * (sizes - 1) / 2 @ design.paired + over * sizes.max(axis=1)).sum()))
    pairs = int((np.triu(design.assignment_matrix.T @ design.assignment_matrix, 1) > 0).sum())
    repeated = _least_sum_of_squares(meetings, pairs * int(design.paired.sum()))
    return round(seats + overall, 6), _least_sum_of_squares(meetings, pairs) + REPEAT * repeated


def _least_square_error(wanted: FloatArray) -> float:
    """Smallest sum of squared distances from `wanted` to whole numbers with the same sum."""
    whole = np.floor(wanted + 1e-9)
    gain = np.sort(1 - 2 * (wanted - whole))
    return float(((wanted - whole) ** 2).sum() + gain[: round(float((wanted - whole).sum()))].sum())


def _least_sum_of_squares(total: int, cells: int) -> float:
    """Sum of squares when `total` is spread evenly over `cells`."""
    if cells == 0:
        return 0.0
    low, more = divmod(total, cells)
    return float(more * (low + 1) ** 2 + (cells - more) * low**2)


class _State:
    """One plan and what each change would cost, kept up to date change by change."""

    def __init__(self, design: Design, labels: IntArray) -> None:
        self.design, self.labels, self.weight = design, labels, 1.0
        given = labels[:, :, None] == np.arange(design.share.shape[1])
        self.sizes = given.sum(axis=1).astype(np.float64)
        self.over = given.sum(axis=0) - design.target_of_seats  # (seats, labels): texts above the even number
        # meet[label, a, b]: the cost of one more meeting of a and b under this label, from their meetings so far
        met = _count_meetings(design, given)
        self.meet = met.sum(axis=0) + REPEAT * met

    def _join(self, text: int, seat: int, label: int, sign: int = 1) -> None:
        """Give `seat` the label on the text (sign 1), or take it away (sign -1), and count the meetings."""
        self.labels[text, seat] = NOBODY
        if self.design.paired[label]:
            others = np.flatnonzero(self.labels[text] == label)
            self.meet[:, seat, others] += sign
            self.meet[:, others, seat] += sign
            self.meet[label, seat, others] += sign * REPEAT
            self.meet[label, others, seat] += sign * REPEAT
        if sign > 0:
            self.labels[text, seat] = label
        self.over[seat, label] += sign
        self.sizes[text, label] += sign

    def _relabel(self, text: int, seat: int, label: int) -> None:
        self._join(text, seat, int(self.labels[text, seat]), sign=-1)
        self._join(text, seat, label)

    def anneal(self, steps: int, rng: np.random.Generator) -> IntArray:
        """Simulated annealing: at most `steps` changes, accepting fewer bad ones over time; returns the labels."""
        if not self.design.open_texts.size:
            return self.labels
        texts = rng.choice(self.design.open_texts, size=steps)
        heats = np.geomspace(HOT, COLD, steps)
        # balance within seats decides in the end, but pairs are free to change only while imbalance is cheap
        weights = np.geomspace(WEAK * self.design.group**0.5, STRONG * self.design.group, steps)
        for text, heat, self.weight in zip(texts.tolist(), heats.tolist(), weights.tolist(), strict=True):
            self._step(text, heat, rng)
        return self.labels

    def _step(self, text: int, heat: float, rng: np.random.Generator) -> None:
        """Draw one change on the text, or none, with odds exp(-cost / heat) (by the Gumbel-max trick)."""
        seats = self._candidates(text, rng)
        own = self.labels[text, seats]
        price = self._price(text, seats)
        now = price[np.arange(len(seats)), own]
        costs = np.hstack([self._swaps(text, seats, own, price, now), self._moves(text, own, price, now)])
        noisy = costs - heat * rng.gumbel(size=costs.shape)
        row, column = divmod(int(noisy.argmin()), noisy.shape[1])
        if noisy[row, column] >= -heat * rng.gumbel():
            return
        if column < len(seats):
            self._relabel(text, int(seats[row]), int(own[column]))
            self._relabel(text, int(seats[column]), int(own[row]))
        else:
            self._relabel(text, int(seats[row]), column - len(seats))

    def _candidates(self, text: int, rng: np.random.Generator) -> IntArray:
        """The text's seats; where they are many, some of each label."""
        seats = self.design.who[text]
        if len(seats) <= CANDIDATES:
            return seats
        mixed = rng.permutation(seats)
        labels = self.labels[text, mixed]
        present = np.unique(labels)
        return np.concatenate([mixed[labels == label][: max(2, CANDIDATES // len(present))] for label in present])

    def _price(self, text: int, seats: IntArray) -> FloatArray:
        """(candidates, labels): half of what having the label costs a seat, up to constants."""
        members = (self.labels[text][None, :] == np.arange(self.sizes.shape[1])[:, None]) * self.design.paired[:, None]
        meetings = (self.meet[:, seats] @ members[:, :, None])[:, :, 0].T
        return np.asarray(meetings + self.weight * (self.over[seats] + self.over.sum(axis=0)))

    def _swaps(self, text: int, seats: IntArray, own: IntArray, price: FloatArray, now: FloatArray) -> FloatArray:
        """(candidates, candidates): cost of two seats exchanging their labels; infinite for equal labels."""
        paired = self.design.paired[own]
        gain = price[:, own] - now[:, None] - self.meet[own[:, None], seats[:, None], seats] * paired[:, None]
        fixed = (1 + REPEAT) * (self.sizes[text, own] - 1) * paired + self.weight
        costs = 2 * (gain + gain.T + fixed[:, None] + fixed)
        return np.where(own[:, None] == own, np.inf, costs)

    def _moves(self, text: int, own: IntArray, price: FloatArray, now: FloatArray) -> FloatArray:
        """(candidates, labels): cost of moving a surplus place to another label; infinite where there is none."""
        sizes, wanted, paired = self.sizes[text], self.design.target[text], self.design.paired
        leave = (1 + REPEAT) * ((sizes - 1) * paired)[own]
        enter = (1 + REPEAT) * (sizes * paired)
        costs = 2 * (price - now[:, None]) + leave[:, None] + enter + 4 * self.weight
        possible = (sizes > wanted + 1e-9)[own][:, None] & (sizes < wanted - 1e-9)
        return np.where(possible, costs, np.inf)
