"""The language of a text: parsed from any spelling of its code, else detected from the text.

Babel and py3langid are imported in the functions that use them, so that commands without them start faster.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from django.utils.translation import get_language

# A language is a candidate if it wins for this share of a file's texts; smaller shares are mostly mistakes.
MIN_SHARE = 0.05
# Enough characters to detect a language, without long texts taking long.
SAMPLE_LENGTH = 5_000


def parse_language(name: str) -> str | None:
    """de for `de`, `de-DE`, `deu` and `deu_Latn`; None if it is no language."""
    from babel.core import get_global

    start = name.strip().replace("_", "-").split("-")[0].lower()
    code = get_global("language_aliases").get(start, start).split("_")[0]
    return code if code in _load_known_codes() else None


def name_language(code: str) -> str:
    """The language's name in the language of the page."""
    from babel import Locale

    locale = Locale.parse(get_language() or "en", sep="-")
    return locale.languages.get(code, code)


def recognize_languages(texts: Sequence[str], expected: Iterable[str] = ()) -> list[str | None]:
    """The language of each text; None for a text in no language, such as a list of numbers.

    Two passes: the languages that win for at least 5 % of the texts, and the expected ones, are the candidates; each
    text gets the most likely candidate.
    """
    rankings = [_rank_languages(text) for text in texts]
    winners = Counter(ranking[0] for ranking in rankings if ranking[0])
    likely = {code for code, count in winners.items() if count >= MIN_SHARE * len(texts)}
    candidates = likely | set(expected) or set(winners)
    return [ranking[0] and next((code for code in ranking if code in candidates), None) for ranking in rankings]


def _rank_languages(text: str) -> list[str | None]:
    """All languages, the most likely first; None means no language."""
    return [_parse_label(label) for label, _score in _load_identifier().rank(text[:SAMPLE_LENGTH])]


@cache
def _parse_label(label: str) -> str | None:
    return parse_language(label)


@cache
def _load_identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)


@cache
def _load_known_codes() -> frozenset[str]:
    from babel import Locale

    codes = {str(code) for code in Locale("en").languages}
    return frozenset(code for code in codes if len(code) in (2, 3)) - {"mul", "und", "zxx"}
