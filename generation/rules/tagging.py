"""The words of a sentence with their parts of speech, by the Hanover Tagger (HanTa), whose models come with it.

Each word gets one letter, so that a phrase is a regular expression over the letters of a sentence.
"""

import re
import threading
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

MODELS = {"de": "morphmodel_ger.pgz", "en": "morphmodel_en.pgz"}
WORD = re.compile(
    r"[vn]\.(?=\s?Chr)|Chr\.(?=\s)|"
    r"\d+(?:er)?(?:-[^\W\d_]+)+|(?:[ap]\.m|e\.g|i\.e)\.|\d+(?:[.,]\d+)*(?!(?:er|s|th|st|nd|rd)\b)[A-Za-z]{1,5}\b|\d+(?:[.,:]\d+)*\.(?=\s+[A-ZÄÖÜ]?[a-zäöü])|\d+(?:[.,:]\d+)*(?:[-–]?er\b|s\b)?|(?:[A-Z]\.){2,}|[A-Z]\.(?=\s+[A-Z])|"
    r"(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|Nr|ca|bzw|usw|etc|Mio|Mrd|vs|Co|Inc|Ltd|Corp|Jan|Feb|Aug|Sept|Oct|Nov|Dec)\.(?=\s)|"
    r"[^\W\d_]{1,40}?(?=n['’]t\b)|n['’]t\b|(?<=\w)['’](?:s|re|ve|ll|d|m)\b|\w+(?:[-’'.&](?!(?:s|re|ve|ll|d|m)\b)\w+)*(?:-(?=\s))?|[^\w\s]"
)
(
    DETERMINER, ADJECTIVE, NOUN, NAME, NUMBER, PREPOSITION, ADVERB, FINITE, NONFINITE, CONJUNCTION, SUBORDINATOR,
    RELATIVE, PRONOUN, POSSESSIVE, POINTING, TO, PARTICLE, COMMA, BREAK, GENITIVE, BRACKETED, OTHER,
    OF, WITH_TO, GERUND,
) = "DANECPRFVKSWOHQTX,;GpxdZY"  # fmt: skip
"""The letters: D article, A adjective, N noun, E name, C number, P preposition, R adverb, F finite verb, V participle
or infinitive, K conjunction, S subordinator, W relative pronoun, O pronoun, H possessive, Q demonstrative, T “to” or
“zu”, X verb particle, comma, semicolon for a break, G “'s”, p in brackets, x other, d German genitive article, Z
infinitive with “zu” inside, Y “-ing” form."""
KINDS = {
    "de": {
        "ART": "D", "PIAT": "D", "PWAT": "W", "PPOSAT": "H", "PDAT": "Q", "PDS": "O", "PIS": "O", "PPER": "O",
        "PRF": "O", "PROAV": "R", "PRELS": "W", "PRELAT": "W", "PWS": "W", "PWAV": "S", "KOUS": "S", "KOUI": "S",
        "KON": "K", "KOKOM": "P", "ADJ(A)": "A", "ADJ(D)": "R", "ADV": "R", "PTKNEG": "R", "PTKA": "R", "APPR": "P",
        "APPRART": "P", "APPO": "x", "CARD": "C", "NN": "N", "NNA": "N", "NNI": "N", "NE": "E", "FM": "E",
        "PTKVZ": "X", "PTKZU": "T", "VV(IZU)": "Z", "VA(FIN)": "F", "VM(FIN)": "F", "VV(FIN)": "F", "$,": ",",
        "$.": ";",
    },
    "en": {
        "AT0": "D", "DT0": "D", "DTQ": "W", "DPS": "H", "AJ0": "A", "AJC": "A", "AJS": "A", "ORD": "A", "AV0": "R",
        "AVP": "X", "AVQ": "S", "CJC": "K", "CJS": "S", "CJT": "S", "CRD": "C", "EX0": "O", "NN0": "N", "NN1": "N",
        "NN2": "N", "NP0": "E", "PNI": "O", "PNP": "O", "PNX": "O", "PNQ": "W", "PRF": "P", "PRP": "P", "TO0": "T",
        "VBB": "F", "VBD": "F", "VBZ": "F", "VDB": "F", "VDD": "F", "VDZ": "F", "VHB": "F", "VHD": "F", "VHZ": "F",
        "VM0": "F", "VVB": "F", "VVD": "F", "VVZ": "F", "XX0": "R", "POS": "G", "VVG": "Y",
        "VBG": "Y", "VHG": "Y", "VDG": "Y",
    },
}  # fmt: skip
PUNCTUATION = {",": COMMA, ".": BREAK, "!": BREAK, ";": BREAK, ":": BREAK, "–": BREAK, "—": BREAK, "-": BREAK}
QUOTATION = frozenset('"“”„»«‚‘')
MISREAD = {
    "de": {
        "des": OF,
        "der": OF,
        "eines": OF,
        "einer": OF,
        "mehrerer": OF,
        "vieler": OF,
        "einiger": OF,
        **dict.fromkeys(["ohne", "trotz", "laut", "dank", "gegenüber", "mithilfe", "anhand", "aufgrund"], PREPOSITION),
        "indem": SUBORDINATOR,
        "sodass": SUBORDINATOR,
    },
    "en": {
        "this": POINTING,
        "these": POINTING,
        "those": POINTING,
        "such": POINTING,
        "same": ADJECTIVE,
        "cannot": FINITE,
        "than": PREPOSITION,
        "as": PREPOSITION,
        "$": OTHER,
    },
}
BOUNDING = frozenset(
    ["about", "around", "over", "nearly", "under", "at", "least", "most", "up", "to", "more", "less", "fewer", "than"]
)
EXPLETIVE = frozenset(["geben", "handeln", "empfehlen", "lohnen"])
ERAS = frozenset(["bc", "bce", "ad", "a.m.", "p.m.", "am", "pm"])
_tagger_lock = threading.Lock()


