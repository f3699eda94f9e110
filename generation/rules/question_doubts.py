"""Reasons to doubt the words of a question: it reveals its answer, fits any text, or needs another sentence."""

import re

from generation.rules.answer_doubts import ASKING_SUBJECT, CLAUSE_RULES, is_vague
from generation.rules.drafts import Draft, word_set
from items.wording import MONTHS

# “March” may also be a verb, “May” and “Mai” begin names.
SURE_MONTHS = [name for name in (*MONTHS["en"], *MONTHS["de"]) if name not in ("March", "May", "Mai")]
TOLD_TIME = re.compile(
    r"\b(?:in|im Jahr|im Jahre|since|seit|during) (?:1\d|20)\d\d\b|\d+(?:st|nd|rd|th)(?!\w)|"
    rf"\b(?:{'|'.join(SURE_MONTHS)}|March (?=\d))\b|\d+\. Jahrhundert|"
    r"\b(?:next|last) (?:week|month|year)\b|(?:letzte|nächste)n? \w+"
)
HELPING = word_set(
    "is was are were can could may might will would must should has have had does did do ist war sind waren kann "
    "können konnte konnten muss müssen wird werden wurde wurden hat haben hatte soll sollte darf"
)
KNOWN = re.compile(
    r"\b(?:[Tt]he (?:city|country|town|area|region|place|building|game|film|movie|show|book|company|"
    r"group|team|study|report)|"
    r"(?:das (?:Land|Gebiet|Gebäude|Spiel|Buch|Unternehmen|Team)|die (?:Stadt|Region|Gegend|Gruppe|Firma|Studie)|"
    r"der (?:Ort|Film|Bericht)))(?= [^d\W]|\?)"
)
UNIQUE = word_set("sun moon earth world sky universe sonne mond erde welt himmel universum")
HAVING = word_set("have haben")
LEFT_OVER = word_set("about of with from to for at than like into and or")


def tears_a_quotation(draft: Draft) -> bool:
    return bool(re.search(r"’(?!\w)", draft.question)) and "‘" not in draft.question


def leaves_words_behind(draft: Draft) -> bool:
    """“a stake about in front of the fence”, or three words of the answer that also occur in the question."""
    words = draft.clause.sentence.source(*draft.answer).lower().split()
    asked = draft.question.lower()
    is_repeated = any(" ".join(words[place : place + 3]) in asked for place in range(len(words) - 2))
    return (is_repeated and draft.rule != "number") or bool(re.search(r"\babout (?:in|on|at|of|to)\b", asked))


def asks_about_the_known(draft: Draft) -> bool:
    """“What does the find grant?”: only an earlier sentence says which find. No doubt if the question has a name."""
    if draft.rule not in ASKING_SUBJECT and KNOWN.search(draft.question):
        return True
    clause = draft.clause
    start, end = clause.subject if clause.subject != (0, 0) else clause.front
    if clause.front_kind in ("prepositional", "year") and clause.subject == (0, 0):
        start, end = clause.verb + 1, clause.verb + 3
    articles = ("the", "der", "die", "das", "a", "an", "ein", "eine")
    is_bare = re.fullmatch("[Dd]N", clause.kinds((start, end))) and clause.token(start).plain in articles
    is_named = any(token.kind in "EC" and token.text in draft.question for token in clause.sentence.tokens)
    is_asked = start >= draft.answer[0] and end <= draft.answer[1]
    is_general = clause.token(start).plain not in articles[:4] and draft.rule == "definition"
    return (
        bool(is_bare)
        and not is_named
        and not is_asked
        and not is_general
        and clause.token(start + 1).plain not in UNIQUE
    )


def asks_what_for_twice(draft: Draft) -> bool:
    """“Why must you survey the scene to ensure your safety?”"""
    return draft.rule == "purpose" and "TV" in draft.clause.kinds(draft.clause.rest)


def says_little(draft: Draft) -> bool:
    """“What is strong?”: it could be asked of any text."""
    words = draft.question.split()
    is_equation = len(words) > 1 and words[1] in HELPING
    return (
        len(words) <= 3 + is_equation
        and not re.search(r"\d", draft.question)
        and not re.search("[A-ZÄÖÜ]", draft.question[1:])
    )


