"""Do tables, figures, exports and packs stay the same when the code changes? Every file is compared to the byte.

    python -m bench.witness build DATA             # a database: the sample studies, one larger study a protocol
    python -m bench.witness write DATA OUT         # on a copy of it, migrated: reports, exports, packs, packs read back
    python -m bench.witness compare BEFORE AFTER [--blank sentences] [--blank versions]

Build once with the earlier commit; write with each commit; compare. `--blank sentences` compares without what is said
in words (reasons, notes, captions, methods, datasheet), `--blank versions` without version numbers; both list what
they blanked. The exit code is 1 if anything else differs.
"""

import argparse
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.whole_studies import STUDIES

ROOT = Path(__file__).resolve().parent.parent
LARGER = ("guesses", "ratings", "stopped", "compared")
SAMPLE = ("sample-en", "sample-de")
FORMATS = {"csv": "csv", "wide": "csv", "jsonl": "jsonl", "item-evaluation": "jsonl"}
SENTENCE_COLUMNS = re.compile(r"(^|_)reason$|^says$|^note$")
SENTENCE_KEYS = {"says", "notes", "note", "title", "caption", "about", "checks", "key_corrections_after_launch"}
SENTENCE_FILES = re.compile(r"(methods|datasheet|README|read_me)[\w.-]*\.(md|txt|tex)$", re.IGNORECASE)
DRAWINGS = (".svg", ".png")


# Building and writing -------------------------------------------------------------------------------------------------


def build(data: Path) -> None:
    """A data folder with all studies, made by the code of now."""
    data.mkdir(parents=True)
    manage(data, "migrate", "--verbosity", "0")
    manage(data, "load_sample")
    for name in LARGER:
        folder = data / "drawn" / name
        folder.mkdir(parents=True)
        drawn = STUDIES[name]()
        drawn.write(folder)
        manage(data, "create_project", name)
        manage(data, "import_items", str(folder / "bank.jsonl"), "--project", name)
        manage(data, "create_study", str(folder / "study.yaml"), "--project", name)
        manage(data, "import_responses", str(folder / "answers.csv"), "--study", name)
        if drawn.metrics:
            manage(data, "import_metrics", str(folder / "metrics.csv"), "--project", name)


def write(data: Path, out: Path) -> None:
    """Every file that a study gives, from a copy of the data folder, and the report of each pack that is read back."""
    copy = out / "data"
    shutil.copytree(data, copy)
    manage(copy, "migrate", "--verbosity", "0")
    for study in studies_in(copy):
        write_study(copy, study, out / study)
        read_back(out / study / "pack.zip", study, out)
    shutil.rmtree(copy)


def write_study(data: Path, study: str, folder: Path) -> None:
    folder.mkdir()
    included = ["--include", "simulated"]
    manage(data, "report", study, "--out", str(folder / "report"), *included)
    for name, ending in FORMATS.items():
        file = folder / f"answers-{name}.{ending}"
        # A protocol without options has no answers to give in the format of item-evaluation, and says so.
        manage(data, "export_responses", study, "--format", name, "--out", str(file), *included, may_refuse=True)
    manage(data, "export_pack", study, "--out", str(folder / "pack.zip"), *included)


def read_back(pack: Path, study: str, out: Path) -> None:
    """The pack into an empty database, and the report from there."""
    empty = out / f"data-{study}"
    empty.mkdir()
    manage(empty, "migrate", "--verbosity", "0")
    manage(empty, "create_project", "again")
    manage(empty, "import_pack", str(pack), "--project", "again")
    [name] = studies_in(empty)
    manage(empty, "report", name, "--out", str(out / study / "report-of-pack"), "--include", "simulated")
    shutil.rmtree(empty)


def studies_in(data: Path) -> list[str]:
    code = "from studies.models import Study; print(*Study.objects.order_by('slug').values_list('slug', flat=True))"
    return manage(data, "shell", "--no-imports", "-c", code).split()


