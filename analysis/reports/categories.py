"""Items by category, from their metadata and from codes, and the errors found in the items of each generator."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.codes import (
    ERROR,
    TAG,
    TYPE,
    find_code,
    get_category,
    get_category_title,
    get_code_title,
    is_single,
    list_codes,
)
from analysis.formatting import count
from analysis.frames.evidence import Evidence
from analysis.reports.tables import ERROR_CODES
from analysis.tables.spec import Table

FEWEST, MOST = 2, 12  # categories of a division; a column with more probably holds names


@dataclass(frozen=True)
class Categories:
    """One way to divide the items: `of` maps an item's id to its category; items without a known category are
    missing."""

    kind: str
    of: dict[str, str]
    protocol: str
    is_coded: bool = False  # whether somebody has set a code of the kind

    @property
    def names(self) -> list[str]:
        return sorted(set(self.of.values()))

    @property
    def phrase(self) -> str:
        """The kind in words for a sentence; metadata columns and a team's own kinds keep their names."""
        return {TAG: _("what they ask about"), TYPE: _("type of question")}.get(self.kind, self.kind)

    @property
    def is_usable(self) -> bool:
        return all(self.of.values()) and FEWEST <= len(self.names) <= MOST

    def title_of(self, name: str) -> str:
        """The display name of a category."""
        return get_category_title(self.protocol, self.kind, name)


def list_usable_divisions(evidence: Evidence) -> list[Categories]:
    """The ways to divide all items of the study into few categories, if any."""
    return [division for division in list_divisions(evidence) if division.is_usable]


def list_divisions(evidence: Evidence) -> list[Categories]:
    return divide_items(evidence.study.protocol, list(evidence.items["item_id"]), evidence.metadata, evidence.codes)


def divide_items(
    protocol: str, items: Iterable[str], metadata: Mapping[str, Mapping[str, str]], codes: Mapping[str, Collection[str]]
) -> list[Categories]:
    """All ways to divide the items: metadata columns first, then kinds of codes.

    If metadata and codes disagree, the code counts, as somebody set it after reading the item.
    """
    ids = list(items)
    coded = {item: list_single_codes(protocol, codes.get(item, ())) for item in ids}
    named = {key for item in ids for key in metadata.get(item, {})} | {kind for item in ids for kind in coded[item]}
    kinds = [*sorted(named - {TYPE, TAG}), TYPE, TAG]
    return [
        Categories(
            kind,
            {item: choose_category(coded[item].get(kind, []), metadata.get(item, {}).get(kind, "")) for item in ids},
            protocol,
            is_coded=any(kind in coded[item] for item in ids),
        )
        for kind in kinds
    ]


def list_single_codes(protocol: str, names: Collection[str]) -> dict[str, list[str]]:
    """The categories that an item's codes name, by kind; several if people disagree."""
    found: dict[str, list[str]] = {}
    for code in (find_code(protocol, name) for name in names):
        if is_single(code.kind):
            found.setdefault(code.kind, []).append(get_category(code.name))
    return found


def choose_category(coded: list[str], default: str) -> str:
    """The category from the code, else from the metadata; empty if codes contradict each other."""
    if coded:
        return coded[0] if len(coded) == 1 else ""
    return default


def say_left_aside(evidence: Evidence) -> list[str]:
    """One sentence for each metadata column or kind of code that cannot divide the items, with the reason."""
    found = []
    for division in list_divisions(evidence):
        n, known = len(division.of), sum(map(bool, division.of.values()))
        values = {
            "kind": division.phrase,
            "n": count(n - known),
            "all": count(n),
            "values": count(len(set(division.of.values()))),
        }
        if known < n and (2 * known >= n or division.is_coded) and known:
            found.append(_("No comparison by %(kind)s: %(n)s of %(all)s items have no category.") % values)
        elif known == n and n and len(division.names) > MOST and len(division.names) < n / FEWEST:
            found.append(_("No comparison by %(kind)s: it has too many categories (%(values)s).") % values)
    return found


# Which errors were found in the items of each generator.

ALL = "all"


def build_error_codes(evidence: Evidence) -> Table:
    """One row per generator and code, found or not; the rows of all generators together come first."""
    coded = list_coded_items(evidence)
    rows = [row for name in (ALL, *evidence.generators) if coded for row in build_generator_rows(evidence, name, coded)]
    return ERROR_CODES.build(rows, notes=list_notes(evidence, coded))


def list_error_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table of error codes if any were set, else nothing."""
    return (build_error_codes(evidence),) if list_coded_items(evidence) else ()


def list_coded_items(evidence: Evidence) -> dict[str, set[str]]:
    """The current error codes by item; items without any are left out."""
    errors = {code.name for code in list_codes(evidence.study.protocol) if code.kind == ERROR}
    found = {item: codes & errors for item, codes in evidence.codes.items()}
    return {item: codes for item, codes in found.items() if codes}


def build_generator_rows(evidence: Evidence, name: str, coded: dict[str, set[str]]) -> list[dict[str, Any]]:
    """One row per code. An item may have several, so shares of erroneous items may add up to more than 1."""
    items = evidence.items if name == ALL else evidence.items[evidence.items["generator"] == name]
    erroneous = [coded[item] for item in items["item_id"] if item in coded]
    counts = {code.name: sum(code.name in codes for codes in erroneous) for code in list_codes(evidence.study.protocol)}
    return [
        {
            "generator": name,
            "code": code,
            "code_said": get_code_title(evidence.study.protocol, code),
            "n": n,
            "share_of_all": n / len(items),
            "share_of_erroneous": n / len(erroneous) if erroneous else None,
        }
        for code, n in counts.items()
    ]


def list_notes(evidence: Evidence, coded: dict[str, set[str]]) -> tuple[str, ...]:
    if not coded:
        return (_("Empty, because no error codes were set for the items of this study. Set them on the items' pages."),)
    return (
        _("%(n)d of %(all)d items have an error; an item may have several. One without a code counts as having none.")
        % {"n": len(coded), "all": len(evidence.items)},
    )
