"""Which codes somebody can set on the items of a study, under which key, and how far the coding is."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from analysis.codes import KINDS, TAG, TYPE, Code, code_called, code_of, codes_of, is_known, is_single, kind_title
from analysis.evidence import codes_of as standing_codes
from analysis.evidence import metadata_of
from analysis.models import ItemCode
from analysis.reports.categories import MOST, Categories, ways
from studies.models import Study

# Letters that no other key of the page needs; digits first.
KEYS = "1234567890abcdefghilmopqrsvwx"
FIRST = (TYPE, TAG)


@dataclass(frozen=True)
class Offered:
    """A code that can be set: its key, and how many items have it, by a code or by their metadata."""

    code: Code
    key: str
    n: int


@dataclass(frozen=True)
class Kind:
    """Codes that belong together. `without`: ids of the items that have none, or contradicting ones."""

    name: str
    codes: list[Offered]
    without: frozenset[str]
    of: int

    @property
    def title(self) -> str:
        return kind_title(self.name)

    @property
    def is_single(self) -> bool:
        return is_single(self.name)

    @property
    def n(self) -> int:
        return self.of - len(self.without)


@dataclass(frozen=True)
class Scheme:
    """All kinds of a study, and what stands: codes and categories of metadata by item id."""

    kinds: list[Kind]
    codes: dict[str, set[str]]
    ways: dict[str, Categories] = field(default_factory=dict)

    def kind(self, name: str) -> Kind | None:
        return next((kind for kind in self.kinds if kind.name == name), None)


def scheme_of(study: Study, items: Collection[str], chosen: str = "") -> Scheme:
    """`items`: their ids. `chosen`: the kind that alone has keys; without one all have."""
    codes = standing_codes(study)
    found = {way.kind: way for way in ways(study.protocol, items, metadata_of(study), codes)}
    offered = offered_in(study, found, codes)
    chosen = chosen if any(code.kind == chosen for code in offered) else ""
    keyed = [code.name for code in offered if chosen in ("", code.kind)]
    keys = dict(zip(keyed, KEYS, strict=False))
    counts = Counter(code for item in items for code in codes.get(item, ()))
    kinds = []
    for name in dict.fromkeys(code.kind for code in offered):
        mine = [code for code in offered if code.kind == name]
        has = {code.name for code in mine}
        way = found.get(name) if is_single(name) else None
        without = frozenset(
            item for item in items if not (way.of[item] if way else has.intersection(codes.get(item, ())))
        )
        told = Counter(code_of(study.protocol, name, category) for category in way.of.values()) if way else counts
        shown = [Offered(code, keys.get(code.name, ""), told[code.name]) for code in mine]
        kinds.append(Kind(name, shown, without, len(items)))
    return Scheme(kinds, codes, found)


def kinds_of(study: Study) -> dict[str, Any]:
    """For the results page: the kinds that divide the items, and which of them is to be coded next."""
    kinds = [kind for kind in scheme_of(study, list(metadata_of(study))).kinds if kind.is_single]
    begun = [kind for kind in kinds if 0 < kind.n < kind.of]
    to_code = next(iter(begun or kinds), None)
    return {"kinds": kinds, "to_code": to_code.name if to_code else ""}


def offered_codes(study: Study) -> list[Code]:
    """The codes of the protocol, and those of the team's own that items have."""
    codes = standing_codes(study)
    metadata = metadata_of(study)
    return offered_in(study, {way.kind: way for way in ways(study.protocol, list(metadata), metadata, codes)}, codes)


def offered_in(study: Study, found: dict[str, Categories], codes: dict[str, set[str]]) -> list[Code]:
    """Kinds that divide the items first. Of metadata only names of a few values, which may be categories."""
    known = {code.name: code for code in codes_of(study.protocol)}
    used = {name for names in codes.values() for name in names}
    told = {code_of(study.protocol, way.kind, name) for way in found.values() if repeats(way) for name in way.names}
    for name in sorted((used | told) - known.keys()):
        if is_known(study.protocol, name):
            known[name] = code_called(study.protocol, name)
    own = sorted({code.kind for code in known.values()} - KINDS.keys())
    places = {kind: place for place, kind in enumerate([*FIRST, *own, *KINDS][::-1])}
    return sorted(known.values(), key=lambda code: -places[code.kind])


def repeats(way: Categories) -> bool:
    """Whether the items have few categories, some of them several items: else the values are names."""
    counts = Counter(category for category in way.of.values() if category)
    return len(counts) <= MOST and any(n > 1 for n in counts.values())


@dataclass(frozen=True)
class Coder:
    """Who set how many of the codes that stand; nobody's are those that a command set."""

    pk: int | None
    name: str
    n: int


def coders_of(study: Study) -> list[Coder]:
    """By name, nobody's last."""
    rows = ItemCode.objects.standing().filter(study=study).order_by().values_list("set_by", "set_by__username")
    found = [Coder(pk, name or "", n) for (pk, name), n in Counter(rows).items()]
    return sorted(found, key=lambda coder: (not coder.name, coder.name))
