"""Open every page of researchers in Chromium: accessibility, console, words, height, requests and seconds.

    python bench/researcher_site.py [--data FOLDER] [--kinds] [--only REGEX] [--looks LOOK …] [--screenshots DIR]
                                    [--out CSV]

Pages are found by following links from the list of projects, one of each kind in each study; with `--kinds` the largest
of each kind. Without `--data` the sample and small studies of the other protocols are made in a folder of their own
(about a minute).

`cold` is the time until a page of a browser that holds no files yet has loaded, `warm` that of the same page once more;
`drawn` is when the first of its content stood, cold. Words and screens are counted as by the browser test of all pages.
Axe reads each page in English, German and Basque, light and dark, or only in some of these looks (`--looks de-dark`).
Faults are printed and make it exit 1.
"""

import argparse
import csv
import os
import re
import sys
import tempfile
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.walk import CHROMIUM, server  # noqa: E402

LANGUAGES, SCHEMES = ("en", "de", "eu"), ("light", "dark")
LOOKS = {f"{language}-{scheme}": (language, scheme) for language, scheme in product(LANGUAGES, SCHEMES)}
TIMES = """() => {
  const [entry] = performance.getEntriesByType("navigation");
  const files = [entry, ...performance.getEntriesByType("resource")];
  const [drawn] = performance.getEntriesByName("first-contentful-paint");
  return {ms: Math.round(entry.loadEventEnd), drawn: Math.round(drawn?.startTime ?? 0),
          requests: files.length, kb: Math.round(files.reduce((sum, file) => sum + file.transferSize, 0) / 1000)};
}"""


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        client = prepare(options.data or Path(folder), is_new=not options.data)
        pages = find_pages(client, options.kinds)
        with server() as base:
            rows = list(open_all(pages, base, client.cookies["sessionid"].value, options))
    if options.out:
        write(rows, options.out)
    faults = [fault for row in rows for fault in row["faults"]]
    print(f"{len(rows)} pages, {len(options.looks)} looks each: {len(faults)} faults")
    return 1 if faults else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="a data folder with a superuser; nothing is written to it")
    parser.add_argument("--kinds", action="store_true")
    parser.add_argument("--only", default="", help="a regular expression that the address contains")
    parser.add_argument("--looks", nargs="*", choices=LOOKS, default=list(LOOKS))
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("--out", type=Path, help="a CSV file with a row of each page")
    return parser.parse_args()


def prepare(folder: Path, is_new: bool):
    """A test client in which somebody is signed in who may see everything."""
    os.environ |= {"LESART_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ |= {"LESART_RESULTS_AT_ONCE": "10000000"}  # no worker runs
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in this thread
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import Client

    from projects.models import User
    from tests.whole_site import load_world

    if is_new:
        call_command("migrate", verbosity=0)
        load_world()
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(User.objects.filter(is_superuser=True).latest("pk"))
    return client


def find_pages(client, kinds: bool) -> list[str]:
    from django.urls import reverse

    from tests.browser.test_researcher_site import FRAGMENTS
    from tests.config.test_links import match, visit_all

    found = {url: len(html) for url, html, _linked in visit_all(client, reverse("project_list"))}
    names = {url: name for url in found if (name := match(url).url_name) not in FRAGMENTS}
    if kinds:
        return list({names[url]: url for url in sorted(names, key=found.__getitem__)}.values())
    return list(names)


def open_all(pages: list[str], base: str, session: str, options: argparse.Namespace):
    """A row of each page, printed as it is found."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("LESART_CHROMIUM") or None, args=CHROMIUM)
        for address in pages:
            if re.search(options.only, address):
                row = measure(browser, base, address, session, options)
                told = " ".join(f"{name} {value}" for name, value in row.items() if name not in ("address", "faults"))
                print(address, told, *(f"\n    {fault}" for fault in row["faults"]), flush=True)
                yield row


def measure(browser, base: str, address: str, session: str, options: argparse.Namespace) -> dict:
    """The page as a fresh browser meets it, again, narrow, and in the languages and themes."""
    from tests.browser.test_researcher_site import LAPTOP, MEASURE, NARROW, WIDE, find_faults

    context = browser.new_context(base_url=base, **LAPTOP)
    context.set_default_timeout(180_000)  # a result is computed while its page is asked for
    context.add_cookies([{"name": "sessionid", "value": session, "url": base}])
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"script: {error}"))
    page.goto(address, wait_until="load")
    cold = page.evaluate(TIMES)
    page.goto(address, wait_until="load")
    row = {"address": address, "cold_ms": cold["ms"], "drawn_ms": cold["drawn"], "warm_ms": page.evaluate(TIMES)["ms"]}
    row |= {"requests": cold["requests"], "kb": cold["kb"]}
    for name, size in (("wide", WIDE), ("narrow", NARROW)):
        page.set_viewport_size(size)
        row["words"], screens, fits = page.evaluate(MEASURE)
        row[f"screens_{name}"] = round(screens, 2)
        said += [] if fits else [f"wider than {size['width']}"]
        if options.screenshots:
            page.screenshot(path=options.screenshots / f"{file_name(address)}-{size['width']}.png", full_page=True)
    page.set_viewport_size(WIDE)
    faults = list(said)
    for language, scheme in (LOOKS[look] for look in options.looks):
        said.clear()
        context.add_cookies([{"name": "django_language", "value": language, "url": base}])
        page.emulate_media(color_scheme=scheme)
        page.goto(address, wait_until="load")
        faults += [f"{language}, {scheme}: {each}" for each in [*said, *find_faults(page), *find_width(page, NARROW)]]
    context.close()
    return row | {"faults": faults}


def find_width(page, size: dict) -> list[str]:
    """What is wrong with the page's width at this size; leaves the page as wide as it was."""
    before = page.viewport_size
    page.set_viewport_size(size)
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(before)
    return [] if fits else [f"wider than {size['width']}"]


def file_name(address: str) -> str:
    return re.sub(r"[^\w-]+", "_", address).strip("_") or "projects"


def write(rows: list[dict], file: Path) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"faults": "; ".join(row["faults"])} for row in rows)


if __name__ == "__main__":
    sys.exit(main())
