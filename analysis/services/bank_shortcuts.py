"""The shortcuts of a project's bank: counted when its items or keys have changed, else taken from the cache."""

import hashlib
import json

from django.core.cache import cache
from django.db.models import Max, QuerySet
from django.utils.translation import get_language

from analysis.services.state import A_DAY, FORMAT
from analysis.tables import Table
from evaluation.services.metrics import items_in_bank
from items.models import Item, KeyCorrection
from projects.models import Project


def bank_of(project: Project) -> QuerySet[Item]:
    """The items of the bank with all that signs are looked for in."""
    return items_in_bank(project).select_related("text", "generator").prefetch_related("options").order_by("text", "pk")


def shortcuts_of(project: Project) -> Table:
    """The table of the whole bank, with the words of the active language."""
    from analysis.shortcut_tables import shortcuts  # scipy takes a second to load

    key = f"shortcuts:{state_of_bank(project)}"
    table: Table | None = cache.get(key)
    if table is None:
        table = shortcuts(bank_of(project))
        cache.set(key, table, A_DAY)
    return table


def state_of_bank(project: Project) -> str:
    """A hash of all the table depends on. Items are never changed, only followed by a new version."""
    items = items_in_bank(project).order_by("text", "pk").values_list("pk", flat=True)
    corrections = KeyCorrection.objects.filter(item__project=project).aggregate(last=Max("pk"))
    generators = project.generators.order_by("pk").values_list("pk", "name")
    state = [FORMAT, project.pk, list(items), corrections, list(generators), get_language()]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()
