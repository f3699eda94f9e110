"""Which language a text is in: said in whatever spelling, else recognised."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from babel import Locale
from babel.core import get_global
from django.utils.translation import get_language
from py3langid.langid import MODEL_FILE, LanguageIdentifier

# A language is a candidate if it wins for this share of a file's texts; below it is mostly mistakes.
SHARE = 0.05
# Enough to tell a language, and keeps a long text from taking long.
SAMPLE = 5_000


def language_code(name: str) -> str | None:
    """de for `de`, `de-DE`, `deu` and `deu_Latn`; None for what names no language."""
    start = name.strip().replace("_", "-").split("-")[0].lower()
    code = get_global("language_aliases").get(start, start).split("_")[0]
    return code if code in _known() else None


def language_name(code: str) -> str:
    """The language's name in the language of the page."""
    locale = Locale.parse(get_language() or "en", sep="-")
    return locale.languages.get(code, code)


def recognise(texts: Sequence[str], expected: Iterable[str] = ()) -> list[str | None]:
    """The language of each text; None for what is in none, such as a list of numbers.

    Two passes: the languages that win for at least 5 % of the texts, and those that are expected, are the candidates;
    each text gets the likeliest of them.
    """
    rankings = [_ranking(text) for text in texts]
    winners = Counter(ranking[0] for ranking in rankings if ranking[0])
    likely = {code for code, count in winners.items() if count >= SHARE * len(texts)}
    candidates = likely | set(expected) or set(winners)
    return [ranking[0] and next((code for code in ranking if code in candidates), None) for ranking in rankings]


def _ranking(text: str) -> list[str | None]:
    """All languages, the likeliest first; None stands for no language."""
    return [_label_code(label) for label, _score in _identifier().rank(text[:SAMPLE])]


@cache
def _label_code(label: str) -> str | None:
    return language_code(label)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE)


@cache
def _known() -> frozenset[str]:
    codes = {str(code) for code in Locale("en").languages}
    return frozenset(code for code in codes if len(code) in (2, 3)) - {"mul", "und", "zxx"}
