"""The current texts and items of a project, and the lock under which they change."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from items.models import Generator, Item, Text
from items.values import body_hash
from projects.models import Project

Versioned = TypeVar("Versioned", Text, Item)


def in_order(rows: QuerySet[Versioned]) -> QuerySet[Versioned]:
    """In the order in which they first came in: a new version keeps its place."""
    versions = rows.model._default_manager.filter(project=OuterRef("project"), external_id=OuterRef("external_id"))
    return rows.alias(place=Subquery(versions.order_by("version").values("pk")[:1])).order_by("place", "pk")


@contextmanager
def locked(project: Project) -> Iterator[None]:
    """One transaction in which nobody else changes the project's bank (SQLite locks when the transaction begins)."""
    with transaction.atomic():
        Project.objects.select_for_update().get(pk=project.pk)
        yield


@dataclass(frozen=True)
class Bank:
    """What is current in a project, by id and name."""

    texts: dict[str, Text]
    items: dict[str, Item]
    generators: dict[str, Generator]

    @cached_property
    def languages(self) -> set[str]:
        return {text.language for text in self.texts.values()}

    @cached_property
    def ids_by_body(self) -> dict[str, str]:
        """The id of the text with these words, by their hash."""
        return {body_hash(text.body): text.external_id for text in self.texts.values()}

    @cached_property
    def items_by_text(self) -> dict[str, list[Item]]:
        grouped: dict[str, list[Item]] = {}
        for item in self.items.values():
            grouped.setdefault(item.text.external_id, []).append(item)
        return grouped


def load_bank(project: Project) -> Bank:
    """Four queries, whatever the size."""
    texts = list(in_order(Text.objects.filter(project=project).current()))
    rows = in_order(Item.objects.filter(project=project).current())
    items = list(rows.select_related("generator").prefetch_related("options"))
    by_pk = {text.pk: text for text in texts}
    for item in items:
        item.text = by_pk[item.text_id]
    return Bank(
        texts={text.external_id: text for text in texts},
        items={item.external_id: item for item in items},
        generators={generator.name: generator for generator in Generator.objects.filter(project=project)},
    )
