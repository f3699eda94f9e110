"""The clauses of a German sentence with the parts before their verb, and questions for time, place, reason and number
in them."""

import re
from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Piece, Range, write_draft
from generation.rules.german_words import (
    ADVERBS,
    AFTER_VERB,
    BOUNDS,
    CAUSES,
    CLAUSE_BEFORE,
    COUNTED,
    COUNTED_BOUNDS,
    EVENTS,
    INSERTION,
    LASTING,
    LIST_GOES_ON,
    MEASURES,
    MODALS,
    MORE_OF_IT,
    MOVING,
    NO_PLACES,
    OF_PHRASE,
    PERSONS,
    PHRASE_OF_TIME,
    PLACES,
    PREPOSITIONAL,
    SECOND_CLAUSE,
    SHARED_SUBJECT,
    SUBJECT,
    TIME_PHRASE,
    TIME_WORDS,
    TIMES,
    UNITS,
    WHEN,
    WHEN_CLAUSES,
    WHY_CLAUSES,
    WORDING,
)
from generation.rules.phrases import find_head, find_nouns
from generation.rules.tagging import (
    ADJECTIVE,
    ADVERB,
    CONJUNCTION,
    NAME,
    NOUN,
    POINTING,
    POSSESSIVE,
    PREPOSITION,
    PRONOUN,
    Sentence,
)


def find_second_verb(clause: Clause) -> Clause | None:
    """“Die Burg ist alt und steht leer.”: the second verb with the subject of the first."""
    found = re.compile(",?KF").match(clause.sentence.kinds, clause.end)
    if not found or clause.front_kind != "subject":
        return None
    verb = found.end() - 1
    end = find_end(clause.sentence, verb)
    if end is None or end - verb < 2:
        return None
    return Clause(clause.sentence, clause.front, "subject", verb, end, find_tail(clause.sentence, end))


def find_clause_starts(sentence: Sentence) -> list[int]:
    """Where main clauses may begin: with the sentence, and after a comma with “und” or “aber”."""
    first = 1 if sentence.kinds.startswith("K") else 0
    further = [found.end() for found in re.finditer("F[^,F]*,K|F[^;]*;(?=[^;])", sentence.kinds)]
    joined = [found.end() for found in JOINED.finditer(sentence.kinds) if is_main(sentence, found.start())]
    return list(dict.fromkeys([first, *further, *joined]))


def is_main(sentence: Sentence, verb: int) -> bool:
    """Whether the verb belongs to a main clause, which it does if no subordinate clause has begun since the last
    comma."""
    return not re.search("[SW]", re.split("[,;]", sentence.kinds[:verb])[-1])


JOINED = re.compile("F[^,;SWF]*K(?=[^,;SWFKVTZ]+F)")  # “… brennt aus und die Lampe bleibt dunkel”


def parse_clause(sentence: Sentence, start: int) -> Clause | None:
    """The main clause that begins there; None where its parts cannot be distinguished."""
    kinds = sentence.kinds
    for name, pattern in FRONTS.items():
        found = pattern.match(kinds, start)
        if not found or found.end() >= len(kinds):
            continue
        verb = found.end()
        front = (start, verb)
        if not FITS.get(name, _fits_always)(sentence, front):
            continue
        end = find_end(sentence, verb)
        if end is None:
            return None
        if end == verb + 1 and kinds[end : end + 2] == "KF" and (second := find_end(sentence, end + 1)):
            verb, end = end + 1, second  # “Menschen bauen und nutzen …”
        tail = find_tail(sentence, end)
        return Clause(sentence, front, name, verb, end, tail) if end - verb > 1 or tail[0] < tail[1] else None
    return None


def parse_whole(sentence: Sentence) -> Clause | None:
    """The sentence as one main clause with all its commas, if every other finite verb is in a subordinate clause."""
    kinds, end = sentence.kinds, len(sentence.kinds.rstrip(";"))
    for name in ("year", "subject", "prepositional", "clause"):
        found = FRONTS[name].match(kinds)
        if not found or not FITS.get(name, _fits_always)(sentence, (0, found.end())):
            continue
        verb, (first, *others) = found.end(), kinds[found.end() + 1 : end].split(",")
        is_one = not re.search("[FSW;]|VK(?!R*V).*V", first) and all(NO_MAIN_CLAUSE.fullmatch(each) for each in others)
        is_helped = sentence.tokens[verb].lemma not in MODALS or "V" in first or "V" in kinds[end - 1 : end]
        return Clause(sentence, (0, verb), name, verb, end, (end, end)) if is_one and is_helped else None
    return None


NO_MAIN_CLAUSE = re.compile("(?:K?R*P?[SW][^;]*F[^;O]*|[^;FO]*)")


def _fits_always(_sentence: Sentence, _front: Range) -> bool:
    return True


