"""All metrics that are computed here, by name: what each is computed from and when it is undefined."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from evaluation.metrics.reference import (
    bleu_4,
    bleu_4_of_words,
    has_wordnet,
    meteor,
    meteor_without_synonyms,
    open_wordnet,
    rouge_l,
    rouge_l_of_words,
)
from evaluation.metrics.words import amstad, answer_overlap, exact_overlap, flesch, fuzzy_overlap, lix, split_words


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
        found = split_words(self.stem)
        if not found:
            raise Undefined("The question contains no words.")
        return found

    @cached_property
    def reference_words(self) -> list[list[str]]:
        found = [words for words in map(split_words, self.references) if words]
        if not found:
            raise Undefined("This text has no reference question.")
        return found

    @cached_property
    def english(self) -> tuple[str, list[str]]:
        """The question and its references as they are written, for measures that are defined in English only."""
        if self.words and self.reference_words and self.language != "en":
            raise Undefined("As published, this measure is for English. Its variant on words is for every language.")
        return self.stem, [each for each in self.references if split_words(each)]

    @cached_property
    def answer_words(self) -> list[str]:
        found = [word for answer in self.answers for word in split_words(answer)]
        if not found:
            raise Undefined("The question has no key and no expected answer.")
        return found


def require_language(question: Question, language: str) -> str:
    if question.language != language:
        raise Undefined("The formula does not apply to the language of the text.")
    return question.stem if question.words else ""


Metric = Callable[[Question], float]
METEOR = "METEOR"  # the only one that needs files that are not always there
COMPUTED: Mapping[str, Metric] = {
    "BLEU-4": lambda question: bleu_4(*question.english),
    "ROUGE-L": lambda question: rouge_l(*question.english),
    "BLEU-4 (words)": lambda question: bleu_4_of_words(question.words, question.reference_words),
    "ROUGE-L (words)": lambda question: rouge_l_of_words(question.words, question.reference_words),
    "METEOR without synonyms": lambda question: meteor_without_synonyms(
        question.words, question.reference_words, question.language
    ),
    "exact overlap": lambda question: exact_overlap(question.words, set(split_words(question.text))),
    "fuzzy overlap": lambda question: fuzzy_overlap(question.stem, question.text),
    "answer overlap": lambda question: answer_overlap(question.answer_words, set(question.words)),
    "length": lambda question: float(len(question.words)),
    "LIX": lambda question: lix(question.stem if question.words else ""),
    "Flesch": lambda question: flesch(require_language(question, "en")),
    "Amstad": lambda question: amstad(require_language(question, "de")),
}


def list_metrics(wordnet: str) -> dict[str, Metric]:
    """All metrics that can be computed where `wordnet` is the folder of WordNet's files, by name."""
    if not has_wordnet(wordnet):
        return dict(COMPUTED)
    return {METEOR: lambda question: meteor(*question.english, open_wordnet(wordnet)), **COMPUTED}
