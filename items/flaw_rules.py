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

from items.stemming import load_stemmer
from items.wording import ABSOLUTE, ARTICLES, GAP, MONTHS, NEGATION, Wording, count_sentences, split_words

LONGER = 1.25  # times the mean length of the other options
FEWEST_CONTENT_WORDS, MOST_SENTENCES = 3, 2
SAME_LETTERS = 5  # without a stemmer for Basque, words with equal first letters count as equal
SNOWBALL = {"en": "english", "de": "german"}
CACHED = 10_000  # words, options
QUOTED = re.compile(r"[“„«\"][^”“»\"]*[”“»\"]")
NUMBER = r"-?\d{1,3}(?:[.,’' \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)|-?\d+(?:[.,]\d+)?"
FIGURE = re.compile(rf"^\D{{0,12}}?({NUMBER})\D{{0,20}}$")
CLOCK = re.compile(
    r"^\D{0,12}?([01]?\d|2[0-4])[:.]([0-5]\d)(?!\d)\s*(am|pm|a\.m\.|p\.m\.|uhr|h|ak)?\D{0,12}$", re.IGNORECASE
)
ISO_DATE = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
DOTTED_DATE = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
LETTERS_OF_MONTH = {"en": 3, "de": 3, "eu": 4}  # of an abbreviated name; in Basque three do not distinguish them
PLACE = r"\(?(?:[a-e]|[1-5]|i{1,3}|iv|v)\)?"
JOINED = re.compile(
    rf"^(?:(?:both|only|nur|sowohl|bai)\s+)?{PLACE}(?:\s*,\s*{PLACE})*,?\s*(?:and|und|eta|&|\+|als auch)\s*{PLACE}"
    r"(?:\s+(?:only|are (?:both )?(?:correct|right|true)|sind (?:beide )?(?:richtig|korrekt)|stimmen|bakarrik|"
    r"zuzenak dira))?\.?$",
    re.IGNORECASE,
)

