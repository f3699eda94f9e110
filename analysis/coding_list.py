"""The items of a study as a list to be coded: which of them, in which order, and what stands on each."""

from collections.abc import Collection
from dataclasses import dataclass

from analysis.codes import code_called, title_of
from analysis.coding_forms import CodingFilter
from analysis.coding_kinds import Scheme
from analysis.forms import ResultsForm
from analysis.models import CodingAct, ItemCode
from analysis.services.results import counts_by_purpose, report_of
from items.models import Item
from studies.models import Study, UnitItem

MOST_ACTS = 8


@dataclass(frozen=True)
class Listed:
    """What an item is found and sorted by."""

    pk: int
    id: str
    text: str
    title: str
    generator: str
    stem: str

    def has_words(self, words: str) -> bool:
        return words in "\n".join([self.id, self.text, self.title, self.stem]).casefold()


FIELDS = (
    "item_id", "item__external_id", "item__text__external_id", "item__text__title", "item__generator__name",
    "item__stem",
)  # fmt: skip


def items_of(study: Study) -> list[Listed]:
    """In the order of the study, each item once."""
    ordered = UnitItem.objects.filter(unit__study=study).order_by("unit__position", "position")
    return list({row[0]: Listed(*row) for row in ordered.values_list(*FIELDS)}.values())


def chosen_items(study: Study, items: list[Listed], scheme: Scheme, form: CodingFilter) -> list[Listed]:
    """Those that the form asks for, in the order that it asks for."""
    kind, words = scheme.kind(form.chosen("kind")), form.chosen("q").strip().casefold()
    without = kind.without if kind else {item.id for item in items if not scheme.codes.get(item.id)}
    found = [
        item
        for item in items
        if form.chosen("generator") in ("", item.generator)
        and (not words or item.has_words(words))
        and form.chosen("state") in ("", "uncoded" if item.id in without else "coded")
    ]
    if form.chosen("by"):
        by = ItemCode.objects.standing().filter(study=study, set_by=int(form.chosen("by")))
        mine = {item for item, code in by.values_list("item", "code") if _is_of(study, code, form.chosen("kind"))}
        found = [item for item in found if item.pk in mine]
    return _ordered(study, found, form)


def _is_of(study: Study, code: str, kind: str) -> bool:
    return kind in ("", code_called(study.protocol, code).kind)


def _ordered(study: Study, items: list[Listed], form: CodingFilter) -> list[Listed]:
    """Surest first is the order of the lists: of both together where neither is chosen, then the items in none."""
    name, sort = form.chosen("list"), form.chosen("sort")
    if name or sort == "surest":
        sure = certainties(study, [name] if name else ["guessable_items", "unanswerable_items"])
        items = [item for item in items if not name or item.id in sure]
        if sort in ("", "surest"):
            return sorted(items, key=lambda item: -sure.get(item.id, 0.0))
    by = {"item": lambda item: item.id, "text": lambda item: item.text, "generator": lambda item: item.generator}
    return sorted(items, key=by[sort]) if sort in by else items


def certainties(study: Study, names: Collection[str]) -> dict[str, float]:
    """By item id how sure it is that the item belongs into the list, the higher where it stands in two."""
    report = report_of(study, ResultsForm(study, counts_by_purpose(study)).choices)  # as the results page has it
    found: dict[str, float] = {}
    for row in (row for name in names for row in report.table(name).rows):
        found[row["item_id"]] = max(row["certainty"], found.get(row["item_id"], 0.0))
    return found


@dataclass(frozen=True)
class CodingRow:
    """An item of the page with its codes; `told`: categories that its metadata says, where no code says another."""

    item: Item
    codes: list[ItemCode]
    told: list[tuple[str, str]]


def coding_rows(study: Study, pks: Collection[int], scheme: Scheme) -> list[CodingRow]:
    """The rows of these items, in the order given."""
    items = Item.objects.filter(pk__in=pks).select_related("text", "generator").prefetch_related("options").in_bulk()
    found: dict[int, list[ItemCode]] = {}
    standing = ItemCode.objects.standing().filter(study=study, item__in=pks)
    for code in standing.select_related("study", "set_by", "option"):
        found.setdefault(code.item_id, []).append(code)
    return [CodingRow(items[pk], found.get(pk, []), told_of(study, items[pk], scheme)) for pk in pks if pk in items]


def told_of(study: Study, item: Item, scheme: Scheme) -> list[tuple[str, str]]:
    """Kind and category in words of what only the item's metadata says, for the kinds that are offered."""
    id, found = item.external_id, []
    coded = {code_called(study.protocol, name).kind for name in scheme.codes.get(id, ())}
    for kind in scheme.kinds:
        way = scheme.ways.get(kind.name)
        if way and kind.name not in coded and way.of.get(id):
            found.append((kind.title, way.worded(way.of[id])))
    return found


@dataclass(frozen=True)
class Act:
    """Who set or took back what on how many items, and whether that was undone."""

    act: CodingAct
    codes: list[str]
    removed: list[str]
    n_items: int


def latest_acts(study: Study) -> list[Act]:
    """The last few, newest first, with the codes in words."""
    acts = CodingAct.objects.filter(study=study).select_related("made_by")[:MOST_ACTS]
    return [act_said(study, act) for act in acts]


def act_said(study: Study, act: CodingAct) -> Act:
    placed = list(act.codes_set.values_list("code", "item"))
    gone = list(act.codes_removed.values_list("code", "item"))
    changed = frozenset(item for _code, item in [*placed, *gone])
    return Act(act, worded(study, placed), worded(study, gone), len(changed))


def worded(study: Study, rows: list[tuple[str, int]]) -> list[str]:
    """The codes in words, each once."""
    return [title_of(study.protocol, name) for name in dict.fromkeys(code for code, _item in rows)]
