"""Questions from English statements: for the subject the word order stays; for everything else an auxiliary comes
first."""

import re
from collections.abc import Iterator
from dataclasses import replace

from generation.rules.drafts import Clause, Draft, Piece, Range, ask_clauses, write_draft
from generation.rules.english_clauses import (
    ask_adjunct,
    ask_duration,
    ask_existing_number,
    ask_front,
    ask_number,
    find_adverbs,
    find_clause_starts,
    find_second_verb,
    is_existential,
    is_helper,
    is_time,
    parse_clause,
    parse_whole,
    write_question,
)
from generation.rules.english_words import (
    ADJUNCT,
    ADVERBS,
    CLAUSE_BEFORE,
    COPULAS,
    GOVERNED,
    OBJECT,
    PERSONS,
    PREPOSITIONAL,
    SAYING,
    SINGULAR,
    SUBJECT,
    TOPIC_WORDS,
    VOCABULARY,
    WHEN,
    WHEN_CLAUSES,
    WITH_TWO_OBJECTS,
    WORDING,
)
from generation.rules.phrases import find_head, without_possessives
from generation.rules.references import ask_short_name, ask_who_it_is
from generation.rules.tagging import FINITE, NAME, NOUN, POINTING, POSSESSIVE, RELATIVE, TO, Sentence, Token
from generation.rules.topics import CONSEQUENCE, ask_consequence, ask_event, ask_topics


def make_drafts(sentence: Sentence) -> Iterator[Draft]:
    """Every question that a rule makes from a clause of the sentence, or from the whole sentence."""
    clauses = [parse_clause(sentence, start) for start in find_clause_starts(sentence)]
    yield from ask_clauses([each for each in clauses if each and not is_existential(each)], find_second_verb, RULES)
    for clause in clauses:
        if clause and is_existential(clause):
            yield from ask_existing_number(clause)
    if whole := parse_whole(sentence):
        for each in (*ask_front(whole), *ask_subject(whole)):
            yield replace(each, worth=round(each.worth - 0.6, 2))
    yield from ask_sayer(sentence)
    yield from ask_who_it_is(sentence, VOCABULARY, "is", WORDING)
    yield from ask_short_name(sentence, "What does the abbreviation {} stand for?")
    for clause in clauses[:1]:
        if clause and clause.front_kind in ("subject", "prepositional"):
            yield from ask_event(clause, is_past, TOPIC_WORDS)
        elif clause and (is_past(clause) or clause.token(0).plain == "if"):
            yield from ask_consequence(clause, TOPIC_WORDS)
    yield from ask_advice(sentence)
    yield from ask_topics(sentence, find_subject(sentence), TOPIC_WORDS)


def is_past(clause: Clause) -> bool:
    """Whether the clause describes an event: “burned”, “was burned”, not “was old”."""
    verb = clause.token(clause.verb)
    return verb.tag == "VVD" or (verb.tag == "VBD" and bool(re.match("R*V", clause.kinds(clause.rest))))


def find_subject(sentence: Sentence) -> Range:
    """The subject of the main clause; empty if it is unclear."""
    found = next(
        filter(None, (each.match(sentence.kinds) for each in (SUBJECT, PREPOSITIONAL, CLAUSE_BEFORE, ADVERBS))), None
    )
    return found.span("subject") if found else (0, 0)


def ask_advice(sentence: Sentence) -> Iterator[Draft]:
    """“If you camp, bring a cot.”: What should you do if you camp? Also from “you should”, “must”, “can” and “may”."""
    found = ADVICE.match(sentence.kinds)
    if not found or sentence.tokens[0].plain not in ("if", "when", "while", "before", "after", "once"):
        return
    place, end = found.end(), len(sentence.kinds.rstrip(";"))
    first = [token.plain for token in sentence.tokens[place : place + 3]]
    if first[:1] == ["you"] and first[1:2] in (["should"], ["must"], ["can"], ["may"]) and end - place > 4:
        asked, place = f"what {first[1]} you do", place + 2
    elif sentence.tokens[place].tag in ("VVB", "VVI") and end - place > 3:
        asked = "what should you do"
    else:
        return
    clause = Clause(sentence, (0, place), "clause", place, end, (end, end))
    question = WORDING.write(clause, [asked, (0, found.end() - 1)], may_bind=False)
    yield from write_draft(clause, question, (place, end), CONSEQUENCE, 1.4)


ADVICE = re.compile("S[^,;]*,(?=O[FR]|[FV][^,;]*;$|[FV])")