@dataclass(frozen=True)
class Token:
    """A word in its sentence."""

    text: str
    start: int
    kind: str
    tag: str
    lemma: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def plain(self) -> str:
        return self.text.lower()


@dataclass(frozen=True)
class Sentence:
    """A tagged sentence; `kinds` has one letter for each token."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def kinds(self) -> str:
        return "".join(token.kind for token in self.tokens)

    def source(self, start: int, end: int) -> str:
        """The words from one token to another, exactly as written."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if start < end else ""

    def words(self, start: int, end: int) -> str:
        """The words from one token to another, without those in brackets."""
        joined, before = "", None  # type: str, Token | None
        for token in self.tokens[start:end]:
            if token.kind != BRACKETED:
                gap = self.text[before.end : token.start] if before else ""
                joined += (" " if " " in gap else "") + token.text
                before = token
        return joined


def tag_sentence(text: str, language: str, small_words: Collection[str] = ()) -> Sentence:
    """The sentence with its tags. `small_words`: words that occur in lower case in the text, so they are no names."""
    found = [match for match in WORD.finditer(text) if match[0] not in QUOTATION]
    plain = [match[0].replace("’", "'") for match in found]
    with _tagger_lock:  # one thread at a time, as the tagger writes to its cache
        tagged = _load_tagger(language).tag_sent(plain) if found else []
    rows, depth = [], 0
    for match, (_word, lemma, tag) in zip(found, tagged, strict=True):
        depth += match[0] in "(["
        kind = BRACKETED if depth else _get_kind(match[0], tag, language)
        is_between = text[: match.start()].rstrip()[-1:].isdigit() or text[match.end() :].lstrip()[:1].isdigit()
        if (match[0] == "-" and not text[match.start() - 1].isspace()) or (match[0] in ":–-" and is_between):
            kind = BRACKETED if depth else OTHER  # “2-5 days”, “26 : 0”
        depth -= match[0] in ")]" and depth > 0
        rows.append(Token(match[0], match.start(), kind, tag, lemma))
    correct = _correct_german if language == "de" else _correct_english
    return Sentence(text, tuple(correct(rows, small_words)))


def _correct_german(rows: list[Token], _small_words: Collection[str]) -> list[Token]:
    """Correct the kinds that only the neighboring words reveal."""
    if [row.kind for row in rows[:2]] == [FINITE, FINITE]:
        rows[0] = replace(rows[0], kind=NAME)  # “Batten wurde …”
    rows = _with_past(rows)
    rows = [rows[0], *(_with_language(row) for row in rows[1:])] if rows else []
    rows = [_without_subject(before, row) for before, row in zip([None, *rows[:-1]], rows, strict=True)]
    kinds = "".join(row.kind for row in rows)
    rows = [_with_phrase(row, kinds[place + 1 :]) for place, row in enumerate(rows)]
    pairs = zip([None, *rows[:-1]], rows, strict=True)
    plural = "".join("I" if row.tag == "VV(INF)" else row.kind for row in rows)
    rows = [_with_relative(before, row, plural[place + 1 :]) for place, (before, row) in enumerate(pairs)]
    rows = [_with_case(row, after) for row, after in zip(rows, [*rows[1:], None], strict=True)]
    return [_with_ending(row, after) for row, after in zip(rows, [*rows[1:], None], strict=True)]


