"""Reasons to doubt a question: its sentence was parsed wrongly, or the question lacks something.

A doubt lowers the rank score. With two or three doubts, or a grave one, the question is not asked at all.
"""

import re
from collections.abc import Callable

from generation.rules.answer_doubts import (
    ASKING_SUBJECT,
    CLAUSE_RULES,
    answer_refers_outside,
    answers_with_a_possessive,
    answers_with_an_unbound_pronoun,
    answers_with_others,
    cuts_a_circumstance,
    cuts_a_phrase,
    differs_in_number,
    ends_before_or,
    ends_in_a_verb_form,
    ends_openly,
    goes_on_in_a_list,
    has_brackets,
    holds_the_next_clause,
    holds_two_phrases,
    is_anaphoric,
    is_half_of_a_verb,
    is_new_to_the_reader,
    is_oblique,
    is_short_clause,
    is_vague,
    joins_clauses,
    joins_phrases,
    leaves_out_a_hedge,
    may_join_phrases,
    names_nobody,
    starts_with_adverb,
)
from generation.rules.drafts import Draft, make_word_set
from generation.rules.phrases import says_without_that
from generation.rules.question_doubts import (
    asks_about_another,
    asks_about_the_known,
    asks_in_general,
    asks_what_for_twice,
    asks_what_it_has,
    asks_where_in_vague,
    asks_you_in_general,
    compares_with_nothing,
    denies_what_it_asks,
    ends_in_a_preposition,
    has_faulty_wording,
    has_open_list,
    is_negated,
    leaves_words_behind,
    repeats_words,
    says_little,
    tears_a_quotation,
    tells_half_of_when,
    tells_when_it_asks_when,
)
from generation.rules.tagging import OTHER

GRAVE, CLEAR, SLIGHT = 9.0, 0.7, 0.3
LONG_SENTENCE = 25  # tokens
GOES_ON_WELL = re.compile(r"[;SF]|,?P?W|,[SFVY]|,?K(?:R*V|[^,;SW]{0,8}F)|,[^,;SWK]{1,8}F|,?(?:[^,;F]*TV|[^,;F]*Z)|$")
ASKING_MORE = frozenset(["front", "adjunct", "object", "subject", "inner-subject", "number", "governed"])
COMPLEMENT = make_word_set("dass ob whether how what why")
ASKED = frozenset(["PWS", "PWAT"])  # “… prüfen, was …”, “…, welche Wege …”
COMPLEMENT_NOUNS = make_word_set(
    "fact revelation news claim idea belief hope suggestion announcement warning evidence view"
)
TELLING = make_word_set(
    "say claim state argue announce report believe think suggest warn write explain note add show imply mean indicate "
    "reveal find know hope fear confirm agree decide"
)
POINTERS = re.compile(
    r"da(?:r?(?:an|auf|aus|bei|durch|für|gegen|hin|hinter|in|mit|nach|neben|über|unter|von|vor|zu))|"
    r"hier\w*|dort\w*|there|here|thereby"
)
CONDITIONS = make_word_set("where when if unless wenn falls sofern")
LIMITS = make_word_set(
    "only hardly rarely seldom not never nearly almost sometimes nur kaum selten nie nicht fast beinahe manchmal"
)
MAKING = make_word_set("force require allow enable ask tell urge encourage cause persuade want lead")


def sum_doubts(draft: Draft) -> float:
    """The total penalty of the doubts about a question."""
    cost = sum(cost for has_doubt, cost in DOUBTS if has_doubt(draft))
    return round(cost + 0.02 * max(0, len(draft.clause.sentence.tokens) - LONG_SENTENCE), 4)


def is_cut_off(draft: Draft) -> bool:
    """The clause ends where its sentence continues without a new clause: the rest of a list, or an insertion."""
    return _is_cut_off(draft) and not _stays_true(draft)


def resumes_after_its_end(draft: Draft) -> bool:
    """“Die Fluten kamen, die …, | zum Stillstand”."""
    kinds, end = draft.clause.sentence.kinds, draft.clause.end
    return bool(re.match(",P?W[^,;]*[FV],(?![KSFW])[^,;F]*;", kinds[end:]))


