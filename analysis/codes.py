"""The codes that somebody may set on an item of a study: what is wrong with it, or what kind it is.

Per protocol: why an item can be guessed or cannot be answered, as published (Säuberli & Clematide 2024); what is wrong
with a generated question (QGEval, 2024), also for the stopping questionnaire; for pairs, in what the item is worse
than the other. The types of question follow what a reader has to do with the text. In addition, a team may divide
items by kinds of its own: such a code is named `KIND=CATEGORY`, and exists as long as an item has it.
"""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from analysis.plugins import find_plugin, load_plugins
from items.flaw_rules import GUIDELINES, HUMAN_ONLY, RULES
from studies.models import Purpose, Response, Study, UnitItem

TYPE, UNANSWERABLE, GUESSABLE, TAG, ERROR = "question_type", "unanswerable", "guessable", "asks_about", "error"
KINDS = {
    TYPE: _("Type of question"),
    TAG: _("What it asks about"),
    UNANSWERABLE: _("Why it cannot be answered with the text"),
    GUESSABLE: _("Why it can be guessed without the text"),
    ERROR: _("What is wrong with the question"),
}
SEVERAL = (UNANSWERABLE, GUESSABLE, ERROR)  # kinds with several codes per item; all others allow one
OWN = "="  # separates kind and category in the name of a team's own code
LONGEST = 60  # letters, in a team's own kind and in its category


@dataclass(frozen=True)
class Code:
    """A code with its kind and title. `name`: as in tables; a sub-code starts with the name of its code and a colon."""

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


def list_codes(protocol: str) -> tuple[Code, ...]:
    """The codes for items of a study with that protocol, in the order of the page; there may be none."""
    return find_plugin(protocol).codes


def list_all_codes() -> list[Code]:
    """The codes of all protocols."""
    return [code for plugin in load_plugins().values() for code in plugin.codes]


def find_code(protocol: str, name: str) -> Code:
    """The code with that name, including a team's own; `KeyError` if there is none."""
    kind, sign, category = name.partition(OWN)
    if sign and 0 < len(kind) <= LONGEST and 0 < len(category) <= LONGEST and is_single(kind):
        return Code(name, kind, category)
    return {code.name: code for code in list_codes(protocol)}[name]


def is_known(protocol: str, name: str) -> bool:
    """Whether `find_code` finds it."""
    try:
        return bool(find_code(protocol, name))
    except KeyError:
        return False


def name_category_code(protocol: str, kind: str, category: str) -> str:
    """The name of the code that puts an item into a category: a code of the catalogue, else one of the team's own."""
    catalogue = {code.name for code in list_codes(protocol) if code.kind == kind}
    return category if category in catalogue else f"{kind}{OWN}{category}"


def get_category_title(protocol: str, kind: str, category: str) -> str:
    """The display name of a category; a team's own categories, and those of metadata, keep their own names."""
    return {code.name: str(code.title) for code in list_codes(protocol) if code.kind == kind}.get(category, category)


def get_category(name: str) -> str:
    """The category into which a code puts an item."""
    return name.partition(OWN)[2] or name


def is_single(kind: str) -> bool:
    """Whether an item has at most one code of the kind, so that the kind divides the items."""
    return kind not in SEVERAL


def get_kind_title(kind: str) -> str:
    """The display name of a kind; a team's own kinds keep their own names."""
    return str(KINDS.get(kind, kind))


def get_code_title(protocol: str, name: str) -> str:
    """The display name of a code; `KeyError` if the protocol has no such code."""
    return str(find_code(protocol, name).title)


def list_code_titles(protocol: str, joined_names: str) -> str:
    """The display names of what `join_codes` returns."""
    return "; ".join(get_code_title(protocol, name) for name in joined_names.split("; ") if name)


def join_codes(protocol: str, names: Collection[str], *kinds: str) -> str:
    """Codes of these kinds in a table cell: without repetition, in the catalogue's order, separated by semicolons."""
    return "; ".join(code.name for code in list_codes(protocol) if code.name in names and code.kind in kinds)


# Item-writing flaws that people found in the items of a study, in any study of the project that asked about flaws.


def query_flaw_answers(study: Study) -> QuerySet[Response]:
    """People's current answers about flaws of the study's items, in any study of the project."""
    return Response.objects.filter(
        question__in=(*RULES, *HUMAN_ONLY, *GUIDELINES),
        item__in=UnitItem.objects.filter(unit__study=study).values("item"),
        assignment__annotator__kind="human",
        assignment__annotator__purpose=Purpose.MAIN,
        assignment__returned_at=None,
    )


def decide_flaws_by_majority(study: Study) -> dict[str, dict[str, bool]]:
    """By item and flaw, whether most people say yes; a tie is left out."""
    counts: dict[tuple[str, str], int] = {}
    for item, flaw, value in query_flaw_answers(study).values_list("item__external_id", "question", "value"):
        if value in ("yes", "no"):
            counts[item, flaw] = counts.get((item, flaw), 0) + (1 if value == "yes" else -1)
    found: dict[str, dict[str, bool]] = {}
    for (item, flaw), lead in counts.items():
        if lead:
            found.setdefault(item, {})[flaw] = lead > 0
    return found
