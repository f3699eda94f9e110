"""Compare a file with the bank: what is new, unchanged, changed or corrected, and what forbids the import."""

from items.formats.problems import Reading
from items.services.bank import Bank, load_bank
from items.services.languages import languages_of
from items.services.naming import ImportOptions, NamedText, name_lines
from items.services.plan import ImportPlan
from items.services.plan_items import plan_item
from items.services.plan_texts import plan_known_text, plan_new_text, refuse_wordless
from projects.models import Project


def plan_import(project: Project, reading: Reading, options: ImportOptions) -> ImportPlan:
    """What importing the file would do now. Nothing is written."""
    plan = ImportPlan(problems=reading.problems.copy(), warnings=reading.warnings.copy())
    texts = name_lines(reading.lines, options, plan.problems)
    bank = load_bank(project)
    _plan_texts(texts, bank, options, plan)
    for text in texts:
        for item in text.items:
            plan_item(text, item, bank, options, plan)
    _plan_carried(bank, plan)
    return plan


def _plan_texts(texts: list[NamedText], bank: Bank, options: ImportOptions, plan: ImportPlan) -> None:
    new = [text for text in texts if text.id not in bank.texts and text.row.body is not None]
    languages = languages_of(new, options, bank.languages, plan.problems)
    for text in texts:
        if known := bank.texts.get(text.id):
            plan_known_text(known, text, options, plan)
        elif text.row.body is None:
            refuse_wordless(text, plan)
        elif text.id in languages:
            plan_new_text(text, text.row.body, languages[text.id], bank, plan)


def _plan_carried(bank: Bank, plan: ImportPlan) -> None:
    changed = {change.item.external_id for change in plan.changed_items}
    plan.carried_items = [
        item
        for change in plan.changed_texts
        for item in bank.items_by_text.get(change.text.external_id, [])
        if item.external_id not in changed
    ]
