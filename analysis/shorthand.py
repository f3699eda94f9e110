"""Choices of a results page as letters: a page has hundreds of links to answers, and each says all choices."""

from collections.abc import Mapping
from typing import Any

SHORT = "as"  # the parameter of an address that holds the letters
NOTHING = "n"
LETTERS = {
    ("include", "simulated"): "s",
    ("include", "pilot"): "p",
    ("convention", "published"): "i",
    ("estimate", "matched"): "m",
    ("texts", "shared"): "t",
    ("drop", "duplicates"): "d",
    ("drop", "references"): "r",
    ("calibration", "without"): "c",
}


def in_letters(asked: Mapping[str, Any]) -> dict[str, str]:
    """The same choices as `addresses.asked` gives, as one parameter; none where nothing was chosen."""
    if not asked:
        return {}
    found = [
        letter
        for (name, value), letter in LETTERS.items()
        if name in asked and value in ([asked[name]] if isinstance(asked[name], str) else asked[name])
    ]
    return {SHORT: "".join(found) or NOTHING}


def spelled_out(letters: str) -> dict[str, Any]:
    """The choices behind the letters, as a form takes them; a letter that is none stands for nothing."""
    asked: dict[str, Any] = {"asked": "1", "include": [], "drop": []}
    for (name, value), letter in LETTERS.items():
        if letter in letters:
            asked[name] = [*asked[name], value] if name in ("include", "drop") else value
    return asked
