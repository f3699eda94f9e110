"""List and lock the current texts and items of a project. To search them, see `items.services.search`."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from string import ascii_uppercase as LETTERS
from typing import TypeVar

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from items.models import Generator, Item, Option, Text
from items.values import hash_body
from projects.models import Project

Versioned = TypeVar("Versioned", Text, Item)


def order_by_arrival(rows: QuerySet[Versioned]) -> QuerySet[Versioned]:
    """In the order in which they were first added: a new version keeps its place."""
    versions = rows.model._default_manager.filter(project=OuterRef("project"), external_id=OuterRef("external_id"))
    return rows.alias(place=Subquery(versions.order_by("version").values("pk")[:1])).order_by("place", "pk")


@contextmanager
def lock_bank(project: Project) -> Iterator[None]:
    """A transaction in which nobody else changes the project's bank (SQLite locks when the transaction begins)."""
    with transaction.atomic():
        Project.everything.select_for_update(no_key=True).get(pk=project.pk)
        yield
        Project.everything.filter(pk=project.pk).update(bank_version=F("bank_version") + 1)


def get_bank_version(project: Project) -> int:
    """A number that grows with each change of the bank."""
    return int(Project.everything.values_list("bank_version", flat=True).get(pk=project.pk))


def is_unchanged(project: Project, version: int) -> bool:
    """Whether the bank is still at this version; inside the caller's transaction it stays that way."""
    return Project.everything.select_for_update(no_key=True).get(pk=project.pk).bank_version == version


@dataclass(frozen=True)
class Bank:
    """The current contents of a project, by id and name."""

    texts: dict[str, Text]
    items: dict[str, Item]
    generators: dict[str, Generator]

    @cached_property
    def languages(self) -> set[str]:
        return {text.language for text in self.texts.values()}

    @cached_property
    def ids_by_body(self) -> dict[str, str]:
        """The id of the text with these words, by their hash."""
        return {hash_body(text.body): text.external_id for text in self.texts.values()}

    @cached_property
    def items_by_text(self) -> dict[str, list[Item]]:
        grouped: dict[str, list[Item]] = {}
        for item in self.items.values():
            grouped.setdefault(item.text.external_id, []).append(item)
        return grouped


def load_bank(project: Project) -> Bank:
    """The current contents of the project, in four queries."""
    texts = list(order_by_arrival(Text.objects.filter(project=project).current()))
    rows = order_by_arrival(Item.objects.filter(project=project).current())
    items = list(rows.select_related("generator").prefetch_related("options"))
    by_pk = {text.pk: text for text in texts}
    for item in items:
        item.text = by_pk[item.text_id]
    return Bank(
        texts={text.external_id: text for text in texts},
        items={item.external_id: item for item in items},
        generators={generator.name: generator for generator in Generator.objects.filter(project=project)},
    )


def find_chosen(project: Project, keys: Iterable[str]) -> list[Text]:
    """The project's texts with these primary keys, as sent by a form; invalid ones are ignored."""
    return list(project.texts.filter(pk__in=[key for key in keys if key.isdecimal() and len(key) < 19]))


@dataclass(frozen=True)
class PrintedItem:
    """An item as in a printed test: its number, its options with their letters, and the letters of its keys."""

    number: int
    item: Item
    options: list[tuple[str, Option]]

    @property
    def keys(self) -> list[str]:
        return [letter for letter, option in self.options if option.correct]


def build_sheets(texts: Iterable[Text], chosen: Q | None = None) -> list[tuple[Text, list[PrintedItem]]]:
    """Each text with its items, all or those matching a condition, numbered consecutively."""
    found, number = [], count(1)
    for text in texts:
        items = order_by_arrival(Item.objects.filter(text=text).available()).prefetch_related("options")
        kept = items.filter(chosen) if chosen else items
        letters = [(item, list(zip(LETTERS, item.options.all(), strict=False))) for item in kept]
        found.append((text, [PrintedItem(next(number), item, options) for item, options in letters]))
    return found


def list_languages(project: Project) -> list[str]:
    """The languages of the current texts."""
    rows = Text.objects.filter(project=project).current().order_by("language")
    return list(rows.values_list("language", flat=True).distinct())


@dataclass(frozen=True)
class ItemView:
    """An item as it was with this version of the text, and its earlier versions."""

    item: Item
    earlier: list[Item]


@dataclass(frozen=True)
class GeneratorColumn:
    generator: Generator
    items: list[ItemView]


def group_by_generator(text: Text) -> list[GeneratorColumn]:
    """The items about this version of the text, side by side: one column per generator."""
    items = _find_latest_items(text)
    earlier = _find_earlier_versions(text, items)
    columns: dict[int, GeneratorColumn] = {}
    for item in items:
        column = columns.setdefault(item.generator_id, GeneratorColumn(item.generator, []))
        column.items.append(ItemView(item, earlier[item.external_id]))
    return sorted(columns.values(), key=lambda column: column.generator.pk)


def list_versions(text: Text) -> list[Text]:
    """All versions of the text, the newest first."""
    return list(Text.objects.filter(project=text.project_id, external_id=text.external_id).order_by("-version"))


def get_newest(row: Versioned) -> Versioned:
    """The current version of a text or an item."""
    versions = type(row)._default_manager.filter(project=row.project_id, external_id=row.external_id)
    return versions.get(superseded_at=None)


def find_next_text(text: Text, generator: str) -> int | None:
    """The primary key of the next text in this language without an item of the generator; None if there is no other.

    After the last text the search continues with the first.
    """
    texts = Text.objects.filter(project=text.project_id, language=text.language)
    written = Item.objects.available().filter(text=OuterRef("pk"), generator__name=generator)
    places = list(order_by_arrival(texts.current()).values_list("pk", flat=True))
    waiting = set(texts.available().exclude(Exists(written)).values_list("pk", flat=True))
    here = places.index(text.pk)
    return next((pk for pk in places[here + 1 :] + places[:here] if pk in waiting), None)


def get_current_text(project: Project, external_id: str) -> Text:
    return Text.objects.current().get(project=project, external_id=external_id)


def _find_latest_items(text: Text) -> list[Item]:
    """The last version of each item for this version of the text; for the current text, the current one."""
    rows = order_by_arrival(Item.objects.filter(text=text, project=text.project_id)).select_related("generator")
    by_id: dict[str, Item] = {}
    for item in rows.prefetch_related("options", "key_corrections__made_by"):
        known = by_id.get(item.external_id)
        if known is None or known.version < item.version:
            by_id[item.external_id] = item
    return list(by_id.values())


def _find_earlier_versions(text: Text, items: Iterable[Item]) -> dict[str, list[Item]]:
    shown = {item.external_id: item for item in items}
    earlier: dict[str, list[Item]] = {name: [] for name in shown}
    rows = Item.objects.filter(project=text.project_id, external_id__in=shown).order_by("-version")
    for row in rows.prefetch_related("options", "key_corrections__made_by"):
        if row.version < shown[row.external_id].version:
            earlier[row.external_id].append(row)
    return earlier
