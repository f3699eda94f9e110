"""Whether a model wrote in the language it was asked for: its known failure is to drift to English. No Django."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from generation.parts import ParsedItem
from generation.rules.sentences import sentences_of

WANTED_SHARE = 0.8
SHORT = 25  # characters; what is shorter is judged together with its neighbour


def measure_share_in(language: str, items: Sequence[ParsedItem], candidates: Iterable[str]) -> float | None:
    """The share of the characters that stand in sentences of the language, 0 to 1.

    Each sentence is in the likeliest of the candidates. None where nothing can be told: without words, or if the
    language is none that can be recognised.
    """
    identifier = _identifier(tuple(sorted({*candidates, language})))
    if identifier is None or language not in _load_known():
        return None
    right = total = 0
    for item in items:
        for piece in _pieces(item, language):
            total += len(piece)
            right += len(piece) if identifier.classify(piece)[0] == language else 0
    return right / total if total else None


def _pieces(item: ParsedItem, language: str) -> list[str]:
    """Stem, answer and options by sentence; names and other short answers are too short to tell alone."""
    pieces: list[str] = []
    for words in (item.stem, item.answer, *(option.text for option in item.options)):
        for sentence in sentences_of(words, language):
            if not any(char.isalpha() for char in sentence):
                continue
            if pieces and len(sentence) < SHORT:
                pieces[-1] += f" {sentence}"
            else:
                pieces.append(sentence)
    return pieces


@lru_cache(maxsize=16)
def _identifier(candidates: tuple[str, ...]) -> LanguageIdentifier | None:
    known = [code for code in candidates if code in _load_known()]
    if not known:
        return None
    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    identifier.set_languages(known)
    return identifier


@lru_cache(maxsize=1)
def _load_known() -> frozenset[str]:
    return frozenset(LanguageIdentifier.from_model_file(MODEL_FILE).labels)
