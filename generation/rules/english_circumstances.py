"""Questions for time, place, duration and number in an English clause."""

import re
from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Piece, Range, draft
from generation.rules.english_clauses import is_time, write_question
from generation.rules.english_words import (
    ADJUNCT,
    ADJUNCT_ALONE,
    COPULAS,
    COUNTED,
    EVENTS,
    LASTING,
    MORE_OF_IT,
    NO_PLACES,
    PLACES,
    SURE_PLACES,
    TIME_WORDS,
    WHEN,
    WHEN_CLAUSES,
    WHY_CLAUSES,
    WORDING,
)
from generation.rules.phrases import head_of
from generation.rules.tagging import NAME, NOUN, NUMBER


def find_question_word(clause: Clause, of: Range) -> tuple[str, float]:
    """The question word for a prepositional phrase, and how reliable it is."""
    preposition = clause.token(of[0]).plain
    head = head_of(clause, of)
    if is_time(clause, of) and preposition == "for" and clause.kinds(of)[1] == NUMBER:
        return "how long", 3.0
    if is_time(clause, of) and clause.token(of[0]).kind in "DA":
        return "when", 3.0
    if is_time(clause, of):
        return (TIME_WORDS.get(preposition, "when"), 3.5) if preposition in WHEN else ("", 0.0)
    if EVENTS.fullmatch(head) and preposition in ("during", "after", "before"):
        return "when", 3.0
    if preposition in PLACES and not NO_PLACES.fullmatch(head):
        is_name = any(token.kind == NAME for token in clause.tokens(of))
        return "where", 3.0 if is_name else 2.4 if SURE_PLACES.fullmatch(head) else 0.8
    return "", 0.0


def is_existential(clause: Clause) -> bool:
    return clause.token(clause.subject[0]).tag == "EX0"


def ask_front(clause: Clause) -> Iterator[Draft]:
    """“In May the castle was sold.”: When was the castle sold?"""
    if clause.front_kind == "clause":
        asked = {**WHEN_CLAUSES, **WHY_CLAUSES}.get(clause.token(clause.front[0]).plain, "")
        if asked:
            yield from draft(clause, write_question(clause, asked, clause.front), clause.front, "clause-first", 3.1)
    elif clause.front_kind == "purpose":
        yield from draft(clause, write_question(clause, "why", clause.front), clause.front, "purpose", 3.0)
    elif clause.front_kind == "prepositional":
        asked, worth = find_question_word(clause, clause.front)
        if asked:
            yield from draft(clause, write_question(clause, asked, clause.front), clause.front, "front", worth + 0.2)


def ask_duration(clause: Clause) -> Iterator[Draft]:
    """“The storms last more than three hours.”: How long do the storms last?"""
    found = LASTING.match(clause.sentence.kinds, clause.verb + 1, clause.end)
    if found and clause.token(clause.verb).lemma in ("last", "take") and is_time(clause, found.span()):
        yield from draft(clause, write_question(clause, "how long", found.span()), found.span(), "duration", 3.3)


def ask_number(clause: Clause) -> Iterator[Draft]:
    """“The tower has 30 rooms.”: How many rooms does the tower have?"""
    for of in (clause.subject, clause.rest):
        for start in range(*of):
            if found := COUNTED.match(clause.sentence.kinds, start, of[1]):
                yield from _ask_number(clause, found.span(1), found.span(2))


def ask_existing_number(clause: Clause) -> Iterator[Draft]:
    """“There are 30 rooms in the tower.”: How many rooms are there in the tower?"""
    found = COUNTED.match(clause.sentence.kinds, clause.verb + 1, clause.end)
    if found and clause.token(found.end() - 1).tag == "NN2" and _is_bound(clause, found.span(1)):
        front: list[Piece] = [clause.front] if clause.front_kind == "prepositional" else []
        verb: Range = (clause.verb, clause.verb + 1)
        pieces: list[Piece] = ["how many", found.span(2), verb, "there", (found.end(), clause.end), *front]
        yield from draft(clause, WORDING.write(clause, pieces), found.span(), "number", 3.0)


def _ask_number(clause: Clause, number: Range, noun: Range) -> Iterator[Draft]:
    kinds = clause.kinds(number)
    start = number[0] + (0 if _is_bound(clause, number) else kinds.index("C"))
    if clause.token(noun[1] - 1).plain in ("times", "thirds", "quarters", "fifths"):
        return
    if start != number[0] or is_time(clause, noun) or clause.token(noun[1] - 1).tag != "NN2":
        return
    before = clause.kinds((start - 1, start)) if start else ""
    after = clause.kinds((noun[1], noun[1] + 1))
    if (before and before in "DHQANECKxTY" and start > clause.subject[0]) or after in ("K", "x", "N"):
        return
    answer: Range = (number[0], noun[1])
    if start == clause.subject[0]:
        pieces: list[Piece] = ["how many", (noun[0], clause.verb), (clause.verb, clause.end)]
        yield from draft(clause, WORDING.write(clause, pieces), answer, "number", 3.3)
    elif start > clause.verb and before not in ("P", "$"):
        question = write_question(clause, "how many", answer, noun)
        yield from draft(clause, question, answer, "number", 3.3)


def _is_bound(clause: Clause, number: Range) -> bool:
    """Whether the whole phrase says how many: “more than 30”, not “in 30”."""
    words = " ".join(token.plain for token in clause.tokens(number) if token.kind != NUMBER)
    bounds = ("", "over", "about", "around", "nearly", "almost", "approximately", "roughly", "some", "only", "just",
              "more than", "less than", "fewer than", "at least", "up to", "exactly", "under")  # fmt: skip
    return words in bounds


def ask_adjunct(clause: Clause) -> Iterator[Draft]:
    """“The castle was sold in 1720.”: When was the castle sold?"""
    is_equation = clause.token(clause.verb).lemma in COPULAS and bool(re.match("R*[DNA]", clause.kinds(clause.rest)))
    for start, end in clause.matches(ADJUNCT, clause.rest):
        before = clause.kinds((start - 1, start))
        first = ADJUNCT_ALONE.match(clause.sentence.kinds, start, end)
        if first and first.end() < end and clause.token(first.end()).plain != "of" and is_time(clause, first.span()):
            end = first.end()
        asked, worth = find_question_word(clause, (start, end))
        if not asked or before in ("K", "P") or clause.kinds((end, end + 1)) == "K":
            continue
        is_attached = before in (NOUN, NAME)
        if is_equation or (before == "V" and clause.kinds((start - 2, start - 1)) in (NOUN, NAME)):
            continue  # “games sold in the state”
        if "PY" in clause.kinds((clause.verb, start)):
            continue  # “died after being hit in the state”
        if asked == "where":
            while more := MORE_OF_IT.match(clause.sentence.kinds, end, clause.end):
                if is_time(clause, more.span()):
                    break
                end = more.end()
            if clause.kinds((end, end + 1)) == "K":
                continue
            if is_attached and (worth < 3 or clause.token(clause.verb).lemma == "have"):
                continue
        yield from draft(
            clause,
            write_question(clause, asked, (start, end)),
            (start, end),
            "adjunct",
            worth - (0.9 if asked == "where" else 0.5) * is_attached,
        )
