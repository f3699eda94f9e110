"""What an import would do: filled by planning, shown by the preview, carried out by applying."""

from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats.rows import Problems
from items.models import GeneratorKind, Item, Text
from items.pictures import PictureContent
from items.plain import make_printable
from items.services.comparing import Difference
from items.services.versions import KeyChange
from items.values import ItemValues, TextValues


@dataclass(frozen=True)
class NewText:
    id: str
    values: TextValues


@dataclass(frozen=True)
class ChangedText:
    text: Text
    values: TextValues
    fields: list[str]


@dataclass(frozen=True)
class NewItem:
    id: str
    text_id: str
    values: ItemValues


@dataclass(frozen=True)
class ChangedItem:
    item: Item
    values: ItemValues
    fields: list[str]


@dataclass(frozen=True)
class ImportCounts:
    new_texts: int
    changed_texts: int
    unchanged_texts: int
    new_items: int
    changed_items: int
    carried_items: int
    unchanged_items: int
    key_corrections: int
    new_generators: int


@dataclass
class ImportPlan:
    problems: Problems
    warnings: Problems
    new_generators: dict[str, GeneratorKind] = field(default_factory=dict)
    new_texts: list[NewText] = field(default_factory=list)
    changed_texts: list[ChangedText] = field(default_factory=list)
    unchanged_texts: int = 0
    new_items: list[NewItem] = field(default_factory=list)
    changed_items: list[ChangedItem] = field(default_factory=list)
    # Items of changed texts that stay as they are: they get a version about the new text.
    carried_items: list[Item] = field(default_factory=list)
    unchanged_items: int = 0
    corrections: list[KeyChange] = field(default_factory=list)
    # Refused only because an update was not asked for.
    refused_changes: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    pictures: list[PictureContent] = field(default_factory=list)

    def admits(self, difference: Difference, update: bool, line: int, place: str, name: str) -> bool:
        """May what differs be stored? Another wording needs a wish to update; without it other details stay out."""
        if update or not difference.fields:
            return bool(difference.fields)
        told = {"id": make_printable(name), "fields": ", ".join(difference.fields)}
        if difference.wording:
            self.refused_changes += 1
            reason = _(
                "“{id}” already exists in the project with a different wording ({fields}). Import "
                "it as an update, or use another id."
            )
            self.problems.add(line, place, reason.format(**told))
        else:
            reason = _(
                "“{id}” already exists in the project with different details ({fields}). They "
                "stay unless you import an update."
            )
            self.warnings.add(line, place, reason.format(**told))
        return False

    @property
    def writes(self) -> bool:
        """Would it change anything?"""
        return bool(self.new_texts or self.changed_texts or self.new_items or self.changed_items or self.corrections)

    @property
    def can_update(self) -> bool:
        """Is a wish to update all that is missing?"""
        return 0 < self.refused_changes == self.problems.count

    def sentences(self) -> list[str]:
        """What it does, in words; only what there is."""
        return [sentence for count, sentence in _list_phrases(self.counts()) if count]

    def counts(self) -> ImportCounts:
        return ImportCounts(
            new_texts=len(self.new_texts),
            changed_texts=len(self.changed_texts),
            unchanged_texts=self.unchanged_texts,
            new_items=len(self.new_items),
            changed_items=len(self.changed_items),
            carried_items=len(self.carried_items),
            unchanged_items=self.unchanged_items,
            key_corrections=len(self.corrections),
            new_generators=len(self.new_generators),
        )


def _list_phrases(c: ImportCounts) -> list[tuple[int, str]]:
    told = [
        (c.new_texts, ngettext("{n} new text", "{n} new texts", c.new_texts)),
        (c.changed_texts, ngettext("{n} text in a new version", "{n} texts in a new version", c.changed_texts)),
        (c.unchanged_texts, ngettext("{n} text unchanged", "{n} texts unchanged", c.unchanged_texts)),
        (c.new_items, ngettext("{n} new item", "{n} new items", c.new_items)),
        (c.changed_items, ngettext("{n} item in a new version", "{n} items in a new version", c.changed_items)),
        (
            c.carried_items,
            ngettext("{n} item carried over with its text", "{n} items carried over with their texts", c.carried_items),
        ),
        (c.unchanged_items, ngettext("{n} item unchanged", "{n} items unchanged", c.unchanged_items)),
        (c.key_corrections, ngettext("{n} key corrected", "{n} keys corrected", c.key_corrections)),
        (c.new_generators, ngettext("{n} new generator", "{n} new generators", c.new_generators)),
    ]
    return [(count, phrase.format(n=count)) for count, phrase in told]
