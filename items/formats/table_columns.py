"""The fields that a column of a table can hold, and the names by which it is recognized."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from string import ascii_lowercase
from types import MappingProxyType

from django.utils.translation import gettext as _

from items.models import MAX_OPTIONS
from items.plain import make_printable

TEXT_FIELDS = (
    *("text_id", "title", "text", "language", "markup"),
    *("source", "genre", "level", "audience", "topic", "licence", "shareable"),
)
ITEM_FIELDS = ("item_id", "generator", "question", "correct", "answer", "reference", "tags")
OPTION_FIELDS = tuple(f"option_{number}" for number in range(1, MAX_OPTIONS + 1))
FIELDS = (*TEXT_FIELDS, *ITEM_FIELDS, *OPTION_FIELDS)
# Other uses of a column: metadata of the text or item, or ignored.
KEEP_AS_DETAIL, LEAVE_OUT = "extra", "leave_out"
CHOICES = (*FIELDS, KEEP_AS_DETAIL, LEAVE_OUT)

# English, German and Basque names, and those of common data sets; compared without case, accents, spaces and signs.
NAMES = {
    "text_id": "textid textnr textnummer passageid passagennr articleid documentid docid link testuid",
    "title": "title titel ueberschrift uberschrift heading headline izenburua izenburu",
    "text": "text body passage article artikel context lesetext inhalt textkorper content paragraph absatz testua "
    "testu florespassage",
    "language": "language sprache lang languagecode textsprache hizkuntza dialect",
    "markup": "markup auszeichnung textformat markaketa",
    "source": "source quelle herkunft sourceurl url iturria",
    "genre": "genre textsorte gattung generoa",
    "level": "level niveau cefr ger cefrlevel sprachniveau stufe maila",
    "audience": "audience zielgruppe targetgroup hartzailea",
    "topic": "topic thema subject gaia",
    "licence": "licence license lizenz lizentzia",
    "shareable": "shareable teilbar weitergabe",
    "item_id": "itemid itemnr itemnummer questionid frageid fragenr questionnumber fragenummer galderaid",
    "generator": "generator author autor autorin verfasser verfasserin system egilea",
    "question": "question q frage stem fragetext aufgabe questiontext galdera",
    "correct": "correct key korrekt richtig losung loesung losungsschlussel correctanswer correctoption "
    "correctanswernum correctanswers richtigeantwort richtigeantworten richtigeoption zuzena erantzunzuzena answerkey",
    "answer": "expectedanswer musterantwort erwarteteantwort musterlosung musterloesung sampleanswer openanswer",
    "reference": "reference referenz referenzitem",
    "tags": "tags tag schlagworte schlagwort schlagworter etiketak etiketa",
}
KNOWN = {name: field for field, names in NAMES.items() for name in (field.replace("_", ""), *names.split())}
# Names whose meaning depends on the other columns.
AMBIGUOUS = {"id", "nr", "answer", "antwort", "erantzuna"}
# The letter must be separate, as in “answer b” or “answerB”: “answers” is no option.
OPTION = re.compile(
    r"(?:mc)?(?:option|answer|antwort|antwortoption|antwortmoglichkeit|choice|auswahl|alternative|aukera|erantzuna)"
    r" (\d{1,2}|[a-t])"
)


def normalize_column_name(name: str) -> str:
    """The letters and digits of a name, without case and accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in apart if char.isalnum())


def parse_option_name(name: str) -> int | None:
    """2 for “Option 2”, “answer_b” and “Antwort B”; None for other names and numbers above MAX_OPTIONS."""
    *words, sign = re.findall(r"\d+|[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z]$)", " ", name)) or [""]
    match = OPTION.fullmatch(f"{normalize_column_name(''.join(words))} {normalize_column_name(sign)}".strip())
    return parse_option_sign(match[1]) if match else None


def parse_option_sign(sign: str) -> int | None:
    """2 for “2” and “b”; None for other signs."""
    number = int(sign) if sign.isdecimal() else ascii_lowercase.find(sign) + 1
    return number if 1 <= number <= MAX_OPTIONS else None


# The fields that somebody chose: one for each column in order, or by the names of columns.
Columns = Sequence[str] | Mapping[str, str]
NOTHING: Mapping[str, str] = MappingProxyType({})


def recognize_columns(header: Sequence[str], mapping: Mapping[str, str] = NOTHING) -> list[str]:
    """A field for each column: that of the mapping, else that of its name.

    If two columns have the same meaning, the mapping decides, then the order. Unrecognized columns are kept.
    """
    names = [normalize_column_name(name) for name in header]
    letters = find_option_letters(names)
    fields = [mapping[name] if name in mapping else _recognize_name(name, letters) for name in header]
    for place, name in enumerate(names):
        if header[place] not in mapping and name in AMBIGUOUS:
            fields[place] = _resolve_ambiguous(name, fields)
    return _keep_doubles(header, fields, mapping)


def _keep_doubles(header: Sequence[str], fields: Sequence[str], mapping: Mapping[str, str]) -> list[str]:
    """The fields; a column whose field is already taken by the mapping or an earlier column becomes a detail."""
    taken, kept = set(mapping.values()), list[str]()
    for name, field in zip(header, fields, strict=True):
        kept.append(KEEP_AS_DETAIL if field in taken and name not in mapping else field)
        taken.add(field)
    return kept


def name_choices(header: Sequence[str], chosen: Columns | None) -> Mapping[str, str]:
    """The chosen fields by the names of their columns."""
    return chosen if isinstance(chosen, Mapping) else dict(zip(header, chosen or (), strict=False))


