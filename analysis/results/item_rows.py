"""The items of a study in one list: numbers from people's answers, flags of possible problems, search and filters."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from analysis.figures.paper import draw_track
from analysis.formatting import count, number
from analysis.models import ItemCode
from analysis.reports.outcome import find_rows, join_names
from analysis.reports.report import Report
from items.models import Item
from studies.models import Study

HARD, KEY, EASY, DEVIATES, CODED = "hard", "key", "easy", "deviates", "coded"
ALARM, EASY_SHARE = 0.5, 0.8  # probability of a mis-key; share of options judged right without the text
FLAGS = {
    KEY: gettext_lazy("key?"),
    HARD: gettext_lazy("hard with the text"),
    EASY: gettext_lazy("easy guess"),
    DEVIATES: gettext_lazy("deviating scores"),
    CODED: gettext_lazy("coded"),
}
LEVELS = {KEY: "error", HARD: "error", EASY: "warning", DEVIATES: "warning"}
ORDER = tuple(FLAGS)


@dataclass(frozen=True)
class ItemRow:
    """One item. before, after: shares of options judged right without and with the text, where they are known."""

    item: Item
    flags: tuple[str, ...]
    before: float | None = None
    after: float | None = None
    score: float | None = None

    @property
    def badges(self) -> list[tuple[str, str]]:
        """The labels of its flags with their levels."""
        return [(str(FLAGS[flag]), LEVELS.get(flag, "")) for flag in self.flags]

    @property
    def gain(self) -> float | None:
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def shares(self) -> str:
        return " → ".join("–" if share is None else number(share) for share in (self.before, self.after))

    @property
    def gain_text(self) -> str:
        return "–" if self.gain is None else f"{'+' if self.gain > 0 else ''}{number(self.gain)}"

    @property
    def score_text(self) -> str:
        return "" if self.score is None else number(self.score)

    @property
    def track(self) -> SafeString:
        return mark_safe(draw_track(self.before, self.after))  # noqa: S308 - numbers only


def list_flags(study: Study, report: Report) -> dict[str, set[str]]:
    """By external id the flags of an item; items without flags are missing."""
    found: dict[str, set[str]] = {}
    for item_id, shares in compute_item_shares(report).items():
        if shares["guess"] is not None and shares["guess"] >= EASY_SHARE:
            found.setdefault(item_id, set()).add(EASY)
    for row in find_rows(report, "item_analysis"):
        if (row["miskey"] or 0) >= ALARM:
            found.setdefault(row["item_id"], set()).add(KEY)
    for name, flag in (("unanswerable_items", HARD), ("flagged_cells", DEVIATES)):
        for row in find_rows(report, name):
            found.setdefault(row["item_id"], set()).add(flag)
    for item_id in ItemCode.objects.current().filter(study=study).values_list("item__external_id", flat=True):
        found.setdefault(item_id, set()).add(CODED)
    return found


def compute_item_shares(report: Report) -> dict[str, dict[str, float | None]]:
    """By item the share of right judgments in each stage; an option weighs as many people as judged it."""
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    for row in find_rows(report, "item_analysis"):
        right, n = sums.get((row["item_id"], row["stage"]), (0.0, 0))
        sums[row["item_id"], row["stage"]] = (right + (row["share_correct"] or 0) * row["n"], n + row["n"])
    found: dict[str, dict[str, float | None]] = {}
    for (item_id, stage), (right, n) in sums.items():
        found.setdefault(item_id, {"guess": None, "read": None})[stage] = right / n if n else None
    return found


def list_items(study: Study, report: Report) -> list[ItemRow]:
    """All items that the study asks about, those with problems first."""
    flags, shares = list_flags(study, report), compute_item_shares(report)
    scores = {row["item_id"]: row["score"] for row in find_rows(report, "item_scores")}
    items = Item.objects.filter(unit_items__unit__study=study).distinct().select_related("text", "generator")
    rows = [
        ItemRow(
            item,
            tuple(flag for flag in ORDER if flag in flags.get(item.external_id, ())),
            shares.get(item.external_id, {}).get("guess"),
            shares.get(item.external_id, {}).get("read"),
            scores.get(item.external_id),
        )
        for item in items.order_by("text", "pk")
    ]
    return sorted(rows, key=make_severity_key)


def make_severity_key(row: ItemRow) -> tuple[Any, ...]:
    """The sort key: the worst flag, then the smallest gain or score."""
    worst = min((ORDER.index(flag) for flag in row.flags if flag != CODED), default=len(ORDER))
    value = row.gain if row.gain is not None else row.score
    return worst, value is None, value or 0.0


SORTS = {
    "": make_severity_key,
    "gain": lambda row: (row.gain is None, row.gain or 0),
    "text": lambda row: row.item.text_id,
}


def select_rows(rows: Iterable[ItemRow], asked: QueryDict) -> list[ItemRow]:
    """The items selected by the query parameters, in the order chosen there."""
    words, generator, flag = (asked.get(name, "").strip() for name in ("q", "generator", "flag"))
    found = [
        row
        for row in rows
        if (not flag or flag in row.flags)
        and (not generator or row.item.generator.name == generator)
        and matches_words(row, words)
    ]
    return sorted(found, key=SORTS.get(asked.get("sort", ""), make_severity_key))


def matches_words(row: ItemRow, words: str) -> bool:
    searched = f"{row.item.stem} {row.item.external_id} {row.item.text.title}".casefold()
    return all(word in searched for word in words.casefold().split())


def say_first(rows: Sequence[ItemRow]) -> str:
    """The first line of the page: how many items to check, and which generators wrote them."""
    found = [row for row in rows if {HARD, KEY} & set(row.flags)]
    if not found:
        sentence = ngettext("%(n)s item. None stands out.", "%(n)s items. None stands out.", len(rows))
        return sentence % {"n": count(len(rows))}
    sentence = ngettext("Check %(n)s of %(all)s item first.", "Check %(n)s of %(all)s items first.", len(rows))
    return f"{sentence % {'n': count(len(found)), 'all': count(len(rows))}} {say_whose(found)}"


def say_whose(found: Sequence[ItemRow]) -> str:
    names: Mapping[str, int] = {}
    for row in found:
        names = {**names, row.item.generator.name: names.get(row.item.generator.name, 0) + 1}
    if len(names) == 1:
        return _("All by %(generator)s.") % {"generator": next(iter(names))}
    if len(names) > 3:
        return ""
    sentence = _("%(n)s by %(generator)s")
    return f"{join_names([sentence % {'n': n, 'generator': name} for name, n in names.items()])}."
