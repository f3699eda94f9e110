"""What becomes of one item of a file."""

from django.utils.translation import gettext as _

from items.models import Item
from items.plain import printable
from items.services.bank import Bank
from items.services.comparing import item_difference, item_target, option_values
from items.services.keys import key_changes
from items.services.naming import Author, ImportOptions, NamedItem, NamedText, within
from items.services.plan import ChangedItem, ImportPlan, NewItem
from items.values import ItemValues, equal_options, item_values


def plan_item(text: NamedText, item: NamedItem, bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    _warn_of_equal_options(item, plan)
    known = bank.items.get(item.id)
    if known is None:
        plan.new_items.append(NewItem(item.id, text.id, _new_values(item)))
        _need_generator(item.author, bank, plan)
    elif known.text.external_id != text.id:
        reason = _("The id “{id}” is that of an item about another text, “{text}”. Give this one another id.")
        reason = reason.format(id=printable(item.id), text=printable(known.text.external_id))
        plan.problems.add(item.line, within(item.place, "id"), reason)
    else:
        _plan_known(known, item, bank, options, plan)


def _plan_known(known: Item, item: NamedItem, bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    before = item_values(known)
    target = item_target(before, item.row, item.author.name if item.author.said else "")
    difference = item_difference(before, target)
    take = plan.admits(difference, options.update, item.line, item.place, item.id)
    if difference.wording and not take:
        return
    corrections = key_changes(known, before, target)
    plan.corrections += corrections
    if take:
        plan.changed_items.append(ChangedItem(known, target, difference.fields))
        _need_generator(item.author, bank, plan)
    elif not corrections:
        plan.unchanged_items += 1


def _new_values(item: NamedItem) -> ItemValues:
    row = item.row
    return ItemValues(
        stem=row.stem,
        generator=item.author.name,
        options=option_values(row.options or []),
        expected_answer=row.expected_answer or "",
        multiple=row.multiple,
        reference=bool(row.reference),
        metadata=row.metadata or {},
    )


def _need_generator(author: Author, bank: Bank, plan: ImportPlan) -> None:
    if author.name not in bank.generators:
        plan.new_generators.setdefault(author.name, author.kind)


def _warn_of_equal_options(item: NamedItem, plan: ImportPlan) -> None:
    for wording in equal_options(option.text for option in item.row.options or []):
        reason = _("Two options of “{id}” are equal: “{wording}”.")
        reason = reason.format(id=printable(item.id), wording=printable(wording))
        plan.warnings.add(item.line, within(item.place, "answers"), reason)
