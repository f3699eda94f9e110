"""Questions from German statements: the finite verb stays second, and a question word replaces what is before it."""

import re
from collections.abc import Iterator
from dataclasses import replace

from generation.rules.drafts import Clause, Draft, Piece, Range, ask_clauses, write_draft
from generation.rules.german_clauses import (
    ask_adjunct,
    ask_duration,
    ask_front,
    ask_number,
    belongs_to_question,
    can_be_nominative,
    find_clause_starts,
    find_second_verb,
    has_subject,
    is_time,
    parse_clause,
    parse_whole,
    write_question,
)
from generation.rules.german_words import (
    ABOUT,
    ACTOR,
    ADVERBS,
    AFTER_VERB,
    AROUND,
    CLAUSE_BEFORE,
    COMPARED,
    COPULAS,
    DATIVE,
    GOVERNED,
    GOVERNED_PHRASE,
    GROUPS,
    INNER_SUBJECT,
    MODALS,
    OBJECT,
    PERSONS,
    PLANNING,
    PREPOSITIONAL,
    SUBJECT,
    TIME_PHRASE,
    TOPIC_WORDS,
    VOCABULARY,
    WHEN_CLAUSES,
    WHY_CLAUSES,
    WORDING,
    make_singular,
)
from generation.rules.phrases import find_head, says_without_that, without_possessives
from generation.rules.references import ask_short_name, ask_who_it_is
from generation.rules.tagging import ADJECTIVE, NAME, NOUN, POINTING, POSSESSIVE, PREPOSITION, Sentence
from generation.rules.topics import CONSEQUENCE, ask_consequence, ask_event, ask_topics


def make_drafts(sentence: Sentence) -> Iterator[Draft]:
    """Every question that a rule makes from a clause of the sentence, or from the whole sentence."""
    yield from ask_clauses(
        (parse_clause(sentence, start) for start in find_clause_starts(sentence)), find_second_verb, RULES
    )
    if whole := parse_whole(sentence):
        for each in (*ask_front(whole), *ask_subject(whole)):
            yield replace(each, worth=round(each.worth - 0.6, 2))
    yield from ask_who_it_is(sentence, VOCABULARY, "ist", WORDING)
    yield from ask_short_name(sentence, "Wofür steht die Abkürzung {}?")
    if clause := parse_clause(sentence, 0):
        if clause.front_kind in ("subject", "prepositional", "year"):
            yield from ask_event(clause, is_past, TOPIC_WORDS)
        yield from ask_consequence(clause, TOPIC_WORDS)
        yield from ask_advice(clause)
    yield from ask_topics(sentence, find_subject(sentence), TOPIC_WORDS)


def ask_advice(clause: Clause) -> Iterator[Draft]:
    """“Wenn Sie zelten, nehmen Sie eine Matte mit.”: Was sollten Sie tun, wenn Sie zelten?"""
    verb, subject = clause.tokens((clause.verb, clause.verb + 2))
    is_request = subject.text == "Sie" and verb.lemma not in MODALS | COPULAS
    if clause.front_kind == "clause" and is_request and clause.token(clause.front[0]).plain in WHEN_CLAUSES:
        question = WORDING.write(
            clause, ["was sollten Sie tun,", (clause.front[0], clause.front[1] - 1)], may_bind=False
        )
        answer = (clause.verb, len(clause.sentence.kinds.rstrip(";")))
        yield from write_draft(clause, question, answer, CONSEQUENCE, 1.4)


def is_past(clause: Clause) -> bool:
    """Whether the clause describes an event: “brannte”, “wurde verbrannt”, not “war alt”."""
    verb = clause.token(clause.verb)
    if verb.lemma in COPULAS | MODALS | {"haben"}:
        return verb.plain in ("wurde", "wurden") and "V" in clause.kinds(clause.rest)
    return verb.plain.endswith(("te", "ten"))


def find_subject(sentence: Sentence) -> Range:
    """The subject of the main clause, empty if it is unclear."""
    for pattern in (SUBJECT, PREPOSITIONAL, ADVERBS, CLAUSE_BEFORE):
        if found := pattern.match(sentence.kinds):
            inner = ACTOR.match(sentence.kinds, found.end() + 1)
            return found.span() if pattern is SUBJECT else inner.span() if inner else (0, 0)
    verb = re.search("^[^,;SW]*F|,F", sentence.kinds)
    inner = ACTOR.match(sentence.kinds, verb.end()) if verb else None
    return inner.span() if inner else (0, 0)


