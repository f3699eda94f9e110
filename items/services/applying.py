"""Carry out a plan, under the lock in which it was made."""

from items.models import Text
from items.services.keys import correct_keys
from items.services.plan import ImportPlan
from items.services.versions import (
    ItemVersion,
    TextVersion,
    carry_items,
    ensure_generators,
    make_items,
    make_texts,
    replace_items,
    replace_texts,
)
from projects.models import Project, User


def apply_plan(project: Project, plan: ImportPlan, reason: str, user: User | None) -> None:
    """Write what the plan says. Keys first: versions that are carried over take the corrected ones along."""
    correct_keys(plan.corrections, reason, user)
    ensure_generators(project, plan.new_generators)
    texts = _write_texts(project, plan)
    replace_items(
        project,
        [(c.item, texts.get(c.item.text.external_id, c.item.text), c.values) for c in plan.changed_items],
    )
    carry_items(project, plan.carried_items, texts)
    make_items(project, [ItemVersion(new.id, texts[new.text_id], new.values) for new in plan.new_items])


def _write_texts(project: Project, plan: ImportPlan) -> dict[str, Text]:
    """The current version of each text that the plan touches, by external id."""
    rows = replace_texts(project, [(change.text, change.values) for change in plan.changed_texts])
    rows += make_texts(project, [TextVersion(new.id, new.values) for new in plan.new_texts])
    texts = {row.external_id: row for row in rows}
    others = {new.text_id for new in plan.new_items} - texts.keys()
    known = Text.objects.filter(project=project).current()
    return texts | {text.external_id: text for text in known if text.external_id in others}
