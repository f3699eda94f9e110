"""Questions about who or what a name refers to, from an apposition in the sentence."""

import re
from collections.abc import Iterator

from generation.rules.drafts import Clause, Draft, Range, Wording, draft
from generation.rules.phrases import Vocabulary, head_of, nouns_in
from generation.rules.tagging import BRACKETED, Sentence

NAMED_FIRST = re.compile(r"(E{1,4}),((?:D?R?A*N(?:[dPDAHEKN]*[NE])?)),(?=R*F)")
NAMED_WITHIN = re.compile(r"(?<![NEDA,])(E{1,4}),(DR?A*N(?:[PDAEN]*[NE])?)(?=,[^NEKDA]|;)")
TOLD_FIRST = re.compile(r"([Dd]A*N(?:[dPDAEKN]*[NE])?),(E{2,4}),(?=R*F)")
SHORT_NAME = re.compile(r"[A-Z]{2,6}")


def ask_who_it_is(sentence: Sentence, vocabulary: Vocabulary, verb: str, wording: Wording) -> Iterator[Draft]:
    """“Lena Vogt, Leiterin des Museums, sagte …”: Wer ist Lena Vogt? The other way round, too."""
    for pattern in (NAMED_FIRST, TOLD_FIRST, NAMED_WITHIN):
        found = pattern.search(sentence.kinds) if pattern is NAMED_WITHIN else pattern.match(sentence.kinds)
        if not found or (pattern is NAMED_WITHIN and verb == "ist"):
            continue  # German shows by the article that it is no nominative
        named, description = found.span(1), found.span(2)
        clause = Clause(sentence, named, "subject", found.end(), found.end(), (0, 0), named)
        about: Range = named if pattern is TOLD_FIRST else description
        is_person = any(vocabulary.persons.fullmatch(word) for word in _heads(clause, about))
        first_word = sentence.tokens[description[0]].plain
        is_thing = pattern is not TOLD_FIRST and first_word in ("a", "an", "ein", "eine", "the")
        if nouns_in(clause, about) and (is_person or is_thing):
            asked = vocabulary.who if is_person else vocabulary.what
            question = wording.write(clause, [asked, verb, named], may_bind=False)
            yield from draft(clause, question, description, "apposition", 3.0)
            return


def _heads(clause: Clause, of: Range) -> list[str]:
    head = head_of(clause, of)
    return [head, head.rpartition("-")[2]]


def ask_short_name(sentence: Sentence, wording: str) -> Iterator[Draft]:
    """“… by magnetic resonance imaging (MRI)”: What does the abbreviation MRI stand for?"""
    for place, token in enumerate(sentence.tokens[1:-1], 1):
        is_alone = [sentence.tokens[each].text for each in (place - 1, place + 1)] == ["(", ")"]
        if not is_alone or token.kind != BRACKETED or not SHORT_NAME.fullmatch(token.text):
            continue
        if start := _start_of_long_name(sentence, place - 1, token.text):
            clause = Clause(sentence, start, "subject", start[1], len(sentence.kinds.rstrip(";")), (0, 0), start)
            yield from draft(clause, wording.format(token.text), start, "short-name", 3.2)


def _start_of_long_name(sentence: Sentence, end: int, letters: str) -> Range | None:
    """The words before the bracket that begin with its letters; small words such as “of” may have none."""
    place, left = end, letters.lower()
    while place and left:
        place -= 1
        token = sentence.tokens[place]
        if token.plain[0] == left[-1]:
            left = left[:-1]
        elif token.kind not in "PDdKG":
            return None
    return None if left else (place, end)
