"""Items by what kind they are: from their metadata, and from the codes that say what they ask about."""

from dataclasses import dataclass

from analysis.codes import TAG, codes_of
from analysis.evidence import Evidence

ASKS_ABOUT = "asks_about"  # the kind that comes from codes
FEWEST, MOST = 2, 12  # categories: fewer tell nothing, more are names


@dataclass(frozen=True)
class Categories:
    """One way to divide the items: `of` gives the category of each item by id."""

    kind: str
    of: dict[str, str]

    @property
    def names(self) -> list[str]:
        return sorted(set(self.of.values()))


def categories_in(evidence: Evidence) -> list[Categories]:
    """Each way that divides all items of the study into a few; none where the items say nothing of their kind."""
    ids = list(evidence.items["item_id"])
    keys = sorted({key for item in ids for key in evidence.metadata.get(item, {})})
    ways = [Categories(key, {item: evidence.metadata[item].get(key, "") for item in ids}) for key in keys]
    ways.append(Categories(ASKS_ABOUT, {item: tag_of(evidence, item) for item in ids}))
    return [way for way in ways if all(way.of.values()) and FEWEST <= len(way.names) <= MOST]


def tag_of(evidence: Evidence, item_id: str) -> str:
    """The one tag that is set on the item; nothing if none or several are."""
    tags = [code.name for code in codes_of(evidence.study.protocol) if code.kind == TAG]
    found = [name for name in tags if name in evidence.codes.get(item_id, set())]
    return found[0] if len(found) == 1 else ""
