"""Identical numbers from page, command and ZIP, in every protocol."""

import io
from collections import defaultdict
from urllib.parse import urlencode, urljoin, urlsplit
from zipfile import ZipFile

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build_full_report
from analysis.services.results import STAND_IN
from analysis.tables.spec import Column
from analysis.tables.writers import WRITERS
from tests.analysis import whole_studies
from tests.analysis.rows import make_table
from tests.analysis.same_numbers import beside, compare_description, compare_page_and_files, files_in, tables_on

pytestmark = pytest.mark.slow

COLUMNS = (Column("who", "Who"), Column("mean", "Mean", "number", "low", "high"))
STUDIES = [(name, "readers") for name in whole_studies.EVERY] + [("guessed", "annotators"), ("guessed", "published")]


def read_written_files(study, folder, convention):
    """The files of `report`, and those of the pack."""
    call_command(
        "report", study.slug, "--out", str(folder / "report"), "--convention", convention, stdout=io.StringIO()
    )
    written = {path.name: path.read_bytes() for path in (folder / "report" / "tables").iterdir()}
    path = folder / "pack.zip"
    call_command("export_pack", study.slug, "--out", str(path), "--convention", convention, stdout=io.StringIO())
    with ZipFile(path) as pack:
        names = [name for name in pack.namelist() if name.startswith("report/tables/")]
        return written, {name.rpartition("/")[2]: pack.read(name) for name in names}


def pages_of(client, study, convention):
    """By path, the pages on which the tables of a report stand, those of long tables too, as often as they go on."""
    asked = urlencode({"asked": 1, "convention": convention})
    addresses = [
        f"{reverse(name, args=[study.slug])}?{asked}" for name in ("results_details", "study_items", "stand_in")
    ]
    seen, found = set(), defaultdict(list)
    while addresses:
        address = addresses.pop(0).partition("#")[0]
        if address in seen:
            continue
        seen.add(address)
        response = client.get(address)
        if response.status_code == 200:
            page = BeautifulSoup(response.content, "html.parser")
            found[urlsplit(address).path].append(page)
            following = page.select('a[rel="next"], a.button[href*="/results/tables/"], .rest a')
            addresses += [urljoin(address, link["href"]) for link in following]
    return found


@pytest.mark.parametrize(("name", "convention"), STUDIES)
def test_every_number_of_the_pages_is_that_of_the_files(
    name, convention, project, as_user, reviewer, tmp_path, request, unchanged
):
    study = whole_studies.EVERY[name](project)
    written, packed = read_written_files(study, tmp_path, convention)
    assert written == packed
    files = files_in(written)
    client = as_user(reviewer)
    pages = pages_of(client, study, convention)
    shown = {path: tables_on(*each) for path, each in pages.items()}
    assert {name for name, file in files.items() if file.rows} <= set().union(*shown.values())
    request.getfixturevalue("recompute")
    report = build_full_report(collect_evidence(study, Choices(convention=convention, seed=abs(study.seed))))
    tables = {table.name: table for table in report.tables}
    by_path = {path: compare_page_and_files(tables, files, each, convention) for path, each in shown.items()}
    assert not [difference for differences, _n in by_path.values() for difference in differences]
    assert sum(n for _differences, n in by_path.values()) > 100
    for table in report.tables:
        assert WRITERS["json"](table).encode() == written[f"{table.name}.json"], table.name
        view = "stand_in_csv" if table.name in STAND_IN else "study_table"
        address = reverse(view, args=[study.slug, table.name])
        downloaded = client.get(address, {"asked": 1, "convention": convention})
        assert downloaded.content == written[f"{table.name}.csv"], table.name
    details = reverse("results_details", args=[study.slug])
    on_page, in_file = compare_description(files["description"], pages[details][0])
    assert on_page == in_file
    if name == "guessed":
        heads = pages[details][0].select("[data-table=informativity_beside] thead th")
        on_page, in_file = beside(
            shown[details]["informativity_beside"],
            [head.get_text() for head in heads[1:]],
            files["informativity"],
            convention,
        )
        assert on_page == in_file


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            '<th>ada</th><td><span class="value">.26 <span class="interval">[.10, .40]</span></span></td>',
            "value: '.26'",
        ),
        ('<th>ada</th><td><span class="value">.25 <span class="interval">[.10, .41]</span></span></td>', "interval"),
        ('<th>ben</th><td><span class="value">.25 <span class="interval">[.10, .40]</span></span></td>', "name: 'ben'"),
    ],
)
def test_a_number_that_differs_is_found(cells, message):
    ends = {"low": 0.1, "high": 0.4}
    row = {"who": "ada", "mean": 0.25, **ends, "intervals": {"mean": {"annotators": ends, "published": ends}}}
    table = make_table("means", ("who", "mean", "low", "high"), [row], columns=COLUMNS)
    files = files_in({f"means.{ending}": WRITERS[ending](table).encode() for ending in ("csv", "json")})
    rows = f"<tbody><tr>{cells}</tr></tbody>"
    html = f'<section><div class="table-wrap"><table data-table="means">{rows}</table></div></section>'
    page = BeautifulSoup(html, "html.parser")
    ((difference,), n) = compare_page_and_files({"means": table}, files, tables_on(page), "annotators")
    assert message in difference
    assert n == 3