def asks_half_a_clause(draft: Draft) -> bool:
    """The question about the subject omits an addition after a comma."""
    return draft.rule in ASKING_SUBJECT and _is_cut_off(draft) and _stays_true(draft)


def may_be_half_an_answer(draft: Draft) -> bool:
    return draft.rule not in ASKING_SUBJECT and _is_cut_off(draft) and _stays_true(draft)


def _is_cut_off(draft: Draft) -> bool:
    kinds, end = draft.clause.sentence.kinds, draft.clause.end
    return not (GOES_ON_WELL.match(kinds, end) or (is_conceded(draft) and kinds[end] == ","))


def _stays_true(draft: Draft) -> bool:
    """Whether the statement is true without what was cut off: an addition after a comma, but not part of a list. A
    question for the subject may also lack what begins with “and” or “to”."""
    kinds, end = draft.clause.sentence.kinds, draft.clause.end
    joints = (",", "K", "T") if draft.rule in ASKING_SUBJECT else (",",)
    return kinds[end : end + 1] in joints and not re.match(",[^,;]*,K|,?K[^,;]*V;", kinds[end:])


def lacks_its_complement(draft: Draft) -> bool:
    """“Man dachte, dass …” asks for more than “Wann dachte man?”."""
    clause = draft.clause
    if not clause.has_tail or draft.answer[1] == clause.tail[1]:
        return False
    tokens = clause.tokens(clause.tail)
    is_complement = tokens[0].plain in COMPLEMENT or tokens[0].tag in ASKED
    is_complement = is_complement or (tokens[0].plain == "wie" and tokens[0].kind == "S")
    is_complement = is_complement or (
        tokens[0].plain == "that"
        and (
            clause.kinds((clause.end - 1, clause.end)) in "FVR"
            or (clause.token(clause.verb).lemma in TELLING and tokens[0].kind == "S")
            or clause.token(clause.end - 1).plain in COMPLEMENT_NOUNS
        )
    )
    is_complement = is_complement or says_without_that(clause)
    has_infinitive = bool(re.search("TV|Z", clause.kinds(clause.tail))) and tokens[0].kind not in "SWK"
    last = next((token.text for token in reversed(tokens) if token.kind not in ";,"), "")
    return (is_complement or has_infinitive) and last.lower() not in re.findall(r"[\w-]+", draft.question.lower())


def has_condition(draft: Draft) -> bool:
    """The question lacks the condition or time under which alone the statement is true."""
    clause = draft.clause
    if clause.front_kind != "clause" or draft.rule == "clause-first":
        return False
    if clause.token(clause.front[0]).plain in ("while", "whereas", "während") and "F" in clause.kinds(clause.front):
        return False  # a contrast; “while visiting the church” is a condition
    last = [token.plain for token in clause.tokens(clause.front) if token.kind != ","][-1]
    return last not in draft.question.lower().split()[-1]


def drops_its_front(draft: Draft) -> bool:
    clause = draft.clause
    first = clause.front[0]
    is_kept = any(token.plain in draft.question.lower() for token in clause.tokens((first, first + 1)))
    return clause.front_kind == "adverb" and clause.front[1] - first > 1 and not is_kept


def drops_a_limit(draft: Draft) -> bool:
    """“Only a few airlines …” and “Sometimes …” asked without that word."""
    asked = draft.question.lower().rstrip("?").split()
    return any(token.plain in LIMITS and token.plain not in asked for token in draft.clause.tokens(draft.clause.front))


def drops_its_purpose(draft: Draft) -> bool:
    """“To reduce the risk, …” asked without that."""
    return draft.clause.front_kind == "purpose" and draft.rule != "purpose"


def drops_a_pointer(draft: Draft) -> bool:
    """“Darüber sollten …” without “darüber” asks something else."""
    words = [token for token in draft.clause.tokens(draft.clause.front) if token.kind == "R"]
    is_dropped = draft.clause.front_kind == "adverb" and draft.rule != "front"
    return is_dropped and any(POINTERS.fullmatch(token.plain) for token in words)


def is_conceded(draft: Draft) -> bool:
    """The statement is a clause after “although” or “because”."""
    start = min(draft.clause.front[0], draft.clause.subject[0])
    return start > 0 and draft.clause.sentence.kinds[start - 1] == "S"


