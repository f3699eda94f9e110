"""Item-writing flaws that a rule can find in the wording of a multiple-choice item, in English, German and Basque.

After Haladyna, Downing & Rodriguez (2002), Tarrant et al. (2006) and Moore et al. (2023, arXiv 2307.08161); rules and
word lists are ours. A rule returns yes, no, or None if it does not apply. Flaws that require understanding, such as an
implausible distractor, are left to models and people.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import combinations

from items.wording import ABSOLUTE, ARTICLES, GAP, NEGATION, Wording, words_in

LONGER = 1.25
FEWEST_CONTENT_WORDS, MOST_SENTENCES = 3, 2
SAME_LETTERS = 5  # Basque has no stemmer here: equal first letters stand for an equal stem
SNOWBALL = {"en": "english", "de": "german"}
CACHED = 10_000  # words, options
QUOTED = re.compile(r"[“„«\"][^”“»\"]*[”“»\"]")
SENTENCE_END = re.compile(r"[.!?…]+(?:\s|$)")
FIGURE = re.compile(r"^\D{0,12}?(-?\d+(?:[.,]\d+)?)\D{0,20}$")
JOINED = re.compile(
    r"^(?:(?:both|only|nur|sowohl|bai)\s+)?(?:[a-e]|[1-5]|i{1,3}|iv|v)\)?(?:\s*,\s*(?:[a-e]|[1-5]|i{1,3}|iv|v)\)?)*"
    r"\s*(?:and|und|eta|&|\+|als auch)\s*(?:[a-e]|[1-5]|i{1,3}|iv|v)\)?\.?$",
    re.IGNORECASE,
)

ALL_ABOVE = {
    "en": ("all of the above", "all of these", "all the above", "all are correct", "all answers are correct"),
    "de": ("alle genannten", "alle oben genannten", "alles davon", "alle antworten sind richtig", "alles genannte"),
    "eu": ("aurreko guztiak", "guztiak", "denak", "aurreko denak", "erantzun guztiak zuzenak dira"),
}
NONE_ABOVE = {
    "en": ("none of the above", "none of these", "neither", "none", "no answer is correct"),
    "de": ("keine der genannten", "keines davon", "nichts davon", "keine antwort ist richtig", "keine davon"),
    "eu": ("aurreko bat ere ez", "bat ere ez", "inor ez", "ezer ez", "erantzun bat ere ez da zuzena"),
}
VAGUE = {
    "en": {"often", "sometimes", "usually", "frequently", "generally", "mostly", "many", "some", "several", "rarely",
           "seldom", "occasionally", "probably", "typically"},
    "de": {"oft", "manchmal", "meist", "meistens", "häufig", "gewöhnlich", "viele", "einige", "mehrere", "selten",
           "gelegentlich", "wahrscheinlich", "manche", "teilweise"},
    "eu": {"askotan", "batzuetan", "gehienetan", "normalean", "maiz", "batzuk", "asko", "gutxitan", "noizbehinka",
           "ziurrenik"},
}  # fmt: skip
NEGATIVE = {
    "en": NEGATION["en"] | {"except", "least", "isn't", "aren't", "wasn't", "weren't", "doesn't", "don't", "didn't",
                            "cannot"},
    "de": NEGATION["de"] | {"außer", "ausgenommen", "wenigsten", "keines", "nirgends"},
    "eu": NEGATION["eu"] | {"salbu"},
}  # fmt: skip
YES_NO = {
    "en": ({"yes", "no"}, {"true", "false"}, {"right", "wrong"}, {"correct", "incorrect"}),
    "de": ({"ja", "nein"}, {"wahr", "falsch"}, {"richtig", "falsch"}, {"stimmt", "stimmt nicht"}),
    "eu": ({"bai", "ez"}, {"egia", "gezurra"}, {"zuzena", "okerra"}),
}
ASKS_TRUTH = {
    "en": ("true or false", "is it true", "is this true"),
    "de": ("richtig oder falsch", "wahr oder falsch", "stimmt es"),
    "eu": ("egia ala gezurra", "egia al da", "zuzena ala okerra"),
}
QUESTION_WORDS = {
    "en": {"who", "whom", "whose", "what", "which", "when", "where", "why", "how"},
    "de": {"wer", "wen", "wem", "wessen", "was", "welche", "welcher", "welches", "welchen", "welchem", "wann", "wo",
           "wohin", "woher", "warum", "weshalb", "wieso", "wie", "wozu", "womit", "wodurch", "worüber", "wofür"},
    "eu": {"nor", "nork", "nori", "noren", "norekin", "zer", "zerk", "zeri", "zeren", "zein", "zeinek", "noiz", "non",
           "nora", "nondik", "zergatik", "nola", "zertarako", "zenbat", "nolako"},
}  # fmt: skip


@lru_cache(maxsize=CACHED)  # several rules use the same option
def list_words(text: str) -> tuple[str, ...]:
    return tuple(words_in(text))


def one_key(item: Wording) -> int | None:
    return item.keys.index(True) if len(item.options) > 1 and sum(item.keys) == 1 else None


def longest_key(item: Wording) -> bool | None:
    """The key is strictly the longest option, and at least 1.25 times the mean of the others."""
    key = one_key(item)
    if key is None:
        return None
    lengths = [len(option) for option in item.options]
    others = lengths[:key] + lengths[key + 1 :]
    return lengths[key] > max(others) and lengths[key] >= LONGER * sum(others) / len(others)


def is_phrase(item: Wording, phrases: Mapping[str, tuple[str, ...]]) -> bool | None:
    if not item.options:
        return None
    known = phrases.get(item.language, ())
    return any(" ".join(list_words(option)) in known for option in item.options)


def has_word(item: Wording, words: dict[str, set[str]]) -> bool | None:
    if not item.options:
        return None
    known = words.get(item.language, set())
    return any(not known.isdisjoint(list_words(option)) for option in item.options)


def negative_stem(item: Wording) -> bool:
    """A negation outside quotation marks."""
    words = list_words(QUOTED.sub(" ", item.stem))
    return not NEGATIVE.get(item.language, set()).isdisjoint(words)


def true_false(item: Wording) -> bool:
    """Two options that are a pair such as yes and no, or a stem that asks whether something is true."""
    stem = " ".join(list_words(item.stem))
    if any(phrase in stem for phrase in ASKS_TRUTH.get(item.language, ())):
        return True
    words = {" ".join(list_words(option)) for option in item.options}
    return len(item.options) == 2 and words in YES_NO.get(item.language, ())


def fill_in(item: Wording) -> bool:
    return bool(GAP.search(item.stem))


def joined_options(item: Wording) -> bool | None:
    return any(JOINED.match(option.strip()) for option in item.options) if item.options else None


@lru_cache(maxsize=3)
def stemmer(language: str) -> Callable[[str], str]:
    if language not in SNOWBALL:
        return lambda word: word[:SAME_LETTERS]
    from nltk.stem.snowball import SnowballStemmer  # nltk takes a second to import

    return lru_cache(maxsize=CACHED)(SnowballStemmer(SNOWBALL[language]).stem)


@lru_cache(maxsize=CACHED)  # several rules use an option, and items of a text share options
def content_stems(text: str, language: str) -> frozenset[str]:
    """Word stems of words with more than three letters, except question words."""
    stem, asked = stemmer(language), QUESTION_WORDS.get(language, set())
    return frozenset(stem(word) for word in list_words(text) if len(word) > 3 and word not in asked)


def has_repeated_word(item: Wording) -> bool | None:
    """A content word of the stem occurs in the key and in no distractor."""
    key = one_key(item)
    if key is None:
        return None
    stems = [content_stems(option, item.language) for option in item.options]
    others = set().union(*(each for place, each in enumerate(stems) if place != key))
    return bool(content_stems(item.stem, item.language) & stems[key] - others)


def convergence(item: Wording) -> bool | None:
    """The key shares more content words with the other options than any distractor does."""
    key = one_key(item)
    if key is None or len(item.options) < 3:
        return None
    stems = [content_stems(option, item.language) for option in item.options]
    shared = [sum(len(own & other) for at, other in enumerate(stems) if at != place) for place, own in enumerate(stems)]
    return shared[key] > max(shared[:key] + shared[key + 1 :])


def has_lost_sequence(item: Wording) -> bool | None:
    """Options that are all numbers, but neither ascending nor descending."""
    found = [FIGURE.match(option.strip()) for option in item.options]
    if len(found) < 3 or not all(found):
        return None
    values = [float(each.group(1).replace(",", ".")) for each in found if each]
    return values != sorted(values) and values != sorted(values, reverse=True)


def negation_pair(item: Wording) -> bool | None:
    """Two options that differ only by a negation."""
    if len(item.options) < 2:
        return None
    negative = NEGATIVE.get(item.language, set())
    options = [list_words(option) for option in item.options]
    return any(set(one) ^ set(other) and set(one) ^ set(other) <= negative for one, other in combinations(options, 2))


def is_unfocused(item: Wording) -> bool:
    """Neither question word nor question mark, or fewer than three words besides articles and question words."""
    words, asked = list_words(item.stem), QUESTION_WORDS.get(item.language, set())
    left = [word for word in words if word not in asked | ARTICLES.get(item.language, set())]
    is_question = "?" in item.stem or not asked.isdisjoint(words) or bool(GAP.search(item.stem))
    return not is_question or len(left) < FEWEST_CONTENT_WORDS


def gratuitous(item: Wording) -> bool:
    """A stem of more than two sentences."""
    return len(SENTENCE_END.findall(item.stem)) > MOST_SENTENCES


RULES: dict[str, Callable[[Wording], bool | None]] = {
    "longest_key": longest_key,
    "all_of_the_above": lambda item: is_phrase(item, ALL_ABOVE),
    "none_of_the_above": lambda item: is_phrase(item, NONE_ABOVE),
    "absolute_terms": lambda item: has_word(item, ABSOLUTE),
    "vague_terms": lambda item: has_word(item, VAGUE),
    "negative_stem": negative_stem,
    "true_false": true_false,
    "fill_in_the_blank": fill_in,
    "complex_options": joined_options,
    "word_repeats": has_repeated_word,
    "convergence": convergence,
    "lost_sequence": has_lost_sequence,
    "logical_cue": negation_pair,
    "unfocused_stem": is_unfocused,
    "gratuitous_stem": gratuitous,
}


HUMAN_ONLY = ("grammatical_cue", "implausible_distractor", "several_right", "ambiguous")  # no rule can find these


def flaws_of(item: Wording) -> dict[str, bool | None]:
    """The answer of each rule about an item."""
    return {name: rule(item) for name, rule in RULES.items()}


def question_type(item: Wording) -> str:
    """The first question word of the stem; empty without one."""
    asked = QUESTION_WORDS.get(item.language, set())
    return next((word for word in list_words(item.stem) if word in asked), "")
