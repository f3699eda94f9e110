"""The clauses of an English sentence with the parts before their verb, and questions for time, place, duration and
number in them."""

import re
from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Piece, Range, write_draft
from generation.rules.english_words import (
    ADJUNCT,
    ADJUNCT_ALONE,
    ADVERBS,
    AUXILIARIES,
    BOUNDARY,
    CLAUSE_BEFORE,
    COPULAS,
    COUNTED,
    EVENTS,
    INSERTED,
    INSERTION,
    LASTING,
    LIST_GOES_ON,
    LISTED,
    MORE_OF_IT,
    NO_PLACES,
    PHRASE,
    PLACES,
    PREPOSITIONAL,
    SAID_BY,
    SAYING,
    SECOND_CLAUSE,
    SHARED_SUBJECT,
    STATING,
    SUBJECT,
    SURE_PLACES,
    TIME_WORDS,
    TIMES,
    WHEN,
    WHEN_CLAUSES,
    WHY_CLAUSES,
    WORDING,
)
from generation.rules.phrases import find_head
from generation.rules.tagging import DETERMINER, FINITE, NAME, NOUN, NUMBER, Sentence


def find_second_verb(clause: Clause) -> Clause | None:
    """“The castle is old and stands empty.”: the second verb with the subject of the first."""
    found = re.compile(",?KR*F").match(clause.sentence.kinds, clause.end)
    if not found or clause.front_kind == "clause":
        return None
    verb = found.end() - 1
    end = find_end(clause.sentence, verb)
    is_inverted = clause.sentence.kinds[verb + 1 : verb + 2] == "O"
    is_passive = clause.token(clause.verb).lemma == "be" and "V" in clause.kinds(clause.rest)
    is_participle = is_passive and clause.sentence.tokens[verb].tag == "VVD"  # “is mown and called the green”
    if end is None or end - verb < 2 or is_inverted or is_participle or _is_participle_with_by(clause.sentence, verb):
        return None
    tail = find_tail(clause.sentence, end)
    return Clause(clause.sentence, (verb, verb), "adverb", verb, end, tail, clause.subject)


def _is_participle_with_by(sentence: Sentence, verb: int) -> bool:
    """“… was built by A and followed by B”: a participle that was taken for a verb."""
    return sentence.tokens[verb].tag == "VVD" and sentence.tokens[verb + 1].plain == "by"


def find_clause_starts(sentence: Sentence) -> list[int]:
    """Where clauses that state a fact may begin: with the sentence, after a comma with “and”, after “because”."""
    first = 1 if sentence.kinds.startswith("K") else 0
    stated = [place + 1 for place in range(len(sentence.tokens)) if _states(sentence, place)]
    joined = [found.end() for found in re.finditer("F[^,F]*,K|F[^;]*;(?=[^;])", sentence.kinds)]
    joined += [found.end() for found in JOINED.finditer(sentence.kinds)]
    return list(dict.fromkeys([first, *joined, *stated]))


JOINED = re.compile("F[^,;SWFT]*K(?=(?:D[AN]*[NE]|E+)(?:P[DAN]*[NE])?R*F)")  # “the lamp burns out and the room is dark”


def _states(sentence: Sentence, place: int) -> bool:
    """Whether a clause after this word states a fact: “because …”, “says that …”, not “a drink that you can make”."""
    token = sentence.tokens[place]
    is_of_noun = token.plain == "that" and place > 0 and sentence.kinds[place - 1] == NOUN
    is_half = sentence.kinds[place + 1 : place + 2] == "Y"  # “while visiting Ulm”
    return token.kind == "S" and token.plain in STATING and not is_of_noun and not is_half


def parse_clause(sentence: Sentence, start: int) -> Clause | None:
    """The main clause that begins there; None if its parts cannot be distinguished."""
    kinds = sentence.kinds
    for name, pattern in FRONTS.items():
        found = pattern.match(kinds, start)
        if not found or found.end() >= len(kinds):
            continue
        verb, subject = found.end(), found.span("subject")
        if (
            sentence.tokens[subject[0]].plain in WORDING.connectives | OPENING
            and subject[1] - subject[0] > 1
            and (sentence.kinds[subject[0] + 1] != "G")
        ):
            subject = (subject[0] + 1, subject[1])
        subject = _without_time(sentence, subject)
        is_stated = start > 0 and sentence.kinds[start - 1] == "S"
        end = find_end(sentence, verb, ends_at_comma=is_stated)
        if end is None or not _can_be_subject(sentence, subject):
            return None
        front = found.span("front") if "front" in pattern.groupindex else (start, subject[0])
        tail = find_tail(sentence, end)
        whole = Clause(sentence, front, name, verb, end, tail, subject)
        return whole if end - verb > 1 or whole.has_tail or name in ("clause", "prepositional") else None
    return None


