"""What a screen reader goes by on the pages of the analysis: headings, labels, names of tables, anchors."""

from collections import Counter

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from tests.analysis.whole_studies import (
    make_guessing_study,
    make_pairs_study,
    make_questionnaire_study,
    make_ratings_study,
)

pytestmark = pytest.mark.slow

STUDIES = {
    "guess-then-read": make_guessing_study,
    "dimension-ratings": make_ratings_study,
    "stopping-questionnaire": make_questionnaire_study,
    "pairwise": make_pairs_study,
}
PAGES = (
    "study_results",
    "results_agreement",
    "results_items",
    "results_compare",
    "results_details",
    "agreement_lab",
    "stand_in",
    "study_planner",
    "study_items",
    "study_pack",
)


@pytest.fixture(params=STUDIES)
def pages(request, project, as_user, owner):
    """The pages of a whole study, by name, and the sheet of its first item."""
    cache.clear()
    study, client = STUDIES[request.param](project), as_user(owner)
    addresses = {name: reverse(name, args=[study.slug]) for name in PAGES}
    addresses["study_item"] = reverse("study_item", args=[study.slug, project.items.order_by("pk").first().pk])
    answers = {name: client.get(address) for name, address in addresses.items()}
    return {name: BeautifulSoup(got.content, "html.parser") for name, got in answers.items() if got.status_code == 200}


def test_a_screen_reader_finds_its_way(pages):
    assert {"study_results", "agreement_lab", "study_item"} <= set(pages)
    for name, page in pages.items():
        assert not list(problems(page)), name


def problems(page):
    """Sentences; none where all is well."""
    ids = Counter(tag["id"] for tag in page.find_all(id=True))
    yield from (f"two places are called {name}" for name, n in ids.items() if n > 1)
    links = (link["href"] for link in page.select('a[href^="#"]'))
    yield from (f"{link} leads nowhere" for link in links if link[1:] not in ids)
    levels = [int(heading.name[1]) for heading in page.select("h1, h2, h3, h4")]
    steps = zip([0, *levels], levels, strict=False)
    yield from (f"a heading {below} follows a heading {above}" for above, below in steps if below > above + 1)
    if levels.count(1) != 1:
        yield "the page has not one title"
    fields = page.select("input:not([type=hidden]), select, textarea")
    yield from (f"{field['name']} has no label" for field in fields if not has_label(page, field))
    for table in page.select("main table"):
        if not table.caption:
            yield f"a table has no caption: {table.get_text(' ', strip=True)[:60]}"
        if any(not row.find("th", scope="row") for row in table.select("tbody tr")):
            yield f"a row has no name: {table.caption}"


def has_label(page, field) -> bool:
    own = page.find("label", attrs={"for": field.get("id")}) if field.get("id") else None
    return bool(own or field.find_parent("label") or field.get("aria-label"))
