"""The codes that somebody who looks at an item of a study may set: what is wrong with it, or what kind it is.

Per protocol: as published why an item can be guessed or not be answered (Säuberli & Clematide 2024), and what is wrong
with a generated question (QGEval, 2024), which serves the stopping questionnaire too; of pairs, where an item fails
what it is compared by.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

UNANSWERABLE, GUESSABLE, TAG, ERROR = "unanswerable", "guessable", "tag", "error"
KINDS = {
    UNANSWERABLE: _("Why it cannot be answered with the text"),
    GUESSABLE: _("Why it can be guessed without the text"),
    TAG: _("What it asks about"),
    ERROR: _("What is wrong with the question"),
}


@dataclass(frozen=True)
class Code:
    """`name` stands in tables; a sub-code starts with the name of its code and a colon."""

    name: str
    kind: str
    title: str | Promise


ERRORS = (
    Code("invalid", ERROR, _("no valid question")),
    Code("incorrectly_phrased", ERROR, _("incorrectly phrased")),
    Code("ambiguous", ERROR, _("ambiguous")),
    Code("unnecessary_copy", ERROR, _("copies more of the passage than needed")),
    Code("inconsistent", ERROR, _("inconsistent with the passage")),
    Code("beyond_passage", ERROR, _("asks beyond the passage")),
    Code("mismatch", ERROR, _("does not match the expected answer")),
)
CODES: dict[str, tuple[Code, ...]] = {
    "guess-then-read": (
        Code("wrong_key", UNANSWERABLE, _("wrong key")),
        Code("wrong_key:none_right", UNANSWERABLE, _("wrong key: no option is right, yet one is marked")),
        Code("unclear_option", UNANSWERABLE, _("unclear option")),
        Code("insufficient_evidence", UNANSWERABLE, _("insufficient evidence in the text")),
        Code("widely_known", GUESSABLE, _("widely known fact")),
        Code("about_text", TAG, _("asks about the text itself")),
        Code("about_content", TAG, _("asks about what the text reports")),
    ),
    "pairwise": (
        Code("wrong_key", ERROR, _("wrong key")),
        Code("several_right", ERROR, _("another option is right too")),
        Code("beyond_passage", ERROR, _("asks beyond the passage")),
        Code("trivial", ERROR, _("too easy to tell anything")),
        Code("recall", ERROR, _("asks for recall alone")),
    ),
    "stopping-questionnaire": ERRORS[:-1],
    "dimension-ratings": ERRORS,
}


def codes_of(protocol: str) -> tuple[Code, ...]:
    """The codes for items of a study of that protocol, in the order in which they are offered; there may be none."""
    return CODES.get(protocol, ())


def title_of(protocol: str, name: str) -> str:
    """The code in words; `KeyError` if the protocol has none of that name."""
    return str({code.name: code.title for code in codes_of(protocol)}[name])


def titles(protocol: str, joined_names: str) -> str:
    """What `joined` gives, in words."""
    return "; ".join(title_of(protocol, name) for name in joined_names.split("; ") if name)


def joined(protocol: str, names: set[str], *kinds: str) -> str:
    """Codes as the cell of a table: those of these kinds, each once, in the catalogue's order, parted by semicolons."""
    return "; ".join(code.name for code in codes_of(protocol) if code.name in names and code.kind in kinds)
