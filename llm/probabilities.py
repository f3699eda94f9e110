"""p(true) from the log-probabilities of the first token that says something."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

MARKUP = " \t\n\r\u00a0*_`~#>\"'“”„‚‘’«»([{-–—:."
BLANKS = "ĠĊ▁ \t\n\r\u00a0"
MASS_FLAGGED, MASS_MISSING = 0.5, 0.01
NO_LOGPROBS = "The server sent no log-probabilities."
NO_WORD = "The reply has no token that is more than white space or markup."
NO_LABEL = "Neither label is among the log-probabilities that the server sent."
NO_MASS = "The labels together have less than 1 % of the probability."


@dataclass(frozen=True)
class LabelProbability:
    """p = P(true) / (P(true) + P(false)), or None and the reason.

    `missing` names labels that are not among the tokens returned: their probability is unknown, at most that
    of the least likely token returned, and counted as 0; p then lies between `low` and `high`.
    """

    p: float | None
    mass: float
    is_flagged: bool
    missing: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    place: int | None = None
    reason: str = ""


def read_probability(
    logprobs: Sequence[Any] | None, true: str, false: str, *, larger: bool = False, least_mass: float = MASS_MISSING
) -> LabelProbability:
    """`logprobs` as a call stores them: per token [token, log-probability, [[token, log-probability], …]].

    Variants of a label, with and without a leading blank and in either case, are summed, or the `larger` counts. Below
    `least_mass` there is no p. A label of several tokens cannot be read so.
    """
    if not logprobs:
        return LabelProbability(None, 0.0, True, reason=NO_LOGPROBS)
    place = next((place for place, token in enumerate(logprobs) if _says_something(token[0])), None)
    if place is None:
        return LabelProbability(None, 0.0, True, reason=NO_WORD)
    shares = _shares(logprobs[place])
    p_true, p_false = (_share_of(shares, label, max if larger else sum) for label in (true, false))
    mass = (p_true or 0.0) + (p_false or 0.0)
    missing = tuple(label for label, share in ((true, p_true), (false, p_false)) if share is None)
    if len(missing) == 2 or mass == 0 or mass < least_mass:
        reason = NO_LABEL if len(missing) == 2 else NO_MASS
        return LabelProbability(None, mass, True, missing, place=place, reason=reason)
    low, high = _bounds(p_true, p_false, _unseen(shares))
    return LabelProbability((p_true or 0.0) / mass, mass, mass < MASS_FLAGGED, missing, low, high, place)


@dataclass(frozen=True)
class LabelShares:
    """Each label's share of the probability that the labels have together (`mass`), or None and the reason.

    `missing` names labels that are not among the tokens returned; they count as 0.
    """

    shares: dict[str, float] | None
    mass: float
    missing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_flagged(self) -> bool:
        return self.mass < MASS_FLAGGED


def read_shares(logprobs: Sequence[Any] | None, labels: Sequence[str], written: str | None = None) -> LabelShares:
    """As `read_probability`, for any number of labels: at the token of the label `written`, else at the first word."""
    if not logprobs:
        return LabelShares(None, 0.0, reason=NO_LOGPROBS)
    place = _place_of(logprobs, written)
    if place is None:
        return LabelShares(None, 0.0, reason=NO_WORD)
    shares = _shares(logprobs[place])
    found = {label: _share_of(shares, label, sum) for label in labels}
    missing = tuple(label for label, share in found.items() if share is None)
    mass = sum(share or 0.0 for share in found.values())
    if len(missing) == len(labels) or mass < MASS_MISSING:
        return LabelShares(None, mass, missing, NO_LABEL if len(missing) == len(labels) else NO_MASS)
    return LabelShares({label: (share or 0.0) / mass for label, share in found.items()}, mass, missing)


def _place_of(logprobs: Sequence[Any], written: str | None) -> int | None:
    places = [place for place, token in enumerate(logprobs) if _says_something(token[0])]
    same = (place for place in places if written and logprobs[place][0].strip(BLANKS).casefold() == written.casefold())
    return next(same, next(iter(places), None))


def _says_something(token: str) -> bool:
    return bool(token.strip(MARKUP + BLANKS))


def _shares(token: Sequence[Any]) -> dict[str, float]:
    """Token -> probability; the chosen token too, which some servers leave out of the top ones."""
    chosen, logprob, top = token
    return {chosen: math.exp(logprob)} | {name: math.exp(value) for name, value in top}


def _share_of(shares: dict[str, float], label: str, together: Callable[[Iterable[float]], float]) -> float | None:
    """The probability of the variants of the label `together`; None if none of them was returned."""
    found = [share for token, share in shares.items() if token.strip(BLANKS).casefold() == label.casefold()]
    return min(together(found), 1.0) if found else None


def _unseen(shares: dict[str, float]) -> float:
    """The most that a token which was not returned can have."""
    return max(0.0, min(min(shares.values()), 1.0 - sum(shares.values())))


def _bounds(p_true: float | None, p_false: float | None, unseen: float) -> tuple[float, float]:
    if p_false is None:
        assert p_true is not None
        return p_true / (p_true + unseen), 1.0
    if p_true is None:
        return 0.0, unseen / (unseen + p_false)
    p = p_true / (p_true + p_false)
    return p, p
