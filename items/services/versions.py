"""Write new versions of texts and items, and correct keys. Rows are never rewritten, only superseded."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Model
from django.utils import timezone

from items.models import Generator, GeneratorKind, Item, KeyCorrection, Option, Text
from items.services.bank import lock_bank
from items.values import ItemValues, TextValues, get_item_values
from projects.models import Project, User
from projects.scratch import Save, save_at_once


@dataclass(frozen=True)
class TextVersion:
    external_id: str
    values: TextValues
    version: int = 1


@dataclass(frozen=True)
class ItemVersion:
    external_id: str
    text: Text
    values: ItemValues
    version: int = 1


def make_texts(
    project: Project,
    versions: Iterable[TextVersion],
    *,
    save: Save = save_at_once,
    superseded_at: datetime | None = None,
) -> list[Text]:
    texts = [
        Text(
            project=project,
            external_id=each.external_id,
            version=each.version,
            superseded_at=superseded_at,
            **vars(each.values),
        )
        for each in versions
    ]
    save(Text, texts)
    return texts


def make_items(
    project: Project,
    versions: Sequence[ItemVersion],
    generators: Mapping[str, Generator] | None = None,
    *,
    save: Save = save_at_once,
    superseded_at: datetime | None = None,
) -> list[Item]:
    """The items with their options. `generators`: of the project, existing or created here."""
    if generators is None:
        generators = ensure_generators(project, {each.values.generator: GeneratorKind.HUMAN for each in versions})
    items = [_build_item(project, each, generators[each.values.generator], superseded_at) for each in versions]
    save(Item, items)
    save(
        Option,
        (
            (item.pk, place, option.external_id, option.text, option.correct, option.explanation)
            for item, each in zip(items, versions, strict=True)
            for place, option in enumerate(each.values.options, start=1)
        ),
        ("item_id", "position", "external_id", "text", "correct", "explanation"),
    )
    return items


def _build_item(project: Project, new: ItemVersion, generator: Generator, superseded_at: datetime | None) -> Item:
    return Item(
        superseded_at=superseded_at,
        project=project,
        text=new.text,
        generator=generator,
        external_id=new.external_id,
        version=new.version,
        stem=new.values.stem,
        expected_answer=new.values.expected_answer,
        multiple=new.values.multiple,
        reference=new.values.reference,
        metadata=new.values.metadata,
        tags=list(new.values.tags),
    )


def ensure_generators(project: Project, kinds: dict[str, GeneratorKind]) -> dict[str, Generator]:
    """The project's generators with these names; unknown ones are created with the given kind."""
    known = {each.name: each for each in Generator.objects.filter(project=project, name__in=kinds)}
    for name, kind in kinds.items():
        if name not in known:
            known[name] = Generator.objects.create(project=project, name=name, kind=kind)
    return known


def supersede(model: type[Model], rows: Iterable[Model]) -> None:
    """Mark them as no longer current. Call it before the next versions are created: only one may be current."""
    model._default_manager.filter(pk__in=[row.pk for row in rows]).update(superseded_at=timezone.now())


def replace_texts(project: Project, changes: Sequence[tuple[Text, TextValues]]) -> list[Text]:
    """The next versions of these texts. Their items still belong to the old ones: replace those, too."""
    supersede(Text, [text for text, _values in changes])
    return make_texts(project, [TextVersion(text.external_id, values, text.version + 1) for text, values in changes])


def replace_items(project: Project, changes: Sequence[tuple[Item, Text, ItemValues]]) -> list[Item]:
    """The next versions of these items, about the given texts."""
    supersede(Item, [item for item, _text, _values in changes])
    return make_items(
        project, [ItemVersion(item.external_id, text, values, item.version + 1) for item, text, values in changes]
    )


def carry_items(project: Project, items: Iterable[Item], texts: dict[str, Text]) -> list[Item]:
    """New versions of the items, unchanged but about the newest versions of their texts, given by external id."""
    fresh = Item.objects.filter(pk__in=[item.pk for item in items]).select_related("generator", "text")
    changes = [
        (item, texts[item.text.external_id], get_item_values(item)) for item in fresh.prefetch_related("options")
    ]
    return replace_items(project, changes)


@dataclass(frozen=True)
class KeyChange:
    """An option, by its id and wording in this version of the item, and whether it is a key from now on."""

    item: Item
    option_id: str
    wording: str
    correct: bool


def correct_key(item: Item, option: Option, correct: bool, reason: str, user: User | None) -> list[KeyCorrection]:
    """Set whether one option is a key; returns the corrections, which are empty if nothing changed."""
    with lock_bank(item.project):
        return correct_keys([KeyChange(item, option.external_id, option.text, correct)], reason, user)


def set_keys(item: Item, keys: Collection[str], reason: str, user: User | None) -> list[KeyCorrection]:
    """Make exactly these options the keys; returns the corrections."""
    with lock_bank(item.project):
        changes = [
            KeyChange(item, option.external_id, option.text, option.external_id in keys)
            for option in item.options.all()
            if option.correct != (option.external_id in keys)
        ]
        return correct_keys(changes, reason, user)


def correct_keys(changes: Iterable[KeyChange], reason: str, user: User | None) -> list[KeyCorrection]:
    """Correct keys; logs one correction for each version of an item that changes. The caller holds the bank's lock."""
    return [correction for change in changes for correction in _log_correction(change, reason, user)]


def _log_correction(change: KeyChange, reason: str, user: User | None) -> list[KeyCorrection]:
    options = Option.objects.filter(
        item__project=change.item.project_id,
        item__external_id=change.item.external_id,
        external_id=change.option_id,
        text=change.wording,
    ).exclude(correct=change.correct)
    touched = list(options.values_list("item_id", flat=True))
    options.update(correct=change.correct)
    return KeyCorrection.objects.bulk_create(
        KeyCorrection(
            item_id=item, option_external_id=change.option_id, correct=change.correct, reason=reason, made_by=user
        )
        for item in touched
    )


def find_key_changes(item: Item, known: ItemValues, target: ItemValues) -> list[KeyChange]:
    """The options that keep id and wording but not their key."""
    before = {(option.external_id, option.text): option.correct for option in known.options}
    return [
        KeyChange(item, option.external_id, option.text, option.correct)
        for option in target.options
        if before.get((option.external_id, option.text), option.correct) != option.correct
    ]
