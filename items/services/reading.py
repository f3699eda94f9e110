"""What the page of a text shows: its items by generator, with their versions and corrections."""

from collections.abc import Iterable
from dataclasses import dataclass

from items.models import Generator, Item, Text
from items.services.bank import Versioned, in_order
from projects.models import Project


@dataclass(frozen=True)
class ItemView:
    """An item as it stood with this version of the text, and the versions before it."""

    item: Item
    earlier: list[Item]


@dataclass(frozen=True)
class Column:
    generator: Generator
    items: list[ItemView]


def columns_of(text: Text) -> list[Column]:
    """The items about this version of the text, side by side: a column for each generator."""
    items = _latest(text)
    earlier = _earlier(text, items)
    columns: dict[int, Column] = {}
    for item in items:
        column = columns.setdefault(item.generator_id, Column(item.generator, []))
        column.items.append(ItemView(item, earlier[item.external_id]))
    return sorted(columns.values(), key=lambda column: column.generator.pk)


def versions_of(text: Text) -> list[Text]:
    """All versions of the text, the newest first."""
    return list(Text.objects.filter(project=text.project_id, external_id=text.external_id).order_by("-version"))


def newest_of(row: Versioned) -> Versioned:
    """The current version of a text or an item."""
    versions = type(row)._default_manager.filter(project=row.project_id, external_id=row.external_id)
    return versions.get(superseded_at=None)


def current_text(project: Project, external_id: str) -> Text:
    return Text.objects.current().get(project=project, external_id=external_id)


def _latest(text: Text) -> list[Item]:
    """Of each item the last version about this row; for the current text that is the current one."""
    rows = in_order(Item.objects.filter(text=text)).select_related("generator")
    by_id: dict[str, Item] = {}
    for item in rows.prefetch_related("options", "key_corrections__made_by"):
        known = by_id.get(item.external_id)
        if known is None or known.version < item.version:
            by_id[item.external_id] = item
    return list(by_id.values())


def _earlier(text: Text, items: Iterable[Item]) -> dict[str, list[Item]]:
    shown = {item.external_id: item for item in items}
    earlier: dict[str, list[Item]] = {name: [] for name in shown}
    rows = Item.objects.filter(project=text.project_id, external_id__in=shown).order_by("-version")
    for row in rows.prefetch_related("options", "key_corrections__made_by"):
        if row.version < shown[row.external_id].version:
            earlier[row.external_id].append(row)
    return earlier