def parse_assignments(lines: Iterable[str]) -> dict[str, str]:
    """The mapping in lines such as “question = Frage”; ValueError with a sentence for others."""
    mapping: dict[str, str] = {}
    for line in lines:
        field, _sign, name = (part.strip() for part in line.partition("="))
        if not field or not name:
            reason = _("“{line}” is not of the form “field = column of the table”, such as “question = Frage”.")
            raise ValueError(reason.format(line=make_printable(line)))
        if name in mapping:
            raise ValueError(_("The column “{name}” is assigned twice.").format(name=make_printable(name)))
        mapping[name] = field
    return mapping


def find_unknown(header: Sequence[str], mapping: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(column, reason) for columns of the mapping that the table lacks, and for fields that do not exist."""
    for name, field in mapping.items():
        if name not in header:
            yield name, _("The table has no column “{name}”.").format(name=make_printable(name))
        if field not in CHOICES:
            reason = _(
                "“{field}” is no field: write one of the recognized columns, “extra” (keep as a detail) or “leave_out”."
            )
            yield name, reason.format(field=make_printable(field))


def find_option_letters(names: Collection[str]) -> list[str]:
    """The letters from a on that are names of columns, if there is an a and a b: an e without a d is no option."""
    found = list(takewhile(names.__contains__, ascii_lowercase[:MAX_OPTIONS]))
    return found if len(found) > 1 else []


def count_recognized(header: Sequence[str]) -> int:
    return sum(field != KEEP_AS_DETAIL for field in recognize_columns(header))


def find_mistakes(fields: Sequence[str]) -> Iterator[str]:
    """Why a table cannot be read with these fields, each reason with its remedy."""
    for field, count in Counter(fields).items():
        if count > 1 and field in FIELDS:
            yield _("{n} columns are assigned to “{field}”. Choose one of them.").format(n=count, field=field)
    if not {"text", "text_id"} & set(fields):
        yield _("No column is assigned to the text. Choose the column with the text, or with the text_id.")
    options = set(OPTION_FIELDS) & set(fields)
    if "question" not in fields and (options or {"correct", "answer", "item_id"} & set(fields)):
        yield _("There are item columns, but no column is assigned to the question. Choose it.")
    if options and "correct" not in fields:
        yield _(
            "No column is assigned to the correct options. Choose the column that lists their "
            "numbers, letters or wording."
        )
    if "correct" in fields and not options:
        yield _("A column lists the correct options, but no column is assigned to the options. Choose them.")


def list_known_columns() -> str:
    """All known names of columns, in a sentence."""
    named = ", ".join([*TEXT_FIELDS, *ITEM_FIELDS])
    return _("Recognized columns: {names}, and option_1 to option_{limit}.").format(names=named, limit=MAX_OPTIONS)


def quote_names(header: Sequence[str]) -> str:
    return ", ".join(f"“{make_printable(name)}”" for name in header)


def _recognize_name(name: str, letters: list[str]) -> str:
    """The field of a column by its name alone; `letters`: single letters that name options."""
    plain = normalize_column_name(name)
    if plain in AMBIGUOUS:
        return KEEP_AS_DETAIL
    if plain not in letters and (field := KNOWN.get(plain)):
        return field
    number = parse_option_sign(plain) if plain in letters else parse_option_name(name)
    return f"option_{number}" if number else KEEP_AS_DETAIL


def _resolve_ambiguous(name: str, fields: Sequence[str]) -> str:
    """“id” means the row's id; “answer” next to options means the correct one, alone it means the expected answer."""
    if name in {"id", "nr"}:
        return "item_id" if "question" in fields else "text_id"
    return "correct" if set(OPTION_FIELDS) & set(fields) and "correct" not in fields else "answer"


# Words that mean: no option is correct.
NO_KEY = {"none", "keine", "keiner", "keines", "bat ere ez", "-", "–"}
PARTS = re.compile(r"[;,|/+&\n]|\s(?:and|und|eta)\s")


def parse_keys(cell: str, options: Mapping[int, str]) -> set[int]:
    """The numbers of the correct options, of {number of the column: wording}; raises ValueError with a sentence."""
    if not cell:
        raise ValueError(
            _("The row does not say which option is correct. Write its number, letter or wording, or “none”.")
        )
    if whole := _match_options(cell, options):
        return {_require_single(cell, whole)}
    if cell.casefold() in NO_KEY:
        return set()
    return {_require_single(part, _match_options(part, options)) for part in _split_cell(cell)}


def _split_cell(cell: str) -> Iterator[str]:
    return (part.strip() for part in PARTS.split(cell) if part.strip())


def _match_options(part: str, options: Mapping[int, str]) -> set[int]:
    """The options that this may mean. A sign such as “2” may be the number of one option and the wording of another."""
    numbers = {number for number, wording in options.items() if wording == part}
    sign = part.casefold().strip("().: ")
    number = parse_option_name(part) or (parse_option_sign(sign) if re.fullmatch(r"\d{1,2}|[a-t]", sign) else None) or 0
    return numbers | {number} if number in options else numbers


def _require_single(part: str, numbers: set[int]) -> int:
    if len(numbers) == 1:
        return next(iter(numbers))
    if numbers:
        reason = _("“{part}” could mean several options ({numbers}). Use the number, the letter or the exact wording.")
        raise ValueError(
            reason.format(part=make_printable(part), numbers=", ".join(str(number) for number in sorted(numbers)))
        )
    reason = _(
        "“{part}” is not an option of this row. Write the number (from 1), letter or exact wording; "
        "separate several by semicolons."
    )
    raise ValueError(reason.format(part=make_printable(part)))
