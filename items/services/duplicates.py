"""Near-duplicates in a bank, across generators, texts and published benchmarks, by MinHash.

Two wordings are compared by the Jaccard index of their sets of runs of four characters, without case and punctuation.
Items about one text are compared by their questions; other items, and items of benchmarks, by question with options or
expected answer; texts with those of benchmarks by their words. Candidates come from locality-sensitive hashing (Broder
1997; Leskovec, Rajaraman & Ullman, Mining of Massive Datasets, ch. 3): signatures of 64 minima in 16 bands of 4, which
find a pair with index .7 with a probability of .99. Within the project the index is computed; of a benchmark only the
signatures are stored, and the index is estimated from them (standard error up to .06).
"""

import json
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from items.formats import find_format
from items.formats.rows import ItemRow
from items.models import Benchmark, Item, Text
from items.plain import clean_name, make_printable
from items.services.bank import get_bank_version, load_bank
from items.services.importing import read_bank_file
from jobs import files
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from jobs.working import get_or_run
from projects.models import Project

GRAM = 4
THRESHOLD = 0.7
BANDS, ROWS = 16, 4
PRIME = 2_147_483_647
COEFFICIENTS = np.random.default_rng(20_261).integers(1, PRIME, size=(2, BANDS * ROWS), dtype=np.uint64)
MAX_BUCKET = 50  # entries with equal bands; in larger buckets each is compared with the first
MAX_PAIRS = 2_000
AT_ONCE = 400  # items of a bank that can be compared in the request
MAX_SIGNED = 200_000  # texts and items of a benchmark
HASHES = ".minhash.jsonl"
KIND = "near_duplicates"
WORD = re.compile(r"[^\W_]+")

Pair = tuple[str, str, float]


class BadBenchmark(ValueError):
    """The file has nothing to compare with; the message says why."""


def shingle(words: str) -> frozenset[int]:
    """Hashes of all runs of four characters, the words joined by one space."""
    joined = f" {' '.join(WORD.findall(words.casefold()))} "
    return frozenset(zlib.crc32(joined[at : at + GRAM].encode()) for at in range(max(1, len(joined) - GRAM + 1)))


def compare(one: frozenset[int], other: frozenset[int]) -> float:
    """The Jaccard index."""
    return len(one & other) / len(one | other)


def sign(shingles: frozenset[int]) -> np.ndarray:
    """The MinHash signature: for each of 64 permutations the smallest hash."""
    hashes = np.fromiter(shingles, dtype=np.uint64, count=len(shingles)) % PRIME
    minima: np.ndarray = ((np.outer(hashes, COEFFICIENTS[0]) + COEFFICIENTS[1]) % PRIME).min(axis=0)
    return minima.astype(np.uint32)


def list_bands(signature: np.ndarray) -> Iterator[tuple[int, bytes]]:
    return enumerate(each.tobytes() for each in signature.reshape(BANDS, ROWS))


def find_pairs(shingles: dict[str, frozenset[int]]) -> Iterator[Pair]:
    """The names of nearly equal wordings, each pair once."""
    buckets: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    for name, found in shingles.items():
        for band in list_bands(sign(found)):
            buckets[band].append(name)
    seen: set[tuple[str, str]] = set()
    for names in buckets.values():
        for pair in combinations(names, 2) if len(names) <= MAX_BUCKET else ((names[0], each) for each in names[1:]):
            if pair not in seen:
                seen.add(pair)
                if (index := compare(shingles[pair[0]], shingles[pair[1]])) >= THRESHOLD:
                    yield (*pair, index)


def join_item(stem: str, answers: Iterable[str]) -> str:
    """The words by which an item is compared across texts: options in alphabetical order."""
    return " ".join([stem, *sorted(answers)])


def read_answers(item: Item) -> list[str]:
    return [option.text for option in item.options.all()] or [item.expected_answer]


# The pairs of a project --------------------------------------------------------------------------------------------


