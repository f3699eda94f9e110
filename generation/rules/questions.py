"""Open questions by rule: more than needed are written, ranked, and drawn with a seed, better ones with higher
probability.

Each question is answered by a span of one sentence of the text. Questions that need another sentence are left out.
"""

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from generation.rules import english, english_words, german, german_words
from generation.rules.answer_doubts import ASKING_SUBJECT, YOURS, answers_with_an_unbound_pronoun
from generation.rules.doubts import sum_doubts
from generation.rules.drafts import MOST_CHARACTERS, Draft, is_usable, map_places
from generation.rules.phrases import Vocabulary, find_head
from generation.rules.question_doubts import has_faulty_wording
from generation.rules.references import ResolvedSentence, find_subject_name, refers_back, resolve_pronoun
from generation.rules.tagging import ADJECTIVE, NAME, NONFINITE, NOUN, NUMBER, Sentence, tag_sentence
from generation.rules.topics import (
    CONSEQUENCE,
    EVENT,
    FIRST_TOPIC,
    LAST_TOPIC,
    TOPIC,
    TWO_TOPICS,
    compute_reference_penalty,
    is_mentioned_once,
)
from items.wording import split_sentences

RULES = {"de": german.make_drafts, "en": english.make_drafts}
QUOTES = re.compile('["“”„»«]+')
BEST_LENGTH = 10  # words of a question
SHORTEST = 3
NOT_ASKED = -9.0
CONTENT = frozenset([NOUN, NAME, NUMBER, ADJECTIVE, NONFINITE])
DRAW = 0.15  # how much randomness counts against the rank score
SAME_SENTENCE = 0.6  # penalty for a further question on the same sentence
GOOD_SCORE = 1.5
RESOLVED = 0.5  # penalty for a name in place of a pronoun
LEAST_SCORE = -1.5
LEAST_TOPIC = -2.0  # for a question about a topic, which comes last and only in a short list
FOLLOWING_NAMED, FOLLOWING = 0.7, 1.2  # penalties for a question that may need an earlier sentence
FEWEST = 5  # a list shorter than this is filled with questions about a topic or a time
WHOLE_SENTENCE = frozenset([TOPIC, FIRST_TOPIC, LAST_TOPIC, TWO_TOPICS, EVENT])
PRONOUN_FIRST = re.compile(
    r"\W*(?:(?:but|and|however,|aber|und) )?(?:he|she|it|they|his|her|its|their|this|these|those|such|er|sie|es|"
    r"sein\w*|ihr\w*|dies\w*|solch\w*|das (?:ist|war|hat))\b",
    re.I,
)


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


@dataclass(frozen=True)
class Context:
    """Whether a sentence begins a paragraph, whether the next one begins with a pronoun (`goes_on`), and the sentences
    before and after, in lower case."""

    is_first: bool
    goes_on: bool
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """A sentence, with a name for its pronoun, and the places of its visible characters in the text."""

    sentence: Sentence
    resolved: ResolvedSentence
    places: Sequence[int]
    context: Context


def draw_open_questions(text: str, language: str, n_items: int, seed: int = 1) -> list[OpenQuestion]:
    """The wanted number of questions, without shared spans or equal words; fewer if the text has too few.

    If fewer than FEWEST are good, others follow, the best first, those about another sentence before the rest:
    questions about a topic or a time, and doubtful ones. The first n of a longer list are the same as a list of n.
    """
    ranked = list_all_questions(text, language)
    good = [each for each in ranked if each.score >= GOOD_SCORE]
    chosen = _draw(good, n_items, seed)
    for is_new in (True, False):
        for other in ranked[len(good) :]:
            is_free = not any(_repeats(other, each) or (is_new and other.sentence == each.sentence) for each in chosen)
            if len(chosen) < min(n_items, FEWEST) and is_free:
                chosen.append(other)
    return chosen


def _draw(questions: Sequence[OpenQuestion], n_items: int, seed: int) -> list[OpenQuestion]:
    found = [(each.score + DRAW * _draw_gumbel(seed, each.question), each) for each in questions]
    chosen: list[OpenQuestion] = []
    while found and len(chosen) < n_items:
        _value, best = max(found, key=lambda pair: _rank_after(pair, chosen))
        chosen.append(best)
        found = [(value, each) for value, each in found if not _repeats(each, best)]
    return chosen


