"""Which sentences of a text can be used for an item, and where they are."""

import re

QUOTES = re.compile(r"[\"“”„»«‚‘]")
QUOTED_NAME = re.compile(r"(?<![:.] )(?<!^)[\"“„»‚‘]([^\W_][^\"“”„»«.!?]{0,38}[^\W_])[\"”“«‘’](?![^\W_])")
DOUBLED_QUOTE = re.compile(r"([\"“”„»«])\1+")
YEAR_FIRST = re.compile(r"(?:1\d|20)\d\d ")
NUMBER_FIRST = re.compile(r"\d{2,}(?:[.,]\d+)* [^\W_]")
SHORTEST_ASKED = 4
LONGEST_ASKED = 60
SHORTEST, LONGEST = 6, 40  # words of a sentence that can be asked about
MOST_CHARACTERS = 600


def places_of(text: str, sentences: list[str]) -> list[list[int]]:
    """For each of the text's sentences, the places of its visible characters in the text."""
    places = [place for place, character in enumerate(text) if not character.isspace()]
    found, begin = [], 0
    for sentence in sentences:
        end = begin + len("".join(sentence.split()))
        found.append(places[begin:end])
        begin = end
    return found


def is_usable(sentence: str, *, may_name: bool = False) -> bool:
    """Whether it is a complete statement without quotation, of a usable length.

    `may_name`: allow a few words in quotation marks, such as a title.
    """
    if may_name:
        sentence = QUOTED_NAME.sub(r"\1", DOUBLED_QUOTE.sub(r"\1", sentence)).strip('"“„»”«')
    if len(sentence) > MOST_CHARACTERS or not sentence.endswith((".", "!")):
        return False
    if not sentence or QUOTES.search(sentence) or "___" in sentence:
        return False
    is_begun = sentence[0].isupper() or bool((NUMBER_FIRST if may_name else YEAR_FIRST).match(sentence))
    shortest, longest = (SHORTEST_ASKED, LONGEST_ASKED) if may_name else (SHORTEST, LONGEST)
    return is_begun and shortest <= len(sentence.split()) <= longest