def _correct_english(rows: list[Token], small_words: Collection[str]) -> list[Token]:
    rows = _with_numbers(rows)
    rows = [_with_name(row, after) for row, after in zip(rows, [*rows[1:], None], strict=True)]
    rows = [_with_to(before, row) for before, row in zip([None, *rows[:-1]], rows, strict=True)]
    rows = _with_have(_with_verb(rows))
    kinds = "".join(row.kind for row in rows)
    rows = [
        _with_clause(row, kinds[place + 1 :], after_verb=kinds[place - 1 : place] == FINITE)
        for place, row in enumerate(rows)
    ]
    kinds = "".join(row.kind for row in rows)
    first = [_without_capital(rows[0], kinds[1:], small_words)] if rows else []
    return [*first, *rows[1:]]


def _with_past(rows: list[Token]) -> list[Token]:
    """“Die Forscher entdeckten Kristalle”: an apparent adjective is the verb of a clause that has no other."""
    kinds = "".join(row.kind for row in rows)
    found = None if FINITE in re.split("[,;]", kinds)[0] else re.match(f"[DA]*N{ADJECTIVE}(?=[NDAC])", kinds)
    place = found.end() - 1 if found else 0
    if found and rows[place].plain.endswith("ten"):
        lemma = rows[place].plain[:-3] + "en"
        rows[place] = replace(rows[place], kind=FINITE, tag="VV(FIN)", lemma=lemma)
    return rows


def _with_language(token: Token) -> Token:
    """“sprechen Russisch”: an adjective with a capital letter is a noun."""
    is_noun = token.tag == "ADJ(D)" and token.text[0].isupper() and token.text.endswith("isch")
    return replace(token, kind=NOUN) if is_noun else token


def _without_subject(before: Token | None, token: Token) -> Token:
    """The “es” of “gibt es” and “handelt es sich” refers to nothing."""
    is_empty = before is not None and before.lemma in EXPLETIVE and token.plain == "es"
    return replace(token, kind=ADVERB) if is_empty else token


def _with_numbers(rows: list[Token]) -> list[Token]:
    """“about 200 people”, “at least five people”: the word before a number is an adverb, not a place."""
    found = list(rows)
    for place in range(len(rows) - 2, -1, -1):
        token, after = found[place], found[place + 1]
        if token.plain == "such" and after.plain == "as":
            found[place] = replace(token, kind=PREPOSITION)
        later = next((each for each in found[place + 1 :] if each.kind not in (NUMBER, ADVERB)), None)
        is_chained = after.kind == NUMBER or (after.kind == ADVERB and after.plain in BOUNDING)
        is_count = later is not None and later.kind in (NOUN, ADJECTIVE) and later.plain not in ERAS
        if token.plain in BOUNDING and is_chained and is_count:
            found[place] = replace(token, kind=ADVERB)
    return found


def _with_name(token: Token, after: Token | None) -> Token:
    """Correct “A World's Fair is …” (a name), “today's player” (a noun), “the vehicle itself” (an adverb)."""
    if token.plain == "today" and after is not None and after.kind == GENITIVE:
        return replace(token, kind=NOUN)
    is_last = after is not None and after.kind in (FINITE, BRACKETED)
    if token.kind == ADJECTIVE and token.text[0].isupper() and token.start and is_last:
        return replace(token, kind=NAME)
    return replace(token, kind=ADVERB) if token.plain in ("itself", "themselves") and is_last else token


def _with_to(before: Token | None, token: Token) -> Token:
    """“to let”: an infinitive looks like the present tense; “of zoom lenses”: after a preposition it is a noun."""
    is_infinitive = before is not None and before.kind == TO and token.kind == FINITE
    is_base = token.tag == "VVI" or (token.tag == "VVN" and not token.plain.endswith(("d", "n", "t")))
    if before is not None and before.kind in (PREPOSITION, DETERMINER) and is_base:
        return replace(token, kind=NOUN, tag="NN1")
    return replace(token, kind=NONFINITE) if is_infinitive else token


def _with_verb(rows: list[Token]) -> list[Token]:
    """“About 200 people protested”: where a sentence has no finite verb, a participle behind a noun is one."""
    kinds = "".join(row.kind for row in rows)
    found = None if FINITE in kinds else re.match("[^,;SWYTV]*(?:,[^,;SWYTV]*){0,2}[NE],?R*(?=V)", kinds)
    reduced = re.match("[^,;SWKFO]*[NE](?=FP[^,;SWKFO]*F)", kinds)
    if reduced and rows[reduced.end()].tag == "VVD":  # “The man suspected of the theft was seen”
        rows[reduced.end()] = replace(rows[reduced.end()], kind=NONFINITE, tag="VVN")
    if found and rows[found.end()].tag == "VVN" and "V" not in re.split("[,;SWT]", kinds[found.end() + 1 :])[0]:
        rows[found.end()] = replace(rows[found.end()], kind=FINITE, tag="VVD")
    return rows


