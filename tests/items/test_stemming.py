"""Stemmers load alone, are NLTK's own, and leave nothing in the way of NLTK as a whole."""

import os
import re
import subprocess
import sys

import pytest
from nltk.stem.snowball import SnowballStemmer

from config.cli.resources import ROOT
from items.flaw_rules import FUNCTION_WORDS, NEGATIVE, QUESTION_WORDS, VAGUE, make_stemmer
from items.stemming import load_stemmer

ALONE = """
import sys
from items.stemming import load_stemmer
print(load_stemmer("english").stem("ferries"), load_stemmer("german").stem("Fähren"))
print(*sorted({"nltk", "numpy", "scipy", "sklearn"} & set(sys.modules)))
import nltk.corpus
from nltk.stem.snowball import SnowballStemmer
print(SnowballStemmer("english").stem("ferries"), nltk.stem.__name__, nltk.corpus.stopwords is None)
print(load_stemmer("english").stem("ferries"))
"""


def test_nothing_else_is_loaded_and_nltk_is_whole_afterwards(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=ROOT, env=os.environ | {"LESART_DATA": str(tmp_path)},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["ferri fahr", "", "ferri nltk.stem False", "ferri"]


@pytest.mark.parametrize(("language", "name"), [("en", "english"), ("de", "german")])
def test_stems_are_those_of_nltk(language, name):
    words = set(re.findall(r"\w+", "\n".join(path.read_text("utf-8") for path in (ROOT / "items").rglob("*.py"))))
    words |= {word.lower() for word in words}
    for known in (FUNCTION_WORDS, NEGATIVE, QUESTION_WORDS, VAGUE):
        words |= known[language]
    assert len(words) > 3000
    theirs = SnowballStemmer(name)
    assert {word: make_stemmer(language)(word) for word in words} == {word: theirs.stem(word) for word in words}
    assert load_stemmer(name) is load_stemmer(name)
