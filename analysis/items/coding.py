"""Which codes somebody can set on the items of a study, by which keys, and how far the coding has come."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.codes import (
    KINDS,
    LONGEST,
    OWN,
    TAG,
    TYPE,
    Code,
    find_code,
    get_code_title,
    get_kind_title,
    is_known,
    is_single,
    list_codes,
    name_category_code,
)
from analysis.frames.evidence import read_codes as standing_codes
from analysis.frames.evidence import read_metadata
from analysis.models import CodingAct, IndependentCoding, ItemCode
from analysis.plugins import find_plugin
from analysis.reports.categories import MOST, Categories, divide_items
from analysis.services.results import get_report, make_default_choices
from items.forms.imports import check_upload
from items.models import Item, Option
from studies.models import Study, UnitItem

# Letters that no other key of the page needs; digits first.
KEYS = "1234567890abcdefghilmopqrsvwx"
FIRST = (TYPE, TAG)


@dataclass(frozen=True)
class CodeChoice:
    """A code that can be set: its key, and how many items have it, from a code or from their metadata."""

    code: Code
    key: str
    n: int


@dataclass(frozen=True)
class Kind:
    """Codes that belong together, for `of` items. `without`: ids of items that have none, or contradicting ones."""

    name: str
    codes: list[CodeChoice]
    without: frozenset[str]
    of: int

    @property
    def title(self) -> str:
        return get_kind_title(self.name)

    @property
    def is_single(self) -> bool:
        return is_single(self.name)

    @property
    def n(self) -> int:
        return self.of - len(self.without)


@dataclass(frozen=True)
class Scheme:
    """All kinds of a study, with codes by item id. `ways`: by kind, the categories of all items."""

    kinds: list[Kind]
    codes: dict[str, set[str]]
    ways: dict[str, Categories] = field(default_factory=dict)

    def kind(self, name: str) -> Kind | None:
        return next((kind for kind in self.kinds if kind.name == name), None)


def build_scheme(
    study: Study, items: Collection[str], chosen: str = "", coding: IndependentCoding | None = None
) -> Scheme:
    """The kinds of codes for these items (ids). `chosen`: the only kind whose codes get keys; empty: all kinds.

    An independent coding offers the same codes and hides those of others and of the metadata.
    """
    codes = standing_codes(study)
    found = {way.kind: way for way in divide_items(study.protocol, items, read_metadata(study), codes)}
    offered = list_offered(study, found, codes)
    if coding:
        codes = standing_codes(study, coding)
        found = {way.kind: way for way in divide_items(study.protocol, items, {}, codes)}
        known = {code.name for code in offered}
        offered += [code for code in list_offered(study, found, codes) if code.name not in known]
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
        n_items = (
            Counter(name_category_code(study.protocol, name, category) for category in way.of.values())
            if way
            else counts
        )
        shown = [CodeChoice(code, keys.get(code.name, ""), n_items[code.name]) for code in mine]
        kinds.append(Kind(name, shown, without, len(items)))
    return Scheme(kinds, codes, found)


def list_kinds(study: Study) -> dict[str, Any]:
    """For the results page: the kinds that divide the items, and which of them to code next."""
    kinds = [kind for kind in build_scheme(study, list(read_metadata(study))).kinds if kind.is_single]
    begun = [kind for kind in kinds if 0 < kind.n < kind.of]
    to_code = next(iter(begun or kinds), None)
    return {"kinds": kinds, "to_code": to_code.name if to_code else ""}


def list_offered_codes(study: Study) -> list[Code]:
    """The codes of the protocol, and those of the team's own that items have."""
    codes = standing_codes(study)
    metadata = read_metadata(study)
    return list_offered(
        study, {way.kind: way for way in divide_items(study.protocol, list(metadata), metadata, codes)}, codes
    )


def list_offered(study: Study, found: dict[str, Categories], codes: dict[str, set[str]]) -> list[Code]:
    """All codes on offer, first those whose kind divides the items. Metadata count only if they have few values."""
    known = {code.name: code for code in list_codes(study.protocol)}
    used = {name for names in codes.values() for name in names}
    from_metadata = {
        name_category_code(study.protocol, way.kind, name)
        for way in found.values()
        if has_repeated_categories(way)
        for name in way.names
    }
    for name in sorted((used | from_metadata) - known.keys()):
        if is_known(study.protocol, name):
            known[name] = find_code(study.protocol, name)
    own = sorted({code.kind for code in known.values()} - KINDS.keys())
    places = {kind: place for place, kind in enumerate([*FIRST, *own, *KINDS][::-1])}
    return sorted(known.values(), key=lambda code: -places[code.kind])


def has_repeated_categories(way: Categories) -> bool:
    """Whether the items have few categories, shared by several items; otherwise the values are names."""
    counts = Counter(category for category in way.of.values() if category)
    return len(counts) <= MOST and any(n > 1 for n in counts.values())


