"""Reading a list of letters in a reply: only if it is clearly the answer, without a default. Without Django.

Accepted: the first or last line of the reply consists of letters only, as in `A, C`, `A und C`, `**B**.` or `0`; or
the reply says "the answers are A and C" (or "Antwort: B", "richtig sind A, C"). It is no answer if another letter is a
word of its own elsewhere, if a letter belongs to no option, or if letters occur together with 0. The English article
in "A good answer would be B" does not count as a letter.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from string import ascii_uppercase

from llm.answers import CLOSING, HEDGES, MARKUP, MOST_CHARACTERS, OPENING, strip_traces

NONE = "0"
ONE = rf"{OPENING}(?<!\w)[A-Za-z0](?!\w){CLOSING}[.):]?{MARKUP}"
BETWEEN = r"(?:\s*[,;/&+]\s*(?:and\b|und\b|eta\b)?|\s+(?:and|und|eta)\b|\s)\s*"
LIST = rf"{ONE}(?:{BETWEEN}{ONE})*"
CUE = (
    r"\b(?:answers?|responses?|solutions?|antwort(?:en)?|lösung(?:en)?|richtig|correct|"
    r"erantzun(?:a|ak|\s+zuzena|\s+zuzenak)?|zuzena|zuzenak)\b"
    rf"{MARKUP}(?:\s+(?:is|are|would\s+be|must\s+be|ist|sind|wäre|wären|lautet|lauten|dira|da))?\s*[:=]?"
)
END = r"\s*(?=$|[.;!\n]|\s(?:because|since|as|weil|da|dira|denn|zeren)\b|\s[–—-]\s)"
LONE = re.compile(rf"{LIST}[.!]?{MARKUP}")
CUED = re.compile(rf"(?i:{CUE})\s*(?P<list>{LIST}){END}")
LETTER = re.compile(r"(?<!\w)[A-Za-z0](?!\w)")
WORD = re.compile(r"(?<![\w'’])[A-Z](?![\w'’])")
JOINED = re.compile(rf"{OPENING}(?P<letters>[A-Z]{{2,}}){CLOSING}[.]?")
SENTENCE_END = re.compile(r"[.!?\n]")


@dataclass(frozen=True)
class LettersReading:
    """The positions of the options called correct, from 0; empty for none. None and a reason if it is unclear."""

    places: frozenset[int] | None
    reason: str = ""


def list_options(options: Iterable[str]) -> str:
    """The options as listed in a prompt: one per line, each under its letter."""
    return "\n".join(f"{letter}. {option}" for letter, option in zip(ascii_uppercase, options, strict=False))


def read_letters(text: str, n_options: int) -> LettersReading:
    """The options that the reply calls correct, of `n_options` named A, B, …"""
    text = strip_traces(text).strip()
    if not text:
        return LettersReading(None, "The reply is empty.")
    if len(text) > MOST_CHARACTERS:
        return LettersReading(None, "The reply is too long to be an answer.")
    found = [set(letters) for letters in find_letter_lists(text)]
    if not found:
        return LettersReading(None, "The reply gives no letters as its answer.")
    if any(letters != found[0] for letters in found) or find_lone_letters(text) - found[0]:
        return LettersReading(None, "The reply names letters beside those of its answer.")
    return map_to_positions(found[0], n_options)


def find_letter_lists(text: str) -> list[list[str]]:
    """Every list of letters in the place of an answer."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ends = [lines[0]] if len(lines) == 1 else [lines[0], lines[-1]]
    found = [LETTER.findall(line.upper()) for line in ends if LONE.fullmatch(line)]
    found += [
        sorted(match["letters"])
        for line in ends
        if (match := JOINED.fullmatch(line)) and is_ascending(match["letters"])
    ]
    if len(lines) == 1 and found:
        return found
    cued = [match for match in CUED.finditer(text) if not is_hedged(text, match) and has_only_capitals(match["list"])]
    return found + [LETTER.findall(match["list"]) for match in cued]


def is_ascending(letters: str) -> bool:
    """True for `AC`, but not for words such as `DA`."""
    return list(letters) == sorted(set(letters))


def has_only_capitals(letters: str) -> bool:
    """Whether the letters are capitals: within a sentence a small letter is a word, as in "the answer is a little"."""
    return all(letter == letter.upper() for letter in LETTER.findall(letters))


def is_hedged(text: str, match: "re.Match[str]") -> bool:
    """Whether the words of the sentence before the letters negate or qualify them."""
    start = max((end.end() for end in SENTENCE_END.finditer(text, 0, match.start())), default=0)
    return bool(HEDGES.search(text[start : match.start("list")]))


def find_lone_letters(text: str) -> set[str]:
    """Letters that are words of their own, except the English words A and I; and 0."""
    letters = {
        match[0]
        for match in WORD.finditer(text)
        if not (match[0] in "AI" and re.match(r"\s+[a-z]", text[match.end() :]))
    }
    return letters | set(re.findall(r"(?<![\w.,])0(?![\w.,]\w)", text))


def map_to_positions(letters: set[str], n_options: int) -> LettersReading:
    if letters == {NONE}:
        return LettersReading(frozenset())
    if NONE in letters:
        return LettersReading(None, "The reply says both none and some.")
    places = frozenset(ascii_uppercase.index(letter) for letter in letters)
    if max(places) >= n_options:
        return LettersReading(None, "The reply names a letter that no option has.")
    return LettersReading(places)