def ask_subject(clause: Clause) -> Iterator[Draft]:
    """“Die alte Burg steht auf dem Berg.”: Was steht auf dem Berg?"""
    if clause.front_kind != "subject":
        return
    token = clause.token(clause.verb)
    verb = make_singular(token.text, token.lemma)
    first = clause.token(clause.front[0])
    if first.kind in (POINTING, POSSESSIVE) or first.plain.startswith("kein") or is_time(clause, clause.front):
        return
    is_equation = token.lemma in COPULAS and OBJECT.match(clause.sentence.kinds, clause.verb + 1, clause.end)
    is_vague = is_equation and clause.token(clause.verb + 1).plain in ("ein", "eine")
    is_equation = is_equation or (token.lemma in COPULAS and re.search("(?<=R)A+N$", clause.kinds(clause.rest)))
    if not verb or is_vague or (verb != token.text and is_equation):
        return
    asked = VOCABULARY.ask_who_or_what(clause, clause.front)
    if asked == VOCABULARY.either and (is_equation or all(token.kind != NAME for token in clause.tokens(clause.front))):
        return
    question, loss = _write_with_subject(clause, [asked, verb])
    begin, end = clause.front
    begin += first.plain in WORDING.connectives
    worth = 2.7 - 0.4 * bool(is_equation) - loss
    yield from write_draft(clause, question, (begin, end - (clause.token(end - 1).kind == ",")), "subject", worth)


def _write_with_subject(clause: Clause, begin: list[Piece]) -> tuple[str, float]:
    """The question about the subject, and a penalty for the parts of the sentence that it omits."""
    is_reported = clause.has_tail and clause.token(clause.tail[0]).plain in ("dass", "ob", "wie")
    if is_reported or (clause.has_tail and has_infinitive(clause)) or says_without_that(clause):
        question, loss = WORDING.write(clause, [*begin, clause.rest, ",", clause.tail], may_bind=False), 0.0
    else:
        question, loss = WORDING.write_whole(clause, [*begin, clause.rest], may_bind=False)
    if question:
        return question, loss
    return WORDING.write(clause, [*begin, *without_possessives(clause, clause.rest)], may_bind=False), 0.9


def has_infinitive(clause: Clause) -> bool:
    """“… haben Mühe, den Weg zu finden”: the clause has no finite verb and is no purpose."""
    return bool(re.search("TV$|Z$", clause.kinds(clause.tail))) and clause.token(clause.tail[0]).kind not in "SWK"


def ask_inner_subject(clause: Clause) -> Iterator[Draft]:
    """“Im Mai eröffnete die Stadt ein Museum.”: Was eröffnete im Mai ein Museum?"""
    if clause.front_kind not in ("prepositional", "adverb", "year", "clause"):
        return
    token = clause.token(clause.verb)
    verb = make_singular(token.text, token.lemma)
    start, end = _find_inner_subject(clause)
    if start == end or not verb or WORDING.pointing.fullmatch(clause.token(start).plain):
        return
    is_equation = OBJECT.match(clause.sentence.kinds, end, clause.end) and "V" not in clause.kinds((end, clause.end))
    is_vague = is_equation and clause.token(end).plain in ("ein", "eine")
    if token.lemma in COPULAS and is_equation and (verb != token.text or is_vague):
        return
    if not can_be_nominative(clause.sentence, start) or is_time(clause, (start, end)):
        return
    after = clause.kinds((end, end + 1)) if end < clause.end else ""
    is_bare = clause.token(start).kind == NOUN and clause.token(start).plain.endswith("ern")
    if (end == clause.end and clause.front_kind == "adverb") or after in ("K", "A", "N", "E", "x") or is_bare:
        return
    asked = VOCABULARY.ask_who_or_what(clause, (start, end))
    front: list[Piece] = [clause.front] if belongs_to_question(clause) else []
    pieces: list[Piece] = [asked, verb, (clause.verb + 1, start), *front, (end, clause.end)]
    if clause.front_kind == "clause" and clause.token(clause.front[0]).plain != "während":
        pieces += [",", (clause.front[0], clause.front[1] - 1)]
    question, loss = WORDING.write_whole(clause, pieces, may_bind=False)
    yield from write_draft(clause, question, (start, end), "inner-subject", 2.0 - loss)


def _find_inner_subject(clause: Clause) -> Range:
    """The phrase right after the verb, without place and time; empty if there is none."""
    place = clause.verb + 1 + (clause.token(clause.verb + 1).plain in ("sich", "es"))
    found = INNER_SUBJECT.match(clause.sentence.kinds, place, clause.end)
    if not found:
        return place, place
    start, end = found.span(1)
    is_passive = clause.token(clause.verb).lemma in ("werden", "sein") and clause.kinds(clause.rest).endswith("V")
    not_its_own = AROUND | ({"von", "vom", "durch"} if is_passive else frozenset())
    around = [each for each in range(start + 1, end) if clause.token(each).plain in not_its_own or end == clause.end]
    return start, next((each for each in around if clause.token(each).kind == PREPOSITION), end)


