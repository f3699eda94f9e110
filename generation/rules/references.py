"""What names, pronouns and phrases refer to.

Examples: “Lena Vogt, the mayor, said …” says who she is; “He sold it” becomes “Vogt sold it”, by the name in the
sentence before; “the castle” refers to an earlier sentence that has named it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generation.rules.drafts import Clause, Draft, Range, Wording, make_word_set, write_draft
from generation.rules.phrases import Vocabulary, find_head, find_nouns
from generation.rules.tagging import BRACKETED, COMMA, DETERMINER, NAME, NOUN, NUMBER, OF, Sentence

ARTICLES = make_word_set("the der die das den dem des")
PHRASE = re.compile(f"[{DETERMINER}{OF}](R*[AC]K?)*(?:[{NOUN}{NAME}]G?)*[{NOUN}{NAME}{NUMBER}]")
SAYS_WHICH = re.compile(r",?P?W|S[^,;]{0,8}F|TV|V(?!;)|d|G|p|H")
OF_WHAT = make_word_set("of between for about against von vom zwischen für über gegen aus")
UNIQUE = re.compile(
    r"sun|moon|earth|world|sky|universe|sea|ocean|weather|climate|internet|public|police|government|army|military|"
    r"media|past|future|morning|evening|afternoon|night|summer|winter|autumn|spring|north|south|east|west|equator|"
    r"sonne|mond|erde|welt|himmel|universum|meer|ozean|wetter|klima|internet|öffentlichkeit|polizei|regierung|armee|"
    r"militär|medien|vergangenheit|zukunft|natur|morgen|abend|nachmittag|nacht|sommer|winter|herbst|frühling|norden|"
    r"süden|osten|westen|äquator|menschheit|\w*mittelalter|antike|regel|\w*(?:jahr|monat|woche)(?:en|e|s)?"
)


def refers_back(sentence: Sentence, of: Range) -> bool:
    """Whether a noun in the range has a definite article that only an earlier sentence explains.

    That is: it has no name, is not unique in the world, and no words around it say which one is meant.
    """
    return any(
        token.plain in ARTICLES and token.kind in (DETERMINER, OF) and _is_bare(sentence, place)
        for place, token in enumerate(sentence.tokens[of[0] : of[1]], of[0])
    )


def _is_bare(sentence: Sentence, place: int) -> bool:
    """Whether nothing in the sentence says which one the phrase that begins there means."""
    found = PHRASE.match(sentence.kinds, place)
    if not found or sentence.kinds[place - 1 : place] == COMMA:
        return False  # “…, die Proteine bilden”
    tokens, end = sentence.tokens[place + 1 : found.end()], found.end()
    is_english = sentence.tokens[place].plain == "the"
    if any(token.kind in (NAME, NUMBER) or _is_single(token.plain, token.tag) for token in tokens) or (
        is_english and any(token.text[0].isupper() for token in tokens)
    ):
        return False
    if UNIQUE.fullmatch(tokens[-1].plain) or SAYS_WHICH.match(sentence.kinds, end):
        return False
    is_of = end < len(sentence.tokens) and sentence.tokens[end].plain in OF_WHAT
    is_said_before = tokens[-1].plain in {token.plain for token in sentence.tokens[:place]}
    return not (is_of or is_said_before)


def _is_single(word: str, tag: str) -> bool:
    """Whether the word picks out a single thing: “the oldest”, “the third”, “the only”, “das norwegische”."""
    is_german = bool(re.search("(?:st|isch)(?:e|en|er|es)$", word)) and tag.startswith("ADJ")
    return tag in ("AJS", "ORD") or is_german or word in ("only", "einzige", "einzigen", "most")


NAMED_FIRST = re.compile(r"(E{1,4}),((?:D?R?A*N(?:[dPDAHEKN]*[NE])?)),(?=R*F)")
NAMED_WITHIN = re.compile(r"(?<![NEDA,])(E{1,4}),(DR?A*N(?:[PDAEN]*[NE])?)(?=,[^NEKDA]|;)")
TOLD_FIRST = re.compile(r"([Dd]A*N(?:[dPDAEKN]*[NE])?),(E{2,4}),(?=R*F)")
SHORT_NAME = re.compile(r"[A-Z]{2,6}")


def ask_who_it_is(sentence: Sentence, vocabulary: Vocabulary, verb: str, wording: Wording) -> Iterator[Draft]:
    """“Lena Vogt, Leiterin des Museums, sagte …”: Wer ist Lena Vogt? Also if the description comes before the name."""
    for pattern in (NAMED_FIRST, TOLD_FIRST, NAMED_WITHIN):
        found = pattern.search(sentence.kinds) if pattern is NAMED_WITHIN else pattern.match(sentence.kinds)
        if not found or (pattern is NAMED_WITHIN and verb == "ist"):
            continue  # in German the article may be in another case than the nominative that the question needs
        named, description = found.span(1), found.span(2)
        clause = Clause(sentence, named, "subject", found.end(), found.end(), (0, 0), named)
        about: Range = named if pattern is TOLD_FIRST else description
        is_person = any(vocabulary.persons.fullmatch(word) for word in _list_heads(clause, about))
        first_word = sentence.tokens[description[0]].plain
        is_thing = pattern is not TOLD_FIRST and first_word in ("a", "an", "ein", "eine", "the")
        if find_nouns(clause, about) and (is_person or is_thing):
            asked = vocabulary.who if is_person else vocabulary.what
            question = wording.write(clause, [asked, verb, named], may_bind=False)
            yield from write_draft(clause, question, description, "apposition", 3.0)
            return


def _list_heads(clause: Clause, of: Range) -> list[str]:
    head = find_head(clause, of)
    return [head, head.rpartition("-")[2]]


def ask_short_name(sentence: Sentence, wording: str) -> Iterator[Draft]:
    """“… by magnetic resonance imaging (MRI)”: What does the abbreviation MRI stand for?"""
    for place, token in enumerate(sentence.tokens[1:-1], 1):
        is_alone = [sentence.tokens[each].text for each in (place - 1, place + 1)] == ["(", ")"]
        if not is_alone or token.kind != BRACKETED or not SHORT_NAME.fullmatch(token.text):
            continue
        if start := _find_long_name(sentence, place - 1, token.text):
            clause = Clause(sentence, start, "subject", start[1], len(sentence.kinds.rstrip(";")), (0, 0), start)
            yield from write_draft(clause, wording.format(token.text), start, "short-name", 3.2)


def _find_long_name(sentence: Sentence, end: int, letters: str) -> Range | None:
    """The words before the bracket that begin with its letters; small words such as “of” may have none."""
    place, left = end, letters.lower()
    while place and left:
        place -= 1
        token = sentence.tokens[place]
        if token.plain[0] == left[-1]:
            left = left[:-1]
        elif token.kind not in "PDdKG":
            return None
    return None if left else (place, end)


PRONOUN = re.compile(
    r"^([\"“”]*(?:[A-Z][^,;:]{0,60}, |"
    r"(?:In|On|At|During|After|Before|Since|By|Despite) [^,;:]{1,40} )?)(He|She|he|she)(?= [a-z])"
)
GERMAN_PRONOUN = re.compile(r"^([\"“”„]*(?:(?!Er |Sie |Es )[A-ZÄÖÜ][^,;:]{1,60} )?)([Ee]r)(?= [a-zäöü])")
OTHER_PERSON = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Hh]im|[Hh]er|[Hh]is|[Tt]hey|sein\w*|ihr\w*|ihn|sich|dies\w*|wie|dass|wenn|als)\b"
)
SUBJECT = re.compile(rf"(?:R,?|P[DHQ]*[CAN{NAME}]+,?)?(?:[D]?A*N)?({NAME}{{1,4}})(?:,[^,;]*,)?R*(?=F)")
PARTICIPLE_FIRST = re.compile(rf"[VY][^,;F]*,({NAME}{{1,4}})R*(?=F)")


@dataclass(frozen=True)
class ResolvedSentence:
    """A sentence with a name in place of its first pronoun, which is at `place`."""

    text: str
    place: int = 0
    pronoun: str = ""
    name: str = ""

    @property
    def end(self) -> int:
        return self.place + len(self.name)

    def original_length(self, text: str) -> int:
        """The number of visible characters that the beginning of the text has in the original sentence."""
        length = len("".join(text.split()))
        if not self.name or len(text) < self.end:
            return length
        return length - len("".join(self.name.split())) + len(self.pronoun)


def find_subject_name(text: str, kinds: str, starts: Sequence[int]) -> str:
    """The name that is the subject of a sentence, empty if it is no name; `starts`: the positions of its words."""
    found = SUBJECT.match(kinds) or PARTICIPLE_FIRST.match(kinds)
    if not found or "K" in kinds[: found.end()]:
        return ""
    first, last = found.span(1)
    return re.sub(r"\s+", " ", text[starts[first] : starts[last]]).strip(" ,")


def resolve_pronoun(sentence: str, name: str, language: str) -> ResolvedSentence:
    """The sentence with the name in place of a pronoun as subject; unchanged without a name or such a pronoun."""
    found = (GERMAN_PRONOUN if language == "de" else PRONOUN).match(sentence)
    if not name or not found or OTHER_PERSON.search(found[1]):
        return ResolvedSentence(sentence)
    place = found.end(1)
    return ResolvedSentence(sentence[:place] + name + sentence[found.end() :], place, found[2], name)
