"""The nouns of a phrase: which one is its head, whether it means a person, and what can be omitted."""

import re
from dataclasses import dataclass

from generation.rules.drafts import Clause, Piece, Range, make_word_set
from generation.rules.tagging import ADJECTIVE, DETERMINER, GENITIVE, NAME, NOUN, OF

SAYING_IN_GERMAN = make_word_set(
    "sagen erklären meinen behaupten berichten betonen hinzufügen mitteilen ankündigen schreiben glauben "
    "denken vermuten wissen"
)
SHARES = make_word_set(
    "thousands hundreds dozens tausende hunderte dutzende percent majority half third quarter prozent mehrheit hälfte "
    "drittel viertel teil"
)
SAYING_THINGS = re.compile(
    r"\w*(?:studien?|untersuchung|umfrage|forschung|theorie|berichte?|gesetz|study|studies|report|survey|theory|research|law)"
    r"(?:en|s)?"
)
WITH_POSSESSIVE = re.compile(r"R?PH(?:[RA]|(?<=A)KA)*[NE]+(?![dGxNE])")


def without_possessives(clause: Clause, of: Range) -> list[Piece]:
    """The range without phrases such as “in its garden”, which depend on the subject that is asked for."""
    pieces: list[Piece] = []
    begin = of[0]
    for start, end in clause.matches(WITH_POSSESSIVE, of):
        if start >= begin and clause.sentence.tokens[min(end, len(clause.sentence.tokens) - 1)].plain not in (
            "of",
            "von",
        ):
            pieces.append((begin, start))
            begin = end
    return [*pieces, (begin, of[1])]


def ends_in_name(clause: Clause, of: Range) -> bool:
    words = find_first_nouns(clause, of)
    return bool(words) and any(token.plain == words[-1] and token.kind == NAME for token in clause.tokens(of))


def says_without_that(clause: Clause) -> bool:
    """Whether a German clause reports speech without “dass”: “… sagte, die Brücke sei alt”."""
    is_saying = clause.token(clause.verb).lemma in SAYING_IN_GERMAN
    is_saying |= bool(re.search("(?:gab|gaben|gibt|geben) .*an$", clause.sentence.source(clause.verb, clause.end)))
    is_whole = clause.tail[1] >= len(clause.sentence.tokens) - 1
    return bool(is_saying and is_whole and re.match("[^,;SWKFV]+F", clause.kinds(clause.tail)))


def find_head(clause: Clause, of: Range) -> str:
    """The first noun of a phrase, at the end of its compound or name."""
    return (find_first_nouns(clause, of) or [""])[-1]


def find_first_nouns(clause: Clause, of: Range) -> list[str]:
    """The nouns and names around the first one of the phrase: “researcher Lena Vogt”."""
    found: list[str] = []
    for token in clause.tokens(of):
        if token.kind in (NOUN, NAME):
            found.append(token.plain)
        elif token.kind == GENITIVE:
            found = []  # “the hostel's guests” are guests
        elif found:
            break
    return found


def find_nouns(clause: Clause, of: Range) -> list[str]:
    return [token.plain for token in clause.tokens(of) if token.kind in (NOUN, NAME)]


@dataclass(frozen=True)
class Vocabulary:
    """The words by which a language shows that a phrase means a person, and its words for who and what."""

    who: str
    what: str
    either: str
    persons: re.Pattern[str]
    titles: frozenset[str]
    saying: frozenset[str]
    human: frozenset[str]
    ages: tuple[str, ...]
    maybe: re.Pattern[str] | None = None

    def is_person(self, clause: Clause, of: Range) -> bool:
        """Whether the phrase means a person, by its noun or the noun before a name: “the researcher Lena Vogt”."""
        words = find_first_nouns(clause, of)
        heads = words if ends_in_name(clause, of) else words[-1:]
        return any(self.persons.fullmatch(word.rpartition("-")[2]) for word in heads)

    def ask_who_or_what(self, clause: Clause, of: Range) -> str:
        """“Who” for persons, “what” for things, “who or what” if a name does not show which it is."""
        comma = clause.kinds(of).find(",")
        tokens = clause.tokens((of[0], of[0] + comma) if comma > 0 else of)
        owned = find_first_nouns(clause, of) if GENITIVE in clause.kinds(of) else []  # “the Parisians' manners”
        first = next((token for token in tokens if token.kind in (NOUN, NAME)), tokens[0])
        if self.is_person(clause, of) or any(
            token.plain.endswith(self.ages) and token.text[0].isdigit() for token in tokens
        ):
            return self.who
        is_saying = clause.token(clause.verb).lemma in self.saying and not SAYING_THINGS.fullmatch(
            find_head(clause, of)
        )
        if {tokens[0].plain, tokens[-1].plain} & self.titles or is_saying:
            return self.who
        if first.plain in SHARES and self._names_person(find_nouns(clause, of)[1:2]):
            return self.who  # “29 percent of those asked”
        if first.kind == NAME and (self._acts_as_person(clause) or self._names_person(owned or find_nouns(clause, of))):
            return self.who
        is_thing = not ends_in_name(clause, of) or any(token.kind in (DETERMINER, OF, ADJECTIVE) for token in tokens)
        may_act = self.maybe and self.maybe.fullmatch(find_head(clause, of)) and self._acts(clause)
        return self.what if is_thing and not may_act else self.either

    def _acts_as_person(self, clause: Clause) -> bool:
        """Whether only a person can do what the verb says: “Vogt was born …”."""
        tokens = clause.tokens((clause.verb, max(clause.end, clause.verb + 1)))
        return any({token.lemma, token.plain} & self.human for token in (*tokens[:3], tokens[-1]))

    def _acts(self, clause: Clause) -> bool:
        """Whether the verb is neither passive nor “is”."""
        return clause.token(clause.verb).lemma not in ("sein", "werden", "be")

    def _names_person(self, nouns: list[str]) -> bool:
        return any(self.persons.fullmatch(word) for word in nouns)