ALL_ABOVE = {
    "en": (
        "all of the above",
        "all of these",
        "all of them",
        "all the above",
        "all of the above are correct",
        "all are correct",
        "all are true",
        "all answers are correct",
        "all of the answers are correct",
    ),
    "de": (
        "alle genannten",
        "alle oben genannten",
        "alle der genannten",
        "alles davon",
        "alle davon",
        "alle antworten",
        "alle antworten sind richtig",
        "alle sind richtig",
        "alles genannte",
        "alles oben genannte",
    ),
    "eu": (
        "aurreko guztiak",
        "guztiak",
        "denak",
        "aurreko denak",
        "erantzun guztiak",
        "erantzun guztiak zuzenak dira",
        "guztiak zuzenak dira",
        "aurreko guztiak zuzenak dira",
        "horiek guztiak",
        "hauek guztiak",
    ),
}
NONE_ABOVE = {
    "en": (
        "none of the above",
        "none of these",
        "none of them",
        "none of the above are correct",
        "neither",
        "neither of these",
        "none",
        "none is correct",
        "no answer is correct",
        "none of the answers is correct",
    ),
    "de": (
        "keine der genannten",
        "keine der oben genannten",
        "keiner der genannten",
        "keines der genannten",
        "keine der antworten",
        "keines davon",
        "keins davon",
        "keiner davon",
        "keine davon",
        "nichts davon",
        "keine",
        "nichts von alledem",
        "keine antwort ist richtig",
        "keine der antworten ist richtig",
    ),
    "eu": (
        "aurreko bat ere ez",
        "aurrekoetako bat ere ez",
        "aurrekoetatik bat ere ez",
        "horietako bat ere ez",
        "hauetako bat ere ez",
        "bat ere ez",
        "inor ez",
        "ezer ez",
        "erantzun bat ere ez da zuzena",
        "bat ere ez da zuzena",
    ),
}
VAGUE = {
    "en": {"often", "sometimes", "usually", "frequently", "generally", "mostly", "many", "some", "several", "rarely",
           "seldom", "occasionally", "probably", "typically", "normally", "perhaps", "possibly", "few"},
    "de": {"oft", "öfter", "manchmal", "meist", "meistens", "häufig", "gewöhnlich", "normalerweise", "üblicherweise",
           "viele", "vielen", "vieler", "einige", "einigen", "einiger", "mehrere", "mehreren", "mehrerer", "wenige",
           "wenigen", "manche", "manchen", "mancher", "selten", "gelegentlich", "wahrscheinlich", "vielleicht",
           "möglicherweise", "teilweise", "vermutlich"},
    "eu": {"askotan", "batzuetan", "gehienetan", "normalean", "maiz", "sarri", "batzuk", "batzuek", "zenbait",
           "zenbaitetan", "hainbat", "asko", "askok", "gutxi", "gutxitan", "gutxik", "noizbehinka", "noizean", "agian",
           "beharbada", "ziurrenik"},
}  # fmt: skip
NEGATIVE = {
    "en": NEGATION["en"] | {"except", "least", "cannot", "nowhere", "incorrect", "untrue"},  # and words in n't
    "de": NEGATION["de"] | {"außer", "ausgenommen", "wenigsten", "keines", "keins", "nirgends", "nirgendwo", "weder",
                            "unzutreffend", "unwahr"},
    "eu": NEGATION["eu"] | {"salbu", "ezik", "ezin", "ezta", "inon", "inork", "inori", "sekula"},
}  # fmt: skip
YES_NO = {
    "en": ({"yes", "no"}, {"true", "false"}, {"right", "wrong"}, {"correct", "incorrect"}),
    "de": ({"ja", "nein"}, {"wahr", "falsch"}, {"richtig", "falsch"}, {"stimmt", "stimmt nicht"}),
    "eu": ({"bai", "ez"}, {"egia", "gezurra"}, {"zuzena", "okerra"}),
}
ASKS_TRUTH = {
    "en": ("true or false", "is it true", "is this true", "is the statement true", "is the following statement true"),
    "de": ("richtig oder falsch", "wahr oder falsch", "stimmt es", "stimmt die aussage", "ist es wahr", "trifft es zu"),
    "eu": ("egia ala gezurra", "egia edo gezurra", "egia al da", "zuzena ala okerra", "zuzena al da"),
}
QUESTION_WORDS = {
    "en": {"who", "whom", "whose", "what", "which", "when", "where", "why", "how"},
    "de": {"wer", "wen", "wem", "wessen", "was", "welche", "welcher", "welches", "welchen", "welchem", "wann", "wo",
           "wohin", "woher", "warum", "weshalb", "wieso", "wie", "wieviel", "wozu", "womit", "wodurch", "worüber",
           "wofür", "woran", "worauf", "woraus", "worin", "worum", "wovon", "wovor", "wogegen", "wobei", "wonach"},
    "eu": {"nor", "nork", "nori", "noren", "norekin", "norentzat", "nortzuk", "zer", "zerk", "zeri", "zeren", "zertan",
           "zertaz", "zerekin", "zertarako", "zein", "zeinek", "zeini", "zeintzuk", "noiz", "noiztik", "non", "nongo",
           "nora", "nondik", "noraino", "zergatik", "nola", "nolako", "zelan", "zenbat", "zenbatek", "zenbatean"},
}  # fmt: skip
# Words of more than three letters without content, so that a question and an answer may share them.
FUNCTION_WORDS = {
    "en": {"that", "this", "these", "those", "with", "from", "into", "about", "according", "have", "were", "been",
           "will", "would", "does", "they", "their", "them", "there", "than", "then", "when", "while", "after",
           "before", "because", "also", "text", "passage", "author", "following", "some", "could", "should"},
    "de": {"dass", "diese", "dieser", "dieses", "diesen", "diesem", "eine", "einen", "einem", "einer", "eines", "nach",
           "laut", "text", "wird", "wurde", "wurden", "werden", "haben", "hatte", "hatten", "sind", "sein", "seine",
           "seinen", "ihre", "ihren", "ihrer", "nicht", "auch", "oder", "über", "unter", "durch", "beim", "zum", "zur",
           "weil", "wenn", "sich", "folgenden", "kann", "konnte", "soll", "sollte", "muss", "musste", "will"},
    "eu": {"eta", "edo", "baina", "arabera", "testuaren", "testuan", "egin", "egiten", "dira", "ziren", "zuen", "zuten",
           "duen", "dute", "dela", "bere", "haren", "honen", "horren", "hori", "hura", "izan", "baino", "gabe"},
}  # fmt: skip