def ask_name(clause: Clause) -> Iterator[Draft]:
    """“Die Boote wurden Frachter genannt.”: Wie wurden die Boote genannt?"""
    is_passive = clause.token(clause.end - 1).plain in ("genannt", "getauft")
    if not (is_passive or clause.token(clause.verb).lemma == "heißen") or not has_subject(clause):
        return
    end = clause.end - is_passive
    for start in range(clause.verb + 1, end):
        found = OBJECT.match(clause.sentence.kinds, start, end)
        if found and found.end() == end:
            answer = found.span(1)
            if clause.front_kind == "subject":
                yield from write_draft(clause, write_question(clause, "wie", answer), answer, "name", 3.2)
            return


def ask_governed(clause: Clause) -> Iterator[Draft]:
    """“Die Anlage besteht aus drei Teilen.”: Woraus besteht die Anlage?"""
    governed = GOVERNED.get(clause.token(clause.verb).lemma, "").split()
    verbs = [token.plain for token in clause.tokens(clause.rest) if token.kind == "V"]
    governed += [each for verb in verbs for each in GOVERNED.get(verb, "").split()]
    for start, end in clause.matches(GOVERNED_PHRASE, clause.rest):
        preposition = clause.token(start).lemma if clause.token(start).tag == "APPR" else clause.token(start).plain
        preposition = {"zum": "zu", "zur": "zu", "vom": "von", "im": "in", "am": "an"}.get(preposition, preposition)
        if preposition in governed and has_subject(clause) and not PERSONS.fullmatch(find_head(clause, (start, end))):
            end = _end_of_object(clause, end)
            is_origin = clause.token(clause.verb).lemma == "stammen"
            asked = "woher" if is_origin else f"wo{'r' if preposition[0] in 'aeiouü' else ''}{preposition}"
            yield from write_draft(clause, write_question(clause, asked, (start, end)), (start, end), "governed", 2.9)
            return


def ask_agent(clause: Clause) -> Iterator[Draft]:
    """“Die Burg wurde von Händlern gekauft.”: Von wem wurde die Burg gekauft?"""
    if clause.token(clause.verb).lemma != "werden" or not clause.kinds(clause.rest).endswith("V"):
        return
    for start, end in clause.matches(GOVERNED_PHRASE, clause.rest):
        is_agent = clause.token(start).plain in ("von", "vom") and VOCABULARY.is_person(clause, (start, end))
        is_attached = clause.kinds((start - 1, start)) in (NOUN, NAME)
        if is_agent and not is_attached and has_subject(clause):
            yield from write_draft(clause, write_question(clause, "von wem", (start, end)), (start, end), "agent", 2.9)
            return


def ask_tail(clause: Clause) -> Iterator[Draft]:
    """“Der Ort ist beliebt, weil er still ist.”: Warum ist der Ort beliebt?"""
    if not clause.has_tail or clause.front_kind == "clause":
        return
    first = clause.token(clause.tail[0]).plain
    empty = (clause.end, clause.end)
    before = [token for token in clause.tokens(clause.rest) if token.kind in "RA"]
    asked = {**WHEN_CLAUSES, **WHY_CLAUSES}.get(first, "")
    if first == "dass" and not has_subject(clause) and re.fullmatch("R*V", clause.kinds(clause.rest)):
        yield from write_draft(clause, write_question(clause, "was", empty), clause.tail, "that", 3.0)
    if not has_subject(clause):
        return
    is_compared = first == "als" and any(token.plain.endswith("er") or token.plain in COMPARED for token in before)
    if asked and clause.token(clause.tail[0]).kind == "S" and not is_compared:
        yield from write_draft(clause, write_question(clause, asked, empty), clause.tail, "clause-last", 3.2)
    if first in ("dass", "ob", "wie", "was", "wer", "wo") or has_infinitive(clause) or says_without_that(clause):
        yield from _ask_that(clause)


def _ask_that(clause: Clause) -> Iterator[Draft]:
    """“Studien zeigen, dass Lärm schadet.”: Was zeigen Studien?"""
    about = [place for place in range(*clause.rest) if clause.token(place).plain in ABOUT]
    if about:
        asked, removed = ABOUT[clause.token(about[0]).plain], (about[0], about[0] + 1)
        yield from write_draft(clause, write_question(clause, asked, removed), clause.tail, "that", 3.0)
    elif clause.token(clause.tail[0]).plain != "dass" and not _can_do_without(clause):
        return
    elif clause.front_kind in ("subject", "adverb") and (
        clause.token(clause.verb).lemma not in COPULAS or clause.end == clause.verb + 1
    ):
        objects = clause.matches(OBJECT, clause.rest) if clause.front_kind == "subject" else ()
        has_object = any(not is_time(clause, each) for each in objects)
        if not has_object:
            yield from write_draft(
                clause, write_question(clause, "was", (clause.end, clause.end)), clause.tail, "that", 3.0
            )


