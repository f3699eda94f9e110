"""Answers in written replies: without reasoning traces, as a label in the text, as the probability of a label.

*Reasoning traces* are what a model writes for itself before it answers. They are stored with the reply and never
parsed. Servers put them into a field of their own (`reasoning_content`, which is not part of the text) or leave them
in the text between marks that differ from model to model: `<think>` (DeepSeek R1, Qwen 3 and others), `[THINK]`
(Magistral), `◁think▷` (Kimi), channels such as `<|channel|>analysis` (harmony, the format of gpt-oss). Many chat
templates open the trace themselves, so a reply may begin inside one and have only the closing mark.

*A label* counts only if it is clearly the answer, never by default: the reply, or its first or last line, is only a
label, as in `R`, `R.`, `**R**`; the reply begins with one, as in `R. Because …` or `R: …`; it ends with one in
parentheses; or it says "answer is R" (or "Antwort: R", "erantzuna R da"). If another label occurs anywhere, the reply
is no answer. The English label I is also a pronoun: "I cannot say" is no answer.

*p(true)* comes from the log-probabilities of the first token that is more than white space and markup.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

TRACE_TAGS = (
    r"think(?:ing)?|thoughts?|thought[_ ]process|(?:begin_of_|end_of_)?thought|reason(?:ing)?|reasoning_content|"
    r"reflect(?:ion)?|scratch_?pad|analysis|inner_monologue|monologue|seed:think|chain_of_thought|cot"
)
TRACE_MARK = re.compile(
    rf"""
    (?P<open>   <\s*(?:{TRACE_TAGS})(?:\s[^<>]{{0,200}})?\s*> | \[\s*think(?:ing)?\s*\] | ◁\s*think\s*▷
              | <\|\s*(?:begin_of_thought|start_thinking|start_of_thought|think(?:ing)?)\s*\|>
              | <\|channel\|?>\s*(?!final\b)[\w-]+[^<]{{0,200}}(?:<\|message\|>)? )
    | (?P<shut>  <\s*/\s*(?:{TRACE_TAGS})\s*> | \[\s*/\s*think(?:ing)?\s*\] | ◁\s*/\s*think\s*▷
              | <\|\s*(?:end_of_thought|end_thinking|/think(?:ing)?)\s*\|> | <channel\|> )
    | (?P<final> <\|channel\|?>\s*final\b[^<]{{0,200}}(?:<\|message\|>)? )
    | (?P<empty> <\s*(?:{TRACE_TAGS})\s*/\s*> | <\|(?:start|end|return|call|message|im_end|im_start|eot_id)\|>
                (?:assistant\b)?
              | <\|\s*(?:begin|end)_of_solution\s*\|> | <\|\s*(?:start|end)_response\s*\|> )
    """,
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip


def strip_traces(text: str) -> str:
    """The model's answer without its reasoning; empty while it is still reasoning. Without traces, the whole text."""
    spans = list(find_answer_spans(text))
    return text if spans == [(0, len(text))] else "".join(text[start:end] for start, end in spans).strip()


def has_trace(text: str) -> bool:
    return any(mark.lastgroup != "empty" for mark in TRACE_MARK.finditer(text))