@lru_cache(maxsize=CACHED)  # several rules use the same option
def list_words(text: str) -> tuple[str, ...]:
    return tuple(split_words(text.replace("’", "'")))


def find_single_key(item: Wording) -> int | None:
    """The index of the only correct option; None if there are fewer than two options, or not exactly one key."""
    return item.keys.index(True) if len(item.options) > 1 and sum(item.keys) == 1 else None


def longest_key(item: Wording) -> bool | None:
    """The key is strictly the longest option, and at least 1.25 times the mean of the others."""
    key = find_single_key(item)
    if key is None:
        return None
    lengths = [len(option) for option in item.options]
    others = lengths[:key] + lengths[key + 1 :]
    return lengths[key] > max(others) and lengths[key] >= LONGER * sum(others) / len(others)


def has_phrase(item: Wording, phrases: Mapping[str, tuple[str, ...]]) -> bool | None:
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
    return count_negations(item) > 0


def count_negations(item: Wording) -> int:
    """Negations in the stem, outside quotation marks."""
    negative = NEGATIVE.get(item.language, set())
    words = list_words(QUOTED.sub(" ", item.stem))
    return sum(word in negative or (item.language == "en" and word.endswith("n't")) for word in words)


def true_false(item: Wording) -> bool:
    """Two options that are a pair such as yes and no, or a stem that asks whether something is true."""
    stem = " ".join(list_words(item.stem))
    if any(phrase in stem for phrase in ASKS_TRUTH.get(item.language, ())):
        return True
    words = {" ".join(list_words(option)) for option in item.options}
    return len(item.options) == 2 and words in YES_NO.get(item.language, ())


def fill_in(item: Wording) -> bool | None:
    """Whether the stem has a gap; None for cloze items, whose gap is intended."""
    return None if item.is_cloze else bool(GAP.search(item.stem))


def joined_options(item: Wording) -> bool | None:
    return any(JOINED.match(option.strip()) for option in item.options) if item.options else None


@lru_cache(maxsize=3)
def make_stemmer(language: str) -> Callable[[str], str]:
    if language not in SNOWBALL:
        return lambda word: word[:SAME_LETTERS]
    return lru_cache(maxsize=CACHED)(load_stemmer(SNOWBALL[language]).stem)


@lru_cache(maxsize=CACHED)  # several rules use an option, and items of a text share options
def list_content_stems(text: str, language: str) -> frozenset[str]:
    """Word stems of words with more than three letters, except question words and words without content."""
    stem, empty = make_stemmer(language), QUESTION_WORDS.get(language, set()) | FUNCTION_WORDS.get(language, set())
    return frozenset(stem(word) for word in list_words(text) if len(word) > 3 and word not in empty)


def has_repeated_word(item: Wording) -> bool | None:
    """A content word of the stem occurs in the key and in no distractor."""
    key = find_single_key(item)
    if key is None:
        return None
    stems = [list_content_stems(option, item.language) for option in item.options]
    others = set().union(*(each for place, each in enumerate(stems) if place != key))
    return bool(list_content_stems(item.stem, item.language) & stems[key] - others)


def convergence(item: Wording) -> bool | None:
    """The key shares more content words with the other options than any distractor does."""
    key = find_single_key(item)
    if key is None or len(item.options) < 3:
        return None
    stems = [list_content_stems(option, item.language) for option in item.options]
    shared = [sum(len(own & other) for at, other in enumerate(stems) if at != place) for place, own in enumerate(stems)]
    return shared[key] > max(shared[:key] + shared[key + 1 :])


