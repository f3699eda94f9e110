"""Written items go into the bank, each once: a second run that writes the same changes nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from items.models import MAX_ID, Generator, GeneratorKind, Item, Text
from items.services.bank import locked
from items.services.editing import create_item
from items.services.naming import derived_id
from items.values import ItemValues
from projects.models import Project


class CannotGenerate(Exception):
    """No items can be written so; the sentence says what to do."""


@dataclass(frozen=True)
class Author:
    """Who writes: the generator's name, its kind and its factors."""

    name: str
    kind: GeneratorKind
    factors: Mapping[str, str]


def ensure_author(project: Project, author: Author) -> Generator:
    """The project's generator of that name; refused if the name is that of somebody else."""
    generator, _is_new = Generator.objects.get_or_create(
        project=project, name=author.name, defaults={"kind": author.kind, "factors": dict(author.factors)}
    )
    if generator.kind != author.kind:
        raise CannotGenerate(
            _("The project has another generator “%(name)s”, of the kind %(kind)s. Give that one another name first.")
            % {"name": author.name, "kind": generator.get_kind_display()}
        )
    return generator


def item_id(text: Text, ending: str) -> str:
    """`TEXT-cloze-1`; where the text's id is too long for that, one derived from it stands for it."""
    whole = f"{text.external_id}-{ending}"
    return whole if len(whole) <= MAX_ID else f"{derived_id('t', text.external_id)}-{ending}"[:MAX_ID]


def store_items(text: Text, generator: Generator, written: Iterable[tuple[str, ItemValues]]) -> list[Item]:
    """The items under these ids that were not in the bank, now in it. An id that is there stays as it is."""
    stored = []
    with locked(text.project):
        for name, values in written:
            known = Item.objects.filter(project=text.project, external_id=name).select_related("generator").first()
            if known is None:
                stored.append(create_item(text, replace(values, generator=generator.name), name))
            elif known.generator_id != generator.pk:
                raise CannotGenerate(_taken(name, known))
    return stored


def _taken(name: str, known: Item) -> str:
    said: dict[str, Any] = {"id": name, "generator": known.generator.name}
    return _("The id “%(id)s” belongs to an item of “%(generator)s”. Rename that one's id in its file.") % said