def parse_whole(sentence: Sentence) -> Clause | None:
    """The sentence as one main clause with all its commas, if every other finite verb is in a subordinate clause."""
    kinds, end = sentence.kinds, len(sentence.kinds.rstrip(";"))
    for name in ("subject", "prepositional"):
        if not (found := FRONTS[name].match(kinds)):
            continue
        verb, subject = found.end(), found.span("subject")
        rest = kinds[verb + 1 : end].split(",")
        is_one = all(NO_MAIN_CLAUSE.fullmatch(each) for each in rest) and kinds[subject[0] : subject[1]] != "O"
        is_helped = sentence.tokens[verb].tag not in ("VM0", "VDD", "VDZ", "VDB") or "V" in rest[0]
        is_plain = sentence.tokens[subject[0]].plain not in WORDING.connectives | OPENING
        front = found.span("front") if name == "prepositional" else (0, 0)
        return (
            Clause(sentence, front, name, verb, end, (end, end), subject) if is_one and is_helped and is_plain else None
        )
    return None


NO_MAIN_CLAUSE = re.compile("(?:[^;F]*|(?!K)[^;F]*[SW][^;FK]*F[^;FK]*)")


def _can_be_subject(sentence: Sentence, subject: Range) -> bool:
    tokens = sentence.tokens[slice(*subject)]
    if sentence.kinds[slice(*subject)] == "O":
        return tokens[0].plain == "you" or tokens[0].tag == "EX0"
    return True


def _without_time(sentence: Sentence, subject: Range) -> Range:
    """“Last month Iran saw …”: the time before the subject is no part of it."""
    for place in range(subject[0], subject[1] - 1):
        token, after = sentence.tokens[place], sentence.tokens[place + 1]
        if token.kind == NOUN and TIMES.fullmatch(token.plain) and after.kind in (NAME, DETERMINER, NUMBER):
            return place + 1, subject[1]
    return subject


OPENING = frozenset(
    [
        "now",
        "today",
        "sometimes",
        "often",
        "usually",
        "nowadays",
        "currently",
        "yet",
        "next",
        "first",
        "later",
        "soon",
        "there",
        "earlier",
    ]
)
PURPOSE = re.compile(
    rf"(?P<front>P?NTV[^,;FS]*|TV[^,;FS]*),(?P<subject>(?:{LISTED}|{PHRASE}){INSERTED}|Y[^,;FSWOY]*|O)R*(?=F)"
)
FRONTS = {
    "purpose": PURPOSE,
    "subject": SUBJECT,
    "prepositional": PREPOSITIONAL,
    "clause": CLAUSE_BEFORE,
    "adverb": ADVERBS,
}


def find_end(sentence: Sentence, verb: int, *, ends_at_comma: bool = False) -> int | None:
    """Where the main clause ends; None if that is unclear."""
    kinds, place, last, has_list = sentence.kinds, verb + 1, len(sentence.kinds), False
    while place < last and kinds[place] != ";" and not SHARED_SUBJECT.match(kinds, place):
        if kinds[place] == "," and (more := LIST_GOES_ON.match(kinds, place)):
            place = more.end()
        elif kinds[place] == "," and kinds[place - 1] == kinds[place + 1 : place + 2] == "A":
            place, has_list = place + 1, True
        elif within := INSERTION.match(kinds, place):
            place = within.end()
        elif BOUNDARY.match(kinds, place) or (kinds[place] == "," and ends_at_comma):
            if has_list and kinds[place + 1] == "K":
                return None
            break
        elif kinds[place] == ",":
            break  # what follows is left out
        else:
            place += 1
    end = place
    if second := SECOND_CLAUSE.search(kinds, verb + 1, end):
        end = second.start()
    is_helped = sentence.tokens[verb].plain in AUXILIARIES
    again = kinds.find("F", verb + 1, end)
    if again > 0 and (purpose := re.search("(?<=[NEC])TV", kinds[verb + 1 : again])):
        end = verb + 1 + purpose.start()  # “to let people watch”
    if kinds.find("F", verb + 1, end) >= 0 or (is_helped and _is_broken(sentence, verb, end)):
        return None
    return end


def _is_broken(sentence: Sentence, verb: int, end: int) -> bool:
    """Whether the auxiliary needs a verb after the end."""
    needs = sentence.tokens[verb].tag in ("VM0", "VDD", "VDZ", "VDB")
    return needs and "V" not in sentence.kinds[verb + 1 : end]


def _is_saying(sentence: Sentence, start: int) -> bool:
    return any(token.kind == FINITE and token.lemma in SAYING for token in sentence.tokens[start:])


JOINED_CLAUSE = re.compile(",?(S[^,;F]*F[^,;F]*)(?=,K[^,;SW]{0,8}F)")  # a main clause after the subordinate one


def find_tail(sentence: Sentence, end: int) -> Range:
    """The subordinate clause that follows the main clause; empty if there is none."""
    kinds = sentence.kinds
    last = len(kinds) - 1 if kinds.endswith(";") else len(kinds)
    if (speaker := SAID_BY.search(kinds, end + 1)) and _is_saying(sentence, speaker.start()):
        last = speaker.start()
    last = next((place for place in range(end, last) if sentence.tokens[place].text == ";"), last)
    if joined := JOINED_CLAUSE.match(kinds, end):
        return (joined.start(1), joined.end())
    if kinds[end : end + 1] == "," and kinds[end + 1 : end + 2] in ("S", "W"):
        return (end + 1, last)
    return (end, last) if kinds[end : end + 1] in ("S", "W") else (end, end)