def ask_sayer(sentence: Sentence) -> Iterator[Draft]:
    """“The mayor said the bridge is old.”: Who said the bridge is old? What did the mayor say?"""
    kinds = sentence.kinds
    found = SUBJECT.match(kinds)
    verb = found.end() if found else 0
    match = re.compile("[^,;SWYTF]+F[^;]*").match(kinds, verb + 1)
    if not found or not match or sentence.tokens[verb].lemma not in SAYING or sentence.tokens[verb].kind != FINITE:
        return
    if kinds[slice(*found.span("subject"))] == "O":
        return
    clause = Clause(sentence, (0, 0), "adverb", verb, match.end(), (match.end(), match.end()), found.span("subject"))
    question = WORDING.write(clause, ["who", make_singular(clause.token(verb)), match.span()], may_bind=False)
    if not question and (shorter := re.search("[SW]", kinds[verb:])):
        question = WORDING.write(clause, ["who", make_singular(clause.token(verb)), (verb + 1, verb + shorter.start())])
    start, end = clause.subject
    yield from write_draft(clause, question, (start, end - (kinds[end - 1] == ",")), "subject", 2.7)
    yield from write_draft(clause, write_question(clause, "what", match.span()), match.span(), "that", 3.0)


def ask_subject(clause: Clause) -> Iterator[Draft]:
    """“The old castle stands on a hill.”: What stands on a hill?"""
    first, verb = clause.token(clause.subject[0]), clause.token(clause.verb)
    is_yours = first.plain == "your"
    if (first.kind in (POINTING, POSSESSIVE) and not is_yours) or first.plain in ("you", "no"):
        return
    if verb.lemma == "do" and clause.kinds(clause.rest)[:1] == "V":
        return  # “does have”
    verb_form = make_singular(verb)
    is_equation, is_vague = _equates(clause)
    is_open = verb.lemma == "be" and (clause.kinds(clause.rest)[:1] or "S") in (TO, "S")
    if is_vague or is_open or (is_equation and verb_form != verb.text):
        return
    if verb_form != verb.text and re.search("KR*[FV]", clause.kinds(clause.rest)):
        return  # “is by the sea and stretch from …”
    if any(token.plain in LIMITING for token in clause.tokens(find_adverbs(clause))):
        return
    asked = VOCABULARY.ask_who_or_what(clause, clause.subject)
    before = clause.token(clause.subject[0] - 1) if clause.subject[0] else first
    if before.plain in ("few", "little") or (before.kind == "K" and first.tag == "VVG"):
        return
    question, loss = _write_with_subject(clause, [asked, find_adverbs(clause), verb_form])
    worth = 2.7 - 0.4 * is_equation - loss
    answer = clause.subject
    if clause.token(answer[1] - 1).kind == ",":
        answer = (answer[0], answer[1] - 1)
    yield from write_draft(clause, question, answer, "subject", worth)


def _equates(clause: Clause) -> tuple[bool, bool]:
    """Whether the clause says what the subject is, and whether with an indefinite article."""
    place = clause.verb + 1
    while clause.kinds((place, place + 1)) == "R":
        place += 1
    lemma = clause.token(clause.verb).lemma
    is_equation = lemma in COPULAS and bool(OBJECT.match(clause.sentence.kinds, place, clause.end))
    is_equation = is_equation or (lemma == "be" and bool(re.match("R*VN", clause.kinds(clause.rest))))
    return is_equation, is_equation and clause.token(place).plain in ("a", "an")


def _write_with_subject(clause: Clause, begin: list[Piece]) -> tuple[str, float]:
    """The question about the subject, and a penalty for the parts of the sentence that it omits."""
    pieces: list[Piece] = [*begin, clause.rest]
    first = clause.token(clause.tail[0]) if clause.has_tail else None
    if first and first.plain in COMPLEMENT and first.kind == "S" and clause.tail[0] == clause.end:
        pieces.append(clause.tail)
    elif clause.front_kind == "prepositional":
        pieces.append(clause.front)
    elif clause.front_kind == "clause":
        is_contrast = clause.token(clause.front[0]).plain in ("while", "whereas") and "F" in clause.kinds(clause.front)
        return WORDING.write(clause, [*pieces, *([] if is_contrast else [clause.front])], may_bind=False), 0.0
    question, loss = WORDING.write_whole(clause, pieces, may_bind=False)
    if not question and pieces[-1] == clause.front:
        question, loss = WORDING.write_whole(clause, pieces[:-1], may_bind=False)
        loss += 0.7
    if question:
        return question, loss
    return WORDING.write(clause, [*begin, *without_possessives(clause, clause.rest)], may_bind=False), 0.9


