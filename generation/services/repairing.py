"""Incomplete items: mended by a person they become items of the bank, or they are discarded."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from generation.models import IncompleteItem, IncompleteState
from items.models import Item
from items.services.editing import EditRefused, create_item
from items.services.reading import newest_of
from items.values import ItemValues, OptionValues, equal_options


@transaction.atomic
def repair(row: IncompleteItem, stem: str, options: Sequence[OptionValues]) -> Item:
    """The item in the bank, of the model that wrote it, marked as repaired; `EditRefused` if it is still not whole."""
    row = _locked(row)
    if len(options) < 2 and not (row.expected_answer and not options):
        raise EditRefused(_("An item needs two options or more. Add them, or discard the item."))
    if equal := equal_options(" ".join(option.text.casefold().split()) for option in options):
        raise EditRefused(_("Two options are equal: “%(wording)s”. Change one of them.") % {"wording": equal[0][:200]})
    metadata = {**row.metadata, "repaired": True}
    values = ItemValues(stem, row.generator.name, tuple(options), row.expected_answer, metadata=metadata)
    item = create_item(newest_of(row.text), values, row.external_id)
    row.state, row.item = IncompleteState.REPAIRED, item
    row.save(update_fields=["state", "item"])
    return item


@transaction.atomic
def discard(row: IncompleteItem) -> bool:
    """Kept and counted, but never shown again; False if somebody was quicker."""
    changed = IncompleteItem.objects.filter(pk=row.pk, state=IncompleteState.OPEN).update(
        state=IncompleteState.DISCARDED
    )
    return bool(changed)


def _locked(row: IncompleteItem) -> IncompleteItem:
    locked = IncompleteItem.objects.select_for_update(of=("self",)).select_related("generator", "text__project")
    row = locked.get(pk=row.pk)
    if row.state != IncompleteState.OPEN:
        raise EditRefused(_("Somebody else has repaired or discarded this item. Go back to the list."))
    return row
