"""A question against reference questions on the same text; of several references the best counts.

BLEU-4, ROUGE-L and METEOR take whole strings in English and give what QGEval (Fu et al. 2024) printed, before rounding
to four decimals. Functions of lists of words (`evaluation.metrics.words.split_words`) work in every language and are
measures of their own, with names of their own.

NLTK takes two seconds to import, so it is imported where it is called.
"""

import io
import re
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from rapidfuzz.distance import LCSseq

STEMMERS = {"de": "german", "en": "english"}
Words = Sequence[str]
GAP = re.compile(r"[^a-z0-9]+")
SHORT = 3  # characters; ROUGE-L takes stems of longer words only


class NoSynonyms:
    """Stands for WordNet, which METEOR would ask for synonyms: it has none."""

    def synsets(self, word: str) -> list[str]:
        return []


class NoStems:
    """For languages without a stemmer: each word is its own stem."""

    def stem(self, word: str) -> str:
        return word


def split_at_blanks(text: str) -> list[str]:
    """Words between single blanks, with their case and punctuation; two blanks have an empty word between them."""
    return text.strip().split(" ")


def bleu_4(question: str, references: Sequence[str]) -> float:
    """BLEU-4 of words as `split_at_blanks` finds them."""
    return bleu_4_of_words(split_at_blanks(question), [split_at_blanks(each) for each in references])


def rouge_l(question: str, references: Sequence[str]) -> float:
    """ROUGE-L as the package rouge-score computes it with its stemmer: words of a–z and 0–9, stems by Porter (NLTK)."""
    return rouge_l_of_words(_stems(question), [_stems(each) for each in references])


def meteor(question: str, references: Sequence[str], wordnet: Any) -> float:
    """METEOR (Banerjee & Lavie 2005; NLTK, α .9, β 3, γ .5, stems by Porter) of words as `split_at_blanks` finds them.

    wordnet: where synonyms are looked up, see `evaluation.metrics.reference`.
    """
    from nltk.translate.meteor_score import meteor_score

    words = [split_at_blanks(each) for each in references]
    return float(meteor_score(words, split_at_blanks(question), wordnet=wordnet))


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in GAP.sub(" ", text.lower()).split()]


@cache
def _porter() -> Any:
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def _stem(word: str) -> str:
    return str(_porter().stem(word)) if len(word) > SHORT else word


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
        """Reads a folder that lacks `lexnames`, numbered names of topics which synonyms do not need."""

        def open(self, file: str) -> Any:
            if file == LEXNAMES and not (Path(folder) / LEXNAMES).is_file():
                return io.StringIO("".join(f"{number:02} topic{number} 1\n" for number in range(N_LEXNAMES)))
            return super().open(file)

        def map_wn(self, version: str = "wordnet") -> None:
            """Maps to other versions are for other languages."""

    if folder not in nltk.data.path:
        nltk.data.path.append(folder)  # NLTK reads from folders of this list only
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no other languages
        return Reader(folder, None)
