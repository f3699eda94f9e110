"""Items by what kind they are: from their metadata, and from the codes that a team sets."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from analysis.codes import TAG, TYPE, category_of, category_title, code_called, is_single
from analysis.formatting import count
from analysis.frames.evidence import Evidence

FEWEST, MOST = 2, 12  # categories: fewer tell nothing, more are names


@dataclass(frozen=True)
class Categories:
    """One way to divide the items: `of` gives the category of each item by id, nothing where it is not known."""

    kind: str
    of: dict[str, str]
    protocol: str
    is_coded: bool = False  # whether somebody has set a code of the kind

    @property
    def names(self) -> list[str]:
        return sorted(set(self.of.values()))

    @property
    def said(self) -> str:
        """The kind within a sentence; columns of metadata and kinds of a team's own are its own words."""
        return {TAG: _("what they ask about"), TYPE: _("type of question")}.get(self.kind, self.kind)

    @property
    def is_usable(self) -> bool:
        return all(self.of.values()) and FEWEST <= len(self.names) <= MOST

    def worded(self, name: str) -> str:
        """A category in words."""
        return category_title(self.protocol, self.kind, name)


def categories_in(evidence: Evidence) -> list[Categories]:
    """Each way that divides all items of the study into a few; none where the items say nothing of their kind."""
    return [way for way in ways_in(evidence) if way.is_usable]


def ways_in(evidence: Evidence) -> list[Categories]:
    return ways(evidence.study.protocol, list(evidence.items["item_id"]), evidence.metadata, evidence.codes)


def ways(
    protocol: str, items: Iterable[str], metadata: Mapping[str, Mapping[str, str]], codes: Mapping[str, Collection[str]]
) -> list[Categories]:
    """Each way in which items are divided at all: names in metadata, then kinds of codes; all by the items' ids.

    Where both say the kind of an item, the code counts: it was set by somebody who looked at it.
    """
    ids = list(items)
    coded = {item: single_codes(protocol, codes.get(item, ())) for item in ids}
    named = {key for item in ids for key in metadata.get(item, {})} | {kind for item in ids for kind in coded[item]}
    kinds = [*sorted(named - {TYPE, TAG}), TYPE, TAG]
    return [
        Categories(
            kind,
            {item: category_in(coded[item].get(kind, []), metadata.get(item, {}).get(kind, "")) for item in ids},
            protocol,
            is_coded=any(kind in coded[item] for item in ids),
        )
        for kind in kinds
    ]


def single_codes(protocol: str, names: Collection[str]) -> dict[str, list[str]]:
    """The categories into which an item's codes put it, by kind: one each, unless people disagree."""
    found: dict[str, list[str]] = {}
    for code in (code_called(protocol, name) for name in names):
        if is_single(code.kind):
            found.setdefault(code.kind, []).append(category_of(code.name))
    return found


def category_in(coded: list[str], told: str) -> str:
    """What the code says, else the metadata; nothing where several codes contradict each other."""
    if coded:
        return coded[0] if len(coded) == 1 else ""
    return told


def say_left_aside(evidence: Evidence) -> list[str]:
    """Why a column of metadata that most items have, or the codes that are set, divide nothing; a sentence each."""
    found = []
    for way in ways_in(evidence):
        n, known = len(way.of), sum(map(bool, way.of.values()))
        values = {"kind": way.said, "n": count(n - known), "all": count(n), "values": count(len(set(way.of.values())))}
        if known < n and (2 * known >= n or way.is_coded) and known:
            found.append(_("No comparison by %(kind)s: %(n)s of %(all)s items have no category.") % values)
        elif known == n and n and len(way.names) > MOST and len(way.names) < n / FEWEST:
            found.append(_("No comparison by %(kind)s: it has too many categories (%(values)s).") % values)
    return found