def is_helper(clause: Clause) -> bool:
    """Whether the verb can change places with the subject; the one in “had a house” cannot."""
    token = clause.token(clause.verb)
    if token.plain not in AUXILIARIES:
        return False
    if token.tag[:2] in ("VH", "VD"):
        return bool(re.match("R*V", clause.kinds(clause.rest)))
    return True


def write_question(clause: Clause, asked: str, removed: Range, *more: Piece) -> str:
    """The question with an auxiliary before the subject. What was before the subject goes to the end."""
    start, end = clause.rest
    between = find_adverbs(clause)
    if clause.token(clause.verb).plain == "cannot":
        return ""  # “What cannot guests …?”
    negated = start + (start < end and clause.token(start).plain in ("n't", "n’t"))
    front: list[Piece] = []
    if clause.front_kind == "prepositional" and removed != clause.front:
        front = [clause.front]
    if removed == clause.front or removed[0] < start:
        removed = (end, end)
    if is_helper(clause):
        verb: list[Piece] = [(clause.verb, negated), clause.subject, between]
        start = negated
    else:
        token = clause.token(clause.verb)
        helper = {"VVD": "did", "VHD": "did", "VDD": "did", "VVZ": "does", "VHZ": "does", "VDZ": "does"}.get(
            token.tag, "do"
        )
        heads = [each for each in clause.tokens(clause.subject) if each.kind in (NOUN, NAME)]
        is_one = "K" not in clause.kinds(clause.subject) and heads and heads[0].tag == "NN1"
        if token.tag == "VVB" and is_one and all(each.tag in ("NN1", "NP0") for each in heads):
            return ""  # “The village of Ulm offer …”
        is_unchanged = token.lemma == token.plain and token.plain.endswith(("ed", "s"))
        if token.tag in ("VVD", "VVZ") and (is_unchanged or "-" in token.plain):
            return ""  # the tagger does not know its infinitive
        verb = [helper, clause.subject, between, token.lemma]
    before: Range = (start, max(start, removed[0]))
    return WORDING.write(clause, [asked, *more, *verb, before, (removed[1], end), *front])


def find_adverbs(clause: Clause) -> Range:
    """The adverbs between the subject and the verb."""
    start = clause.verb
    while start > clause.subject[1] and clause.token(start - 1).kind == "R":
        start -= 1
    return start, clause.verb


def is_time(clause: Clause, of: Range) -> bool:
    words = [token.plain for token in clause.tokens(of)]
    if len(words) == 2 and words[1].endswith("s") and not has_digit(words[1]):
        return False  # “in years”
    has_year = any(re.fullmatch(r"1\d{3}s?|20\d\ds?", word) for word in words)
    if words[-1] in ("am", "pm", "ad") and not any(has_digit(word) for word in words):
        return False  # “with the PM”
    return bool(TIMES.fullmatch(find_head(clause, of))) or has_year


def has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


# Questions for time, place, duration and number in an English clause.


def find_question_word(clause: Clause, of: Range) -> tuple[str, float]:
    """The question word for a prepositional phrase, and how reliable it is."""
    preposition = clause.token(of[0]).plain
    head = find_head(clause, of)
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
            yield from write_draft(
                clause, write_question(clause, asked, clause.front), clause.front, "clause-first", 3.1
            )
    elif clause.front_kind == "purpose":
        yield from write_draft(clause, write_question(clause, "why", clause.front), clause.front, "purpose", 3.0)
    elif clause.front_kind == "prepositional":
        asked, worth = find_question_word(clause, clause.front)
        if asked:
            yield from write_draft(
                clause, write_question(clause, asked, clause.front), clause.front, "front", worth + 0.2
            )


def ask_duration(clause: Clause) -> Iterator[Draft]:
    """“The storms last more than three hours.”: How long do the storms last?"""
    found = LASTING.match(clause.sentence.kinds, clause.verb + 1, clause.end)
    if found and clause.token(clause.verb).lemma in ("last", "take") and is_time(clause, found.span()):
        yield from write_draft(clause, write_question(clause, "how long", found.span()), found.span(), "duration", 3.3)


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
        yield from write_draft(clause, WORDING.write(clause, pieces), found.span(), "number", 3.0)


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
        yield from write_draft(clause, WORDING.write(clause, pieces), answer, "number", 3.3)
    elif start > clause.verb and before not in ("P", "$"):
        question = write_question(clause, "how many", answer, noun)
        yield from write_draft(clause, question, answer, "number", 3.3)


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
        yield from write_draft(
            clause,
            write_question(clause, asked, (start, end)),
            (start, end),
            "adjunct",
            worth - (0.9 if asked == "where" else 0.5) * is_attached,
        )