def _can_do_without(clause: Clause) -> bool:
    """“… sagte, die Brücke sei alt”, “… plant, einen Eingang zu bauen”: the tail is what somebody says or plans."""
    if has_infinitive(clause):
        is_announced = clause.token(clause.verb).lemma == "geben" and clause.token(clause.end - 1).plain == "bekannt"
        return is_announced or (clause.token(clause.verb).lemma in PLANNING and clause.end == clause.verb + 1)
    return says_without_that(clause)


def ask_object(clause: Clause) -> Iterator[Draft]:
    """“Die Gipfel bieten einen weiten Blick.”: Was bieten die Gipfel?"""
    if clause.front_kind == "subject" and is_time(clause, clause.front):
        return  # “Ende 2017 trat …”
    is_that = clause.has_tail and clause.token(clause.tail[0]).plain == "dass"
    place = clause.verb + 1
    if clause.front_kind not in ("subject", "pronoun"):
        place += place < clause.end and clause.token(place).plain == "sich"
        subject = AFTER_VERB.match(clause.sentence.kinds, place, clause.end)
        place = subject.end() if subject else clause.end
    found = OBJECT.match(clause.sentence.kinds, place, clause.end)
    if not found or is_that or any(token.plain in ABOUT for token in clause.tokens(clause.rest)):
        return
    start, end = found.span(1)
    verb = clause.token(clause.verb)
    if verb.lemma in COPULAS and clause.kinds((end, clause.end)).find("V") < 0:
        if clause.front_kind == "subject":
            yield from _ask_what_it_is(clause, start)
    elif (verb.lemma not in COPULAS) and not _is_dative(clause, start) and not is_time(clause, (start, end)):
        end = _end_of_object(clause, end)
        head = find_head(clause, (start, end))
        asked = "wen" if PERSONS.fullmatch(head) and not GROUPS.fullmatch(head) else "was"
        if clause.token(clause.end - 1).lemma in COPULAS:
            return
        if verb.lemma in ("nennen", "bezeichnen") or (asked == "wen" and clause.token(start).plain == "den"):
            return
        worth = 2.6 if clause.front_kind == "subject" else 2.4
        yield from write_draft(clause, write_question(clause, asked, (start, end)), (start, end), "object", worth)


def _end_of_object(clause: Clause, end: int) -> int:
    """Where the object ends: it takes all that follows, except the rest of the verb and a phrase of time or cause."""
    kinds = clause.sentence.kinds
    last = clause.end
    while last > end and kinds[last - 1] in "VXTFZR":
        last -= 1
    for start, stop in clause.matches(TIME_PHRASE, (end, last)):
        is_cause = clause.token(start).plain in ASIDE and start > end - 1
        if is_cause or (is_time(clause, (start, stop)) and stop == last):
            return start - (kinds[start - 1] == "R")
    return last


ASIDE = frozenset(["aufgrund", "wegen", "trotz", "dank", "infolge"])


def _is_dative(clause: Clause, start: int) -> bool:
    return clause.token(start).plain in DATIVE or (
        clause.token(start).kind in "HQ" and clause.token(start).plain.endswith(("em", "er"))
    )


def _ask_what_it_is(clause: Clause, start: int) -> Iterator[Draft]:
    """“Goma ist eine Stadt am See.”: Was ist Goma? Only for subjects that have a name or are meant in general."""
    front = clause.tokens(clause.front)
    is_general = (
        front[0].kind in (NOUN, NAME, ADJECTIVE)
        or front[0].plain in ("ein", "eine")
        or any(token.kind == NAME for token in front)
    )
    article = clause.token(start).plain
    is_past = clause.token(clause.verb).plain in ("war", "waren") and all(token.kind != NAME for token in front)
    if is_past or front[0].plain.startswith("jede"):
        return
    is_bare = clause.token(start).kind in (ADJECTIVE, NOUN)
    if (is_general and (is_bare or article in ("ein", "eine", "der", "die", "das"))) or front[0].kind in (NOUN,):
        first = clause.token(clause.tail[0]).plain if clause.has_tail else ""
        is_more = ("W" in clause.kinds(clause.tail)[:2] and first != "was") or has_infinitive(clause)
        answer: Range = (start, clause.tail[1] if is_more else clause.end)
        head = find_head(clause, answer)
        is_person = PERSONS.fullmatch(head) and not GROUPS.fullmatch(head)
        question = WORDING.write(clause, ["wer" if is_person else "was", (clause.verb, clause.verb + 1), clause.front])
        yield from write_draft(clause, question, answer, "definition", 3.1)


RULES = (
    ask_front,
    ask_subject,
    ask_inner_subject,
    ask_name,
    ask_governed,
    ask_agent,
    ask_duration,
    ask_number,
    ask_adjunct,
    ask_tail,
    ask_object,
)
