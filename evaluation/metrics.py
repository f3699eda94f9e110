"""Automatic metrics of questions, by name: words and overlap with the text, and similarity to reference questions."""

import io
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from rapidfuzz.distance import LCSseq

from evaluation.baselines import measure_similarity, normalize

# Words, sentences and syllables; overlap of a question with its text and answer; readability.

WORD = re.compile(r"\w+(?:['’-]\w+)*")
SENTENCE = re.compile(r"[^.!?…]+")
VOWELS = {"en": "aeiouy", "de": "aeiouyäöü"}
DIPHTHONGS = {"ai", "au", "ei", "eu", "ie", "äu", "ey", "ay", "aa", "ee", "oo"}  # one syllable each, in German


def split_words(text: str) -> list[str]:
    """Words in lower case, without punctuation; a hyphen or apostrophe within a word belongs to it."""
    return [word.lower() for word in WORD.findall(text)]


def count_sentences(text: str) -> int:
    """The number of stretches with words between full stops, question marks, exclamation marks and dots; at least 1."""
    return max(1, sum(bool(WORD.search(stretch)) for stretch in SENTENCE.findall(text)))


def count_syllables(word: str, language: str) -> int:
    """Syllables by rule, at least 1: groups of vowels in English, minus a silent final e; in German every vowel except
    the second one of a diphthong."""
    word, vowels = word.lower(), VOWELS[language]
    if language == "de":
        n = sum(letter in vowels for letter in word)
        return max(1, n - count_diphthongs(word))
    n = len(re.findall(f"[{vowels}]+", word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and n > 1
    return max(1, n - silent)


def count_diphthongs(word: str) -> int:
    """The number of diphthongs in a word, which do not overlap: `eie` in `freie` counts as one."""
    n, is_taken = 0, False
    for pair in pairwise(word):
        is_taken = not is_taken and "".join(pair) in DIPHTHONGS
        n += is_taken
    return n


def exact_overlap(words: Sequence[str], text: Collection[str]) -> float:
    """The share of the question's words that occur in the text, in [0, 1]; repeated words of the question all count."""
    return sum(word in text for word in words) / len(words)


def fuzzy_overlap(question: str, text: str) -> float:
    """1 − normalised edit distance of the question to its nearest substring of the text, in [0, 1]."""
    return measure_similarity(normalize(question), normalize(text))


def answer_overlap(answer: Sequence[str], question: Collection[str]) -> float:
    """The share of the answer's words that occur in the question, in [0, 1]: how much the question gives away."""
    return sum(word in question for word in answer) / len(answer)


LONG = 6  # letters; LIX counts words with more


def lix(text: str) -> float:
    """LIX (Björnsson 1968): words per sentence + percentage of words of more than six letters; higher is harder."""
    words = split_words(text)
    return len(words) / count_sentences(text) + 100 * sum(len(word) > LONG for word in words) / len(words)


def flesch(text: str) -> float:
    """Flesch Reading Ease (1948), English: 206.835 − 1.015 · words per sentence − 84.6 · syllables per word."""
    words, syllables = _measure_mean_lengths(text, "en")
    return 206.835 - 1.015 * words - 84.6 * syllables


def amstad(text: str) -> float:
    """The Flesch formula for German (Amstad 1978): 180 − words per sentence − 58.5 · syllables per word."""
    words, syllables = _measure_mean_lengths(text, "de")
    return 180 - words - 58.5 * syllables


def _measure_mean_lengths(text: str, language: str) -> tuple[float, float]:
    words: Sequence[str] = split_words(text)
    return len(words) / count_sentences(text), sum(count_syllables(word, language) for word in words) / len(words)


# Comparing a question with reference questions on the same text; of several references the best one counts.
#
# BLEU-4, ROUGE-L and METEOR take English strings and reproduce the values of QGEval (Fu et al. 2024), before rounding
# to four decimals. Functions of lists of words (`split_words`) work in every language; they are different measures
# with their own names.
#
# NLTK takes two seconds to import, so it is imported in the functions that use it.

STEMMERS = {"de": "german", "en": "english"}
Words = Sequence[str]
GAP = re.compile(r"[^a-z0-9]+")
SHORT = 3  # characters; ROUGE-L stems only longer words


class NoSynonyms:
    """Replaces WordNet as METEOR's source of synonyms: there are none."""

    def synsets(self, word: str) -> list[str]:
        return []


class NoStems:
    """For languages without a stemmer: each word is its own stem."""

    def stem(self, word: str) -> str:
        return word


def split_at_blanks(text: str) -> list[str]:
    """Words between single spaces, with case and punctuation; two spaces enclose an empty word."""
    return text.strip().split(" ")


def bleu_4(question: str, references: Sequence[str]) -> float:
    """BLEU-4 of the words from `split_at_blanks`."""
    return bleu_4_of_words(split_at_blanks(question), [split_at_blanks(each) for each in references])


def rouge_l(question: str, references: Sequence[str]) -> float:
    """ROUGE-L as the package rouge-score computes it with its stemmer: words of a–z and 0–9, stems by Porter (NLTK)."""
    return rouge_l_of_words(_stem_words(question), [_stem_words(each) for each in references])


def meteor(question: str, references: Sequence[str], wordnet: Any) -> float:
    """METEOR (Banerjee & Lavie 2005; NLTK, α .9, β 3, γ .5, stems by Porter) of the words from `split_at_blanks`.

    wordnet: the source of synonyms, see `open_wordnet`.
    """
    from nltk.translate.meteor_score import meteor_score

    words = [split_at_blanks(each) for each in references]
    return float(meteor_score(words, split_at_blanks(question), wordnet=wordnet))


def _stem_words(text: str) -> list[str]:
    return [_find_stem(word) for word in GAP.sub(" ", text.lower()).split()]


@cache
def _load_porter() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def _find_stem(word: str) -> str:
    return str(_load_porter().stem(word)) if len(word) > SHORT else word


def bleu_4_of_words(words: Words, references: Sequence[Words]) -> float:
    """BLEU with n-grams up to 4 (Papineni et al. 2002), in [0, 1], smoothed by adding .1 to precisions of 0 (method 1
    of Chen & Cherry 2014, NLTK's implementation)."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction(epsilon=0.1).method1
    return float(sentence_bleu([list(each) for each in references], list(words), smoothing_function=smoothing))


def rouge_l_of_words(words: Words, references: Sequence[Words]) -> float:
    """F1 of precision and recall of the longest common subsequence of words (Lin 2004), in [0, 1]."""
    return max(_rouge_l(words, reference) for reference in references)


def _rouge_l(words: Words, reference: Words) -> float:
    common = LCSseq.similarity(list(words), list(reference))
    return 2 * common / (len(words) + len(reference)) if common else 0.0


def meteor_without_synonyms(words: Words, references: Sequence[Words], language: str) -> float:
    """METEOR (Banerjee & Lavie 2005; NLTK, α .9, β 3, γ .5) with equal words and equal stems, but no synonyms."""
    from nltk.stem.snowball import SnowballStemmer
    from nltk.translate.meteor_score import single_meteor_score

    name = STEMMERS.get(language)
    stemmer = SnowballStemmer(name) if name else NoStems()
    return max(
        float(single_meteor_score(list(each), list(words), stemmer=stemmer, wordnet=NoSynonyms()))
        for each in references
    )


FILES = tuple(f"{kind}.{part}" for kind in ("data", "index") for part in ("adj", "adv", "noun", "verb"))
LEXNAMES = "lexnames"
N_LEXNAMES = 45


def has_wordnet(folder: str) -> bool:
    """Whether the folder has WordNet's data and index files."""
    return bool(folder) and all((Path(folder) / name).is_file() for name in FILES)


@cache
def open_wordnet(folder: str) -> Any:
    """NLTK's reader of the files; the first call reads them, which takes some seconds."""
    import nltk.data
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Reads a folder without `lexnames`, numbered names of topics that synonyms do not need."""

        def open(self, file: str) -> Any:
            if file == LEXNAMES and not (Path(folder) / LEXNAMES).is_file():
                return io.StringIO("".join(f"{number:02} topic{number} 1\n" for number in range(N_LEXNAMES)))
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Does nothing: maps to other versions are only for other languages."""

    if folder not in nltk.data.path:
        nltk.data.path.append(folder)  # NLTK reads only from folders in this list
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning that there are no other languages
        return Reader(folder, None)


# All metrics that are computed here, by name: their inputs, and when they are undefined.


class Undefined(Exception):
    """The metric has no value for this question; the sentence says why."""


@dataclass(frozen=True)
class Question:
    """A question with its text, answer and references. `references`: on the same text; `language`: two letters."""

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
        """The question and its references in the original wording, for measures defined in English only."""
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
METEOR = "METEOR"  # the only one that needs files that may be missing
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
    """All metrics that can be computed with WordNet's files in the folder `wordnet`, by name."""
    if not has_wordnet(wordnet):
        return dict(COMPUTED)
    return {METEOR: lambda question: meteor(*question.english, open_wordnet(wordnet)), **COMPUTED}
