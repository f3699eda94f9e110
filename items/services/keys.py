"""Corrections of keys: logged, and applied to every version that has the option with the same wording."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from items.models import Item, KeyCorrection, Option
from items.services.bank import locked
from items.values import ItemValues
from projects.models import User


@dataclass(frozen=True)
class KeyChange:
    """An option, named by its id and wording in this version of the item, and whether it is a key from now on."""

    item: Item
    option_id: str
    wording: str
    correct: bool


def correct_key(item: Item, option: Option, correct: bool, reason: str, user: User | None) -> list[KeyCorrection]:
    """Say of one option whether it is a key; returns what was corrected, nothing if it was so before."""
    with locked(item.project):
        return correct_keys([KeyChange(item, option.external_id, option.text, correct)], reason, user)


def set_keys(item: Item, keys: Collection[str], reason: str, user: User | None) -> list[KeyCorrection]:
    """Let exactly these options be keys; returns what was corrected."""
    with locked(item.project):
        changes = [
            KeyChange(item, option.external_id, option.text, option.external_id in keys)
            for option in item.options.all()
            if option.correct != (option.external_id in keys)
        ]
        return correct_keys(changes, reason, user)


def correct_keys(changes: Iterable[KeyChange], reason: str, user: User | None) -> list[KeyCorrection]:
    """Under the lock: one logged correction for each version of an item that a change touches."""
    return [correction for change in changes for correction in _correct(change, reason, user)]


def _correct(change: KeyChange, reason: str, user: User | None) -> list[KeyCorrection]:
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


def key_changes(item: Item, known: ItemValues, target: ItemValues) -> list[KeyChange]:
    """The options that keep id and wording but not their key."""
    before = {(option.external_id, option.text): option.correct for option in known.options}
    return [
        KeyChange(item, option.external_id, option.text, option.correct)
        for option in target.options
        if before.get((option.external_id, option.text), option.correct) != option.correct
    ]
