"""What launching a large study costs in CPU, by its command in a process of its own.

    python bench/launches.py [--protocol rating|guess-then-read] [--texts 1500] [--people 32] [--per-unit N]
                             [--out FILE]

The bank is made first; counted is the launch alone: planning, drawing the orders and storing them.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from annotators import PROTOCOLS, write_bank
from walk import prepare

ITEMS = {"rating": (1, 1), "guess-then-read": (3, 2)}  # generators, items of each


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        make_draft(Path(folder), options)
        text = json.dumps(launch(options), indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--protocol", choices=list(ITEMS), default="rating")
    parser.add_argument("--texts", type=int, default=1500)
    parser.add_argument("--people", type=int, default=32)
    parser.add_argument("--per-unit", type=int, help="people a text; without it all of them")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def make_draft(folder: Path, options: argparse.Namespace) -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("create_project", "large", verbosity=0)
    write_bank(folder / "bank.jsonl", "large", options.texts, *ITEMS[options.protocol])
    call_command("import_items", str(folder / "bank.jsonl"), project="large", verbosity=0)
    plan = {"annotators": options.people, "seed": 1, "per_unit": options.per_unit or "all"}
    spec = {"slug": "large", "title": "Large", "protocol": PROTOCOLS[options.protocol], "language": "en", "plan": plan}
    (folder / "study.yaml").write_text(json.dumps(spec))
    call_command("create_study", str(folder / "study.yaml"), project="large", stdout=sys.stderr)


def launch(options: argparse.Namespace) -> dict[str, object]:
    from django.core.management import call_command

    from studies.models import Assignment

    start = time.process_time()
    call_command("launch_study", "large", stdout=sys.stderr)
    cpu = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    found = {"protocol": options.protocol, "texts": options.texts, "assignments": Assignment.objects.count()}
    return found | {"cpu": round(cpu, 2), "megabytes": round(megabytes), "load": os.getloadavg()[0]}


if __name__ == "__main__":
    sys.exit(main())
