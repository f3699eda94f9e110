"""Shared by the rules of all languages: a question in the making, words that cannot be understood without their text,
and the sentences that can be used for an item."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from generation.rules.tagging import (
    ADJECTIVE,
    ADVERB,
    BRACKETED,
    CONJUNCTION,
    NAME,
    NONFINITE,
    NOUN,
    NUMBER,
    OTHER,
    PARTICLE,
    POINTING,
    POSSESSIVE,
    PREPOSITION,
    PRONOUN,
    RELATIVE,
    Sentence,
    Token,
)

Range = tuple[int, int]
Piece = str | Range
FROM_A_NAME = re.compile(
    r"(?:[a-z](?:[ei]ans?|ese|ricans?)|Germans?|Romans?|English|Spanish|British|Irish|Turkish|Polish|Swedish|Danish|French|Dutch|Greek)$"
)
COUNTING = frozenset(["one", "each", "every"])
LONGEST_RELATIVE = 14  # tokens
LONGEST_ANSWER = 40  # tokens
JOINING = frozenset([ADVERB, CONJUNCTION, PARTICLE, OTHER, ADJECTIVE])
SAYING_SOMETHING = frozenset([NOUN, NAME, NUMBER, NONFINITE, ADJECTIVE])


@cache
def make_word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@dataclass(frozen=True)
class Clause:
    """The main clause of a statement: its first constituent `front`, the finite verb, and the rest up to `end`.

    `front_kind` is the name of its pattern in FRONTS. `tail` is a subordinate clause that follows, `subject` the
    subject before the verb; either may be empty. All positions are numbers of tokens.
    """

    sentence: Sentence
    front: Range
    front_kind: str
    verb: int
    end: int
    tail: Range
    subject: Range = (0, 0)

    @property
    def rest(self) -> Range:
        return self.verb + 1, self.end

    @property
    def has_tail(self) -> bool:
        return self.tail[0] < self.tail[1]

    def token(self, place: int) -> Token:
        return self.sentence.tokens[place]

    def tokens(self, of: Range) -> tuple[Token, ...]:
        return self.sentence.tokens[of[0] : of[1]]

    def kinds(self, of: Range) -> str:
        return self.sentence.kinds[of[0] : of[1]]

    def matches(self, pattern: re.Pattern[str], of: Range) -> Iterator[Range]:
        """Every place in the range where the kinds match, as a range of tokens."""
        for place in range(*of):
            if found := pattern.match(self.sentence.kinds, place, of[1]):
                yield found.span()


@dataclass(frozen=True)
class Draft:
    """A question with the tokens of its sentence that answer it. `worth`: how reliable the rule is."""

    question: str
    answer: Range
    rule: str
    worth: float
    clause: Clause


@dataclass(frozen=True)
class Wording:
    """How a language writes a question, and which words refer to something outside it: `pointing` ones, except the
    `harmless`. `connectives` and `asides` (“of course”) are omitted. `small_nouns`: nouns have no capital letter."""

    pointing: re.Pattern[str]
    connectives: frozenset[str]
    harmless: frozenset[str]
    asides: re.Pattern[str]
    small_nouns: bool = False

    def write(self, clause: Clause, pieces: Sequence[Piece], *, may_bind: bool = True) -> str:
        """The question; empty if a word refers to something that the question does not name.

        `may_bind`: a possessive may belong to a noun that is before it in the question.
        """
        parts, has_noun = [], False
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            start, end = piece
            tokens = clause.tokens(piece)
            for token in tokens:
                if self.points(token, can_be_bound=has_noun and may_bind):
                    return ""
                has_noun = has_noun or token.kind in (NOUN, NAME)
            parts += [self._lower_first(clause, each) for each in self._without_connectives(clause, start, end)]
        words = self.asides.sub("", " ".join(part for part in parts if part))
        words = re.sub(r"\s+([,.;:]|n['’]t\b)", r"\1", words).rstrip(" ,;:–—-")
        return f"{words[:1].upper()}{words[1:]}?" if words else ""

    def write_whole(self, clause: Clause, pieces: Sequence[Piece], *, may_bind: bool = True) -> tuple[str, float]:
        """The question with the relative clause at the end, if there is one and it can be asked; and the penalty for
        omitting it."""
        if not (clause.has_tail and RELATIVE in clause.kinds(clause.tail)[:2]):
            return self.write(clause, pieces, may_bind=may_bind), 0.0
        next_clause = re.search("(?<=[FV]),(?=[^,;SW]{1,12}F)", clause.kinds(clause.tail))
        tail = (clause.tail[0], clause.tail[0] + next_clause.start() if next_clause else clause.tail[1])
        if tail[1] - tail[0] <= LONGEST_RELATIVE:
            comma = [","] if clause.tail[0] > clause.end else []
            if question := self.write(clause, [*pieces, *comma, tail], may_bind=may_bind):
                return question, 0.0
        return self.write(clause, pieces, may_bind=may_bind), 0.9

    def _lower_first(self, clause: Clause, of: Range) -> str:
        """The words as written within a sentence: the first one in lower case unless it is a name, or a German noun."""
        words = clause.sentence.words(*of)
        if of[0] or of[0] == of[1]:
            return words
        first = clause.token(0)
        after = clause.token(1).text if of[1] > 1 else ""
        is_title = self.small_nouns and after[:1].isupper() and first.kind in (NOUN, NAME, ADJECTIVE, NUMBER)
        is_noun = is_title or first.kind == NAME or (first.kind == NOUN and not self.small_nouns)
        is_noun = is_noun or bool(FROM_A_NAME.search(first.text))
        keeps = is_noun or first.text in ("I", "Sie") or first.text[1:] != first.text[1:].lower()
        return words if keeps else words[:1].lower() + words[1:]

    def _without_connectives(self, clause: Clause, start: int, end: int) -> Iterator[Range]:
        """The parts of the range between connectives, which join a sentence to the one before it."""
        begin = start
        for place in range(start, end):
            if self._joins(clause, place):
                yield begin, place
                begin = place + 1
        yield begin, end

    def _joins(self, clause: Clause, place: int) -> bool:
        token = clause.token(place)
        is_degree = token.plain == "so" and clause.kinds((place + 1, place + 2)) in (ADVERB, ADJECTIVE)
        return token.plain in self.connectives and token.kind in JOINING and not is_degree

    def points(self, token: Token, *, can_be_bound: bool) -> bool:
        """Whether the word refers to something outside its phrase."""
        if token.kind == POSSESSIVE:
            return (
                not can_be_bound and token.plain not in self.harmless and not (token.start and token.text[0].isupper())
            )
        if token.kind in (PRONOUN, POINTING):
            return token.text not in self.harmless and token.plain not in self.harmless
        if token.kind == PREPOSITION:
            return False  # “such as”
        is_counted = token.kind == NUMBER or token.plain in ("each", "every")
        return not (is_counted and token.plain in COUNTING) and bool(self.pointing.fullmatch(token.plain))


def write_draft(clause: Clause, question: str, answer: Range, rule: str, worth: float) -> Iterator[Draft]:
    """The question, if it could be written and its answer is informative and not too long."""
    while answer[1] - answer[0] > 1 and clause.token(answer[1] - 1).kind == BRACKETED:
        answer = (answer[0], answer[1] - 1)
    says = any(token.kind in SAYING_SOMETHING or token.tag == "ADJ(D)" for token in clause.tokens(answer))
    if question and says and answer[1] - answer[0] <= LONGEST_ANSWER:
        yield Draft(question, answer, rule, round(worth, 2), clause)


def ask_clauses(
    clauses: Iterable[Clause | None],
    find_second: Callable[[Clause], Clause | None],
    rules: Sequence[Callable[[Clause], Iterator[Draft]]],
) -> Iterator[Draft]:
    """Every question that a rule makes of the clauses, and of those that share a subject with one of them."""
    for clause in clauses:
        for each in (clause, clause and find_second(clause)):
            if each:
                for rule in rules:
                    yield from rule(each)


# Which sentences of a text can be used for an item, and where they are.


QUOTES = re.compile(r"[\"“”„»«‚‘]")
QUOTED_NAME = re.compile(r"(?<![:.] )(?<!^)[\"“„»‚‘]([^\W_][^\"“”„»«.!?]{0,38}[^\W_])[\"”“«‘’](?![^\W_])")
DOUBLED_QUOTE = re.compile(r"([\"“”„»«])\1+")
YEAR_FIRST = re.compile(r"(?:1\d|20)\d\d ")
NUMBER_FIRST = re.compile(r"\d{2,}(?:[.,]\d+)* [^\W_]")
SHORTEST_ASKED = 4
LONGEST_ASKED = 60
SHORTEST, LONGEST = 6, 40  # words of a sentence that can be asked about
MOST_CHARACTERS = 600


def map_places(text: str, sentences: list[str]) -> list[list[int]]:
    """For each sentence, the positions of its visible characters in the text."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found, begin = [], 0
    for sentence in sentences:
        end = begin + len("".join(sentence.split()))
        found.append(places[begin:end])
        begin = end
    return found


def is_usable(sentence: str, *, may_name: bool = False) -> bool:
    """Whether it is a complete statement without quotation, of a usable length.

    `may_name`: allow a few words in quotation marks, such as a title.
    """
    if may_name:
        sentence = QUOTED_NAME.sub(r"\1", DOUBLED_QUOTE.sub(r"\1", sentence)).strip('"“„»”«')
    if len(sentence) > MOST_CHARACTERS or not sentence.endswith((".", "!")):
        return False
    if not sentence or QUOTES.search(sentence) or "___" in sentence:
        return False
    is_begun = sentence[0].isupper() or bool((NUMBER_FIRST if may_name else YEAR_FIRST).match(sentence))
    shortest, longest = (SHORTEST_ASKED, LONGEST_ASKED) if may_name else (SHORTEST, LONGEST)
    return is_begun and shortest <= len(sentence.split()) <= longest