def _can_be_subject(sentence: Sentence, front: Range) -> bool:
    first = sentence.tokens[front[0]].plain
    if TIMES.fullmatch(sentence.tokens[front[1] - 1].plain) and re.match("jede|letzte|nächste|diese|vergangene", first):
        return False  # “Jedes Jahr werden …”: that is when
    if sentence.tokens[front[1] + 1].plain == "es":
        return False
    if (
        sentence.kinds[front[1] + 1 : front[1] + 2] == "O"
        and sentence.kinds[front[1] + 2 : front[1] + 3] != "d"
        and sentence.tokens[front[1] + 1].plain != "sich"
    ):
        return False  # “Reste fand man”: the pronoun is the subject
    return first not in {"den", "dem", "des", "einem", "einen", "einer", "eines", "diesem", "diesen", "jeden", "keinen"}


def _is_prepositional(sentence: Sentence, front: Range) -> bool:
    """Whether it has a preposition, or is a time without one, such as “jedes Jahr”."""
    is_time = bool(TIMES.fullmatch(sentence.tokens[front[1] - 1].plain))
    return "P" in sentence.kinds[front[0] : front[0] + 2] or is_time


def _is_impersonal(sentence: Sentence, front: Range) -> bool:
    """Whether the pronoun refers to nobody in the text: “es gibt”, “man”, or “Sie können …”, which means the reader."""
    first, verb = sentence.tokens[front[0]].plain, sentence.tokens[front[1]]
    if sentence.tokens[front[0]].text == "Sie":
        return verb.lemma in MODALS
    return first == "man" or (first == "es" and verb.lemma == "geben")


FRONTS = {
    "year": re.compile("C(?=F)"),
    "subject": SUBJECT,
    "prepositional": PREPOSITIONAL,
    "clause": CLAUSE_BEFORE,
    "adverb": ADVERBS,
    "pronoun": re.compile("O(?=F)"),
}
FITS = {"subject": _can_be_subject, "prepositional": _is_prepositional, "pronoun": _is_impersonal}


def find_end(sentence: Sentence, verb: int) -> int | None:
    """Where the main clause ends; None if that is unclear."""
    kinds, place, last = sentence.kinds, verb + 1, len(sentence.kinds)
    while place < last and kinds[place] != ";" and not SHARED_SUBJECT.match(kinds, place):
        if kinds[place] == ",":
            if kinds[place - 1] == kinds[place + 1 : place + 2] == "A" or LIST_GOES_ON.match(kinds, place):
                place += 1
                continue
            if within := INSERTION.match(kinds, place):
                place = within.end()
                continue
            break
        place += 1
    end = place
    if gapped := re.search(r"V(?=K(?!R*V))", kinds[verb + 1 : end]):
        end = verb + 1 + gapped.end()
    if second := SECOND_CLAUSE.search(kinds, verb + 1, end):
        end = second.start()
    is_helped = sentence.tokens[verb].lemma in MODALS | {"haben", "werden", "sein"}
    again = kinds.find("F", verb + 1, end)
    if again >= 0 and not (again == end - 1 and is_helped):
        joint = kinds.rfind("K", verb + 1, again)
        if joint < 0:
            return None
        end = joint
    if _is_broken(sentence, verb, end) or re.search("[SW]", kinds[verb + 1 : end].partition(",")[0]):
        return None
    return end


def _is_broken(sentence: Sentence, verb: int, end: int) -> bool:
    """Whether the verb needs a part after the end."""
    if sentence.tokens[verb].lemma in MODALS and not re.search("[VF]", sentence.kinds[verb + 1 : end]):
        return True
    if re.match(",P?[SW][^F]*$", sentence.kinds[end:].rstrip(";")):
        return False  # its verb was taken for an infinitive
    if re.match(",?K?R*F", sentence.kinds[end:]):
        return False  # what is behind belongs to the second verb
    behind = sentence.kinds[end:].rstrip(";").split(",")[1:]
    return any(re.fullmatch(r"(?!P?W|[SK])[^F]*(?<![TO])[VX]", part) for part in behind)


JOINED_CLAUSE = re.compile("S[^;]*?[FV](?=,K[^,;SW]{0,12}F)")  # a main clause after the subordinate one
INFINITIVE = re.compile("(?!S)[^F,;WS]*(?:TV|Z)(?=[,;])")


def find_tail(sentence: Sentence, end: int) -> Range:
    """The subordinate clause that follows the main clause; empty if there is none."""
    kinds = sentence.kinds
    if kinds[end : end + 1] != ",":
        return (end, end)
    last = len(kinds) - 1 if kinds.endswith(";") else len(kinds)
    if infinitive := INFINITIVE.match(kinds, end + 1):
        return (end + 1, infinitive.end())
    if joined := JOINED_CLAUSE.match(kinds, end + 1):
        return (end + 1, joined.end())
    speaker = kinds.find(",F", end + 1)
    return (end + 1, last if speaker < 0 or kinds[end + 1] == "F" else speaker)


def can_be_nominative(sentence: Sentence, start: int) -> bool:
    first = sentence.tokens[start]
    if first.kind == ADJECTIVE:
        return not first.plain.endswith(("en", "em"))
    return first.plain not in ("den", "dem", "des", "einem", "einen", "einer", "eines", "keinem", "keinen") and (
        first.kind not in (POINTING, POSSESSIVE)
    )