def ends_in_a_preposition(draft: Draft) -> bool:
    """“Who refused to say about?”"""
    last = draft.question.rstrip("?").split()[-1]
    return draft.rule not in ("governed", "agent", "name", "short-name", "topic") and last in LEFT_OVER


def tells_when_it_asks_when(draft: Draft) -> bool:
    """“When was the club founded in May 2004?” names the time that it asks for."""
    if not re.match("When|Wann", draft.question):
        return False
    gives_time = TOLD_TIME.search(draft.question) or re.search(r"\b(?:1\d|20)\d\d\b", draft.question)
    return draft.rule in CLAUSE_RULES and bool(gives_time)


def tells_half_of_when(draft: Draft) -> bool:
    """“When was the club founded in 2004? On 3 May”: the question already gives a part of the time."""
    gives_time = TOLD_TIME.search(draft.question) or re.search(r"Zeitrechnung|\bChr\b|\bB\.?C", draft.question)
    return bool(re.match("When|Wann", draft.question) and gives_time)


def asks_about_another(draft: Draft) -> bool:
    """“What was another difference?”: the sentence before has named the first one."""
    counted = r"|other|andere\w" if draft.rule == "number" else ""
    return bool(
        re.search(
            rf"\b(?:another|eine?\w? (?:andere|weitere|zweite)\w?|do(?:es|ing)? so|(?:the|de[rmn]) rest(?! of| de?r?s?)"
            rf"|in other \w+{counted})\b",
            draft.question,
            re.I,
        )
    )


def asks_where_in_vague(draft: Draft) -> bool:
    """“In some countries”"""
    return bool(re.match("Where|Wo ", draft.question)) and is_vague(draft)


def asks_you_in_general(draft: Draft) -> bool:
    """“What may you hear?”: nearly anything would be an answer."""
    return asks_in_general(draft) and bool(re.search(r"\b(?:you|each|everyone|Sie|man|jede\w?)\b", draft.question))


def asks_in_general(draft: Draft) -> bool:
    is_short = len(draft.question.split()) <= 5
    return draft.rule == "object" and is_short and not re.search("[A-Z0-9]", draft.question[1:].replace("Sie", ""))


def repeats_words(draft: Draft) -> bool:
    """It repeats three words, or has half of a pair such as “both … and”."""
    words = draft.question.lower().rstrip("?").split()
    triples = list(zip(words, words[1:], words[2:], strict=False))
    return len(set(triples)) < len(triples) or _has_half_a_pair(words)


def _has_half_a_pair(words: list[str]) -> bool:
    joined = " ".join(words)
    return ("sowohl" in words and "als auch" not in joined) or words[-1:] == ["both"]


def has_open_list(draft: Draft) -> bool:
    """“… as lions, leopards”: a list without its last member, or an apposition cut from what it explains."""
    last = draft.question.rpartition(",")[2]
    is_short = draft.question.count(",") % 2 == 1 and len(last.split()) <= 3
    return is_short and not re.search(r"\b(?:and|or|und|oder)\b", draft.question)


def asks_what_it_has(draft: Draft) -> bool:
    """“What does the city have?”: nearly anything would be an answer."""
    has_it = draft.clause.token(draft.clause.verb).lemma in HAVING and "V" not in draft.clause.kinds(draft.clause.rest)
    return draft.rule == "object" and has_it


def compares_with_nothing(draft: Draft) -> bool:
    """“What has the same goal?”: the same as what?"""
    return bool(re.search(r"\bsame\b(?!.* as\b)|\bgleichen?\b(?!.* wie\b)", draft.question))


def is_negated(draft: Draft) -> bool:
    return bool(re.search(r"\b(?:not|never|cannot|no|nicht|nie|niemals)\b|n['’]t\b", draft.question))


def denies_what_it_asks(draft: Draft) -> bool:
    """“What has the sun not?” has more than one answer."""
    answer = draft.clause.token(draft.answer[0]).plain
    is_denied = is_negated(draft) or answer in ("no", "kein", "keine", "keinen")
    asks_where = draft.rule in ("adjunct", "front") and not re.search(
        r"\b(?:not|never|nicht|nie)\b|n['’]t", draft.question
    )
    return is_denied and not asks_where and draft.rule in ("object", "governed", "adjunct", "front", "number")
