"""What metrics are computed from: words, sentences and syllables."""

import re
from itertools import pairwise

WORD = re.compile(r"\w+(?:['’-]\w+)*")
SENTENCE = re.compile(r"[^.!?…]+")
VOWELS = {"en": "aeiouy", "de": "aeiouyäöü"}
DIPHTHONGS = {"ai", "au", "ei", "eu", "ie", "äu", "ey", "ay", "aa", "ee", "oo"}  # one syllable each, in German


def words_of(text: str) -> list[str]:
    """Words in lower case, without punctuation; a hyphen or apostrophe within a word belongs to it."""
    return [word.lower() for word in WORD.findall(text)]


def n_sentences(text: str) -> int:
    """Stretches with words between full stops, question marks, exclamation marks and dots; at least 1."""
    return max(1, sum(bool(WORD.search(stretch)) for stretch in SENTENCE.findall(text)))


def n_syllables(word: str, language: str) -> int:
    """Syllables by rule, at least 1: groups of vowels in English, less a silent e at the end; in German every vowel
    but the second of a diphthong."""
    word, vowels = word.lower(), VOWELS[language]
    if language == "de":
        n = sum(letter in vowels for letter in word)
        return max(1, n - n_diphthongs(word))
    n = len(re.findall(f"[{vowels}]+", word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and n > 1
    return max(1, n - silent)


def n_diphthongs(word: str) -> int:
    """Without overlap: `eie` in `freie` holds one."""
    n, is_taken = 0, False
    for pair in pairwise(word):
        is_taken = not is_taken and "".join(pair) in DIPHTHONGS
        n += is_taken
    return n
