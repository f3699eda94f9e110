"""Items by what kind they are: from their metadata, and from the codes that say what they ask about."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analysis.codes import TAG, codes_of, title_of
from analysis.evidence import Evidence
from analysis.formatting import count

ASKS_ABOUT = "asks_about"  # the kind that comes from codes
FEWEST, MOST = 2, 12  # categories: fewer tell nothing, more are names


@dataclass(frozen=True)
class Categories:
    """One way to divide the items: `of` gives the category of each item by id, nothing where it is not known."""

    kind: str
    of: dict[str, str]
    protocol: str

    @property
    def names(self) -> list[str]:
        return sorted(set(self.of.values()))

    @property
    def said(self) -> str:
        """The kind in words; columns of metadata are the researcher's own words."""
        return _("what they ask about") if self.kind == ASKS_ABOUT else self.kind

    @property
    def is_usable(self) -> bool:
        return all(self.of.values()) and FEWEST <= len(self.names) <= MOST

    def worded(self, name: str) -> str:
        """A category in words."""
        return title_of(self.protocol, name) if self.kind == ASKS_ABOUT else name


def categories_in(evidence: Evidence) -> list[Categories]:
    """Each way that divides all items of the study into a few; none where the items say nothing of their kind."""
    return [way for way in ways_in(evidence) if way.is_usable]


def ways_in(evidence: Evidence) -> list[Categories]:
    ids, protocol = list(evidence.items["item_id"]), evidence.study.protocol
    keys = sorted({key for item in ids for key in evidence.metadata.get(item, {})})
    ways = [Categories(key, {item: evidence.metadata[item].get(key, "") for item in ids}, protocol) for key in keys]
    return [*ways, Categories(ASKS_ABOUT, {item: tag_of(evidence, item) for item in ids}, protocol)]


def left_aside(evidence: Evidence) -> list[str]:
    """Why a column of metadata that most items have, or the codes that are set, divide nothing; a sentence each."""
    found = []
    for way in ways_in(evidence):
        n, known = len(way.of), sum(map(bool, way.of.values()))
        values = {"kind": way.said, "n": count(n - known), "all": count(n), "values": count(len(set(way.of.values())))}
        if known < n and (2 * known >= n or (known and way.kind == ASKS_ABOUT)):
            found.append(_("By %(kind)s nothing is compared: %(n)s of %(all)s items have no category there.") % values)
        elif known == n and n and len(way.names) > MOST and len(way.names) < n / FEWEST:
            found.append(_("By %(kind)s nothing is compared: it has %(values)s categories, too many.") % values)
    return found


def tag_of(evidence: Evidence, item_id: str) -> str:
    """The one tag that is set on the item; nothing if none or several are."""
    tags = [code.name for code in codes_of(evidence.study.protocol) if code.kind == TAG]
    found = [name for name in tags if name in evidence.codes.get(item_id, set())]
    return found[0] if len(found) == 1 else ""