def make_singular(verb: Token) -> str:
    return make_third_person(verb.text) if verb.tag == "VVB" else SINGULAR.get(verb.plain, verb.text)


def make_third_person(verb: str) -> str:
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if re.search("[^aeiou]y$", verb) else f"{verb}s"


def ask_agent(clause: Clause) -> Iterator[Draft]:
    """“The castle was destroyed by lava.”: What was the castle destroyed by?"""
    kinds = clause.kinds(clause.rest)
    found = re.match(r"R*V(?:R*V)?R*P", kinds)
    if not found or clause.token(clause.verb).lemma != "be":
        return
    place = clause.verb + found.end()
    agent = OBJECT.match(clause.sentence.kinds, place + 1, clause.end)
    if clause.token(place).plain == "by" and agent and not is_time(clause, agent.span()):
        asked = VOCABULARY.ask_who_or_what(clause, agent.span())
        asked = "what" if asked == "who or what" else asked
        if clause.kinds((agent.end(), clause.end)):
            return
        yield from write_draft(clause, write_question(clause, asked, agent.span()), agent.span(), "agent", 2.9)


def ask_name(clause: Clause) -> Iterator[Draft]:
    """“German submarines were called U-boats.”: What were German submarines called?"""
    found = re.match("R*V", clause.kinds(clause.rest))
    if not found or clause.token(clause.verb).lemma != "be":
        return
    place = clause.verb + 1 + found.end()
    name = OBJECT.match(clause.sentence.kinds, place, clause.end)
    if name and name.end() == clause.end and clause.token(place - 1).plain in CALLED:
        yield from write_draft(clause, write_question(clause, "what", name.span()), name.span(), "name", 3.2)


def ask_governed(clause: Clause) -> Iterator[Draft]:
    """“The plant consists of three parts.”: What does the plant consist of?"""
    for place in range(clause.verb, clause.end - 2):
        word = clause.token(place)
        governed = GOVERNED.get(word.lemma if word.kind in "FV" else word.plain, "").split()
        found = OBJECT.match(clause.sentence.kinds, place + 2, clause.end)
        is_nested = "TV" in clause.kinds((clause.verb, place)) and word.kind not in "F"
        if found and not is_nested and clause.token(place + 1).plain in governed and not is_time(clause, found.span()):
            start, end = found.start(), _end_of_object(clause, found.start())
            asked = "who" if PERSONS.fullmatch(find_head(clause, (start, end))) else "what"
            yield from write_draft(clause, write_question(clause, asked, (start, end)), (start, end), "governed", 2.9)
            return


def ask_tail(clause: Clause) -> Iterator[Draft]:
    """“The place is popular because it is quiet.”: Why is the place popular?"""
    if not clause.has_tail:
        return
    first = clause.token(clause.tail[0])
    none = (clause.end, clause.end)
    asked = {**WHEN_CLAUSES, "because": "why"}.get(first.plain, "")
    if asked and first.kind == "S" and clause.front_kind != "clause":
        yield from write_draft(clause, write_question(clause, asked.lower(), none), clause.tail, "clause-last", 3.1)
    is_equation = clause.token(clause.verb).lemma == "be" and clause.front_kind == "subject"
    if first.plain == "that" and is_equation and clause.tail[0] == clause.end == clause.verb + 1:
        question = WORDING.write(clause, ["what", (clause.verb, clause.end), clause.subject], may_bind=False)
        yield from write_draft(clause, question, clause.tail, "that", 3.0)
    elif first.plain == "that" and clause.tail[0] == clause.end == clause.verb + 1:
        yield from write_draft(clause, write_question(clause, "what", none), clause.tail, "that", 3.0)


