"""Sentences about “he”, “she” or “er” with the name that the sentence before has: “He sold it” as “Vogt sold it”."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from generation.rules.tagging import NAME

PRONOUN = re.compile(
    r"^([\"“”]*(?:[A-Z][^,;:]{0,60}, |"
    r"(?:In|On|At|During|After|Before|Since|By|Despite) [^,;:]{1,40} )?)(He|She|he|she)(?= [a-z])"
)
GERMAN_PRONOUN = re.compile(r"^([\"“”„]*(?:(?!Er |Sie |Es )[A-ZÄÖÜ][^,;:]{1,60} )?)([Ee]r)(?= [a-zäöü])")
OTHER_PERSON = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Hh]im|[Hh]er|[Hh]is|[Tt]hey|sein\w*|ihr\w*|ihn|sich|dies\w*|wie|dass|wenn|als)\b"
)
SUBJECT = re.compile(rf"(?:R,?|P[DHQ]*[CAN{NAME}]+,?)?(?:[D]?A*N)?({NAME}{{1,4}})(?:,[^,;]*,)?R*(?=F)")
PARTICIPLE_FIRST = re.compile(rf"[VY][^,;F]*,({NAME}{{1,4}})R*(?=F)")


@dataclass(frozen=True)
class ResolvedSentence:
    """A sentence with a name in place of its first pronoun, which is at `place`."""

    text: str
    place: int = 0
    pronoun: str = ""
    name: str = ""

    @property
    def end(self) -> int:
        return self.place + len(self.name)

    def original_length(self, text: str) -> int:
        """How many characters other than white space the beginning of the text has in the original sentence."""
        length = len("".join(text.split()))
        if not self.name or len(text) < self.end:
            return length
        return length - len("".join(self.name.split())) + len(self.pronoun)


def name_of_subject(text: str, kinds: str, starts: Sequence[int]) -> str:
    """The name that is the subject of a sentence, empty if it is no name; `starts` are the places of its words."""
    found = SUBJECT.match(kinds) or PARTICIPLE_FIRST.match(kinds)
    if not found or "K" in kinds[: found.end()]:
        return ""
    first, last = found.span(1)
    return re.sub(r"\s+", " ", text[starts[first] : starts[last]]).strip(" ,")


def resolve(sentence: str, name: str, language: str) -> ResolvedSentence:
    """With the name in place of the pronoun that is the subject; as it is if there is no name or no such pronoun."""
    found = (GERMAN_PRONOUN if language == "de" else PRONOUN).match(sentence)
    if not name or not found or OTHER_PERSON.search(found[1]):
        return ResolvedSentence(sentence)
    place = found.end(1)
    return ResolvedSentence(sentence[:place] + name + sentence[found.end() :], place, found[2], name)
