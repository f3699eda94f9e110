"""Which options the cell of a table calls correct: by number, letter or wording."""

import re
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from items.formats.tables.columns import number_of, option_number
from items.plain import printable

# What stands for: no option is correct.
NONE = {"none", "keine", "keiner", "keines", "bat ere ez", "-", "–"}
PARTS = re.compile(r"[;,|/+&\n]|\s(?:and|und|eta)\s")


def keys_of(cell: str, options: Mapping[int, str]) -> set[int]:
    """The numbers of the correct options, of {number of the column: wording}; raises ValueError with a sentence."""
    if not cell:
        raise ValueError(
            _("Nothing says which option is correct. Write its number, letter or wording, or “none” if none is.")
        )
    if whole := _meant(cell, options):
        return {_single(cell, whole)}
    if cell.casefold() in NONE:
        return set()
    return {_single(part, _meant(part, options)) for part in _parts(cell)}


def _parts(cell: str) -> Iterator[str]:
    return (part.strip() for part in PARTS.split(cell) if part.strip())


def _meant(part: str, options: Mapping[int, str]) -> set[int]:
    """The options that this may mean. A sign such as “2” may be the number of one and the wording of another."""
    numbers = {number for number, wording in options.items() if wording == part}
    sign = part.casefold().strip("().: ")
    number = option_number(part) or (number_of(sign) if re.fullmatch(r"\d{1,2}|[a-t]", sign) else None) or 0
    return numbers | {number} if number in options else numbers


def _single(part: str, numbers: set[int]) -> int:
    if len(numbers) == 1:
        return next(iter(numbers))
    if numbers:
        reason = _("“{part}” may mean several options ({numbers}). Write it in another way: number, letter or wording.")
        raise ValueError(
            reason.format(part=printable(part), numbers=", ".join(str(number) for number in sorted(numbers)))
        )
    reason = _(
        "“{part}” is no option of this row. Write the number (from 1), letter or exact wording; "
        "several are parted by semicolons."
    )
    raise ValueError(reason.format(part=printable(part)))
