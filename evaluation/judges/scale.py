"""Scales of scores, and reading the score from a reply. A score is read only if it is clearly the answer.

Accepted: a number in the place of a label (see llm.answers), also after "Score:" or the name of the dimension, also as
`8/10`, `8 out of 10` or with a decimal comma. Two different scores, a number between two steps or outside the scale,
and another scale (`8/100`) are no answer. Imports no Django.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from llm.answers import read_label, strip_traces

NUMBER = re.compile(r"(?<![\w.,])[-+]?\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")
OF = re.compile(
    r"(?P<score>[-+]?\d+(?:[.,]\d+)?)\s*(?:/|out of|of|von|auf|etik)\s*(?P<most>\d+(?:[.,]\d+)?)(?![\w]|[.,]\d)"
)
RANGE = r"\(?{low}\s*(?:-|–|—|to|bis|through)\s*{high}\)?"
CUE = (
    r"(?:final\s+|overall\s+|my\s+)?(?:score|rating|grade|evaluation|bewertung|punktzahl|punkte|wertung|note|"
    r"balorazioa|puntuazioa)"
)
ANY = "any"
MAX_STEPS = 10_000
OFF = "offscale"


@dataclass(frozen=True)
class Scale:
    """From lowest to highest, in steps; `step` 0: every number between them."""

    lowest: Fraction
    highest: Fraction
    step: Fraction = Fraction(1)

    @property
    def levels(self) -> tuple[Fraction, ...]:
        """All scores; empty if any number between the ends is allowed."""
        if not self.step:
            return ()
        n = int((self.highest - self.lowest) / self.step)
        return tuple(self.lowest + place * self.step for place in range(n + 1))

    @property
    def ends(self) -> dict[str, str]:
        return {"lowest": format_score(self.lowest), "highest": format_score(self.highest)}

    @property
    def has_digits(self) -> bool:
        """Whether each score has a single digit, so that one token holds it."""
        return bool(self.levels) and all(len(format_score(level)) == 1 for level in self.levels)

    def holds(self, score: Fraction) -> bool:
        is_step = not self.step or (score - self.lowest) % self.step == 0
        return self.lowest <= score <= self.highest and is_step


@dataclass(frozen=True)
class ScoreReading:
    """The score, or None and the reason."""

    score: float | int | None
    label: str = ""
    reason: str = ""


def make_scale(levels: Sequence[int]) -> Scale:
    return Scale(Fraction(levels[0]), Fraction(levels[-1]))


def parse_number(words: str) -> Fraction:
    """A number as it is written, with a decimal point or comma."""
    return Fraction(words.replace(",", "."))


def format_score(score: Fraction) -> str:
    return str(int(score)) if score.denominator == 1 else format(float(score), "g")


def to_number(score: Fraction) -> float | int:
    return int(score) if score.denominator == 1 else float(score)


def read_score(text: str, scale: Scale, dimension: str = "") -> ScoreReading:
    """The score in the reply, if it is the only one; else None with the reason. dimension: its name in the prompt."""
    text = strip_traces(text)
    if any(parse_number(found["most"]) != scale.highest for found in OF.finditer(text)):
        return ScoreReading(None, reason="The reply gives a score on another scale.")
    text = _drop_range(OF.sub(lambda found: found["score"], text), scale)
    words: dict[str, Fraction] = {}
    text = NUMBER.sub(lambda found: _replace_score(parse_number(found[0]), scale, words), text)
    text = re.sub(
        rf"(?im)^[\s*_#>-]*(?:{_build_cue(dimension)})[\s*_]*(?:[:=]|is|ist|da)?[\s*_]*(?=(?:score\d|{OFF}))", "", text
    )
    text = re.sub(rf"(?i)\b(?:{CUE})\s*(?::|=|is|ist|da|of|von)\s*(?=[*_\s]*(?:score\d|{OFF}))", "answer is ", text)
    reading = read_label(text, list(words))
    if reading.label is not None:
        score = words[reading.label]
        return ScoreReading(to_number(score), format_score(score))
    if not words and read_label(text, [OFF]).label:
        return ScoreReading(None, reason="The reply gives a score that is not on the scale.")
    return ScoreReading(None, reason=reading.reason)


def _build_cue(dimension: str) -> str:
    name = r"[\s_-]+".join(re.escape(word) for word in re.split(r"[\s_-]+", dimension.strip()) if word)
    return f"{CUE}|{name}(?:\\s+{CUE})?" if name else CUE


def _replace_score(score: Fraction, scale: Scale, words: dict[str, Fraction]) -> str:
    """The word that replaces the score in the reply, such as `score0`, so that 7 is not found in 7.5.

    `words` maps each such word to its score. A score that is not on the scale becomes `OFF`.
    """
    if not scale.holds(score):
        return OFF
    known = {value: word for word, value in words.items()}
    word = known.get(score) or f"score{len(words)}"
    words[word] = score
    return word


def _drop_range(text: str, scale: Scale) -> str:
    """The text without a mention of the scale, as in "on a scale from 1 to 10"."""
    low, high = (re.escape(end) for end in scale.ends.values())
    return re.sub(RANGE.format(low=low, high=high), "", text)