@dataclass(frozen=True)
class Coder:
    """Somebody who set codes, and how many of the current ones; codes set by a command belong to nobody."""

    pk: int | None
    name: str
    n: int


def list_coders(study: Study) -> list[Coder]:
    """Those who set the current codes, by name; codes set by a command come last."""
    rows = ItemCode.objects.current().filter(study=study).order_by().values_list("set_by", "set_by__username")
    found = [Coder(pk, name or "", n) for (pk, name), n in Counter(rows).items()]
    return sorted(found, key=lambda coder: (not coder.name, coder.name))


STATES = [("", _("all")), ("uncoded", _("without a code")), ("coded", _("with a code"))]
LISTS = [("", _("all items")), ("guessable_items", _("guessable")), ("unanswerable_items", _("unanswerable"))]
SORTS = [
    ("", _("order of the study")),
    ("surest", _("most certain first")),
    ("item", _("id of the item")),
    ("text", _("id of the text")),
    ("generator", _("generator")),
]


class CodingFilter(forms.Form):
    """A GET form; an unknown value selects nothing."""

    kind = forms.ChoiceField(label=_("Kind of code"), required=False)
    state = forms.ChoiceField(label=_("Items"), choices=STATES, required=False)
    list = forms.ChoiceField(label=_("List"), choices=LISTS, required=False)
    generator = forms.ChoiceField(label=_("Generator"), required=False)
    by = forms.ChoiceField(label=_("Coded by"), required=False)
    q = forms.CharField(label=_("Search"), required=False, max_length=200, widget=forms.SearchInput)
    sort = forms.ChoiceField(label=_("Sorted by"), choices=SORTS, required=False)

    def __init__(
        self, study: Study, scheme: Scheme, generators: Iterable[str], coders: Iterable[Coder], data: Any
    ) -> None:
        super().__init__({name: value for name, value in data.items() if name in self.base_fields})
        every = ("", _("all"))
        choices = {
            "kind": [(kind.name, kind.title) for kind in scheme.kinds],
            "generator": [(name, name) for name in generators],
            "by": [(str(coder.pk), coder.name) for coder in coders if coder.pk],
        }
        for name, values in choices.items():
            self.fields[name].choices = [every, *values]  # type: ignore[attr-defined]
        if not find_plugin(study.protocol).has_item_lists:
            del self.fields["list"]
            self.fields["sort"].choices = [each for each in SORTS if each[0] != "surest"]  # type: ignore[attr-defined]
        self.full_clean()

    def choice(self, name: str) -> str:
        return str(self.cleaned_data.get(name, ""))

    @property
    def query_parameters(self) -> dict[str, str]:
        """The choices as parameters of an address."""
        return {name: value for name, value in self.cleaned_data.items() if value}


class OwnCodeForm(forms.Form):
    """A category of the team's own, with the kind it belongs to."""

    own_kind = forms.CharField(label=_("Kind"), max_length=LONGEST)
    own_category = forms.CharField(label=_("Category"), max_length=LONGEST)

    def clean_own_kind(self) -> str:
        kind = str(self.cleaned_data["own_kind"]).strip()
        if OWN in kind or not is_single(kind):
            raise forms.ValidationError(_("Choose another name for the kind, without an equals sign."))
        return kind


class CodeFileForm(forms.Form):
    file = forms.FileField(label=_("CSV file"), help_text=_("With the columns item_id, kind and code at least."))

    def clean_file(self) -> Any:
        return check_upload(self.cleaned_data["file"])


MOST_ACTS = 8


@dataclass(frozen=True)
class ItemRecord:
    """What items are filtered and sorted by."""

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


def query_items(study: Study) -> list[ItemRecord]:
    """In the order of the study, without repetition."""
    ordered = UnitItem.objects.filter(unit__study=study).order_by("unit__position", "position")
    return list({row[0]: ItemRecord(*row) for row in ordered.values_list(*FIELDS)}.values())


def select_items(study: Study, items: list[ItemRecord], scheme: Scheme, form: CodingFilter) -> list[ItemRecord]:
    """The items that match the form, sorted as it says."""
    kind, words = scheme.kind(form.choice("kind")), form.choice("q").strip().casefold()
    without = kind.without if kind else {item.id for item in items if not scheme.codes.get(item.id)}
    found = [
        item
        for item in items
        if form.choice("generator") in ("", item.generator)
        and (not words or item.has_words(words))
        and form.choice("state") in ("", "uncoded" if item.id in without else "coded")
    ]
    if form.choice("by"):
        by = ItemCode.objects.current().filter(study=study, set_by=int(form.choice("by")))
        mine = {item for item, code in by.values_list("item", "code") if _is_of(study, code, form.choice("kind"))}
        found = [item for item in found if item.pk in mine]
    return _sort_items(study, found, form)