def write_question(clause: Clause, asked: str, removed: Range, *more: Piece) -> str:
    """The question with the verb second; the constituent before it moves to the place of the removed one."""
    start, end = clause.rest
    is_before = removed[0] >= start
    subject: list[Piece] = [clause.front] if clause.front_kind == "subject" else []
    if clause.front_kind == "pronoun":
        first = clause.token(clause.front[0])
        subject = [first.text if first.text == "Sie" else first.plain]
    other: list[Piece] = [clause.front] if belongs_to_question(clause) else []
    if not is_before:
        return WORDING.write(clause, [asked, (clause.verb, end)])
    verb_end = start + (start < removed[0] and clause.token(start).plain == "sich")
    pieces: list[Piece]
    if removed[0] == removed[1]:
        while verb_end < end and (clause.token(verb_end).kind == PRONOUN or clause.token(verb_end).plain == "es"):
            verb_end += 1
        found = AFTER_VERB.match(clause.sentence.kinds, verb_end, end) if other else None
        inner = found.end() if found and can_be_nominative(clause.sentence, verb_end) else verb_end
        pieces = [(clause.verb, verb_end), *subject, (verb_end, inner), *other, (inner, end)]
        return WORDING.write(clause, [asked, *more, *pieces])
    pieces = [asked, *more, (clause.verb, verb_end), *subject, (verb_end, removed[0]), *other]
    return WORDING.write(clause, [*pieces, (removed[1], end)])


def belongs_to_question(clause: Clause) -> bool:
    """Whether the part before the verb belongs to the question: “im Mai”, “daheim”."""
    is_adverb = clause.front_kind == "adverb" and re.fullmatch("R+", clause.kinds(clause.front))
    return clause.front_kind in ("prepositional", "year") or bool(is_adverb)


def is_time(clause: Clause, of: Range) -> bool:
    words = [token.plain for token in clause.tokens(of)]
    if find_head(clause, of) in ("anfang", "ende", "mitte"):
        return any(TIMES.fullmatch(word) for word in words if word not in ("anfang", "ende", "mitte"))
    return bool(TIMES.fullmatch(find_head(clause, of))) or any(re.fullmatch(r"1\d{3}|20\d\d", word) for word in words)


def has_subject(clause: Clause) -> bool:
    return clause.front_kind in ("subject", "pronoun") or bool(find_nouns(clause, clause.rest))


# Questions for time, place, reason and number in a German clause.


def ask_front(clause: Clause) -> Iterator[Draft]:
    """“Im Mai wurde die Burg verkauft.”: Wann wurde die Burg verkauft?"""
    if clause.front_kind == "clause":
        first = clause.token(clause.front[0]).plain
        asked = {**WHEN_CLAUSES, **WHY_CLAUSES}.get(first, "")
        answer = (clause.front[0], clause.front[1] - 1)
        is_request = clause.token(clause.verb + 1).text == "Sie" and clause.token(clause.verb).lemma not in MODALS
        if asked and not is_request and find_nouns(clause, clause.rest):
            yield from write_draft(clause, write_question(clause, asked, clause.front), answer, "clause-first", 3.2)
    if clause.front_kind == "year" and clause.token(clause.front[0]).text.isdigit():
        yield from write_draft(clause, write_question(clause, "wann", clause.front), clause.front, "front", 3.6)
    if clause.front_kind != "prepositional" or not find_nouns(clause, clause.rest):
        return
    asked, worth = find_question_word(clause, clause.front)
    if asked:
        yield from write_draft(clause, write_question(clause, asked, clause.front), clause.front, "front", worth + 0.3)


def find_question_word(clause: Clause, of: Range) -> tuple[str, float]:
    """The question word for a prepositional phrase, and how reliable it is."""
    first = clause.token(of[0])
    preposition, head = first.plain, find_head(clause, of)
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
    return clause.token(of[0] + 1).kind == NAME or bool(PERSONS.fullmatch(find_head(clause, of)))


def _says_where(clause: Clause, of: Range) -> bool:
    """Whether the phrase says where, in the dative, rather than where to; as far as its form shows the case."""
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
            yield from write_draft(clause, write_question(clause, "wie lange", found), found, "duration", 3.3)
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
    yield from write_draft(clause, question, (begin, end), "number", 3.3)


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
    """The end of what is counted, including a phrase about it: “zwei Klassen von Booten”."""
    while more := OF_PHRASE.match(clause.sentence.kinds, end, clause.end):
        if clause.token(end).kind != "d" and clause.token(end).plain != "von":
            break
        end = more.end()
    return end


def _is_dative_plural(clause: Clause, number: int) -> bool:
    """Whether the counted noun is in the dative: “in zwei neuen Räumen”, not “in zwei neue Räume”."""
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
        yield from write_draft(
            clause, question, (start, end), "adjunct", worth - 0.5 * is_attached - 0.8 * (is_when and n_times > 1)
        )


def _end_of_place(clause: Clause, end: int) -> int:
    """The end of a place with everything that specifies it."""
    while found := MORE_OF_IT.match(clause.sentence.kinds, end, clause.end):
        if is_time(clause, found.span()) and clause.token(end).plain != "von":
            return end
        end = found.end()
    return end