def is_reported(draft: Draft) -> bool:
    """The statement is a clause after “that”, so somebody only says or believes it."""
    start = min(draft.clause.front[0], draft.clause.subject[0] or draft.clause.front[0])
    before = draft.clause.sentence.tokens[start - 1].plain if start else ""
    return before in ("that", "as", "dass")


def has_unknown_words(draft: Draft) -> bool:
    clause = draft.clause
    first = min(clause.front[0], clause.verb)
    return any(token.kind == OTHER or token.tag in ("FM", "UNC", "XY") for token in clause.tokens((first, clause.end)))


def has_quotation(draft: Draft) -> bool:
    return bool(re.search('["“”„»«]', draft.clause.sentence.text))


def lacks_its_participle(draft: Draft) -> bool:
    """“Wann wurde die Bank?”: the tagger did not know the rest of the verb."""
    clause = draft.clause
    verb = clause.token(clause.verb).plain
    if verb in ("wird", "werden"):
        return draft.rule not in CLAUSE_RULES and not re.search("[VFAR]", clause.kinds(clause.rest))
    is_passive = verb in ("wurde", "wurden") and draft.rule in ("front", "adjunct")
    return is_passive and not re.search("[VFA]", clause.kinds(clause.rest))


def answers_with_whom_to_do_what(draft: Draft) -> bool:
    """“Who did the mob force? The king to open the windows”"""
    is_made = draft.clause.token(draft.clause.verb).lemma in MAKING
    return is_made and draft.rule == "object" and "TV" in draft.clause.kinds(draft.answer)


LIST_ENDS = re.compile(",(?:[DdA]*[NEVYA]{1,2},)*[DdA]*[NEVYA]{1,2},?K[DdA]*[NEVYA]{1,2}(?!.{0,3}F)")


def tears_a_list(draft: Draft) -> bool:
    """“What is the striving for fellowship, identity?”"""
    clause = draft.clause
    kinds = clause.sentence.kinds[clause.end :]
    is_torn = kinds[:1] == "K" and re.search("[NE],.*[NE]$", clause.kinds(clause.rest))
    is_cut = LIST_ENDS.match(kinds) and re.search("[NEVY]$", clause.kinds(clause.rest))
    return draft.rule in ASKING_SUBJECT and bool(is_torn or is_cut)


def answers_with_an_unknown(draft: Draft) -> bool:
    """“Wenn sie Dinge versendeten”: who?"""
    second = draft.clause.token(min(draft.answer[0] + 1, draft.answer[1] - 1))
    return draft.rule == "clause-first" and second.text in ("er", "sie", "es", "he", "she", "it", "they")


def tears_a_participle(draft: Draft) -> bool:
    """“a company located | where you live”; “Wozu sind es Methoden?” asks what they are for, not why."""
    kinds, end = draft.clause.sentence.kinds, draft.clause.end
    is_torn = kinds[end - 2 : end] == "NV" and kinds[end : end + 1] == "S" and draft.rule != "that"
    is_equation = draft.question.startswith("Wozu") and draft.clause.token(draft.clause.verb).lemma == "sein"
    return is_torn or (is_equation and "V" not in draft.clause.kinds(draft.clause.rest))


def answers_with_what_is_known(draft: Draft) -> bool:
    """“What is played in clubs? The sport”"""
    return is_anaphoric(draft) and not re.match("Who|Wer", draft.question)


def drops_its_condition(draft: Draft) -> bool:
    """“… is the first stop when you leave a plane” asked without that."""
    clause = draft.clause
    if not clause.has_tail or draft.rule == "clause-last" or draft.answer[1] == clause.tail[1]:
        return False
    first = clause.token(clause.tail[0])
    is_condition = first.kind == "S" and first.plain in CONDITIONS
    last = next((token.plain for token in reversed(clause.tokens(clause.tail)) if token.kind not in ";,"), "")
    return is_condition and last not in draft.question.lower()


def answers_with_one_word(draft: Draft) -> bool:
    """“What can be bought? Products”: a bare noun says little unless the question says much."""
    is_short = draft.answer[1] - draft.answer[0] == 1 and draft.clause.token(draft.answer[0]).kind == "N"
    return is_short and draft.rule in ASKING_SUBJECT | {"object"} and len(draft.question.split()) < 8


