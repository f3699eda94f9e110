"""Words, sentences and syllables; overlap of a question with its text and answer; readability."""

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from evaluation.baselines import measure_similarity, normalize

WORD = re.compile(r"\w+(?:['’-]\w+)*")
SENTENCE = re.compile(r"[^.!?…]+")
VOWELS = {"en": "aeiouy", "de": "aeiouyäöü"}
DIPHTHONGS = {"ai", "au", "ei", "eu", "ie", "äu", "ey", "ay", "aa", "ee", "oo"}  # one syllable each, in German


def split_words(text: str) -> list[str]:
    """Words in lower case, without punctuation; a hyphen or apostrophe within a word belongs to it."""
    return [word.lower() for word in WORD.findall(text)]


def count_sentences(text: str) -> int:
    """Stretches with words between full stops, question marks, exclamation marks and dots; at least 1."""
    return max(1, sum(bool(WORD.search(stretch)) for stretch in SENTENCE.findall(text)))


def count_syllables(word: str, language: str) -> int:
    """Syllables by rule, at least 1: groups of vowels in English, less a silent e at the end; in German every vowel
    but the second of a diphthong."""
    word, vowels = word.lower(), VOWELS[language]
    if language == "de":
        n = sum(letter in vowels for letter in word)
        return max(1, n - count_diphthongs(word))
    n = len(re.findall(f"[{vowels}]+", word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and n > 1
    return max(1, n - silent)


def count_diphthongs(word: str) -> int:
    """Without overlap: `eie` in `freie` holds one."""
    n, is_taken = 0, False
    for pair in pairwise(word):
        is_taken = not is_taken and "".join(pair) in DIPHTHONGS
        n += is_taken
    return n


def exact_overlap(words: Sequence[str], text: Collection[str]) -> float:
    """The share of the question's words that occur in the text, in [0, 1]; each word as often as it stands there."""
    return sum(word in text for word in words) / len(words)


def fuzzy_overlap(question: str, text: str) -> float:
    """1 − normalised edit distance of the question to its nearest substring of the text, in [0, 1]."""
    return measure_similarity(normalize(question), normalize(text))


def answer_overlap(answer: Sequence[str], question: Collection[str]) -> float:
    """The share of the answer's words that occur in the question: what it gives away, in [0, 1]."""
    return sum(word in question for word in answer) / len(answer)


LONG = 6  # letters; a longer word is a long one


def lix(text: str) -> float:
    """LIX (Björnsson 1968): words a sentence + percentage of words of more than six letters; higher is harder."""
    words = split_words(text)
    return len(words) / count_sentences(text) + 100 * sum(len(word) > LONG for word in words) / len(words)


def flesch(text: str) -> float:
    """Flesch Reading Ease (1948), English: 206.835 − 1.015 · words a sentence − 84.6 · syllables a word."""
    words, syllables = _mean_lengths(text, "en")
    return 206.835 - 1.015 * words - 84.6 * syllables


def amstad(text: str) -> float:
    """The Flesch formula for German (Amstad 1978): 180 − words a sentence − 58.5 · syllables a word."""
    words, syllables = _mean_lengths(text, "de")
    return 180 - words - 58.5 * syllables


def _mean_lengths(text: str, language: str) -> tuple[float, float]:
    words: Sequence[str] = split_words(text)
    return len(words) / count_sentences(text), sum(count_syllables(word, language) for word in words) / len(words)