def find_answer_spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of each part of the answer. A trace may contain others; one that is not closed extends to the end.

    Everything before a closing mark without an opening one is trace: the chat template opened it.
    """
    found: list[tuple[int, int]] = []
    depth = start = 0
    for mark in TRACE_MARK.finditer(text):
        kind = mark.lastgroup
        if depth == 0:
            found.append((start, mark.start()))
        if kind == "open":
            # A channel ends where the next begins; paired marks may be nested.
            depth = 1 if mark[0].startswith("<|channel") else depth + 1
        elif kind == "final":
            found, depth = [], 0
        elif kind == "shut" and depth:
            depth -= 1
        elif kind == "shut":
            found = []
        start = mark.end()
    if depth == 0:
        found.append((start, len(text)))
    return (span for span in found if span[0] < span[1] or text == "")


def select_answer_tokens(tokens: Sequence[Any] | None, text: str) -> list[Any] | None:
    """The tokens of the answer, without those of the trace. Each token is a sequence that begins with its text."""
    if not tokens:
        return None
    joined = "".join(token[0] for token in tokens)
    if has_trace(joined):
        spans = list(find_answer_spans(joined))
    else:
        spans = [(_find_start(joined, strip_traces(text).strip()), len(joined))]
    kept, offset = [], 0
    for token in tokens:
        if any(start <= offset < end for start, end in spans):
            kept.append(token)
        offset += len(token[0])
    return kept


def _find_start(joined: str, answer: str) -> int:
    """Where the answer begins in the joined tokens, if these have more than the answer."""
    whole = joined.rstrip()
    return len(whole) - len(answer) if answer and whole.endswith(answer) else 0


MARKUP = r"[\s*_`~#>\"'“”„‚‘’«»‹›|]*"
OPENING, CLOSING = rf"{MARKUP}[(\[{{]?{MARKUP}", rf"{MARKUP}[)\]}}]?{MARKUP}"
CUES = (
    r"(?:answer|response|label|solution|antwort|lösung|urteil|erantzun\s+zuzena|erantzuna|erantzun)",
    r"(?:\s+(?:is|would\s+be|must\s+be|ist|lautet|wäre|therefore|thus|daher|also|hau\s+da))?",
)
AFTER = r"(?=\s*$|\s*[.,;:!)\]}*_`\"'“”’»\n]|\s+(?:because|since|as|for|weil|da|denn|zeren)\b|\s+[–—-]\s|\s*\()"
HEDGES = re.compile(
    r"\b(?:whether|if|cannot|can't|can’t|could not|couldn't|not|unsure|uncertain|unclear|either|neither|or|"
    r"ob|falls|nicht|kein\w*|unsicher|unklar|entweder|weder|oder|ez|ezin|ea|ala|edo|zalantza\w*)\b"
    , re.IGNORECASE,
)  # fmt: skip
MOST_CHARACTERS = 20_000


@dataclass(frozen=True)
class LabelReading:
    """The label, or None and the reason."""

    label: str | None
    reason: str = ""


def read_label(text: str, labels: Sequence[str]) -> LabelReading:
    """The only label that the reply gives as its answer. Labels differ from one another even in lower case."""
    text = strip_traces(text).strip()
    if not text:
        return LabelReading(None, "The reply is empty.")
    if len(text) > MOST_CHARACTERS:
        return LabelReading(None, "The reply is too long to be an answer.")
    given = {label for label in labels if _is_answer(text, label)}
    named = given | {label for label in labels if _is_mentioned(text, label)}
    if not given:
        return LabelReading(None, "The reply gives no label as its answer.")
    if len(named) > 1:
        return LabelReading(None, f"The reply names more than one label: {', '.join(sorted(named))}.")
    return LabelReading(given.pop())


def _is_answer(text: str, label: str) -> bool:
    """Whether the label is in the place of an answer."""
    lines = [line for line in text.splitlines() if line.strip()]
    if any(_compile_lone(label).fullmatch(line) for line in {lines[0], lines[-1]}):
        return True
    if _compile_leading(label).match(text) or _compile_closing(label).search(text):
        return True
    return any(not _is_hedged(text, match) for match in _compile_cue(label).finditer(text))


def _is_hedged(text: str, match: "re.Match[str]") -> bool:
    """Whether the sentence before the label, or the words right after it, negate or qualify it."""
    start = max(text.rfind(mark, 0, match.start()) for mark in ".!?\n") + 1
    after = re.match(r"\W{0,3}\s*(?:or|oder|edo|/)\s*\W{0,2}\w", text[match.end() :], re.IGNORECASE)
    return bool(HEDGES.search(text[start : match.start()]) or after)


def _is_mentioned(text: str, label: str) -> bool:
    """Whether the label occurs anywhere as a word of its own, in this spelling."""
    return any(not _is_pronoun(label, text[match.end() :]) for match in _compile_word(label).finditer(text))


def _is_pronoun(label: str, rest: str) -> bool:
    return label == "I" and bool(re.match(r"\s+[a-z]|['’][a-z]", rest))


@cache
def _compile_lone(label: str) -> "re.Pattern[str]":
    return re.compile(rf"{OPENING}{re.escape(label)}{CLOSING}[.!:]?{CLOSING}", re.IGNORECASE)


@cache
def _compile_leading(label: str) -> "re.Pattern[str]":
    """A pattern for `R.`, `R:`, `R)`, `(R)` or `R – ` at the very beginning; in `R because`, R may be a word."""
    return re.compile(rf"{MARKUP}(?:\({re.escape(label)}\)|{re.escape(label)}{MARKUP}(?:[.:)\]]|\s[–—-]))(?:\s|$)")


@cache
def _compile_closing(label: str) -> "re.Pattern[str]":
    return re.compile(rf"[(\[]{MARKUP}{re.escape(label)}{MARKUP}[)\]]\W*$")


@cache
def _compile_cue(label: str) -> "re.Pattern[str]":
    cue = "".join(CUES)
    return re.compile(rf"\b(?i:{cue}){MARKUP}[:=]?{OPENING}(?<!\w){re.escape(label)}(?!\w){AFTER}")


@cache
def _compile_word(label: str) -> "re.Pattern[str]":
    return re.compile(rf"(?<!\w){re.escape(label)}(?!\w)")


IGNORED = " \t\n\r\u00a0*_`~#>\"'“”„‚‘’«»([{-–—:."
BLANKS = "ĠĊ▁ \t\n\r\u00a0"
MASS_FLAGGED, MASS_MISSING = 0.5, 0.01
NO_LOGPROBS = "The server sent no log-probabilities."
NO_WORD = "The reply has no token that is more than white space or markup."
NO_LABEL = "Neither label is among the log-probabilities that the server sent."
NO_MASS = "The labels together have less than 1 % of the probability."


@dataclass(frozen=True)
class LabelProbability:
    """p = P(true) / (P(true) + P(false)), or None and the reason; `mass` is the sum, `place` the index of the token.

    `missing` names labels that are not among the returned tokens: their probability is unknown, at most that of the
    least likely returned token, and counted as 0; p then lies between `low` and `high`.
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
    """p(true) at the first word of a reply. `logprobs`: per token [token, log-probability, [[token, …], …]].

    Variants of a label, with and without a leading space and in either case, are summed, or the `larger` counts. Below
    `least_mass` p is undefined. A label of several tokens cannot be read in this way.
    """
    if not logprobs:
        return LabelProbability(None, 0.0, True, reason=NO_LOGPROBS)
    place = next((place for place, token in enumerate(logprobs) if _is_word(token[0])), None)
    if place is None:
        return LabelProbability(None, 0.0, True, reason=NO_WORD)
    shares = _get_shares(logprobs[place])
    p_true, p_false = (_get_label_share(shares, label, max if larger else sum) for label in (true, false))
    mass = (p_true or 0.0) + (p_false or 0.0)
    missing = tuple(label for label, share in ((true, p_true), (false, p_false)) if share is None)
    if len(missing) == 2 or mass == 0 or mass < least_mass:
        reason = NO_LABEL if len(missing) == 2 else NO_MASS
        return LabelProbability(None, mass, True, missing, place=place, reason=reason)
    low, high = _bound_probability(p_true, p_false, _bound_unseen(shares))
    return LabelProbability((p_true or 0.0) / mass, mass, mass < MASS_FLAGGED, missing, low, high, place)


