"""What a column of a table can say, and by which names it is recognised."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from django.utils.translation import gettext as _

from items.models import MAX_OPTIONS
from items.plain import printable

TEXT_FIELDS = (
    *("text_id", "title", "text", "language"),
    *("source", "genre", "level", "audience", "topic", "licence", "shareable"),
)
ITEM_FIELDS = ("item_id", "generator", "question", "correct", "answer", "reference")
OPTION_FIELDS = tuple(f"option_{number}" for number in range(1, MAX_OPTIONS + 1))
FIELDS = (*TEXT_FIELDS, *ITEM_FIELDS, *OPTION_FIELDS)
# What else may become of a column: a detail that is kept beside the text or item, or nothing.
KEPT, LEFT_OUT = "extra", ""

# English, German and Basque names, and those of common data sets; compared without case, accents, spaces and signs.
NAMES = {
    "text_id": "textid textnr textnummer passageid passagennr articleid documentid docid link testuid",
    "title": "title titel ueberschrift uberschrift heading headline izenburua izenburu",
    "text": "text body passage article artikel context lesetext inhalt textkorper content paragraph absatz testua "
    "testu florespassage",
    "language": "language sprache lang languagecode textsprache hizkuntza dialect",
    "source": "source quelle herkunft sourceurl url iturria",
    "genre": "genre textsorte gattung generoa",
    "level": "level niveau cefr ger cefrlevel sprachniveau stufe maila",
    "audience": "audience zielgruppe targetgroup hartzailea",
    "topic": "topic thema subject gaia",
    "licence": "licence license lizenz lizentzia",
    "shareable": "shareable teilbar weitergabe",
    "item_id": "itemid itemnr itemnummer questionid frageid fragenr questionnumber fragenummer galderaid",
    "generator": "generator author autor autorin verfasser verfasserin system egilea",
    "question": "question frage stem fragetext aufgabe questiontext galdera",
    "correct": "correct key korrekt richtig losung loesung losungsschlussel correctanswer correctoption "
    "correctanswernum correctanswers richtigeantwort richtigeantworten richtigeoption zuzena erantzunzuzena answerkey",
    "answer": "expectedanswer musterantwort erwarteteantwort musterlosung musterloesung sampleanswer openanswer",
    "reference": "reference referenz referenzitem",
}
KNOWN = {name: field for field, names in NAMES.items() for name in (field.replace("_", ""), *names.split())}
# Their meaning depends on what else is there.
DEPENDING = {"id", "nr", "answer", "antwort", "erantzuna"}
# A letter stands apart, as in “answer b” or “answerB”: “answers” is no option.
OPTION = re.compile(
    r"(?:mc)?(?:option|answer|antwort|antwortoption|antwortmoglichkeit|choice|auswahl|alternative|aukera|erantzuna)"
    r" (\d{1,2}|[a-t])"
)


def plain(name: str) -> str:
    """The letters and digits of a name, without case and accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in apart if char.isalnum())


def option_number(name: str) -> int | None:
    """2 for “Option 2”, “answer_b” and “Antwort B”; None for other names and above the bound."""
    *words, sign = re.findall(r"\d+|[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z]$)", " ", name)) or [""]
    told = OPTION.fullmatch(f"{plain(''.join(words))} {plain(sign)}".strip())
    return number_of(told[1]) if told else None


def number_of(sign: str) -> int | None:
    """2 for “2” and “b”; None for what counts no option."""
    number = int(sign) if sign.isdecimal() else ascii_lowercase.find(sign) + 1
    return number if 1 <= number <= MAX_OPTIONS else None


def recognised(header: Sequence[str]) -> list[str]:
    """A field for each column; of two that say the same the first has it. What is not recognised is kept."""
    names = [plain(name) for name in header]
    letters = {"a", "b"} <= set(names)
    fields = [_field(name, letters) for name in header]
    for place, name in enumerate(names):
        if fields[place] == KEPT and name in DEPENDING:
            fields[place] = _depending(name, fields)
    return [KEPT if field in fields[:place] else field for place, field in enumerate(fields)]


def recognised_count(header: Sequence[str]) -> int:
    return sum(field != KEPT for field in recognised(header))


def mistakes(fields: Sequence[str]) -> Iterator[str]:
    """Why a table cannot be read with these fields, each with its remedy."""
    for field, count in Counter(fields).items():
        if count > 1 and field in FIELDS:
            yield _("{n} columns are said to be “{field}”. Choose one of them.").format(n=count, field=field)
    if not {"text", "text_id"} & set(fields):
        yield _("No column is said to hold the text. Choose the one that does, or the one with the text_id.")
    options = set(OPTION_FIELDS) & set(fields)
    if "question" not in fields and (options or {"correct", "answer", "item_id"} & set(fields)):
        yield _("There are columns about items, but none holds the question. Choose the one that does.")
    if options and "correct" not in fields:
        yield _("No column says which options are correct. Choose the one that names their numbers, letters or words.")
    if "correct" in fields and not options:
        yield _("A column says what is correct, but none holds an option. Choose the columns of the options.")


def known_columns() -> str:
    """All names by which this is said, for a sentence."""
    named = ", ".join([*TEXT_FIELDS, *ITEM_FIELDS])
    return _("Lesart knows these columns: {names}, and option_1 to option_{limit}.").format(
        names=named, limit=MAX_OPTIONS
    )


def quoted(header: Sequence[str]) -> str:
    return ", ".join(f"“{printable(name)}”" for name in header)


def _field(name: str, letters: bool) -> str:
    """What a column's name says by itself; bare letters are options where there is an A and a B."""
    if plain(name) in DEPENDING:
        return KEPT
    if field := KNOWN.get(plain(name)):
        return field
    bare = letters and re.fullmatch("[a-t]", plain(name))
    number = number_of(plain(name)) if bare else option_number(name)
    return f"option_{number}" if number else KEPT


def _depending(name: str, fields: Sequence[str]) -> str:
    """An id is that of the row; an answer beside options says which is correct, alone it is the expected one."""
    if name in {"id", "nr"}:
        return "item_id" if "question" in fields else "text_id"
    return "correct" if set(OPTION_FIELDS) & set(fields) and "correct" not in fields else "answer"