def manage(data: Path, *arguments: str, may_refuse: bool = False) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment | {"LESART_DATA": str(data)}, capture_output=True, text=True
    )
    if done.returncode and not may_refuse:
        raise SystemExit(f"{' '.join(arguments)}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


# Comparing ------------------------------------------------------------------------------------------------------------


def compare(before: Path, after: Path, blanked: set[str]) -> int:
    """Print each file that differs and what was blanked; the exit code."""
    earlier, now = dict(files_in(before)), dict(files_in(after))
    gone, new = sorted(earlier.keys() - now.keys()), sorted(now.keys() - earlier.keys())
    blanks: set[str] = set()
    different = [
        name
        for name in sorted(earlier.keys() & now.keys())
        if earlier[name] != now[name]
        and comparable(name, earlier[name], blanked, blanks) != comparable(name, now[name], blanked, blanks)
    ]
    for kind, names in (("gone", gone), ("new", new), ("different", different)):
        for name in names:
            print(f"{kind}: {name}")
    print(
        f"{len(earlier.keys() & now.keys())} files compared, {len(different)} differ, {len(gone)} gone, {len(new)} new."
    )
    for place in sorted(blanks):
        print(f"blanked: {place}")
    return 1 if different or gone or new else 0


def files_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of every file, those within packs too."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from ((f"{name}/{member}", archive.read(member)) for member in archive.namelist())
        else:
            yield name, path.read_bytes()


def comparable(name: str, content: bytes, blanked: set[str], blanks: set[str]) -> Any:
    """The content without what may differ; `blanks` collects the places that were blanked."""
    reader = next((reader for ending, reader in READERS.items() if name.endswith(ending)), None)
    if "sentences" in blanked and (SENTENCE_FILES.search(name) or name.endswith((".tex", *DRAWINGS))):
        blanks.add(re.sub(r"^.*?/", "", name))
        return None
    if reader is None or not blanked:
        return hashlib.sha256(content).hexdigest()
    return reader(content.decode("utf-8-sig"), blanked, blanks)


def without_sentences_csv(text: str, blanked: set[str], blanks: set[str]) -> Any:
    rows = list(csv.DictReader(io.StringIO(text)))
    chosen = [column for column in (rows[0] if rows else {}) if column and SENTENCE_COLUMNS.search(column)]
    if "sentences" in blanked and chosen:
        blanks.update(f"CSV column {column}" for column in chosen)
        return [{**row, **dict.fromkeys(chosen, "")} for row in rows]
    return rows


def without_sentences_json(text: str, blanked: set[str], blanks: set[str]) -> Any:
    return strip_values(json.loads(text), blanked, blanks)


def without_sentences_jsonl(text: str, blanked: set[str], blanks: set[str]) -> Any:
    return [strip_values(json.loads(line), blanked, blanks) for line in text.splitlines() if line]


def strip_values(node: Any, blanked: set[str], blanks: set[str]) -> Any:
    """JSON without the values of keys that hold sentences or versions; whether there is a value is kept."""
    if isinstance(node, list):
        return [strip_values(one, blanked, blanks) for one in node]
    if not isinstance(node, dict):
        return node
    found = {}
    for key, value in node.items():
        is_sentence = "sentences" in blanked and (key in SENTENCE_KEYS or SENTENCE_COLUMNS.search(key))
        is_version = "versions" in blanked and key == "versions"
        if is_sentence or is_version:
            blanks.add(f"JSON key {key}")
            found[key] = bool(value)
        else:
            found[key] = strip_values(value, blanked, blanks)
    return found


READERS: dict[str, Callable[[str, set[str], set[str]], Any]] = {
    ".csv": without_sentences_csv,
    ".jsonl": without_sentences_jsonl,
    ".json": without_sentences_json,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name, places in (("build", ["data"]), ("write", ["data", "out"]), ("compare", ["before", "after"])):
        command = commands.add_parser(name)
        for place in places:
            command.add_argument(place, type=lambda text: Path(text).resolve())
    command.add_argument("--blank", action="append", default=[], choices=["sentences", "versions"])
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.before, options.after, set(options.blank))
    if options.command == "build":
        build(options.data)
    else:
        options.out.mkdir(parents=True)
        write(options.data, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
