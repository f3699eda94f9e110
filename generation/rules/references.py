"""Which phrases point back: “the castle” in a later sentence means one that an earlier sentence has named."""

import re

from generation.rules.drafts import Range, word_set
from generation.rules.tagging import COMMA, DETERMINER, NAME, NOUN, NUMBER, OF, Sentence

ARTICLES = word_set("the der die das den dem des")
PHRASE = re.compile(f"[{DETERMINER}{OF}](R*[AC]K?)*(?:[{NOUN}{NAME}]G?)*[{NOUN}{NAME}{NUMBER}]")
SAYS_WHICH = re.compile(r",?P?W|S[^,;]{0,8}F|TV|V(?!;)|d|G|p|H")
OF_WHAT = word_set("of between for about against von vom zwischen für über gegen aus")
UNIQUE = re.compile(
    r"sun|moon|earth|world|sky|universe|sea|ocean|weather|climate|internet|public|police|government|army|military|"
    r"media|past|future|morning|evening|afternoon|night|summer|winter|autumn|spring|north|south|east|west|equator|"
    r"sonne|mond|erde|welt|himmel|universum|meer|ozean|wetter|klima|internet|öffentlichkeit|polizei|regierung|armee|"
    r"militär|medien|vergangenheit|zukunft|natur|morgen|abend|nachmittag|nacht|sommer|winter|herbst|frühling|norden|"
    r"süden|osten|westen|äquator|menschheit|\w*mittelalter|antike|regel|\w*(?:jahr|monat|woche)(?:en|e|s)?"
)


def refers_back(sentence: Sentence, of: Range) -> bool:
    """Whether a definite noun in the range is neither named, nor unique, nor distinguished by what is beside it."""
    return any(
        token.plain in ARTICLES and token.kind in (DETERMINER, OF) and _is_bare(sentence, place)
        for place, token in enumerate(sentence.tokens[of[0] : of[1]], of[0])
    )


def _is_bare(sentence: Sentence, place: int) -> bool:
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
    """“the oldest”, “the third”, “the only”, “das norwegische”."""
    is_german = bool(re.search("(?:st|isch)(?:e|en|er|es)$", word)) and tag.startswith("ADJ")
    return tag in ("AJS", "ORD") or is_german or word in ("only", "einzige", "einzigen", "most")