def has_lost_sequence(item: Wording) -> bool | None:
    """Options that are all numbers, dates or times, but neither ascending nor descending."""
    if len(item.options) < 3:
        return None
    for read in (read_date, read_time, read_number):
        if values := read_all(read, item):
            return values not in (sorted(values), sorted(values, reverse=True))
    return None


def read_all(read: Callable[[str, str], tuple[float, ...] | None], item: Wording) -> list[tuple[float, ...]]:
    """The value of each option; empty if one option has none."""
    values = []
    for option in item.options:
        if (value := read(option.strip(), item.language)) is None:
            return []
        values.append(value)
    return values


def read_number(option: str, language: str) -> tuple[float, ...] | None:
    """A number with a comma between thousands and a decimal point in English, the reverse in German and Basque."""
    found = FIGURE.match(option)
    if not found:
        return None
    thousands, decimal = (",", ".") if language == "en" else (".", ",")
    digits = re.sub(r"[’'\s]", "", found.group(1))
    if re.search(rf"\{thousands}\d{{3}}(?!\d)", digits):
        digits = digits.replace(thousands, "")
    digits = digits.replace(decimal, ".").replace(",", ".")
    return (float(digits),) if digits.count(".") < 2 else None


def read_time(option: str, language: str) -> tuple[float, ...] | None:
    """Hour and minute."""
    found = CLOCK.match(option)
    if not found:
        return None
    is_named = ":" in option or found.group(3)  # else 12.30 may be a number
    afternoon = 12 if (found.group(3) or "").lower().startswith("p") and int(found.group(1)) < 12 else 0
    return (int(found.group(1)) + afternoon, int(found.group(2))) if is_named else None


def read_date(option: str, language: str) -> tuple[float, ...] | None:
    """Year, month and day, 0 for a missing year or day; None without a month."""
    if found := ISO_DATE.search(option):
        return tuple(map(float, found.groups()))
    if found := DOTTED_DATE.search(option):
        return tuple(map(float, reversed(found.groups())))
    month = next((place for word in list_words(option) if (place := find_month(word, language))), None)
    numbers = [int(each) for each in re.findall(r"\d+", option)]
    if month is None or not numbers or len(numbers) > 2:
        return None
    year = next((each for each in numbers if each > 31), 0)
    day = next((each for each in numbers if each <= 31), 0)
    return float(year), float(month), float(day)


@lru_cache(maxsize=CACHED)
def find_month(word: str, language: str) -> int | None:
    """1 to 12; None if the word is not a month."""
    for number, name in enumerate(MONTHS.get(language, ()), 1):
        if word.startswith(name[: LETTERS_OF_MONTH[language]].casefold()):
            return number
    return None


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
    return count_sentences(item.stem, item.language) > MOST_SENTENCES


RULES: dict[str, Callable[[Wording], bool | None]] = {
    "longest_key": longest_key,
    "all_of_the_above": lambda item: has_phrase(item, ALL_ABOVE),
    "none_of_the_above": lambda item: has_phrase(item, NONE_ABOVE),
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
GUIDELINES = (
    "several_aims",
    "trivial_content",
    "copied_wording",
    "depends_on_other",
    "wrong_scope",
    "opinion",
    "trick",
    "hard_vocabulary",
    "language_error",
    "wordy",
    "unclear_task",
    "overlapping_options",
    "mixed_options",
    "negative_options",
    "uneven_options",
    "far_distractor",
    "humour",
)  # coded where a study asks for them


def find_flaws(item: Wording) -> dict[str, bool | None]:
    """The answer of each rule about an item."""
    return {name: rule(item) for name, rule in RULES.items()}


def find_question_word(item: Wording) -> str:
    """The first question word of the stem; empty without one."""
    asked = QUESTION_WORDS.get(item.language, set())
    return next((word for word in list_words(item.stem) if word in asked), "")
