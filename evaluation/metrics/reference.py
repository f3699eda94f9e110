"""A question against reference questions on the same text; with several the best counts."""

from collections.abc import Sequence

from nltk.stem.snowball import SnowballStemmer
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.meteor_score import single_meteor_score
from rapidfuzz.distance import LCSseq

STEMMERS = {"de": "german", "en": "english"}
Words = Sequence[str]


class NoSynonyms:
    """Stands for WordNet, which METEOR would ask for synonyms: it has none."""

    def synsets(self, word: str) -> list[str]:
        return []


class NoStems:
    """For languages without a stemmer: each word is its own stem."""

    def stem(self, word: str) -> str:
        return word


def bleu_4(words: Words, references: Sequence[Words]) -> float:
    """BLEU with n-grams up to 4 (Papineni et al. 2002), in [0, 1], smoothed by adding .1 to precisions of 0 (method 1
    of Chen & Cherry 2014, NLTK's implementation)."""
    smoothing = SmoothingFunction(epsilon=0.1).method1
    return float(sentence_bleu([list(each) for each in references], list(words), smoothing_function=smoothing))


def rouge_l(words: Words, references: Sequence[Words]) -> float:
    """F1 of precision and recall of the longest common subsequence of words (Lin 2004), in [0, 1]."""
    return max(_rouge_l(words, reference) for reference in references)


def _rouge_l(words: Words, reference: Words) -> float:
    common = LCSseq.similarity(list(words), list(reference))
    return 2 * common / (len(words) + len(reference))


def meteor_without_synonyms(words: Words, references: Sequence[Words], language: str) -> float:
    """METEOR (Banerjee & Lavie 2005; NLTK, α .9, β 3, γ .5) with equal words and equal stems, but no synonyms."""
    name = STEMMERS.get(language)
    stemmer = SnowballStemmer(name) if name else NoStems()
    return max(
        float(single_meteor_score(list(each), list(words), stemmer=stemmer, wordnet=NoSynonyms()))
        for each in references
    )
