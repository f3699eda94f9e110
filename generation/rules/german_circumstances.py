"""Questions for time, place, reason and number in a German clause."""

from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Piece, Range, draft
from generation.rules.german_clauses import has_subject, is_time, write_question
from generation.rules.german_words import (
    BOUNDS,
    CAUSES,
    COUNTED,
    COUNTED_BOUNDS,
    EVENTS,
    LASTING,
    MEASURES,
    MODALS,
    MORE_OF_IT,
    MOVING,
    NO_PLACES,
    OF_PHRASE,
    PERSONS,
    PHRASE_OF_TIME,
    PLACES,
    TIME_PHRASE,
    TIME_WORDS,
    UNITS,
    WHEN,
    WHEN_CLAUSES,
    WHY_CLAUSES,
    WORDING,
)
from generation.rules.phrases import head_of, nouns_in
from generation.rules.tagging import ADVERB, CONJUNCTION, NAME, NOUN, PREPOSITION


def ask_front(clause: Clause) -> Iterator[Draft]:
    """“Im Mai wurde die Burg verkauft.”: Wann wurde die Burg verkauft?"""
    if clause.front_kind == "clause":
        first = clause.token(clause.front[0]).plain
        asked = {**WHEN_CLAUSES, **WHY_CLAUSES}.get(first, "")
        answer = (clause.front[0], clause.front[1] - 1)
        is_request = clause.token(clause.verb + 1).text == "Sie" and clause.token(clause.verb).lemma not in MODALS
        if asked and not is_request and nouns_in(clause, clause.rest):
            yield from draft(clause, write_question(clause, asked, clause.front), answer, "clause-first", 3.2)
    if clause.front_kind == "year" and clause.token(clause.front[0]).text.isdigit():
        yield from draft(clause, write_question(clause, "wann", clause.front), clause.front, "front", 3.6)
    if clause.front_kind != "prepositional" or not nouns_in(clause, clause.rest):
        return
    asked, worth = find_question_word(clause, clause.front)
    if asked:
        yield from draft(clause, write_question(clause, asked, clause.front), clause.front, "front", worth + 0.3)


def find_question_word(clause: Clause, of: Range) -> tuple[str, float]:
    """The question word for a prepositional phrase, and how reliable it is."""
    first = clause.token(of[0])
    preposition, head = first.plain, head_of(clause, of)
    if first.kind in "DA" and is_time(clause, of):
        return "Wann", 3.2
    if is_time(clause, of) and preposition in WHEN:
        return TIME_WORDS.get(preposition, "Wann"), 3.5
    is_war = head.endswith(("krieg", "kriege")) and preposition in ("im", "in")
    if is_war or (EVENTS.fullmatch(head) and preposition in ("während", "nach", "vor")):
        return "Wann", 3.0
    if preposition in CAUSES and not (preposition == "durch" and _is_somebody(clause, of)):
        return CAUSES[preposition], 2.9
    moves = any({token.lemma, token.plain} & MOVING for token in clause.tokens((clause.verb, clause.end)))
    if preposition == "nach" and clause.token(of[0] + 1).kind == NAME and moves:
        return "Wohin", 2.6
    if is_time(clause, of):
        return "", 0.0
    if preposition in PLACES and _says_where(clause, of) and not NO_PLACES.fullmatch(head):
        is_place = any(token.kind == NAME for token in clause.tokens(of))
        return "Wo", 3.0 if is_place else 2.1
    return "", 0.0


def _is_somebody(clause: Clause, of: Range) -> bool:
    return clause.token(of[0] + 1).kind == NAME or bool(PERSONS.fullmatch(head_of(clause, of)))


def _says_where(clause: Clause, of: Range) -> bool:
    """Whether the phrase says where rather than where to: the dative, as far as it is visible."""
    second = clause.token(of[0] + 1)
    if second.kind in "DdHQ":
        return second.plain not in ("die", "das", "eine", "ein", "einen", "keine", "diese", "dieses", "ihre", "seine")
    if second.kind == "A":
        return second.plain.endswith(("en", "er", "em"))
    return second.kind == NAME or clause.token(of[0]).plain in ("im", "am")


def ask_duration(clause: Clause) -> Iterator[Draft]:
    """“Die Fahrt dauert etwa drei Stunden.”: Wie lange dauert die Fahrt?"""
    if clause.token(clause.verb).lemma != "dauern" or clause.front_kind != "subject":
        return
    for found in clause.matches(LASTING, clause.rest):
        if is_time(clause, found):
            yield from draft(clause, write_question(clause, "wie lange", found), found, "duration", 3.3)
            return


def ask_number(clause: Clause) -> Iterator[Draft]:
    """“Der Turm hat 30 Zimmer.”: Wie viele Zimmer hat der Turm?"""
    ranges = [clause.rest, *([clause.front] if clause.front_kind == "subject" else [])]
    for of in ranges:
        for start, end in clause.matches(COUNTED, of):
            yield from _ask_number(clause, start, end)