def is_stranded(draft: Draft) -> bool:
    """The question of the subject ends where its sentence goes on: “What is equal to?”."""
    last = draft.clause.end - 1
    is_whole = draft.rule in ASKING_SUBJECT
    if is_whole and re.search("[DHQ]R*A+$", draft.clause.kinds(draft.clause.rest)):
        return True  # “boots with a heel and a smooth | , quite narrow, sole”
    return is_whole and draft.clause.sentence.kinds[last] in "PKDTHQ" and draft.clause.token(last).tag != "PTKVZ"


def lacks_its_particle(draft: Draft) -> bool:
    """German “halten …, eine Wache ab”: the verb ends behind what was taken for its clause."""
    rest = draft.clause.sentence.kinds[draft.clause.end :]
    return draft.rule in ASKING_MORE and bool(re.match("[^F;W]*N[^F;W]*X", rest))


DOUBTS: tuple[tuple[Callable[[Draft], bool], float], ...] = (
    (cuts_a_phrase, GRAVE),
    (cuts_a_circumstance, GRAVE),
    (joins_phrases, GRAVE),
    (may_join_phrases, SLIGHT),
    (answer_refers_outside, GRAVE),
    (is_cut_off, GRAVE),
    (resumes_after_its_end, GRAVE),
    (asks_half_a_clause, 1.5),
    (may_be_half_an_answer, 1.8),
    (answers_with_a_possessive, CLEAR),
    (lacks_its_complement, GRAVE),
    (has_condition, GRAVE),
    (drops_its_front, SLIGHT),
    (drops_a_limit, GRAVE),
    (drops_a_pointer, GRAVE),
    (is_conceded, SLIGHT),
    (is_reported, 2.6),
    (has_unknown_words, SLIGHT),
    (has_brackets, SLIGHT),
    (has_quotation, SLIGHT),
    (lacks_its_participle, GRAVE),
    (is_vague, GRAVE),
    (names_nobody, GRAVE),
    (is_new_to_the_reader, 2.0),
    (holds_two_phrases, GRAVE),
    (holds_the_next_clause, GRAVE),
    (goes_on_in_a_list, GRAVE),
    (differs_in_number, 2.0),
    (ends_before_or, GRAVE),
    (tears_a_participle, GRAVE),
    (is_half_of_a_verb, GRAVE),
    (asks_about_the_known, 0.5),
    (says_little, 3.0),
    (ends_openly, GRAVE),
    (leaves_out_a_hedge, 1.8),
    (drops_its_purpose, CLEAR),
    (answers_with_others, GRAVE),
    (ends_in_a_preposition, GRAVE),
    (tells_when_it_asks_when, GRAVE),
    (tells_half_of_when, 2.8),
    (joins_clauses, GRAVE),
    (ends_in_a_verb_form, GRAVE),
    (asks_in_general, SLIGHT),
    (asks_you_in_general, 1.3),
    (is_stranded, GRAVE),
    (repeats_words, GRAVE),
    (has_open_list, 3.0),
    (asks_what_it_has, 1.6),
    (drops_its_condition, 2.5),
    (asks_about_another, 2.0),
    (answers_with_one_word, 0.4),
    (asks_where_in_vague, 1.5),
    (starts_with_adverb, SLIGHT),
    (compares_with_nothing, CLEAR),
    (is_oblique, GRAVE),
    (tears_a_quotation, GRAVE),
    (tears_a_list, GRAVE),
    (answers_with_an_unknown, 2.0),
    (leaves_words_behind, GRAVE),
    (asks_what_for_twice, GRAVE),
    (answers_with_whom_to_do_what, GRAVE),
    (answers_with_what_is_known, 0.7),
    (is_anaphoric, 0.9),
    (lacks_its_particle, GRAVE),
    (is_short_clause, CLEAR),
    (is_negated, SLIGHT),
    (denies_what_it_asks, GRAVE),
    (has_faulty_wording, GRAVE),
    (answers_with_an_unbound_pronoun, GRAVE),
)
