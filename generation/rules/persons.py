"""Whether a name is a person's, judged by the whole text: “Vogt” is, if the text has “the mayor Lena Vogt”."""

import re
from dataclasses import dataclass
from functools import cache

from generation.rules import english_words, german_words
from generation.rules.answer_doubts import ASKING_SUBJECT
from generation.rules.drafts import Draft
from generation.rules.phrases import Vocabulary, head_of
from generation.rules.tagging import NAME


@dataclass(frozen=True)
class Signs:
    """Patterns of the words around a name, which is written `{}`, and the endings of names of places."""

    vocabulary: Vocabulary
    person: str
    thing: str
    places: str


SIGNS = {
    "en": Signs(
        english_words.VOCABULARY,
        r"\b{0}(?: \w+)? (?:said|says|added|told|explained|argued|stated|claimed|wrote|believes?|thinks?)\b|"
        r"\b(?:said|added|says) (?:\w+ )?{0}\b|\b{0}, (?:aged )?\d\d,|"
        r"\b{0}\b[^.!?]*\b(?:who|he|she|his|her|him|himself|herself)\b|"
        r"\b{0}\b[^.!?]*[.!?]\W+(?:[^.!?,]+, )?(?:[Hh]e|[Ss]he)\b",
        r"\b(?:in|at|near|into|across|throughout|the) (?:[A-Z]\w+ )?{0}\b|\b{0}\b[^.!?]*\b(?:its|which)\b",
        r"\w{2,}(?:land|lands|stan|burg|town|ville|[aeo]nia)",
    ),
    "de": Signs(
        german_words.VOCABULARY,
        r"\b{0} (?:sagte|erklärte|meinte|schrieb|behauptete|betonte|glaubt|sagt)\b|"
        r"\b(?:sagte|erklärte|so|meinte) (?:\w+ )?{0}\b",
        r"\b(?:in|im|aus|die|das) (?:[A-ZÄÖÜ]\w+ )?{0}\b",
        r"\w{2,}(?:land|ien|stan|burg|stadt|reich)",
    ),
}


def ask_who_or_what(draft: Draft, text: str, language: str) -> str:
    """The question with “who” or “what” as the text shows; empty if both are possible."""
    words = SIGNS[language].vocabulary
    either, what, who = words.either.capitalize(), words.what.capitalize(), words.who.capitalize()
    last = draft.clause.token(draft.answer[1] - 1)
    found = _judge_name(last.text, text, language).capitalize() if last.kind == NAME and last.text[0].isupper() else ""
    if draft.question.startswith(either):
        return draft.question.replace(either, found, 1) if found else ""
    is_head = head_of(draft.clause, draft.answer) == last.plain
    is_person = found == who and is_head and draft.rule in ASKING_SUBJECT and draft.question.startswith(what)
    return draft.question.replace(what, who, 1) if is_person else draft.question


@cache
def _judge_name(name: str, text: str, language: str) -> str:
    signs, quoted = SIGNS[language], re.escape(name)
    before = re.findall(rf"([\w-]+) (?:[A-ZÄÖÜ]\w+ )?{quoted}\b", text)
    is_person = any(signs.vocabulary.persons.fullmatch(word.lower()) for word in before)
    if is_person or re.search(signs.person.format(quoted), text):
        return signs.vocabulary.who
    is_thing = re.fullmatch(signs.places, name) or re.search(signs.thing.format(quoted), text)
    return signs.vocabulary.what if is_thing else ""
