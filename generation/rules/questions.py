"""Open questions by rule: more than are wanted are made, ranked, and drawn by a seed, the better the likelier.

Each question can be answered by a span of one sentence of the text. What asks after another sentence is left out.
"""

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generation.rules import english, german
from generation.rules.antecedents import Reader, addresses_reader
from generation.rules.doubts import doubt_of
from generation.rules.drafts import Draft
from generation.rules.sentences import is_usable, places_of, sentences_of
from generation.rules.tagging import ADJECTIVE, NAME, NONFINITE, NOUN, NUMBER, Sentence, tag_sentence

RULES = {"de": german.make_drafts, "en": english.make_drafts}
QUOTES = re.compile('["“”„»«]+')
BEST_LENGTH = 10  # words of a question
SHORTEST = 3
UNASKED = -9.0
CONTENT = frozenset([NOUN, NAME, NUMBER, ADJECTIVE, NONFINITE])
DRAW = 0.15  # how far chance may go against the rank score
SAME_SENTENCE = 0.6  # what a further question to a sentence is worth less
LEAST_SCORE = 0.7
FEWEST = 5  # up to so many, doubted questions fill a short list
LEAST_DOUBTED = -1.0
RESOLVED = 0.3  # what a question is worth less whose noun stands in the sentence before


@dataclass(frozen=True)
class OpenQuestion:
    """A question and the span of the text that answers it: `text[start:end]` is the answer."""

    question: str
    answer: str
    sentence: str
    start: int
    end: int
    rule: str
    score: float

    def overlaps(self, other: "OpenQuestion") -> bool:
        return self.start < other.end and other.start < self.end


def open_questions(text: str, language: str, n_items: int, seed: int = 1) -> list[OpenQuestion]:
    """So many, no two with a common span or the same words; fewer if the text does not carry so many.

    Where fewer than FEWEST are good, doubted questions follow, the best first. The first n of a longer list are the
    same list.
    """
    ranked = _rank(text, language)
    good = [each for each in ranked if each.score >= LEAST_SCORE]
    chosen = _draw(good, n_items, seed)
    for doubted in ranked[len(good) :]:
        if len(chosen) < min(n_items, FEWEST) and not any(_repeats(doubted, each) for each in chosen):
            chosen.append(doubted)
    return chosen


def _draw(questions: Sequence[OpenQuestion], n_items: int, seed: int) -> list[OpenQuestion]:
    found = [(each.score + DRAW * _chance(seed, each.question), each) for each in questions]
    chosen: list[OpenQuestion] = []
    while found and len(chosen) < n_items:
        _value, best = max(found, key=lambda pair: _value_after(pair, chosen))
        chosen.append(best)
        found = [(value, each) for value, each in found if not _repeats(each, best)]
    return chosen


def _chance(seed: int, question: str) -> float:
    """A number of the Gumbel distribution: with it the largest sums are a draw without replacement."""
    return -math.log(-math.log(random.Random(f"{seed} {question}").uniform(1e-9, 1 - 1e-9)))


def _value_after(pair: tuple[float, OpenQuestion], chosen: Sequence[OpenQuestion]) -> tuple[float, int]:
    value, question = pair
    return value - SAME_SENTENCE * sum(each.sentence == question.sentence for each in chosen), -question.start


def _repeats(one: OpenQuestion, other: OpenQuestion) -> bool:
    return one.overlaps(other) or one.question.lower() == other.question.lower()


def all_questions(text: str, language: str) -> list[OpenQuestion]:
    """Every good question that a rule makes, the best first."""
    return [each for each in _rank(text, language) if each.score >= LEAST_SCORE]


def _rank(text: str, language: str) -> list[OpenQuestion]:
    """Every question that can be asked, the good ones and the doubted ones, the best first."""
    found = _all_questions(text, language) if language in RULES else ()
    best: dict[tuple[str, int], OpenQuestion] = {}
    for each in sorted(found, key=lambda each: (-each.score, each.start, each.question)):
        best.setdefault((each.question, each.start), each)
    return list(best.values())


