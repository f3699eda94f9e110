"""Shortcuts in the wording of items: of one item for its sheet, and counted over a bank."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.db.models import Max, QuerySet
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from analysis.choices import CONVENTIONS
from analysis.measures.item_analysis import jeffreys_interval
from analysis.measures.shortcuts import count_cues, find_cues, find_near_duplicates, is_negated
from analysis.services.cached_results import A_DAY, hash_software
from analysis.tables.spec import Column, Table, TableSpec, count, number
from analysis.words import name_code
from evaluation.metric_values import query_bank_items
from items.models import Item, KeyCorrection
from items.wording import Wording
from projects.models import Project

ALL = "all"
TABLE = TableSpec(
    "shortcuts", gettext_noop("Shortcuts"), (
        Column("generator", gettext_noop("Generator")),
        Column("cue", gettext_noop("The option that"), "cue"),
        count("n", gettext_noop("Items"), gettext_noop("items in which one option stands out in this way")),
        "n_keys",
        number(
            "share_keys", gettext_noop("Share of keys"), gettext_noop("share of these options that are keys"),
            low="low", high="high",
        ),
        number(
            "expected", gettext_noop("By chance"), gettext_noop("mean share of keys among the options of these items")
        ),
        "reason",
    ),
    keys=("generator", "cue"),
    notes=(
        gettext_noop(
            "Items: number of items in which one option stands out in this way. Share of keys: how often "
            "this option is a key, with a 95 % interval (Jeffreys; items treated as independent). By "
            "chance: the share of keys if the clue were unrelated to them. Above chance the clue gives "
            "keys away, below chance distractors."
        ),
        gettext_noop("Many clues are tested: about one interval in twenty misses the chance value by "
                     "accident."),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Sign:
    """A sentence about an item, and whether the cue leads to the key, away from it, or neither."""

    sentence: str
    leads: str = ""  # "key" or "distractor"


def make_wording(item: Item) -> Wording:
    """The wording in which cues are searched: stem, options and text; open items have no options."""
    options = list(item.options.all())
    return Wording(
        stem=item.stem,
        options=tuple(option.text for option in options),
        keys=tuple(option.correct for option in options),
        text=item.text.body,
        language=item.text.language.partition("-")[0],
    )


def list_item_signs(item: Item) -> list[Sign]:
    """The signs in the wording of one item, in words."""
    wording, options = make_wording(item), list(item.options.all())
    return [
        *(
            Sign(
                f"{options[found.place].external_id}: {name_code('cue', found.cue)}",
                "key" if found.is_key else "distractor",
            )
            for found in find_cues(wording)
        ),
        *(
            Sign(
                _("%(one)s and %(other)s are nearly the same")
                % {"one": options[one].external_id, "other": options[other].external_id}
            )
            for one, other in find_near_duplicates(wording)
        ),
        *([Sign(_("the question contains a negation"))] if is_negated(wording) else []),
    ]


def build_shortcuts(items: Iterable[Item]) -> Table:
    """One row per generator and cue by which an option of some item stands out; all generators together come first.

    The items need text, generator and options.
    """
    by_generator: dict[str, list[Wording]] = {ALL: []}
    for item in items:
        wording = make_wording(item)
        if len(wording.options) > 1:
            by_generator[ALL].append(wording)
            by_generator.setdefault(item.generator.name, []).append(wording)
    rows = [row for name, wordings in by_generator.items() for row in iter_rows(name, wordings)]
    return TABLE.build(rows)


def iter_rows(generator: str, wordings: list[Wording]) -> Iterator[dict[str, Any]]:
    for cue, counted in count_cues(wordings).items():
        if counted.n:
            low, high = jeffreys_interval(counted.n_keys, counted.n)
            ends = {"low": low, "high": high}
            yield {
                "generator": generator,
                "cue": cue,
                "n": counted.n,
                "n_keys": counted.n_keys,
                "share_keys": counted.n_keys / counted.n,
                "low": low,
                "high": high,
                "expected": counted.expected / counted.n,
                "reason": "",
                "intervals": {"share_keys": dict.fromkeys(CONVENTIONS, ends)},
            }


def flag_items(items: Iterable[Item], cue: str, generator: str) -> list[tuple[Item, str, bool]]:
    """The items in which an option stands out by a cue: item, id of the option, whether it is a key."""
    found = []
    for item in items:
        if generator in (ALL, item.generator.name):
            options = list(item.options.all())
            found += [
                (item, options[each.place].external_id, each.is_key)
                for each in find_cues(make_wording(item))
                if each.cue == cue
            ]
    return found


def read_bank(project: Project) -> QuerySet[Item]:
    """The items of the bank, with everything that cues are searched in."""
    return (
        query_bank_items(project).select_related("text", "generator").prefetch_related("options").order_by("text", "pk")
    )


def build_bank_shortcuts(project: Project) -> Table:
    """The table of the whole bank, in the active language."""

    key = f"shortcuts:{hash_bank(project)}"
    table: Table | None = cache.get(key)
    if table is None:
        table = build_shortcuts(read_bank(project))
        cache.set(key, table, A_DAY)
    return table


def hash_bank(project: Project) -> str:
    """A hash of everything the table depends on. Items never change; a new version follows them."""
    items = query_bank_items(project).order_by("text", "pk").values_list("pk", flat=True)
    corrections = KeyCorrection.objects.filter(item__project=project).aggregate(last=Max("pk"))
    generators = project.generators.order_by("pk").values_list("pk", "name")
    state = [hash_software(), project.pk, list(items), corrections, list(generators), get_language()]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()
