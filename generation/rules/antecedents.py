"""Pronouns whose noun is clear: the subject of the sentence before, where that sentence has no other candidate."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from generation.rules import english_clauses, german_clauses, german_words
from generation.rules.drafts import FROM_A_NAME, Clause, Range, word_set
from generation.rules.english_words import OBJECT, VOCABULARY
from generation.rules.german_words import PERSONS as GERMAN_PERSONS
from generation.rules.german_words import singular
from generation.rules.phrases import Vocabulary, first_nouns
from generation.rules.tagging import ADJECTIVE, DETERMINER, FINITE, NAME, NOUN, OF, POINTING, PRONOUN, Sentence

PARSERS = {"de": german_clauses.parse, "en": english_clauses.parse}
SUBJECTS = {"de": re.compile("(?:er|sie)"), "en": re.compile("(?:he|she|it|they)")}
STANDS_FIRST = re.compile(f"K?R?(?={PRONOUN}R*{FINITE})")
STANDS_SECOND = {
    "de": re.compile(f"(?:P[DdAH]*[NEC]+(?:d[DA]*[NE]+)*|R|C){FINITE}(?={PRONOUN})"),
    "en": re.compile(f"(?:P[DAH]*[NEC]+(?:,?C)?,?)(?={PRONOUN}R*{FINITE})"),
}
PLAIN_SUBJECT = re.compile(
    rf"[{DETERMINER}{OF}]?{ADJECTIVE}*[{NOUN}{NAME}]+(?:P[{DETERMINER}{NOUN}{NAME}{ADJECTIVE}]+)?"
)
GENERAL = frozenset(["type", "kind", "sort", "way", "form", "art", "weise", "form", "typ", "fall", "case"])
POINTED = re.compile(f"{POINTING}{ADJECTIVE}*{NOUN}(?!{NOUN})")
ARTICLES = {"this": "the", "these": "the"}
VOCABULARIES = {"de": german_words.VOCABULARY, "en": VOCABULARY}
GERMAN_ARTICLES = {"der": "er", "die": "sie"}  # “es” often means nothing
INDEFINITE = word_set(
    "a an ein eine no kein keine some many few viele einige any all alle most both beide each every jede jeder jedes"
)
EMPTY_IT = re.compile(f"{FINITE}R*[AVN]?.*(?:TV|S)|{FINITE}[OD]")
FORMAL = re.compile(r"(?<=[^\W_] |, )(?:Sie|Ihnen|Ihre?[nmrs]?)\b")


@dataclass(frozen=True)
class Antecedent:
    """A subject that a pronoun can stand for, as it reads in the middle of a sentence."""

    words: str
    pronouns: frozenset[str]
    is_plural: bool


@dataclass(frozen=True)
class Resolved:
    """A sentence with the noun in the place of its pronoun: `name` is where that stands, in characters."""

    text: str
    name: Range
    n_pronoun: int

    def place_in_text(self, places: Sequence[int]) -> list[int]:
        """Where each character other than white space stands in the text; those of the noun stand at the pronoun."""
        n_before = len("".join(self.text[: self.name[0]].split()))
        n_name = len("".join(self.text[slice(*self.name)].split()))
        at_pronoun = [places[n_before]] * n_name
        return [*places[:n_before], *at_pronoun, *places[n_before + self.n_pronoun :]]


def addresses_reader(text: str) -> bool:
    """German “Sie” in the middle of a sentence: then one at the beginning may be no “they”."""
    return bool(FORMAL.search(text))


def find_antecedent(sentence: Sentence, language: str) -> Antecedent | None:
    """The subject of the main clause, if nothing else in the sentence can be meant by a pronoun that follows."""
    clause = PARSERS[language](sentence, 0) if sentence.tokens else None
    if clause is None:
        return None
    subject = clause.subject if language == "en" else clause.front
    subject = (subject[0], subject[0] + len(clause.kinds(subject).partition(",")[0]))
    is_subject = clause.front_kind == "subject" or (language == "en" and clause.front_kind == "prepositional")
    first = clause.token(subject[0])
    if not is_subject or not PLAIN_SUBJECT.fullmatch(clause.kinds(subject)) or first.plain in INDEFINITE:
        return None
    if _has_rival(clause, subject, language) or clause.kinds((clause.verb + 1, clause.verb + 2)) == PRONOUN:
        return None
    found = _read_english(clause, subject) if language == "en" else _read_german(clause, subject)
    return Antecedent(_write_small(clause, subject, language), *found) if found[0] else None


def _write_small(clause: Clause, subject: Range, language: str) -> str:
    words, first = clause.sentence.source(*subject), clause.token(subject[0])
    is_title = clause.token(subject[0] + 1).text[0].isupper() or FROM_A_NAME.search(first.text)
    is_small = first.kind in (DETERMINER, OF) or (language == "de" and first.kind == ADJECTIVE)
    is_small = is_small or (language == "en" and first.kind in (NOUN, ADJECTIVE) and subject[0] == 0 and not is_title)
    return words[:1].lower() + words[1:] if is_small else words


def _has_rival(clause: Clause, subject: Range, language: str) -> bool:
    """Whether something besides the subject can be meant: beside a person another one, else whatever is acted on."""
    vocabulary = VOCABULARIES[language]
    if vocabulary.is_person(clause, subject) or clause.kinds(subject) == NAME * (subject[1] - subject[0]):
        return any(
            _may_be_person(clause, place, vocabulary) for place in range(subject[1], len(clause.sentence.tokens))
        )
    if clause.token(clause.verb).lemma in ("be", "sein", "become", "remain", "bleiben") and not clause.has_tail:
        return False
    place = clause.verb + 1
    while place < clause.end and clause.sentence.kinds[place] in "RV":
        place += 1
    has_object = place < clause.end and bool(OBJECT.match(clause.sentence.kinds, place, clause.end))
    return has_object or clause.has_tail


def _may_be_person(clause: Clause, place: int, vocabulary: Vocabulary) -> bool:
    token = clause.token(place)
    while clause.token(place - 1).kind == NAME:
        place -= 1
    is_place = clause.token(place - 1).plain in ("in", "at", "near", "from", "aus", "nach", "bei", "im", "am")
    return (token.kind == NAME and not is_place) or bool(vocabulary.persons.fullmatch(token.plain))


def _read_german(clause: Clause, subject: Range) -> tuple[frozenset[str], bool]:
    verb, first = clause.token(clause.verb), clause.token(subject[0])
    if singular(verb.text, verb.lemma) != verb.text:
        return frozenset(["sie"]), True
    if first.plain in GERMAN_ARTICLES:
        return frozenset([GERMAN_ARTICLES[first.plain]]), False
    is_person = first.kind == NAME or any(GERMAN_PERSONS.fullmatch(word) for word in first_nouns(clause, subject))
    return frozenset(["er", "sie"] if is_person and clause.kinds(subject).strip("NE") == "" else []), False


def _read_english(clause: Clause, subject: Range) -> tuple[frozenset[str], bool]:
    nouns = [token for token in clause.tokens(subject) if token.kind in (NOUN, NAME)]
    if nouns[0].tag == "NN2" or (len(nouns) > 1 and nouns[-1].tag == "NN2" and "P" not in clause.kinds(subject)):
        return frozenset(["they"]), True
    is_person = VOCABULARY.ask_who_or_what(clause, subject) == "who"
    is_name = all(token.kind == NAME for token in clause.tokens(subject))
    if is_person or is_name:
        return frozenset(["he", "she"]), False
    return frozenset(["it"] if clause.token(subject[0]).kind == DETERMINER else []), False


def resolve(sentence: Sentence, antecedent: Antecedent, language: str) -> Resolved | None:
    """The sentence with the noun for its subject; None if that is no pronoun, or one that does not fit."""
    found = STANDS_FIRST.match(sentence.kinds) or STANDS_SECOND[language].match(sentence.kinds)
    if not found:
        return None
    pronoun = sentence.tokens[found.end()]
    later = sentence.tokens[found.end() + 1 :]
    if pronoun.plain not in antecedent.pronouns or any(SUBJECTS[language].fullmatch(each.plain) for each in later):
        return None
    if pronoun.plain == "it" and EMPTY_IT.match(sentence.kinds, found.end() + 1):
        return None
    if any(token.plain == "sich" for token in later[:1]):
        return None  # “bewegten sie sich”: a noun stands behind “sich”
    if language == "de" and not _agrees(sentence, found.end(), antecedent):
        return None
    words = antecedent.words if pronoun.start else antecedent.words[:1].upper() + antecedent.words[1:]
    text = sentence.text[: pronoun.start] + words + sentence.text[pronoun.end :]
    return Resolved(text, (pronoun.start, pronoun.start + len(words)), len(pronoun.text))


def name_again(sentence: Sentence, before: Sentence, language: str) -> Resolved | None:
    """“Diese Burg” as “die Burg”, “this castle” as “the castle”, if the sentence before names a castle."""
    found = POINTED.search(sentence.kinds)
    if not found or sentence.kinds.count(POINTING) > 1 or PRONOUN in sentence.kinds[: found.start()]:
        return None
    noun, pointer = sentence.tokens[found.end() - 1], sentence.tokens[found.start()]
    article = _write_article(pointer.text, noun.text) if language == "de" else ARTICLES.get(pointer.plain, "")
    if (
        not article
        or noun.plain in GENERAL
        or not any(token.kind in (NOUN, NAME) and token.plain == noun.plain for token in before.tokens)
    ):
        return None
    words = (article if pointer.start else article.capitalize()) + sentence.text[pointer.end : noun.end]
    text = sentence.text[: pointer.start] + words + sentence.text[noun.end :]
    n_pointed = len("".join(sentence.text[pointer.start : noun.end].split()))
    return Resolved(text, (pointer.start, pointer.start + len(words)), n_pointed)


def _write_article(pointer: str, noun: str) -> str:
    ending = pointer.lower().removeprefix("dies")
    if ending == "es":
        return "des" if noun.endswith("s") else "das"
    return {"e": "die", "er": "der", "em": "dem", "en": "den"}.get(ending, "")


def _agrees(sentence: Sentence, place: int, antecedent: Antecedent) -> bool:
    """Whether the verb beside the German pronoun has the number of the noun."""
    near = [sentence.tokens[each] for each in (place + 1, place - 1) if 0 <= each < len(sentence.tokens)]
    verb = next((token for token in near if token.kind == FINITE), None)
    return verb is not None and (singular(verb.text, verb.lemma) != verb.text) == antecedent.is_plural


@dataclass
class Reader:
    """Reads the sentences of a text in order and keeps what a pronoun of the next one can stand for."""

    language: str
    is_formal: bool
    before: Sentence | None = None
    antecedent: Antecedent | None = None

    def forget(self) -> None:
        self.before = self.antecedent = None

    def _keep_person(self, sentence: Sentence) -> Antecedent | None:
        """A person stays the one that “he” means until a sentence names anybody or anything else that it could be."""
        if not self.antecedent or not self.antecedent.pronouns & {"he", "er"} or not self.antecedent.words[0].isupper():
            return None
        persons, known = VOCABULARIES[self.language].persons, self.antecedent.words.split()
        is_rival = any(
            (token.kind == NAME and token.text not in known) or persons.fullmatch(token.plain)
            for token in sentence.tokens
        )
        is_subject = bool(re.match("K?[DdAO]+", sentence.kinds))
        return None if is_rival or (is_subject and self.language == "de") else self.antecedent

    def read(self, sentence: Sentence) -> Resolved | None:
        """The sentence with a noun in the place of what points to the one before, if that is clear."""
        before, antecedent = self.before, self.antecedent
        self.before = sentence
        is_formal = self.is_formal and sentence.text.startswith("Sie ")
        if antecedent and not is_formal and (found := resolve(sentence, antecedent, self.language)):
            return found  # the antecedent holds for the next sentence, too
        self.antecedent = find_antecedent(sentence, self.language) or self._keep_person(sentence)
        return name_again(sentence, before, self.language) if before else None
