"""Items by category: from their metadata and from codes, and the errors found in the items of each generator."""

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

# Items by what kind they are: from their metadata, and from the codes that a team sets.

FEWEST, MOST = 2, 12  # categories: fewer do not divide, more are probably names


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
        """The kind as it reads within a sentence; metadata columns and a team's own kinds keep their own names."""
        return {TAG: _("what they ask about"), TYPE: _("type of question")}.get(self.kind, self.kind)

    @property
    def is_usable(self) -> bool:
        return all(self.of.values()) and FEWEST <= len(self.names) <= MOST

    def title_of(self, name: str) -> str:
        """The display name of a category."""
        return get_category_title(self.protocol, self.kind, name)


def list_usable_divisions(evidence: Evidence) -> list[Categories]:
    """The category systems that divide all items of the study into few categories, if any."""
    return [way for way in list_divisions(evidence) if way.is_usable]


def list_divisions(evidence: Evidence) -> list[Categories]:
    return divide_items(evidence.study.protocol, list(evidence.items["item_id"]), evidence.metadata, evidence.codes)


def divide_items(
    protocol: str, items: Iterable[str], metadata: Mapping[str, Mapping[str, str]], codes: Mapping[str, Collection[str]]
) -> list[Categories]:
    """All ways to divide the items, each with the categories by item id: metadata columns first, then kinds of codes.

    Where metadata and codes disagree, the code wins: somebody set it after reading the item.
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
    """By kind, the one category that an item's codes agree on; kinds on which people disagree are left out."""
    found: dict[str, list[str]] = {}
    for code in (find_code(protocol, name) for name in names):
        if is_single(code.kind):
            found.setdefault(code.kind, []).append(get_category(code.name))
    return found


def choose_category(coded: list[str], default: str) -> str:
    """The category from the code, else from the metadata; empty where codes contradict each other."""
    if coded:
        return coded[0] if len(coded) == 1 else ""
    return default


def say_left_aside(evidence: Evidence) -> list[str]:
    """One sentence for each metadata column or kind of code that cannot divide the items, with the reason."""
    found = []
    for way in list_divisions(evidence):
        n, known = len(way.of), sum(map(bool, way.of.values()))
        values = {
            "kind": way.phrase,
            "n": count(n - known),
            "all": count(n),
            "values": count(len(set(way.of.values()))),
        }
        if known < n and (2 * known >= n or way.is_coded) and known:
            found.append(_("No comparison by %(kind)s: %(n)s of %(all)s items have no category.") % values)
        elif known == n and n and len(way.names) > MOST and len(way.names) < n / FEWEST:
            found.append(_("No comparison by %(kind)s: it has too many categories (%(values)s).") % values)
    return found


# Which errors were found in the items of each generator.

ALL = "all"


def error_codes(evidence: Evidence) -> Table:
    """One row per generator and code, whether the code was found or not; the rows of all generators together come
    first."""
    coded = list_coded_items(evidence)
    rows = [row for name in (ALL, *evidence.generators) if coded for row in generator_rows(evidence, name, coded)]
    return ERROR_CODES.build(rows, notes=notes(evidence, coded))


def list_error_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table of errors if any were found and the protocol's publication has no such table; else nothing."""
    return (error_codes(evidence),) if list_coded_items(evidence) else ()


def list_coded_items(evidence: Evidence) -> dict[str, set[str]]:
    """By item the current error codes; items without any are missing."""
    errors = {code.name for code in list_codes(evidence.study.protocol) if code.kind == ERROR}
    found = {item: codes & errors for item, codes in evidence.codes.items()}
    return {item: codes for item, codes in found.items() if codes}


def generator_rows(evidence: Evidence, name: str, coded: dict[str, set[str]]) -> list[dict[str, Any]]:
    """An item may have several codes, so shares of erroneous items may add up to more than 1."""
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


def notes(evidence: Evidence, coded: dict[str, set[str]]) -> tuple[str, ...]:
    if not coded:
        return (_("Empty, because no error codes were set for the items of this study. Set them on the items' pages."),)
    return (
        _("%(n)d of %(all)d items have an error; an item may have several. One without a code counts as having none.")
        % {"n": len(coded), "all": len(evidence.items)},
    )