def _draw_gumbel(seed: int, question: str) -> float:
    """A random number from the Gumbel distribution: taking the largest sums then draws without replacement."""
    return -math.log(-math.log(random.Random(f"{seed} {question}").uniform(1e-9, 1 - 1e-9)))


def _rank_after(pair: tuple[float, OpenQuestion], chosen: Sequence[OpenQuestion]) -> tuple[float, int]:
    """The drawn value minus penalties for chosen questions on its sentence; of equal ones the first in the text."""
    value, question = pair
    return value - SAME_SENTENCE * sum(each.sentence == question.sentence for each in chosen), -question.start


def _repeats(one: OpenQuestion, other: OpenQuestion) -> bool:
    return one.overlaps(other) or one.question.lower() == other.question.lower()


def list_all_questions(text: str, language: str) -> list[OpenQuestion]:
    """Every question that a rule makes, the best first."""
    found = _iter_all_questions(text, language) if language in RULES else ()
    best: dict[tuple[str, int], OpenQuestion] = {}
    for each in sorted(found, key=lambda each: (-each.score, each.start, each.question)):
        best.setdefault((each.question, each.start), each)
    return list(best.values())


def _iter_all_questions(text: str, language: str) -> Iterator[OpenQuestion]:
    small = frozenset(word for word in re.findall(r"[^\W\d_]+", text) if word.islower())
    sentences = split_sentences(text, language)
    places = map_places(text, sentences)
    name = ""
    for number, words in enumerate(sentences):
        if len(words) > MOST_CHARACTERS:
            name = ""
            continue
        context = _describe_context(text, sentences, places, number)
        resolved = resolve_pronoun(words, "" if context.is_first else name, language)
        sentence = tag_sentence(resolved.text, language, small)
        name = find_subject_name(resolved.text, sentence.kinds, [token.start for token in sentence.tokens])
        if is_usable(words, may_name=True):
            yield from _ask(text, Passage(sentence, resolved, places[number], context), language)


def _describe_context(text: str, sentences: Sequence[str], places: Sequence[Sequence[int]], number: int) -> Context:
    is_first = not number or "\n" in text[places[number - 1][-1] : places[number][0]]
    after = sentences[number + 1] if number + 1 < len(sentences) else ""
    small = [each.lower() for each in sentences]
    return Context(is_first, bool(PRONOUN_FIRST.match(after)), tuple(small[:number]), tuple(small[number + 1 :]))


def _ask(text: str, passage: Passage, language: str) -> Iterator[OpenQuestion]:
    sentence, resolved = passage.sentence, passage.resolved
    for draft in RULES[language](sentence):
        if resolved.name and (draft.rule in WHOLE_SENTENCE or _find_start(draft) < resolved.end):
            continue  # the name is not in the sentence
        question = ask_who_or_what(draft, text, language)
        start, end = _find_span(passage, draft)
        score = _score_in_text(draft, sentence, passage.context) - RESOLVED * bool(resolved.name)
        least = LEAST_TOPIC if draft.rule in WHOLE_SENTENCE else LEAST_SCORE
        if question and score >= least and _is_open(draft, sentence, text[start:end]):
            passage_text = text[passage.places[0] : passage.places[-1] + 1]
            yield OpenQuestion(question, text[start:end], passage_text, start, end, draft.rule, round(score, 4))


def _find_start(draft: Draft) -> int:
    return draft.clause.token(draft.answer[0]).start


