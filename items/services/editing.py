"""Editing by hand: the changes made on the pages of texts, items and generators."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from items.models import Generator, GeneratorKind, Item, Text
from items.pictures import PictureContent, store_pictures
from items.plain import clean_tags
from items.services.bank import lock_bank
from items.services.naming import add_ordinal, derive_id, select_item_content
from items.services.plan import assign_option_ids
from items.services.versions import (
    ItemVersion,
    carry_items,
    correct_keys,
    find_key_changes,
    make_items,
    replace_items,
    replace_texts,
)
from items.values import (
    ItemValues,
    OptionValues,
    TextValues,
    get_item_values,
    get_text_values,
    is_same_json,
    update_extra,
)
from projects.models import Project, User


class EditRefused(Exception):
    """The edit cannot be stored; the message says why, and what to do."""


def edit_text(text: Text, values: TextValues, pictures: Iterable[PictureContent] = ()) -> Text:
    """The next version of the text, with its items carried over; the same row if nothing changed.

    `pictures`: pictures named in the values, which the project may not have yet.
    """
    with lock_bank(text.project):
        _require_current(text)
        store_pictures(text.project, pictures)
        values = _sync_metadata(values)
        if _is_same(get_text_values(text), values):
            return text
        items = list(Item.objects.filter(text=text).current())
        new = replace_texts(text.project, [(text, values)])[0]
        carry_items(text.project, items, {text.external_id: new})
        return new


def create_item(text: Text, values: ItemValues, external_id: str = "") -> Item:
    """A new item about the text. Options without an id get letters."""
    with lock_bank(text.project):
        _require_current(text)
        wordings = [option.text for option in values.options]
        content = select_item_content(text.external_id, values.generator, values.stem, wordings)
        name = _find_free_id(text.project, external_id, *content)
        return make_items(text.project, [ItemVersion(name, text, _assign_ids(values))])[0]


def edit_item(item: Item, values: ItemValues, user: User | None, reason: str = "") -> Item:
    """The next version of the item; the same row if only keys and tags changed.

    If an option keeps its words but not its key, the key is corrected in every version, which needs a reason.
    """
    with lock_bank(item.project):
        _require_current(item)
        before = get_item_values(item)
        values = _assign_ids(values, before)
        corrections = find_key_changes(item, before, values)
        if corrections and not reason:
            raise EditRefused(
                _("You changed a key. Enter the reason: the correction is logged and shown in every report.")
            )
        correct_keys(corrections, reason, user)
        if _is_same(_keep_wording(before), _keep_wording(values)):
            Item.objects.filter(pk=item.pk).update(tags=list(values.tags))
            return item
        return replace_items(item.project, [(item, item.text, values)])[0]


def tag_items(project: Project, items: Iterable[Item], add: Iterable[str] = (), remove: Iterable[str] = ()) -> int:
    """Add and remove tags of current items of the project; returns how many items changed. `ValueError`: invalid
    tag."""
    with lock_bank(project):
        changed = []
        for item in items:
            tags = clean_tags((set(item.tags) | set(add)) - set(remove))
            if tags != item.tags:
                item.tags = tags
                changed.append(item)
        Item.objects.bulk_update(changed, ["tags"], batch_size=500)
        return len(changed)


def edit_generator(generator: Generator, name: str, kind: str, description: str, factors: dict[str, Any]) -> Generator:
    """Rename or describe a generator, which keeps its items."""
    with lock_bank(generator.project):
        others = Generator.objects.filter(project=generator.project, name=name).exclude(pk=generator.pk)
        if others.exists():
            raise EditRefused(_("Another generator of this project already has this name. Choose a different one."))
        generator.name, generator.kind = name, GeneratorKind(kind)
        generator.description, generator.factors = description, factors
        generator.save()
        return generator


def _require_current(row: Text | Item) -> None:
    row.refresh_from_db(fields=["superseded_at"])
    if row.superseded_at:
        raise EditRefused(
            _("Someone else has saved a newer version. Copy your changes, open the newer version and edit it.")
        )


def _find_free_id(project: Project, wanted: str, *content: str) -> str:
    """The wanted id of an item if it is free, else the first free one derived from the content."""
    rows = Item.objects.filter(project=project)
    if wanted:
        if rows.filter(external_id=wanted).exists():
            raise EditRefused(_("This id is already used in the project. Choose another, or leave it empty."))
        return wanted
    base, ordinal = derive_id("i", *content), 1
    while rows.filter(external_id=add_ordinal(base, ordinal)).exists():
        ordinal += 1
    return add_ordinal(base, ordinal)


def _sync_metadata(values: TextValues) -> TextValues:
    """The values with metadata that agree with the columns."""
    return replace(values, metadata=update_extra(values.metadata, vars(values)))


def _assign_ids(values: ItemValues, known: ItemValues | None = None) -> ItemValues:
    """The values with an id for each option."""
    ids = assign_option_ids(
        [(option.external_id or None, option.text) for option in values.options], known.options if known else ()
    )
    options = (replace(option, external_id=name) for option, name in zip(values.options, ids, strict=True))
    return replace(values, options=tuple(options))


def _keep_wording(values: ItemValues) -> ItemValues:
    """The values without those that change in every version: keys and tags."""
    options: tuple[OptionValues, ...] = tuple(replace(option, correct=False) for option in values.options)
    return replace(values, options=options, tags=())


def _is_same(one: TextValues | ItemValues, other: TextValues | ItemValues) -> bool:
    return replace(one, metadata={}) == replace(other, metadata={}) and is_same_json(one.metadata, other.metadata)