def _ask_number(clause: Clause, start: int, end: int) -> Iterator[Draft]:
    """Asks for the number in a phrase, with its preposition if it has one: “in wie vielen Räumen”."""
    begin = _start_of_number(clause, start, end)
    number = start + clause.kinds((start, end)).rindex("C")
    has_preposition = start < begin
    if not _can_be_counted(clause, (start, begin, end)):
        return
    end = end if has_preposition else _end_of_counted(clause, end)
    noun: Range = (number + 1, end)
    is_share = clause.token(number + 1).plain in ("prozent", "%")
    asked = "wie viel" if is_share else "wie viele"
    if has_preposition and asked == "wie viele" and _is_dative_plural(clause, number):
        asked = "wie vielen"
    if start < clause.verb:
        if start != clause.front[0]:
            return
        question = WORDING.write(clause, [asked, noun, (end, clause.verb), (clause.verb, clause.end)])
    elif end < clause.end and clause.token(end).plain in MEASURES and not has_preposition:
        question = write_question(clause, f"wie {clause.token(end).text}", (begin, end + 1))
    else:
        head: list[Piece] = [(start, start + 1)] if has_preposition else []
        question = write_question(clause, "", (start, end), *head, asked, noun)
    yield from draft(clause, question, (begin, end), "number", 3.3)


def _start_of_number(clause: Clause, start: int, end: int) -> int:
    """Where the number begins with its bound: “mehr als 30”, “etwa 30”."""
    first = start + clause.kinds((start, end)).index("C")
    words = [token.plain for token in clause.tokens((start, first))]
    if words[-2:] in (["mehr", "als"], ["weniger", "als"]):
        return first - 2
    return first - (bool(words) and words[-1] in COUNTED_BOUNDS)


def _can_be_counted(clause: Clause, places: tuple[int, int, int]) -> bool:
    """Whether the number counts a noun and is no part of a time, a measure or a longer phrase."""
    start, begin, end = places
    number = start + clause.kinds((start, end)).rindex("C")
    has_preposition = start < begin and clause.kinds((start, start + 1)) == PREPOSITION
    before, after = clause.kinds((begin - 1, begin)), clause.kinds((end, end + 1))
    if is_time(clause, (start, end)) or clause.token(number).plain in ("ein", "eine"):
        return False
    if has_preposition and clause.kinds((start - 1, start)) in (NOUN, NAME, CONJUNCTION):
        return False
    if clause.kinds((begin - 2, begin)) == PREPOSITION + ADVERB:
        return False  # “bei nur 41 Bällen”
    if not has_preposition and (begin > start or (begin > clause.rest[0] and before == PREPOSITION)):
        return False
    if begin and (clause.token(begin - 1).plain in BOUNDS or before == ","):
        return False
    if clause.token(number + 1).plain in ("uhr", "ortszeit", "drittel", "viertel", "fünftel", "mal"):
        return False
    if (before and before in "DdAHKC" and begin > clause.front[0]) or after in ("K", "x"):
        return False
    return not (clause.token(end - 1).plain in UNITS and after in ("R", "P", "A", "p"))  # “20 km nördlich”


def _end_of_counted(clause: Clause, end: int) -> int:
    """Including a phrase about what is counted: “zwei Klassen von Booten”."""
    while more := OF_PHRASE.match(clause.sentence.kinds, end, clause.end):
        if clause.token(end).kind != "d" and clause.token(end).plain != "von":
            break
        end = more.end()
    return end


def _is_dative_plural(clause: Clause, number: int) -> bool:
    """“in zwei neue Räume” is where to; “in zwei neuen Räumen” is where."""
    return clause.token(number + 1).plain.endswith(("n", "s"))


def ask_adjunct(clause: Clause) -> Iterator[Draft]:
    """“Die Burg wurde im Jahr 1720 verkauft.”: Wann wurde die Burg verkauft?"""
    n_times = sum(is_time(clause, each) for each in clause.matches(PHRASE_OF_TIME, (clause.front[0], clause.end)))
    for start, end in clause.matches(TIME_PHRASE, clause.rest):
        if end - start == 1 or not has_subject(clause):
            continue
        is_attached = clause.kinds((start - 1, start)) in (NOUN, NAME)
        asked, worth = find_question_word(clause, (start, end))
        end = _end_of_place(clause, end) if asked in ("Wo", "Wodurch", "Wohin") else end
        if set("KP") & set(clause.kinds((start - 1, start)) + clause.kinds((end, end + 1))[:1].replace("P", "")):
            continue
        if not asked or (asked == "Wo" and is_attached) or clause.kinds((start - 1, start)) == "C":
            continue
        is_when = "ann" in asked
        if asked == "Wodurch" and clause.token(clause.verb).lemma != "werden":
            continue
        question = write_question(clause, asked, (start, end))
        yield from draft(
            clause, question, (start, end), "adjunct", worth - 0.5 * is_attached - 0.8 * (is_when and n_times > 1)
        )


def _end_of_place(clause: Clause, end: int) -> int:
    """A place with everything that specifies it."""
    while found := MORE_OF_IT.match(clause.sentence.kinds, end, clause.end):
        if is_time(clause, found.span()) and clause.token(end).plain != "von":
            return end
        end = found.end()
    return end