def _all_questions(text: str, language: str) -> Iterator[OpenQuestion]:
    small = frozenset(word for word in re.findall(r"[^\W\d_]+", text) if word.islower())
    sentences = sentences_of(text, language)
    reader = Reader(language, is_formal=language == "de" and addresses_reader(text))
    end = 0
    for words, places in zip(sentences, places_of(text, sentences), strict=True):
        is_new = not places or "\n" in text[end : places[0]]
        end = places[-1] + 1 if places else end
        if is_new or not is_usable(words, may_name=True):
            reader.forget()
        if is_usable(words, may_name=True):
            sentence = tag_sentence(words, language, small)
            if said := reader.read(sentence):
                named = tag_sentence(said.text, language, small)
                yield from _ask(text, named, said.place_in_text(places), reader, (words, said.name))
            else:
                yield from _ask(text, sentence, places, reader, (words, (0, 0)))


def _ask(
    text: str, sentence: Sentence, places: Sequence[int], reader: Reader, told: tuple[str, tuple[int, int]]
) -> Iterator[OpenQuestion]:
    """`told`: the sentence as it stands in the text, and where the noun stands that it says with a pronoun."""
    words, name = told
    is_formal = reader.is_formal
    for draft in RULES[reader.language](sentence):
        first, last = sentence.tokens[draft.answer[0]].start, sentence.tokens[draft.answer[1] - 1].end
        if (first < name[1] and name[0] < last) or (not is_formal and _addresses_reader(draft)):
            continue  # another sentence answers it, or tells who “Sie” are
        start, end = _span(sentence, draft, places)
        score = score_of(draft, sentence) - RESOLVED * (name != (0, 0))
        if score >= LEAST_DOUBTED and _is_open(draft, sentence, text[start:end]):
            yield OpenQuestion(draft.question, text[start:end], words, start, end, draft.rule, round(score, 4))


def _addresses_reader(draft: Draft) -> bool:
    clause = draft.clause
    return clause.front_kind == "pronoun" and clause.token(clause.front[0]).text == "Sie"


def _span(sentence: Sentence, draft: Draft, places: Sequence[int]) -> tuple[int, int]:
    """Where the answer stands in the text, which may have more white space than the sentence."""
    first, last = sentence.tokens[draft.answer[0]].start, sentence.tokens[draft.answer[1] - 1].end
    n_before = len("".join(sentence.text[:first].split()))
    n_within = len("".join(sentence.text[first:last].split()))
    if len(QUOTES.findall(sentence.text[first:last])) % 2 and (closing := QUOTES.match(sentence.text, last)):
        n_within += len(closing[0])
    return places[n_before], places[n_before + n_within - 1] + 1


def _is_open(draft: Draft, sentence: Sentence, answer: str) -> bool:
    """Whether the question leaves its answer to be found, and the answer is no torn quotation."""
    asked = set(re.findall(r"\w+", draft.question.lower()))
    told = {token.plain for token in sentence.tokens[slice(*draft.answer)] if token.kind in CONTENT}
    return not told <= asked and len(QUOTES.findall(answer)) % 2 == 0


def score_of(draft: Draft, sentence: Sentence) -> float:
    """How far the rule can be trusted; more for names and a middle length, less for what is long-winded or vague."""
    words = draft.question.split()
    asked = {word.strip("?,").lower() for word in words}
    content = {token.plain for token in sentence.tokens if token.kind in CONTENT and token.plain in asked}
    names = {token.plain for token in sentence.tokens if token.kind == NAME and token.plain in asked}
    answer = sentence.tokens[slice(*draft.answer)]
    if len(words) < SHORTEST or not (content or draft.rule == "short-name"):
        return UNASKED
    score = draft.worth + 0.15 * min(len(names), 2) + 0.1 * min(len(content), 5)
    score -= 0.6 * (len(content) < 2 and draft.rule != "definition") + 0.3 * draft.question.count(",")
    score -= abs(len(words) - BEST_LENGTH) / 12 + 0.3 * (len(answer) > 15)
    return round(score - doubt_of(draft), 4)
