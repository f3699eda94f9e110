"""Import a file of texts and items: read it, plan the changes, write the rows under a scratch project, move them."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from typing import Any

from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext as _

from items.files import explain_web_page
from items.formats import FORMATS
from items.formats.rows import Reading
from items.formats.table_columns import Columns
from items.models import Generator, Item, Text
from items.pictures import store_pictures
from items.plain import make_printable
from items.services.bank import get_bank_version, is_unchanged, lock_bank
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from items.services.undoing import record_import, use_scratch_project
from items.services.versions import ItemVersion, KeyChange, TextVersion, correct_keys, make_items, make_texts, supersede
from items.values import ItemValues, get_item_values
from jobs.progress import report_progress
from projects.models import Project, User
from projects.scratch import Save, Writer, pause_garbage_collection


def apply_plan(project: Project, plan: ImportPlan, version: int, filename: str, user: User | None) -> bool:
    """Carry out the plan; returns False, with nothing written, if the bank has changed since the plan was made."""
    with use_scratch_project(project) as (scratch, writer):
        write_rows(project, scratch, plan, make_reporting_save(plan, writer))
        return move_rows(project, scratch, plan, version, filename, user)


def make_reporting_save(plan: ImportPlan, writer: Writer) -> Save:
    """`writer.save`, extended so that it reports the number of texts and items written."""
    total = len(list_text_versions(plan)) + len(plan.new_items) + len(plan.changed_items) + len(plan.carried_items)
    done = count(1)

    def save(model: type[Model], rows: Iterable[Any], columns: Sequence[str] = ()) -> None:
        writer.save(model, map(report, rows) if model in (Text, Item) else rows, columns)

    def report(row: Any) -> Any:
        report_progress("rows", next(done), total)
        return row

    return save


def write_rows(project: Project, scratch: Project, plan: ImportPlan, save: Save) -> None:
    """Write the texts, items and generators of the plan under the scratch project; `move_rows` makes them current."""
    pending = timezone.now()
    texts = make_texts(scratch, list_text_versions(plan), save=save, superseded_at=pending)
    by_id = {row.external_id: row for row in texts}
    others = {new.text_id for new in plan.new_items} - by_id.keys()
    known = Text.objects.filter(project=project).current()
    by_id |= {text.external_id: text for text in known if text.external_id in others}
    made = [Generator(project=scratch, name=name, kind=kind) for name, kind in plan.new_generators.items()]
    save(Generator, made)
    generators = {each.name: each for each in (*Generator.objects.filter(project=project), *made)}
    make_items(scratch, list_item_versions(plan, by_id), generators, save=save, superseded_at=pending)


def list_text_versions(plan: ImportPlan) -> list[TextVersion]:
    changed = [TextVersion(each.text.external_id, each.values, each.text.version + 1) for each in plan.changed_texts]
    return changed + [TextVersion(new.id, new.values) for new in plan.new_texts]


def list_item_versions(plan: ImportPlan, texts: dict[str, Text]) -> list[ItemVersion]:
    """Changed items, those carried over with their texts and corrected keys, and new ones."""
    next_ones = [(each.item, each.values) for each in plan.changed_items]
    next_ones += [(item, apply_corrections(item, plan.corrections)) for item in plan.carried_items]
    versions = [
        ItemVersion(item.external_id, texts.get(item.text.external_id, item.text), values, item.version + 1)
        for item, values in next_ones
    ]
    return versions + [ItemVersion(new.id, texts[new.text_id], new.values) for new in plan.new_items]


def apply_corrections(item: Item, corrections: list[KeyChange]) -> ItemValues:
    """The item's values, with the keys that the plan corrects."""
    values = get_item_values(item)
    correct = {(each.option_id, each.wording): each.correct for each in corrections if each.item.pk == item.pk}
    options = (
        replace(option, correct=correct.get((option.external_id, option.text), option.correct))
        for option in values.options
    )
    return replace(values, options=tuple(options))


def move_rows(
    project: Project, scratch: Project, plan: ImportPlan, version: int, filename: str, user: User | None
) -> bool:
    """Move the rows to the project, all at once; returns False, with nothing done, if the bank has changed."""
    with transaction.atomic():
        if not is_unchanged(project, version):
            return False
        with lock_bank(project):
            name = make_printable(filename, 200)
            correct_keys(plan.corrections, _("Import of the file {name}").format(name=name), user)
            supersede(Text, [change.text for change in plan.changed_texts])
            supersede(Item, [*(change.item for change in plan.changed_items), *plan.carried_items])
            rows = list_rows(scratch)
            move_generators(project, scratch)
            store_pictures(project, plan.pictures)
            for model in (Text, Item):
                model._base_manager.filter(project=scratch).update(project=project, superseded_at=None)
            record_import(project, rows, len(plan.corrections), name, user)
    return True


def list_rows(scratch: Project) -> dict[str, list[int]]:
    """The primary keys of the imported rows."""
    models = {"texts": Text, "items": Item, "generators": Generator}
    return {name: list(model._base_manager.filter(project=scratch).order_by("pk").values_list("pk", flat=True))
            for name, model in models.items()}  # fmt: skip


def move_generators(project: Project, scratch: Project) -> None:
    """Move the generators to the project; if it has one of the same name by now, that one gets the items."""
    for generator in Generator.objects.filter(project=scratch):
        known = Generator.objects.filter(project=project, name=generator.name).first()
        if known is None:
            Generator.objects.filter(pk=generator.pk).update(project=project)
        else:
            Item._base_manager.filter(generator=generator).update(generator=known)


MAX_CHANGES = 3  # changes of the bank during an import, before it is locked


class ImportRefused(Exception):
    """The file has problems; nothing was stored. The plan lists them."""

    def __init__(self, plan: ImportPlan) -> None:
        super().__init__(_("The file was refused; nothing was stored."))
        self.plan = plan


@pause_garbage_collection()
def read_bank_file(
    content: bytes, format_name: str = "lesart", *, name: str = "", columns: Columns | None = None
) -> Reading:
    """The rows of the file, and its errors. Needs no database.

    `columns`: the chosen fields of columns of a table; other columns are recognized by name.
    """
    if format_name != "text" and (reason := explain_web_page(content)):
        reading = Reading()
        reading.problems.add(0, "", reason)
        return reading
    return refuse_unused(columns, FORMATS[format_name](content, name, columns))


def refuse_unused(columns: Columns | None, reading: Reading) -> Reading:
    """The reading, with a problem if columns were chosen for a file that has none."""
    if columns and not reading.columns and not reading.problems:
        reading.problems.add(0, "", _("This file is no table, so it has no columns to map. Leave the mapping out."))
    return reading


@pause_garbage_collection()
def import_items(
    project: Project, reading: Reading, options: ImportOptions, *, filename: str, user: User | None = None
) -> ImportPlan:
    """Store the file, all or nothing, in short transactions; the last one makes it visible.

    If the bank changes meanwhile, the import is planned and written again.
    """
    for attempt in count():
        with lock_bank(project) if attempt > MAX_CHANGES else nullcontext():
            version = get_bank_version(project)
            plan = plan_import(project, reading, options)
            if plan.problems:
                raise ImportRefused(plan)
            if not plan.writes or apply_plan(project, plan, version, filename, user):
                return plan
    raise AssertionError("not reached")
