"""How many kilobytes of HTML each page of a study's results has; exits 1 if one has more than it may.

    python bench/page_weight.py [--study NAME …] [--language en] [--most 150] [--keep DIR] [--data DIR]

Makes the studies of bench/whole_studies.py in a data folder of its own (or in `--data`, where they stay and are found
again), opens their results as an owner does, and follows the links that lead on: each table's own page, its next one,
sorted up and down, the lab, the stand-in, lists and sheets of items, behind a number of each table, planner, pack and
shortcuts. Results are looked at as they open, and once more with choices, which stand in every link. Counted is HTML
before figures are drawn; styles, scripts and figures are requests of their own. `--keep` writes the pages to look at.
"""

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

MOST = 150  # kilobytes of 1,000 bytes
CHOSEN = "asked=1&include=main&convention=published&estimate=pooled"
NO_PAGE = re.compile(r"\.(csv|svg|png|zip|vl\.json)$|/export/|/invite|/people/|/settings/|/working/")


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        prepare(options.data or folder, options.language)
        heavy = [
            f"{study} {address}: {size / 1000:.0f} KB"
            for study in options.study
            for address, size in weigh_pages(study, options)
            if size > 1000 * options.most
        ]
    for line in heavy:
        print(f"Above {options.most} KB: {line}")
    return 1 if heavy else 0


def arguments() -> argparse.Namespace:
    from bench.whole_studies import STUDIES

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--study", nargs="+", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--language", default="en")
    parser.add_argument("--most", type=float, default=MOST)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--data")
    return parser.parse_args()


def prepare(folder: str, language: str) -> None:
    os.environ |= {
        "LESART_DATA": folder,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LESART_RESULTS_AT_ONCE": "10000000",
    }
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)


def make(name: str) -> None:
    """The study, with its project of the same name, unless it is there."""
    from django.core.management import call_command

    from bench.whole_studies import STUDIES
    from studies.models import Study, StudyState

    if Study.objects.filter(slug=name, state=StudyState.IMPORTED).exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        drawn = STUDIES[name]()
        drawn.write(files)
        call_command("create_project", name)
        call_command("import_items", str(files / "bank.jsonl"), project=name, verbosity=0)
        call_command("create_study", str(files / "study.yaml"), project=name)
        call_command("import_responses", str(files / "answers.csv"), study=name)
        if drawn.metrics:
            call_command("import_metrics", str(files / "metrics.csv"), project=name)


def weigh_pages(name: str, options: argparse.Namespace) -> Iterator[tuple[str, int]]:
    """Address and bytes of each page, printed from the heaviest."""
    make(name)
    found = dict(pages_of(name, options.language, options.keep))
    print(f"{name}: {len(found)} pages", flush=True)
    for address, size in sorted(found.items(), key=lambda page: -page[1])[:12]:
        print(f"  {size / 1000:6.1f} KB  {address}", flush=True)
    yield from found.items()


def pages_of(name: str, language: str, keep: Path | None) -> Iterator[tuple[str, int]]:
    """Every kind of page that the results lead to, each once."""
    from bs4 import BeautifulSoup
    from django.test import Client

    client = Client(headers={"host": "127.0.0.1", "accept-language": language})
    client.force_login(owner_of(name))
    start = f"/s/{name}/results/"
    waiting = [start, f"{start}?{CHOSEN}", *(f"/s/{name}/{page}/" for page in ("planner", "pack", "items"))]
    seen = set(map(kind_of, waiting))
    while waiting:
        address = waiting.pop(0)
        response = client.get(address)
        if response.status_code != 200:
            continue  # such as the list of items of a protocol that has none
        yield address, len(response.content)
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{re.sub(r'[^a-z0-9]+', '-', address.lower())[:150]}.html").write_bytes(response.content)
        for link in BeautifulSoup(response.content, "html.parser").select("main a[href]"):
            leads = urljoin(address, str(link["href"]))
            kind = kind_of(leads)
            if is_of_results(leads, name) and kind not in seen:
                seen.add(kind)
                waiting.append(leads.partition("#")[0])


def owner_of(name: str):
    from projects.models import Membership, Project, Role, User

    user, _new = User.objects.get_or_create(username="bench")
    Membership.objects.get_or_create(project=Project.objects.get(slug=name), user=user, role=Role.OWNER)
    return user


def is_of_results(address: str, name: str) -> bool:
    path = urlsplit(address).path
    of_study = re.match(rf"/s/{name}/(results|agreement|stand-in|items|planner|pack)/", path)
    return bool(of_study or path == f"/p/{name}/shortcuts/") and not NO_PAGE.search(path)


def kind_of(address: str) -> tuple:
    """What addresses of pages that look alike have in common: which item, row and page do not matter."""
    parts = urlsplit(address)
    asked = {key: values[0] for key, values in parse_qs(parts.query).items()}
    if "table" in asked:  # behind a number
        return parts.path, asked["table"], page_of(asked)
    path = re.sub(r"/\d+/", "/#/", parts.path)
    chosen = "convention" in asked
    return path, asked.get("sort", "")[:1] in ("", "-"), bool(asked.get("sort")) and not chosen, page_of(asked), chosen


def page_of(asked: dict[str, str]) -> tuple[str, ...]:
    """Which tables are turned to their second page or a later one."""
    return tuple(sorted(key for key in asked if key.startswith("page")))


if __name__ == "__main__":
    sys.exit(main())