@dataclass(frozen=True)
class LabelShares:
    """Each label's share of the probability that the labels have together (`mass`), or None and the reason.

    `missing` names labels that are not among the returned tokens; they count as 0.
    """

    shares: dict[str, float] | None
    mass: float
    missing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_flagged(self) -> bool:
        return self.mass < MASS_FLAGGED


def read_shares(logprobs: Sequence[Any] | None, labels: Sequence[str], written: str | None = None) -> LabelShares:
    """The shares of any number of labels, at the token of the label `written`, else at the first word of the reply."""
    if not logprobs:
        return LabelShares(None, 0.0, reason=NO_LOGPROBS)
    place = _find_place(logprobs, written)
    if place is None:
        return LabelShares(None, 0.0, reason=NO_WORD)
    shares = _get_shares(logprobs[place])
    found = {label: _get_label_share(shares, label, sum) for label in labels}
    missing = tuple(label for label, share in found.items() if share is None)
    mass = sum(share or 0.0 for share in found.values())
    if len(missing) == len(labels) or mass < MASS_MISSING:
        return LabelShares(None, mass, missing, NO_LABEL if len(missing) == len(labels) else NO_MASS)
    return LabelShares({label: (share or 0.0) / mass for label, share in found.items()}, mass, missing)


def _find_place(logprobs: Sequence[Any], written: str | None) -> int | None:
    places = [place for place, token in enumerate(logprobs) if _is_word(token[0])]
    same = (place for place in places if written and logprobs[place][0].strip(BLANKS).casefold() == written.casefold())
    return next(same, next(iter(places), None))


def _is_word(token: str) -> bool:
    return bool(token.strip(IGNORED + BLANKS))


def _get_shares(token: Sequence[Any]) -> dict[str, float]:
    """Token -> probability, including the chosen token, which some servers omit from the top ones."""
    chosen, logprob, top = token
    return {chosen: math.exp(logprob)} | {name: math.exp(value) for name, value in top}


def _get_label_share(shares: dict[str, float], label: str, combine: Callable[[Iterable[float]], float]) -> float | None:
    """The combined probability of the label's variants; None if none of them was returned."""
    found = [share for token, share in shares.items() if token.strip(BLANKS).casefold() == label.casefold()]
    return min(combine(found), 1.0) if found else None


def _bound_unseen(shares: dict[str, float]) -> float:
    """The largest possible probability of a token that was not returned."""
    return max(0.0, min(min(shares.values()), 1.0 - sum(shares.values())))


def _bound_probability(p_true: float | None, p_false: float | None, unseen: float) -> tuple[float, float]:
    if p_false is None:
        assert p_true is not None
        return p_true / (p_true + unseen), 1.0
    if p_true is None:
        return 0.0, unseen / (unseen + p_false)
    p = p_true / (p_true + p_false)
    return p, p