def ask_object(clause: Clause) -> Iterator[Draft]:
    """“The council closed the street.”: What did the council close?"""
    verb, place = clause.token(clause.verb), _start_of_object(clause)
    if verb.lemma == "be" and clause.kinds(clause.rest)[:2] == "TV" and clause.front_kind == "subject":
        question = WORDING.write(clause, ["what", (clause.verb, clause.verb + 1), clause.subject], may_bind=False)
        yield from write_draft(clause, question, clause.rest, "definition", 2.8)
        return
    if place and verb.lemma in PLANNING and (plan := PLAN.match(clause.sentence.kinds, place)):
        question = write_question(clause, "what", (place, clause.end))
        yield from write_draft(clause, question.replace("?", " to do?"), plan.span(), "plan", 2.9)
        return
    found = OBJECT.match(clause.sentence.kinds, place, clause.end) if place else None
    if not found or clause.front_kind == "clause":
        return
    start, end = found.span()
    if verb.lemma == "be" and not re.search("V", clause.kinds((clause.verb + 1, place))):
        yield from _ask_what_it_is(clause, start)
    elif verb.lemma not in WITH_TWO_OBJECTS | COPULAS and not is_time(clause, (start, end)):
        first = clause.token(clause.tail[0]).plain if clause.has_tail else ""
        if first == "as":
            return
        says_which = clause.has_tail and clause.tail[0] == clause.end and clause.kinds(clause.tail)[0] == RELATIVE
        end = clause.tail[1] if first == "that" or says_which else _end_of_object(clause, start)
        asked = "who" if PERSONS.fullmatch(find_head(clause, (start, end))) else "what"
        yield from write_draft(clause, write_question(clause, asked, (start, end)), (start, end), "object", 2.7)


def _start_of_object(clause: Clause) -> int:
    """The place behind the whole verb; 0 in the passive, which has no object."""
    verb, place = clause.token(clause.verb), clause.verb + 1
    if not is_helper(clause):
        while place < clause.end and clause.token(place).kind == "R" and clause.token(place).plain not in COMPLEMENT:
            place += 1
        return place
    found = re.match(r"R*V(?:R*V)*", clause.kinds(clause.rest))
    if not found:
        return place
    end = place + found.end()
    has_been = verb.tag in ("VHD", "VHZ", "VHB", "VM0") and clause.token(end - 2).lemma == "be"
    return 0 if verb.lemma == "be" or clause.token(end - 1).tag == "VBI" or has_been else end


def _end_of_object(clause: Clause, begin: int) -> int:
    """The end of the object: everything that follows, except expressions of time."""
    for start, stop in clause.matches(ADJUNCT, (begin + 1, clause.end)):
        if clause.token(start).plain in WHEN | {"for"} and is_time(clause, (start, stop)) and stop == clause.end:
            return start
    return clause.end


def _ask_what_it_is(clause: Clause, start: int) -> Iterator[Draft]:
    """“Goma is a city by a lake.”: What is Goma? Only for subjects that have a name or are meant in general."""
    subject = clause.tokens(clause.subject)
    if subject[0].tag == "VVG" or subject[0].plain in ("each", "every"):
        return
    is_general = subject[0].kind in (NOUN, NAME) or subject[0].plain in ("a", "an", "most")
    if clause.token(start).tag == "NN1" and clause.kinds((start + 1, start + 2)) != "N":
        return  # an adjective that the tagger does not know
    if clause.token(clause.verb).tag == "VBD" and not any(token.kind == NAME for token in subject):
        return  # “What were insects?”
    if re.match("AP", clause.kinds((start, clause.end))):
        return  # “similar in shape”
    is_general = is_general or any(token.kind == NAME for token in subject)
    is_general = is_general or any(token.tag in ("AJS", "ORD") for token in subject)  # “the largest sectors”
    if is_general and (clause.token(start).kind in "DAN" or clause.token(start).plain == "one"):
        answer: Range = (start, clause.end)
        if clause.has_tail and clause.kinds(clause.tail)[0] in "WS" and clause.token(clause.tail[0]).plain in RELATIVES:
            answer = (start, clause.tail[1])
        is_person = PERSONS.fullmatch(find_head(clause, answer)) or "who" in [
            each.plain for each in clause.tokens(answer)
        ]
        asked = "who" if is_person else "what"
        question = WORDING.write(clause, [asked, (clause.verb, clause.verb + 1), clause.subject])
        yield from write_draft(clause, question, answer, "definition", 3.1)


PLAN = re.compile("TV[^,;F]*(?:,?[SW][^,;]*)?(?=;?$)")
PLANNING = frozenset(["agree", "attempt", "decide", "hope", "intend", "plan", "promise", "refuse", "try", "want"])
LIMITING = frozenset(["alone", "today", "now", "most", "both", "all", "only", "each", "themselves", "itself"])
COMPLEMENT = frozenset(["that", "whether", "how", "what"])
RELATIVES = frozenset(["that", "which", "who", "where"])
CALLED = frozenset(["called", "named", "nicknamed", "dubbed", "termed"])
RULES = (
    ask_front,
    ask_name,
    ask_subject,
    ask_duration,
    ask_governed,
    ask_number,
    ask_adjunct,
    ask_agent,
    ask_tail,
    ask_object,
)
