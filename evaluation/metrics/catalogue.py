"""All metrics that are computed here, by name: what each is computed from and when it is undefined."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evaluation.metrics.overlap import answer_overlap, exact_overlap, fuzzy_overlap
from evaluation.metrics.readability import amstad, flesch, lix
from evaluation.metrics.reference import bleu_4, meteor_without_synonyms, rouge_l
from evaluation.metrics.words import words_of


class Undefined(Exception):
    """The metric has no value for this question; the sentence says why."""


@dataclass(frozen=True)
class Question:
    """A question with what it is held against. `references` are those on the same text; `language` is two letters."""

    stem: str
    text: str
    language: str
    answers: tuple[str, ...] = ()
    references: tuple[str, ...] = ()

    @cached_property
    def words(self) -> list[str]:
        found = words_of(self.stem)
        if not found:
            raise Undefined("The question has no word.")
        return found

    @cached_property
    def reference_words(self) -> list[list[str]]:
        found = [words for words in map(words_of, self.references) if words]
        if not found:
            raise Undefined("There is no reference question on this text.")
        return found

    @cached_property
    def answer_words(self) -> list[str]:
        found = [word for answer in self.answers for word in words_of(answer)]
        if not found:
            raise Undefined("The question has no key and no expected answer.")
        return found


def in_language(question: Question, language: str) -> str:
    if question.language != language:
        raise Undefined("The formula is for another language than that of the text.")
    return question.stem if question.words else ""


COMPUTED: Mapping[str, Callable[[Question], float]] = {
    "BLEU-4": lambda question: bleu_4(question.words, question.reference_words),
    "ROUGE-L": lambda question: rouge_l(question.words, question.reference_words),
    "METEOR without synonyms": lambda question: meteor_without_synonyms(
        question.words, question.reference_words, question.language
    ),
    "exact overlap": lambda question: exact_overlap(question.words, set(words_of(question.text))),
    "fuzzy overlap": lambda question: fuzzy_overlap(question.stem, question.text),
    "answer overlap": lambda question: answer_overlap(question.answer_words, set(question.words)),
    "length": lambda question: float(len(question.words)),
    "LIX": lambda question: lix(question.stem if question.words else ""),
    "Flesch": lambda question: flesch(in_language(question, "en")),
    "Amstad": lambda question: amstad(in_language(question, "de")),
}
