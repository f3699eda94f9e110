"""The outcome of everything that a generator wrote: kept, incomplete, left out, rejected, and near-duplicates."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Count

from generation.models import IncompleteItem, IncompleteState
from items.models import Generator, GeneratorKind, Item
from llm.models import Call, CallState, Run
from projects.models import Project

WRITERS = (GeneratorKind.MODEL, GeneratorKind.RULE)
SPACE_FOR = str.maketrans(dict.fromkeys("\"'“”„‚‘’«»()[]{}.,;:!?¿¡…–—-_*/\\", " "))


@dataclass(frozen=True)
class RejectedReplies:
    """Replies of a run without an item, grouped by state and failure."""

    run: Run
    state: str
    failure: str
    n: int


@dataclass(frozen=True)
class WrittenCounts:
    """Counts of one generator; the rejected replies themselves are in the calls of its runs."""

    runs: list[Run]
    n_items: int
    n_open: int
    n_repaired: int
    n_discarded: int
    n_left_out: int
    rejected: list[RejectedReplies]

    @property
    def n_rejected(self) -> int:
        return sum(each.n for each in self.rejected)


@dataclass(frozen=True)
class NearDuplicates:
    """Items of one generator about one text that ask the same or have the same options."""

    items: list[Item]
    same_stem: bool
    same_options: bool


def count_written(generator: Generator) -> WrittenCounts:
    runs = list(Run.objects.filter(generator_run__generator=generator).select_related("endpoint"))
    rows = IncompleteItem.objects.filter(generator=generator).order_by().values_list("state")
    by_state = dict(rows.annotate(n=Count("pk")))
    return WrittenCounts(
        runs,
        Item.objects.filter(generator=generator).current().count(),
        by_state.get(IncompleteState.OPEN, 0),
        by_state.get(IncompleteState.REPAIRED, 0),
        by_state.get(IncompleteState.DISCARDED, 0),
        count_left_out(runs),
        list_rejected(runs),
    )


def list_rejected(runs: Iterable[Run]) -> list[RejectedReplies]:
    """Replies that were read but not used, by run, state and failure. None of them is deleted."""
    known = {run.pk: run for run in runs}
    states = [CallState.REJECTED, CallState.FAILED, CallState.REFUSED]
    rows = Call.objects.filter(run__in=known, state__in=states, raw_reply__isnull=False).order_by()
    counted = rows.values_list("run", "state", "error_class").annotate(n=Count("pk")).order_by("run", "-n")
    return [RejectedReplies(known[pk], state, failure, n) for pk, state, failure, n in counted]


def count_left_out(runs: Iterable[Run]) -> int:
    """The number of items in replies beyond the requested number; they are still in the calls' replies."""
    calls = Call.objects.filter(run__in=[run.pk for run in runs]).good().values_list("parsed", flat=True)
    return sum(parsed.get("left out", 0) for parsed in calls.iterator() if parsed)


def find_near_duplicates(project: Project, generator: Generator | None = None) -> list[NearDuplicates]:
    """Near-duplicates among items written by models and rules, by text.

    Two stems are the same without case, white space and punctuation; so are sets of options, in any order.
    """
    rows = Item.objects.filter(project=project, generator__kind__in=WRITERS).current().order_by("text_id", "pk")
    if generator is not None:
        rows = rows.filter(generator=generator)
    items = list(rows.select_related("text", "generator").prefetch_related("options"))
    found: dict[tuple[int, ...], NearDuplicates] = {}
    for same in group_alike(items, normalize_stem):
        found[tuple(item.pk for item in same)] = NearDuplicates(same, True, False)
    for same in group_alike(items, normalize_options):
        key = tuple(item.pk for item in same)
        found[key] = NearDuplicates(same, key in found, True)
    return sorted(found.values(), key=lambda each: (each.items[0].text_id, each.items[0].pk))


def group_alike(items: Iterable[Item], get_content: Callable[[Item], Hashable]) -> Iterator[list[Item]]:
    by_content: dict[tuple[int, int, Hashable], list[Item]] = {}
    for item in items:
        if content := get_content(item):
            by_content.setdefault((item.text_id, item.generator_id, content), []).append(item)
    return (same for same in by_content.values() if len(same) > 1)


def normalize_stem(item: Item) -> str:
    return normalize(item.stem)


def normalize_options(item: Item) -> frozenset[str]:
    return frozenset(normalize(option.text) for option in item.options.all())


def normalize(words: str) -> str:
    """The words without case and punctuation, and with single spaces."""
    return " ".join(words.casefold().translate(SPACE_FOR).split())
