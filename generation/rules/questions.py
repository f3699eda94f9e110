"""Open questions by rule: statements turned into wh-questions, more than are wanted, the most promising first."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generation.rules.sentences import is_usable, sentences_of

UPPER = r"[A-ZÄÖÜ][\w’'-]*"
LOWER = r"[a-zäöüß][\w’'-]*"
# A pronoun at the beginning points out of the sentence, so that nobody could tell what is asked.
POINTING = re.compile(
    r"\b(?:er|sie|es|ihn|ihm|ihr|ihre[nmrs]?|sein(?:e[nmrs]?)?|dies\w*|jene\w*|dort|dabei|damit|davon|dafür|"
    r"he|she|it|they|them|him|her|his|hers|its|their|this|these|those|there)\b",
    re.IGNORECASE,
)  # fmt: skip
TIMES = {
    "de": r"(?:\w*(?:tag|abend|morgen|nacht|woche|monat|jahr|sommer|herbst|winter|frühling|mittag|uhr|stunde|minute)"
    r"(?:e?n|s|es|e)?|montag|mittwoch|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|"
    r"dezember|\d{4})",
    "en": r"(?:\w*(?:day|morning|evening|night|week|month|year|summer|autumn|winter|spring|hour|minute)s?|january|"
    r"february|march|april|may|june|july|august|september|october|november|december|trial|\d{4})",
}
FRONT_DE = re.compile(
    rf"(?P<answer>(?P<prep>Am|Im|In|An|Auf|Bei|Beim|Seit|Ab|Nach|Vor|Unter|Neben|Hinter)(?: (?:{LOWER}|\d+\.?))*?"
    rf"(?: {UPPER})(?: \d{{4}})?) (?P<verb>{LOWER}) (?P<rest>.+)[.!]"
)
SUBJECT_DE = re.compile(
    rf"(?P<answer>(?:Der|Das|Ein|Eine|Die)(?: {LOWER}(?:e|en|er|es))?(?: {UPPER})+) "
    rf"(?P<verb>{LOWER}t|ist|war|hat|will|kann|darf|muss|soll|{LOWER}te) (?P<rest>.+)[.!]"
)
AUX_EN = r"was|were|is|are|has|had|will|would|can|could|may|must|should"
FRONT_EN = re.compile(
    rf"(?P<answer>(?P<prep>On|In|At|During|After|Before|Since|Near|Under|Behind|Beside|Along) [^,]{{3,50}}?),? "
    rf"(?P<subject>(?:the|a|an|every|each|some|{UPPER})(?: [\w’'-]+){{0,4}}?) (?P<verb>{AUX_EN}) (?P<rest>.+)[.!]"
)
SUBJECT_EN = re.compile(
    rf"(?P<answer>(?:The|A|An|Every) (?:[\w’'-]+ ){{0,4}}?[\w’'-]+|(?!But|And|So|Or|Yet|Then|If|When|Most)"
    rf"{UPPER}(?: {UPPER})*) (?P<verb>{AUX_EN}|[a-z]+ed) (?P<rest>.+)[.!]"
)
LITTLE_DE = {
    "und",
    "oder",
    "aber",
    "sondern",
    "der",
    "die",
    "das",
    "den",
    "dem",
    "des",
    "von",
    "vom",
    "zu",
    "zum",
    "zur",
}
BEST_LENGTH = 12


@dataclass(frozen=True)
class OpenQuestion:
    question: str
    answer: str
    sentence: str
    rule: str
    score: float


def open_questions(text: str, language: str, n_items: int) -> list[OpenQuestion]:
    """The best, each from another sentence; fewer if the text does not carry so many."""
    found = list(_all_questions(text, language))
    ranked = sorted(enumerate(found), key=lambda pair: (-pair[1].score, pair[0]))
    chosen: list[OpenQuestion] = []
    for _place, question in ranked:
        if len(chosen) < n_items and question.sentence not in {other.sentence for other in chosen}:
            chosen.append(question)
    return chosen


def _all_questions(text: str, language: str) -> Iterator[OpenQuestion]:
    rules = {"de": (_front_de, _subject_de), "en": (_front_en, _subject_en)}.get(language, ())
    for sentence in sentences_of(text, language):
        if not is_usable(sentence):
            continue
        for rule in rules:
            if asked := rule(sentence):
                yield OpenQuestion(*asked, sentence, rule.__name__.strip("_"), _score(*asked))


Asked = tuple[str, str] | None
Rule = Callable[[str], Asked]


def _front_de(sentence: str) -> Asked:
    """“Am Abend ging Mira heim.”: Wann ging Mira heim?"""
    found = FRONT_DE.fullmatch(sentence)
    if not found or found["verb"] in LITTLE_DE or found["rest"][0] in ",;":
        return None
    is_time = re.search(rf"\b{TIMES['de']}$", found["answer"], re.IGNORECASE)
    preposition = found["prep"]
    if is_time:
        asked = {"Seit": "Seit wann", "Ab": "Ab wann"}.get(preposition, "Wann")
    elif preposition in ("Am", "Im", "In", "An", "Auf", "Unter", "Neben", "Hinter"):
        asked = "Wo"
    else:
        return None
    return f"{asked} {found['verb']} {found['rest']}?", found["answer"]


def _subject_de(sentence: str) -> Asked:
    """“Die alte Burg steht auf dem Berg.”: Wer oder was steht auf dem Berg?"""
    found = SUBJECT_DE.fullmatch(sentence)
    if not found or found["verb"] in LITTLE_DE or POINTING.fullmatch(found["answer"]):
        return None
    return f"Wer oder was {found['verb']} {found['rest']}?", found["answer"]


def _front_en(sentence: str) -> Asked:
    """“In the trial the street was closed.”: When was the street closed?"""
    found = FRONT_EN.fullmatch(sentence)
    if not found:
        return None
    is_time = re.search(rf"\b{TIMES['en']}\b", found["answer"], re.IGNORECASE)
    if not is_time and found["prep"] in ("During", "After", "Before", "Since"):
        return None
    asked = "When" if is_time else "Where"
    return f"{asked} {found['verb']} {found['subject']} {found['rest']}?", found["answer"]


def _subject_en(sentence: str) -> Asked:
    """“The council closed the street.”: Who or what closed the street?"""
    found = SUBJECT_EN.fullmatch(sentence)
    if not found or POINTING.fullmatch(found["answer"]):
        return None
    verb = {"were": "was", "are": "is"}.get(found["verb"], found["verb"])
    return f"Who or what {verb} {found['rest']}?", found["answer"]


def _score(question: str, answer: str) -> float:
    """Higher for a plain when or where, a middle length, and a question that points nowhere else."""
    plain = 1.0 if question.startswith(("Wann", "Wo ", "Seit wann", "Ab wann", "When", "Where")) else 0.0
    pointing = len(POINTING.findall(question))
    clauses = len(re.findall(r"[,;:]", question))
    length = abs(len(question.split()) - BEST_LENGTH) / 8
    short = 0.5 if len(answer.split()) < 2 else 0.0
    return round(3 + plain - 1.5 * pointing - 0.5 * clauses - length - short, 4)
