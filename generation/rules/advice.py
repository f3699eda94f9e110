"""Questions for what a text advises its reader: “If it rains, take a coat.”"""

import re
from collections.abc import Iterator

from generation.rules import english_words, german_words
from generation.rules.drafts import Clause, Draft, Range, draft, word_set
from generation.rules.tagging import Sentence

BEFORE = re.compile(r"(S[^,;]*[FV][^,;]*),R*")  # “If you travel by car, …”
CONDITIONS = word_set("if when before after while until wenn falls bevor während sobald solange als")
REQUESTS = frozenset(["VVB", "VVI", "VBI", "VDI", "VHI"])
GERMAN_REQUEST = re.compile("FO")
REQUESTED = word_set(
    "achten beachten prüfen überprüfen vergessen vermeiden versuchen nehmen fragen informieren erkundigen stellen "
    "denken bitten wenden suchen lassen verlassen rufen bringen buchen besuchen probieren tragen halten seien bleiben"
)


def ask_advice(sentence: Sentence, language: str) -> Iterator[Draft]:
    """“If it rains, take a coat.”: What should you do if it rains?"""
    asks = _ask_in_german if language == "de" else _ask_in_english
    before = BEFORE.match(sentence.kinds)
    if before and sentence.tokens[0].plain not in CONDITIONS:
        return
    start = before.end() if before else 0
    yield from asks(sentence, start, before.span(1) if before else (0, 0))


def _whole(sentence: Sentence, start: int) -> Clause:
    end = len(sentence.kinds.rstrip(";"))
    return Clause(sentence, (start, start), "request", start, end, (end, end))


def _ask_in_english(sentence: Sentence, start: int, front: Range) -> Iterator[Draft]:
    if start >= len(sentence.tokens) - 2 or not _is_english_request(sentence, start, front):
        return
    clause = _whole(sentence, start)
    last = _condition(sentence, start + 1, clause.end)
    if front != (0, 0) or last:
        condition, end = (front, clause.end) if front != (0, 0) else ((last, clause.end), last)
        question = english_words.WORDING.write(clause, ["what should you do", condition])
        yield from draft(clause, question, (start, end), "advice", 2.6)


def _is_english_request(sentence: Sentence, start: int, front: Range) -> bool:
    """An infinitive without a subject: at the beginning, or after a condition."""
    token, after = sentence.tokens[start], sentence.kinds[start + 1]
    is_verb = token.tag in REQUESTS and token.kind in "FV"
    return is_verb and after in "DNRASEPHQCTO" and (start > 0) == (front != (0, 0))


def _condition(sentence: Sentence, start: int, end: int) -> int:
    """Where a condition begins that goes on to the end; 0 if there is none."""
    found = [place for place in range(start, end) if sentence.tokens[place].plain in ("if", "when", "wenn", "falls")]
    is_last = len(found) == 1 and sentence.kinds[found[0]] == "S" and found[0] - start > 1
    return found[0] if is_last else 0


def _ask_in_german(sentence: Sentence, start: int, front: Range) -> Iterator[Draft]:
    if not GERMAN_REQUEST.match(sentence.kinds, start) or sentence.tokens[start + 1].text != "Sie":
        return
    verb, clause = sentence.tokens[start], _whole(sentence, start)
    is_statement = front != (0, 0) and verb.plain not in REQUESTED  # “…, machen Sie alles schlimmer”
    if verb.lemma in german_words.MODALS | {"haben", "sein", "werden"} or is_statement:
        return
    last = _condition(sentence, start + 2, clause.end)
    if front != (0, 0) or last:
        condition, end = (front, clause.end) if front != (0, 0) else ((last, clause.end), last - 1)
        question = german_words.WORDING.write(clause, ["was sollten Sie tun,", condition])
        yield from draft(clause, question, (start, end), "advice", 2.6)