def _score_in_text(draft: Draft, sentence: Sentence, context: Context) -> float:
    """The rank score minus penalties from the sentences around."""
    if draft.rule in WHOLE_SENTENCE:
        if has_faulty_wording(draft):
            return NOT_ASKED
        doubts = 0.4 * (draft.rule != EVENT and context.goes_on)
        doubts += 0 if context.is_first else compute_reference_penalty(draft)
        if draft.rule == LAST_TOPIC and (context.goes_on or is_mentioned_once(draft, context.before)):
            return NOT_ASKED
        before = () if draft.rule == LAST_TOPIC else context.before
        others = before if draft.rule == FIRST_TOPIC else (*before, *context.after)
        return draft.worth - doubts if is_mentioned_once(draft, others) else NOT_ASKED
    if draft.rule == CONSEQUENCE:
        is_bound = not answers_with_an_unbound_pronoun(draft)
        return draft.worth - 0.4 * refers_back(sentence, draft.clause.front) if is_bound else NOT_ASKED
    if _has_unclear_sie(draft):
        return NOT_ASKED
    return score_question(draft, sentence) - (0 if context.is_first else _compute_reference_penalty(draft))


def _compute_reference_penalty(draft: Draft) -> float:
    """The penalty for a definite noun in answer or question; smaller if the question has a name."""
    clause, answer = draft.clause, draft.answer
    if refers_back(clause.sentence, (answer[0], answer[0] + 1)):
        return FOLLOWING
    if refers_back(clause.sentence, answer):
        return FOLLOWING_NAMED
    asked = (min(clause.front[0], clause.subject[0] or clause.front[0]), clause.end)
    is_named = any(token.kind in (NAME, NUMBER) and token.text in draft.question for token in clause.tokens(asked))
    return (FOLLOWING_NAMED if is_named else FOLLOWING) * refers_back(clause.sentence, asked)


def _has_unclear_sie(draft: Draft) -> bool:
    """Whether the clause begins with a “Sie” that may mean “they”: no “Ihr” shows that the reader is meant."""
    clause = draft.clause
    is_clear = any(token.text in YOURS for token in clause.sentence.tokens[1:])
    return clause.front_kind == "pronoun" and clause.token(clause.front[0]).text == "Sie" and not is_clear


def _find_span(passage: Passage, draft: Draft) -> tuple[int, int]:
    """The place of the answer in the text, which may have more white space than the sentence."""
    sentence, places = passage.sentence, passage.places
    first, last = _find_start(draft), sentence.tokens[draft.answer[1] - 1].end
    n_before = passage.resolved.original_length(sentence.text[:first])
    n_within = len("".join(sentence.text[first:last].split()))
    if len(QUOTES.findall(sentence.text[first:last])) % 2 and (closing := QUOTES.match(sentence.text, last)):
        n_within += len(closing[0])
    return places[n_before], places[n_before + n_within - 1] + 1


def _is_open(draft: Draft, sentence: Sentence, answer: str) -> bool:
    """Whether the question does not reveal its answer, and the answer is no broken quotation."""
    asked = set(re.findall(r"\w+", draft.question.lower()))
    answer_words = {token.plain for token in sentence.tokens[slice(*draft.answer)] if token.kind in CONTENT}
    is_torn = len(QUOTES.findall(answer)) % 2 or re.match("[^“„]*”", answer)
    return not answer_words <= asked and not is_torn


def score_question(draft: Draft, sentence: Sentence) -> float:
    """The rule's reliability, plus for names and medium length, minus for long-winded or vague questions."""
    words = draft.question.split()
    asked = {word.strip("?,").lower() for word in words}
    content = {token.plain for token in sentence.tokens if token.kind in CONTENT and token.plain in asked}
    names = {token.plain for token in sentence.tokens if token.kind == NAME and token.plain in asked}
    answer = sentence.tokens[slice(*draft.answer)]
    if len(words) < SHORTEST or not (content or draft.rule == "short-name"):
        return NOT_ASKED
    score = draft.worth + 0.15 * min(len(names), 2) + 0.1 * min(len(content), 5)
    score -= 0.6 * (len(content) < 2 and draft.rule != "definition") + 0.3 * draft.question.count(",")
    score -= abs(len(words) - BEST_LENGTH) / 12 + 0.3 * (len(answer) > 15)
    return round(score - sum_doubts(draft), 4)


# Whether a name is a person's, judged by the whole text: “Vogt” is, if the text has “the mayor Lena Vogt”.


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
    is_head = find_head(draft.clause, draft.answer) == last.plain
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