def compare_bank(project: Project) -> dict[str, Any]:
    """`pairs`: of items of the project; `known`: its texts and items that a benchmark contains; the most similar
    first."""
    bank = load_bank(project)
    items = {name: item for name, item in bank.items.items() if not item.archived_at and not item.text.archived_at}
    whole = {name: shingle(join_item(item.stem, read_answers(item))) for name, item in items.items()}
    pairs = [pair for pair in find_pairs(whole) if items[pair[0]].text_id != items[pair[1]].text_id]
    by_text: dict[int, dict[str, frozenset[int]]] = defaultdict(dict)
    for name, item in items.items():
        by_text[item.text_id][name] = shingle(item.stem)
    for stems in by_text.values():
        indexes = ((one, other, compare(stems[one], stems[other])) for one, other in combinations(stems, 2))
        pairs += [pair for pair in indexes if pair[2] >= THRESHOLD]
    texts = {name: shingle(text.body) for name, text in bank.texts.items() if not text.archived_at}
    known = [row for benchmark in project.benchmarks.all() for row in find_known(benchmark, texts, whole)]
    return {
        "pairs": sorted(pairs, key=lambda pair: (-pair[2], pair[:2]))[:MAX_PAIRS],
        "known": sorted(known, key=lambda row: (-row["index"], row["id"]))[:MAX_PAIRS],
        "n_pairs": len(pairs),
        "n_known": len(known),
    }


def find_known(
    benchmark: Benchmark, texts: dict[str, frozenset[int]], items: dict[str, frozenset[int]]
) -> Iterator[dict[str, Any]]:
    """For each text and item, its nearest neighbor in the benchmark, if it is near enough."""
    rows = read_signatures(bytes(benchmark.signatures))
    for kind, ours in (("text", texts), ("item", items)):
        theirs = [(row["id"], np.frombuffer(bytes.fromhex(row["minhash"]), np.uint32))
                  for row in rows if row["kind"] == kind]  # fmt: skip
        buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
        for place, (_name, signature) in enumerate(theirs):
            for band in list_bands(signature):
                buckets[band].append(place)
        for name, found in ours.items():
            signature = sign(found)
            places = {place for band in list_bands(signature) for place in buckets.get(band, ())[:MAX_BUCKET]}
            indexes = ((float((theirs[place][1] == signature).mean()), theirs[place][0]) for place in places)
            index, other = max(indexes, default=(0.0, ""))
            if index >= THRESHOLD:
                yield {"kind": kind, "id": name, "benchmark": benchmark.name, "other": other, "index": index}


def work_out(job: Job, on_progress: Listener) -> Any:
    """The work of the job that compares a bank."""
    assert job.project
    on_progress("compare", 0, 0)
    job.version = make_version(job.project)
    return files.write_value(compare_bank(job.project))


def make_version(project: Project) -> str:
    """A fingerprint of the bank and the benchmarks, which changes when the pairs may change."""
    keys = ",".join(str(pk) for pk in project.benchmarks.order_by("pk").values_list("pk", flat=True))
    return f"{get_bank_version(project)} {zlib.crc32(keys.encode())}"


def get_duplicates(project: Project) -> Job:
    """The job with the pairs of the present bank: computed here for a small bank, else by a worker."""
    wanted, version = make_job(KIND, f"project:{project.pk}", {}, project, "en"), make_version(project)
    n_items = Item.objects.filter(project=project).available().count()
    if n_items <= AT_ONCE and not project.benchmarks.exists():
        return get_or_run(wanted, version)
    return get_or_schedule(wanted, version)


def read_duplicates(project: Project) -> dict[str, Any]:
    """The known pairs, possibly of an earlier state of the bank; none while a worker computes the first ones."""
    job = get_duplicates(project)
    return job.read_value() if job.has_result else {"pairs": [], "known": [], "n_pairs": 0, "n_known": 0}


