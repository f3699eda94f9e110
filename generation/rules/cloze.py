"""Cloze items: a sentence of the text with a gap, and distractors of the same kind from the rest of the text."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from generation.rules.drafts import is_usable, make_word_set
from items.wording import split_sentences

# The words of a sentence that can become a gap, and their kinds: a distractor has the same kind as the key.

WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:[-’'][^\W\d_]+)*")
YEAR = re.compile(r"(?:1\d|20)\d\d")
YEAR_KIND, DECIMAL_KIND, WHOLE_KIND, NUMBER_WORD, NAME, NOUN, PLAIN = (
    "year", "decimal", "whole number", "number word", "name", "noun", "word",
)  # fmt: skip
SHORTEST_PLAIN = 5
NUMBER_WORDS = {
    "de": "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig fünfzig hundert tausend",
    "en": "two three four five six seven eight nine ten eleven twelve fourteen fifteen twenty thirty forty fifty "
    "hundred thousand",
}
# Words that say little by themselves: a gap there tests grammar, not the text.
FUNCTION_WORDS = {
    "de": "aber alle allem allen aller allerdings alles also andere anderen anderer anderes anfangs auch beide beiden "
    "beim beispiel bereits besonders bevor bisher bleiben bleibt dabei dadurch dafür dagegen daher damit danach "
    "dann daran darauf daraus darin darum darüber dass davon davor dazu dein denen denn dennoch deren derselben "
    "deshalb dessen diese diesem diesen dieser dieses doch dort durch durfte dürfen eben eigentlich eine einem "
    "einen einer eines einige einigen einmal erst etwa etwas euch euer fast frau ganz gegen genau genug gern "
    "gewesen habe haben hatte hatten herr herrn hier hinter hätte ihnen ihre ihrem ihren ihrer immer indem ins "
    "insgesamt irgend jede jedem jeden jeder jedes jedoch jemand jene jetzt kann kaum kein keine keinem keinen "
    "keiner konnte konnten können könnte künftig lange lassen lieber machen macht manche manchmal mehr mein meine "
    "meiner meist muss musste mussten müssen nach nachdem natürlich neben nicht nichts niemand noch nur ob oder "
    "ohne rund schon sehr sein seine seinem seinen seiner seit seitdem selbst sich sicher sind sogar solche "
    "solchen soll sollen sollte sollten sondern sonst sowie später spätestens statt trotzdem um und uns unser "
    "unsere unten unter viel viele vielen vielleicht vom von vor wann war waren warum was weil weiter weitere "
    "welche welchen welcher wenig wenige weniger wenn wer werde werden weshalb wie wieder will wir wird wirklich "
    "wo wohl wollen wollte wollten worden wurde wurden während würde würden ziemlich zuerst zum zur zusammen zwar "
    "zwischen über überall",
    "en": "about above after again against almost along already also although always among another anybody anyone "
    "anything anyway around away because become before behind being below beside between both could does doing "
    "down during each either else enough even ever every everybody everyone everything except first from have "
    "having here hers herself himself however instead into itself just last later least less like made make makes "
    "many maybe might more most much must myself near neither never nobody none nothing often once only onto "
    "other others ought ours over perhaps quite rather really same shall should since some somebody someone "
    "something sometimes soon still such than that their theirs them themselves then there therefore these they "
    "thing things this those though through today together toward towards under until upon usually very want "
    "wants well went were what whatever when where whether which while whoever whole whom whose will with within "
    "without would your yours yourself",
}
ENDINGS = {
    "de": ("ung", "heit", "keit", "lich", "isch", "chen", "ten", "te", "st", "en", "em", "er", "es", "ig", "e", "t"),
    "en": ("tion", "ment", "ness", "ing", "ed", "ly", "er", "est", "ies", "es", "s", "y", "e"),
}


@dataclass(frozen=True)
class Word:
    """A word, number or name: its place in the sentence, its kind, and the word before it."""

    text: str
    start: int
    kind: str
    ending: str
    before: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_number(self) -> bool:
        return self.kind in (YEAR_KIND, DECIMAL_KIND, WHOLE_KIND, NUMBER_WORD)


def list_plain_words(sentence: str) -> set[str]:
    """Every word of the sentence, without case."""
    return {found[0].casefold() for found in WORD.finditer(sentence)}


def list_gap_words(sentence: str, language: str) -> list[Word]:
    """The words that can become a gap, except the first word, whose capital letter says nothing."""
    rows = [
        Word(text, start, *_classify(text, language), before)
        for text, start, before in _iter_tokens(sentence, language)
    ]
    return [row for row in rows if row.kind]


def _iter_tokens(sentence: str, language: str) -> Iterator[tuple[str, int, str]]:
    """(word, its place, the word before it); English names of several words are one."""
    found = list(WORD.finditer(sentence))
    place = 1
    while place < len(found):
        last = place
        while language == "en" and last + 1 < len(found) and _is_one_name(sentence, found[last], found[last + 1]):
            last += 1
        yield sentence[found[place].start() : found[last].end()], found[place].start(), found[place - 1][0].casefold()
        place = last + 1


def _is_one_name(sentence: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return one[0][:1].isupper() and other[0][:1].isupper() and sentence[one.end() : other.start()] == " "


def _classify(text: str, language: str) -> tuple[str, str]:
    """Kind and ending of a word; the kind is empty if it is never a gap."""
    if text[0].isdigit():
        return (YEAR_KIND if YEAR.fullmatch(text) else WHOLE_KIND if text.isdigit() else DECIMAL_KIND), ""
    if text.casefold() in make_word_set(NUMBER_WORDS.get(language, "")):
        return NUMBER_WORD, ""
    if text[0].isupper():
        return _classify_capitalized(text, language)
    is_little = text in make_word_set(FUNCTION_WORDS.get(language, "")) or len(text) < SHORTEST_PLAIN
    return ("", "") if is_little else (PLAIN, _find_ending(text, language))


def _classify_capitalized(text: str, language: str) -> tuple[str, str]:
    """Kind and ending of a capitalized word: in German a noun, in English a name; one or two letters are neither."""
    if len(text) < 3 or text.casefold() in make_word_set(FUNCTION_WORDS.get(language, "")):
        return "", ""
    return (NOUN, _find_ending(text, language)) if language == "de" else (NAME, "")


def _find_ending(text: str, language: str) -> str:
    return next((ending for ending in ENDINGS.get(language, ()) if text.casefold().endswith(ending)), "")


GAP = "___"
WORTH = {NAME: 4.0, WHOLE_KIND: 4.0, YEAR_KIND: 4.0, DECIMAL_KIND: 4.0, NUMBER_WORD: 3.5, NOUN: 3.0, PLAIN: 1.0}
BEST_LENGTH = 16  # words of a sentence; in much shorter or longer ones a gap is unclear or too easy


@dataclass(frozen=True)
class Cloze:
    """A sentence with a gap; options are in alphabetical or numerical order, so that positions reveal nothing."""

    stem: str
    options: tuple[str, ...]
    key: str
    sentence: str
    score: float


@dataclass(frozen=True)
class _Gap:
    sentence: str
    number: int
    word: Word


def write_cloze_items(text: str, language: str, n_items: int, n_options: int) -> list[Cloze]:
    """The best items, with different sentences and keys; fewer if the text has too few good gaps."""
    gaps = _list_gaps(text, language)
    pool = _group_by_kind(gaps)
    scored = [(_score_gap(gap, pool), gap) for gap in gaps]
    chosen: list[Cloze] = []
    sentences: set[str] = set()
    keys: set[str] = set()
    for score, gap in sorted(scored, key=lambda pair: (-pair[0], pair[1].number, pair[1].word.start)):
        if len(chosen) == n_items:
            break
        if gap.sentence in sentences or gap.word.text.casefold() in keys:
            continue
        if item := _build_item(gap, pool, n_options - 1, score):
            chosen.append(item)
            sentences.add(gap.sentence)
            keys.add(gap.word.text.casefold())
    return chosen


def _list_gaps(text: str, language: str) -> list[_Gap]:
    found = []
    for number, sentence in enumerate(split_sentences(text, language)):
        if not is_usable(sentence):
            continue
        words = list_gap_words(sentence, language)
        counts = Counter(word.text.casefold() for word in words)
        found += [_Gap(sentence, number, word) for word in words if counts[word.text.casefold()] == 1]
    return found


def _group_by_kind(gaps: list[_Gap]) -> dict[str, list[Word]]:
    """Every word by its kind, in the order of first occurrence."""
    pool: dict[str, dict[str, Word]] = {}
    for gap in gaps:
        pool.setdefault(gap.word.kind, {}).setdefault(gap.word.text.casefold(), gap.word)
    return {kind: list(words.values()) for kind, words in pool.items()}


def _score_gap(gap: _Gap, pool: dict[str, list[Word]]) -> float:
    """Names and numbers rank before nouns, nouns before other words; sentences of medium length and many distractors
    rank higher."""
    length = len(gap.sentence.split())
    n_alike = sum(word.ending == gap.word.ending for word in pool[gap.word.kind])
    long_word = min(len(gap.word.text), 12) / 12
    return round(WORTH[gap.word.kind] - abs(length - BEST_LENGTH) / 8 + min(n_alike, 8) / 8 + long_word, 4)


def _build_item(gap: _Gap, pool: dict[str, list[Word]], n_distractors: int, score: float) -> Cloze | None:
    """The item of a gap; None if the text has too few words of the kind."""
    distractors = _choose_distractors(gap, pool[gap.word.kind], n_distractors)
    if len(distractors) < n_distractors:
        return None
    options = sorted([gap.word.text, *distractors], key=_make_sort_key)
    stem = gap.sentence[: gap.word.start] + GAP + gap.sentence[gap.word.end :]
    return Cloze(stem, tuple(options), gap.word.text, gap.sentence, score)


def _choose_distractors(gap: _Gap, candidates: list[Word], n: int) -> list[str]:
    """The most similar words that are not in the sentence, and are not inflected forms of each other."""
    within = list_plain_words(gap.sentence)
    ranked = sorted(enumerate(candidates), key=lambda pair: (-_measure_likeness(gap.word, pair[1]), pair[0]))
    chosen: list[Word] = []
    for _place, word in ranked:
        is_new = not any(_have_same_root(word, other) for other in [gap.word, *chosen])
        if len(chosen) < n and is_new and not (list_plain_words(word.text) & within):
            chosen.append(word)
    return [word.text for word in chosen]


def _measure_likeness(one: Word, other: Word) -> float:
    """Ranks words higher after the same word (in German: usually of the same gender and case), with the same ending,
    and of similar length."""
    same = 2.0 * (one.before == other.before) + 1.5 * (one.ending == other.ending)
    return same - abs(len(one.text) - len(other.text)) / 5


def _have_same_root(one: Word, other: Word) -> bool:
    """Whether two words are forms of the same word, with the same beginning; numbers must be equal."""
    first, second = one.text.casefold(), other.text.casefold()
    if one.is_number:
        return first == second
    shared = min(len(first), len(second), 5)
    return first[:shared] == second[:shared] or bool(list_plain_words(first) & list_plain_words(second))


def _make_sort_key(option: str) -> tuple[float, str, str]:
    digits = option.replace(".", "").replace(",", "").replace(":", "")
    return (float(digits) if digits.isdigit() else 0.0, option.casefold(), option)