def _is_of(study: Study, code: str, kind: str) -> bool:
    return kind in ("", find_code(study.protocol, code).kind)


def _sort_items(study: Study, items: list[ItemRecord], form: CodingFilter) -> list[ItemRecord]:
    """Certainty is that of the chosen list, or of both lists if neither is chosen; items in no list come last."""
    name, sort = form.choice("list"), form.choice("sort")
    if name or sort == "surest":
        sure = map_certainties(study, [name] if name else ["guessable_items", "unanswerable_items"])
        items = [item for item in items if not name or item.id in sure]
        if sort in ("", "surest"):
            return sorted(items, key=lambda item: -sure.get(item.id, 0.0))
    by = {"item": lambda item: item.id, "text": lambda item: item.text, "generator": lambda item: item.generator}
    return sorted(items, key=by[sort]) if sort in by else items


def map_certainties(study: Study, names: Collection[str]) -> dict[str, float]:
    """By item id how certainly the item belongs in the list; the higher value if it is in two."""
    report = get_report(study, make_default_choices(study))
    found: dict[str, float] = {}
    for row in (row for name in names for row in report.table(name).rows):
        found[row["item_id"]] = max(row["certainty"], found.get(row["item_id"], 0.0))
    return found


@dataclass(frozen=True)
class CodingRow:
    """An item on the page with its codes. metadata_categories: those from its metadata, where no code overrides
    them."""

    item: Item
    codes: list[ItemCode]
    metadata_categories: list[tuple[str, str]]


def build_coding_rows(
    study: Study, pks: Collection[int], scheme: Scheme, coding: IndependentCoding | None = None
) -> list[CodingRow]:
    """The rows of these items, in the order given."""
    items = Item.objects.filter(pk__in=pks).select_related("text", "generator").prefetch_related("options").in_bulk()
    found: dict[int, list[ItemCode]] = {}
    standing = ItemCode.objects.current(coding).filter(study=study, item__in=pks)
    for code in standing.select_related("study", "set_by", "option"):
        found.setdefault(code.item_id, []).append(code)
    return [
        CodingRow(items[pk], found.get(pk, []), list_metadata_categories(study, items[pk], scheme))
        for pk in pks
        if pk in items
    ]


def list_metadata_categories(study: Study, item: Item, scheme: Scheme) -> list[tuple[str, str]]:
    """Kind and category, in words, that come only from the item's metadata, for the kinds on offer."""
    id, found = item.external_id, []
    coded = {find_code(study.protocol, name).kind for name in scheme.codes.get(id, ())}
    for kind in scheme.kinds:
        way = scheme.ways.get(kind.name)
        if way and kind.name not in coded and way.of.get(id):
            found.append((kind.title, way.title_of(way.of[id])))
    return found


@dataclass(frozen=True)
class Act:
    """Who set or removed which codes on how many items, and whether that was undone."""

    act: CodingAct
    codes: list[str]
    removed: list[str]
    n_items: int


def list_latest_acts(study: Study, coding: IndependentCoding | None = None) -> list[Act]:
    """The latest acts, newest first, with the codes in words."""
    acts = CodingAct.objects.filter(study=study, coding=coding).select_related("made_by")[:MOST_ACTS]
    return [describe_act(study, act) for act in acts]


def describe_act(study: Study, act: CodingAct) -> Act:
    placed = list(act.codes_set.values_list("code", "item"))
    gone = list(act.codes_removed.values_list("code", "item"))
    changed = frozenset(item for _code, item in [*placed, *gone])
    return Act(act, describe_codes(study, placed), describe_codes(study, gone), len(changed))


def describe_codes(study: Study, rows: list[tuple[str, int]]) -> list[str]:
    """The codes in words, each once."""
    return [get_code_title(study.protocol, name) for name in dict.fromkeys(code for code, _item in rows)]


class CodeForm(forms.Form):
    """One or several codes, and where they apply. The cleaned data are the arguments of `set_codes`."""

    codes = forms.MultipleChoiceField(label=_("Codes"), widget=forms.CheckboxSelectMultiple)
    option = forms.ModelChoiceField(
        label=_("Option"),
        queryset=Option.objects.none(),
        required=False,
        empty_label=_("the item as a whole"),
    )
    quote = forms.CharField(
        label=_("Passage of the text"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Copied from the text (optional)."),
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=1_000)

    def __init__(self, study: Study, item: Item, data: Any = None) -> None:
        super().__init__(data)
        self.fields["option"].queryset = item.options.all()  # type: ignore[attr-defined]
        self.fields["codes"].choices = [  # type: ignore[attr-defined]
            (get_kind_title(kind), [(code.name, code.title) for code in codes])
            for kind, codes in groupby(list_offered_codes(study), key=lambda code: code.kind)
        ]
        if not item.options.exists():
            del self.fields["option"]
