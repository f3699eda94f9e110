"""New rows for texts and items. What stands is never rewritten: it is superseded by the next version."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from django.db.models import Model
from django.utils import timezone

from items.models import Generator, GeneratorKind, Item, Option, Text
from items.values import ItemValues, TextValues, item_values
from projects.models import Project

BATCH = 500


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


def make_texts(project: Project, versions: Iterable[TextVersion]) -> list[Text]:
    return Text.objects.bulk_create(
        [
            Text(project=project, external_id=each.external_id, version=each.version, **vars(each.values))
            for each in versions
        ],
        batch_size=BATCH,
    )


def make_items(project: Project, versions: Sequence[ItemVersion]) -> list[Item]:
    """The items with their options; their generators exist or are made."""
    generators = ensure_generators(project, {each.values.generator: GeneratorKind.HUMAN for each in versions})
    items = Item.objects.bulk_create(
        [_item(project, each, generators[each.values.generator]) for each in versions], batch_size=BATCH
    )
    Option.objects.bulk_create(
        [
            Option(item=item, position=place, **asdict(option))
            for item, each in zip(items, versions, strict=True)
            for place, option in enumerate(each.values.options, start=1)
        ],
        batch_size=BATCH,
    )
    return items


def _item(project: Project, new: ItemVersion, generator: Generator) -> Item:
    return Item(
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
    )


def ensure_generators(project: Project, kinds: dict[str, GeneratorKind]) -> dict[str, Generator]:
    """The project's generators of these names; those that are not known are made with the given kind."""
    known = {each.name: each for each in Generator.objects.filter(project=project, name__in=kinds)}
    for name, kind in kinds.items():
        if name not in known:
            known[name] = Generator.objects.create(project=project, name=name, kind=kind)
    return known


def supersede(model: type[Model], rows: Iterable[Model]) -> None:
    """They are no longer current. Before the next versions are made: only one may be current."""
    model._default_manager.filter(pk__in=[row.pk for row in rows]).update(superseded_at=timezone.now())


def replace_texts(project: Project, changes: Sequence[tuple[Text, TextValues]]) -> list[Text]:
    """The next versions of these texts. Their items still stand at the old ones: replace those too."""
    supersede(Text, [text for text, _values in changes])
    return make_texts(project, [TextVersion(text.external_id, values, text.version + 1) for text, values in changes])


def replace_items(project: Project, changes: Sequence[tuple[Item, Text, ItemValues]]) -> list[Item]:
    """The next versions of these items, about the given texts."""
    supersede(Item, [item for item, _text, _values in changes])
    return make_items(
        project, [ItemVersion(item.external_id, text, values, item.version + 1) for item, text, values in changes]
    )


def carry_items(project: Project, items: Iterable[Item], texts: dict[str, Text]) -> list[Item]:
    """The same items about the newest version of their texts, given by external id."""
    fresh = Item.objects.filter(pk__in=[item.pk for item in items]).select_related("generator", "text")
    changes = [(item, texts[item.text.external_id], item_values(item)) for item in fresh.prefetch_related("options")]
    return replace_items(project, changes)
