"""Finding the clauses of a German sentence, and the parts before their verb."""

import re

from generation.rules.drafts import Clause, Piece, Range
from generation.rules.german_words import (
    ADVERBS,
    AFTER_VERB,
    CLAUSE_BEFORE,
    INSERTION,
    LIST_GOES_ON,
    MODALS,
    PREPOSITIONAL,
    SECOND_CLAUSE,
    SHARED_SUBJECT,
    SUBJECT,
    TIMES,
    WORDING,
)
from generation.rules.phrases import head_of, nouns_in
from generation.rules.tagging import ADJECTIVE, POINTING, POSSESSIVE, PRONOUN, Sentence


def find_second_verb(clause: Clause) -> Clause | None:
    """“Die Burg ist alt und steht leer.”: the second verb with the subject of the first."""
    found = re.compile(",?KF").match(clause.sentence.kinds, clause.end)
    if not found or clause.front_kind != "subject":
        return None
    verb = found.end() - 1
    end = end_of(clause.sentence, verb)
    if end is None or end - verb < 2:
        return None
    return Clause(clause.sentence, clause.front, "subject", verb, end, tail_of(clause.sentence, end))


def clause_starts(sentence: Sentence) -> list[int]:
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


def parse(sentence: Sentence, start: int) -> Clause | None:
    """The main clause that begins there; None where its parts cannot be distinguished."""
    kinds = sentence.kinds
    for name, pattern in FRONTS.items():
        found = pattern.match(kinds, start)
        if not found or found.end() >= len(kinds):
            continue
        verb = found.end()
        front = (start, verb)
        if not FITS.get(name, _fits)(sentence, front):
            continue
        end = end_of(sentence, verb)
        if end is None:
            return None
        if end == verb + 1 and kinds[end : end + 2] == "KF" and (second := end_of(sentence, end + 1)):
            verb, end = end + 1, second  # “Menschen bauen und nutzen …”
        tail = tail_of(sentence, end)
        return Clause(sentence, front, name, verb, end, tail) if end - verb > 1 or tail[0] < tail[1] else None
    return None


def parse_whole(sentence: Sentence) -> Clause | None:
    """The sentence as one main clause with all its commas, if every other finite verb is in a subordinate clause."""
    kinds, end = sentence.kinds, len(sentence.kinds.rstrip(";"))
    for name in ("year", "subject", "prepositional", "clause"):
        found = FRONTS[name].match(kinds)
        if not found or not FITS.get(name, _fits)(sentence, (0, found.end())):
            continue
        verb, (first, *others) = found.end(), kinds[found.end() + 1 : end].split(",")
        is_one = not re.search("[FSW;]|VK(?!R*V).*V", first) and all(NO_MAIN_CLAUSE.fullmatch(each) for each in others)
        is_helped = sentence.tokens[verb].lemma not in MODALS or "V" in first or "V" in kinds[end - 1 : end]
        return Clause(sentence, (0, verb), name, verb, end, (end, end)) if is_one and is_helped else None
    return None


NO_MAIN_CLAUSE = re.compile("(?:K?R*P?[SW][^;]*F[^;O]*|[^;FO]*)")


def _fits(_sentence: Sentence, _front: Range) -> bool:
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


def _is_there(sentence: Sentence, front: Range) -> bool:
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
FITS = {"subject": _can_be_subject, "prepositional": _is_prepositional, "pronoun": _is_there}


def end_of(sentence: Sentence, verb: int) -> int | None:
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


def tail_of(sentence: Sentence, end: int) -> Range:
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
    if head_of(clause, of) in ("anfang", "ende", "mitte"):
        return any(TIMES.fullmatch(word) for word in words if word not in ("anfang", "ende", "mitte"))
    return bool(TIMES.fullmatch(head_of(clause, of))) or any(re.fullmatch(r"1\d{3}|20\d\d", word) for word in words)


def has_subject(clause: Clause) -> bool:
    return clause.front_kind in ("subject", "pronoun") or bool(nouns_in(clause, clause.rest))