def find_alike(project: Project, items: Iterable[Item]) -> dict[str, list[dict[str, Any]]]:
    """The near-duplicates of each item, by its id: items of the project, and ids in benchmarks."""
    names = {item.external_id for item in items}
    found = read_duplicates(project)
    alike: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one, other, index in found["pairs"]:
        for name, twin in ((one, other), (other, one)):
            if name in names:
                alike[name].append({"id": twin, "index": index})
    for row in found["known"]:
        if row["kind"] == "item" and row["id"] in names:
            alike[row["id"]].append({"id": row["other"], "index": row["index"], "benchmark": row["benchmark"]})
    return dict(alike)


def list_rows(project: Project, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The pairs with their items, for a page; pairs with an item deleted since are left out."""
    names = {name for pair in found["pairs"] for name in pair[:2]}
    items = Item.objects.filter(project=project).available().select_related("generator", "text")
    by_id = {item.external_id: item for item in items if item.external_id in names}
    return [
        {"items": (by_id[one], by_id[other]), "index": index}
        for one, other, index in found["pairs"]
        if one in by_id and other in by_id
    ]


def list_texts_of_duplicates(project: Project) -> list[int]:
    """The current texts with an item that has a near-duplicate, in the project or a benchmark."""
    found = read_duplicates(project)
    items = {name for pair in found["pairs"] for name in pair[:2]}
    items |= {row["id"] for row in found["known"] if row["kind"] == "item"}
    texts = {row["id"] for row in found["known"] if row["kind"] == "text"}
    mine = Item.objects.filter(project=project).available().values_list("external_id", "text_id")
    rows = Text.objects.filter(project=project).available().values_list("external_id", "pk")
    return [pk for name, pk in mine if name in items] + [pk for name, pk in rows if name in texts]


# Benchmarks --------------------------------------------------------------------------------------------------------


def add_benchmark(project: Project, name: str, filename: str, content: bytes, format_name: str = "") -> Benchmark:
    """Compute the signatures of a file and store only these, replacing an earlier benchmark of the name."""
    rows = read_signatures(content) if filename.endswith(HASHES) else sign_file(filename, content, format_name)
    if not rows:
        raise BadBenchmark(_("The file has neither texts nor items."))
    if len(rows) > MAX_SIGNED:
        raise BadBenchmark(_("The file has more than {limit:,} texts and items. Split it.").format(limit=MAX_SIGNED))
    n_items = sum(row["kind"] == "item" for row in rows)
    counts = {"n_items": n_items, "n_texts": len(rows) - n_items}
    project.benchmarks.filter(name=name).delete()
    signatures = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return Benchmark.objects.create(project=project, name=clean_name(name), signatures=signatures, **counts)


def sign_file(filename: str, content: bytes, format_name: str) -> list[dict[str, str]]:
    """The signatures of the texts and items in a file that imports can read."""
    reading = read_bank_file(content, format_name or find_format(filename) or "lesart", name=filename)
    if reading.problems:
        first = reading.problems.listed[0]
        sentence = _("line {number}: {reason}").format(number=first.line, reason=first.reason)
        raise BadBenchmark(make_printable(sentence, 500))
    rows = []
    for line in reading.lines:
        name = line.text.id or f"line {line.number}"
        if line.text.body:
            rows.append(describe_signature("text", name, line.text.body))
        for place, item in enumerate(line.text.items, start=1):
            rows.append(describe_signature("item", item.id or f"{name} {place}", join_row(item)))
    return rows


def join_row(item: ItemRow) -> str:
    return join_item(item.stem, [option.text for option in item.options or []] or [item.expected_answer or ""])


def describe_signature(kind: str, name: str, words: str) -> dict[str, str]:
    return {"kind": kind, "id": name, "minhash": sign(shingle(words)).tobytes().hex()}


def read_signatures(content: bytes) -> list[dict[str, str]]:
    """The lines of a file of signatures; `BadBenchmark` for another file."""
    rows = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            row = json.loads(line)
            kind, name, signature = row["kind"], row["id"], bytes.fromhex(row["minhash"])
            if kind not in ("text", "item") or len(signature) != BANDS * ROWS * 4:
                raise ValueError
            rows.append({"kind": kind, "id": clean_name(name), "minhash": signature.hex()})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise BadBenchmark(_("Line {n} is no signature of a text or item.").format(n=number)) from None
    return rows