def _with_have(rows: list[Token]) -> list[Token]:
    """“Travellers sometimes have”: an infinitive behind a noun, and no modal verb in its clause."""
    for place, row in enumerate(rows):
        before = "".join(each.kind for each in rows[:place])
        clause = re.split("[,;SW]", before)[-1]
        if row.tag == "VHI" and FINITE not in clause[-6:] and re.search("[NEO]R*$", before):
            rows[place] = replace(row, kind=FINITE, tag="VHB")
    return rows


def _with_clause(token: Token, after: str, *, after_verb: bool) -> Token:
    """“After the results came in”: a preposition before a clause is a conjunction."""
    if token.kind == POINTING and token.plain == "that" and re.match("[^;F]*F", after):
        return replace(token, kind=SUBORDINATOR) if after_verb else token  # “found that fear …”
    if token.kind == SUBORDINATOR and token.plain == "because" and after.startswith("P"):
        return replace(token, kind=ADVERB)  # “because of the rain”
    if token.kind == SUBORDINATOR and token.plain == "since" and not re.match("[^,;]*F", after):
        return replace(token, kind=PREPOSITION)  # “since the foundation of the city in 1720”
    may_be = token.kind == PREPOSITION and token.plain in ("after", "before", "until", "since", "as")
    return replace(token, kind=SUBORDINATOR) if may_be and re.match("[^,;PSKVTW]{1,6}F", after) else token


def _with_relative(before: Token | None, token: Token, after: str) -> Token:
    """“Gäste, die Inhaber einer Karte sind, …”: what looks like an article begins a clause that ends in its verb."""
    may_be = before is not None and before.kind == COMMA and token.plain in ("die", "der", "das", "dem", "den")
    is_one = may_be and token.kind in (DETERMINER, OF) and re.match("[^,;FSWK]{2,}(?:F|(?<![TV])I)(?=[,;])", after)
    return replace(token, kind=RELATIVE) if is_one else token


def _with_case(token: Token, after: Token | None) -> Token:
    """“der letzte Krieg”: here “der” is an article in the nominative; in “der letzten Kriege” it is a genitive."""
    if token.kind == OF and not token.start:
        return replace(token, kind=DETERMINER)
    is_first = token.kind == OF and after is not None and after.kind == ADJECTIVE and after.text.endswith("e")
    return replace(token, kind=DETERMINER) if is_first and token.plain == "der" else token


def _with_phrase(token: Token, after: str) -> Token:
    """“Während der Wahl kam …”: a conjunction is a preposition if the verb does not end its clause."""
    may_be = token.kind == SUBORDINATOR and token.plain in ("während", "seit", "bis")
    return replace(token, kind=PREPOSITION) if may_be and re.match("[DdHQ]*[ACRNEd]*[NEC]F(?![,;FV])", after) else token


def _with_ending(token: Token, after: Token | None) -> Token:
    """“lange Teleobjektive”: what ends like an adjective before a noun belongs to it."""
    belongs = after is not None and after.kind in (NOUN, NAME) and token.text.endswith(("e", "en", "es"))
    is_one = token.tag == "ADJ(D)" or token.plain == "lange"
    return replace(token, kind=ADJECTIVE) if is_one and belongs else token


def _without_capital(first: Token, after: str, small_words: Collection[str]) -> Token:
    """Correct the first word of an English sentence, whose capital letter says nothing: an unknown noun is a name."""
    small = first.text.lower()
    if first.tag == "VVB" and re.match("[NE]R*F", after):
        return replace(first, kind=NOUN)  # “Travel agents offer …” is no request
    is_title = first.kind == ADJECTIVE and after.startswith(NAME)
    if (
        (is_title or first.kind == NOUN)
        and first.tag != "NN2"
        and small not in small_words
        and small not in _load_tagger("en").cache
    ):
        return replace(first, kind=NAME)
    if first.kind == NAME and small in small_words:
        return replace(first, kind=NOUN)
    return first


def _get_kind(word: str, tag: str, language: str) -> str:
    if word in PUNCTUATION:
        return PUNCTUATION[word]
    kind = MISREAD[language].get(word.lower(), "")
    if kind and not (kind == OF and KINDS[language].get(tag) != DETERMINER):
        return kind
    if word.lower() == "that" and tag == "DT0":
        return POINTING
    if word.endswith("-"):
        return NOUN
    if re.fullmatch(r"\d.*[^\W\d]", word) and not re.fullmatch(r"\d+(?:er|s|th|st|nd|rd)", word):
        return NOUN
    if word[0].isdigit() and not word.endswith((".", "er")):
        return NUMBER
    if language == "en" and tag == "UNC" and word.isalpha():
        return NAME if word[0].isupper() else NOUN
    return KINDS[language].get(tag) or (NONFINITE if tag[0] == "V" else OTHER)


@cache
def _load_tagger(language: str) -> Any:
    from HanTa import HanoverTagger  # a second to load, so only where it is used

    return HanoverTagger.HanoverTagger(MODELS[language])
