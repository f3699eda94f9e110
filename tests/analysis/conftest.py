"""A tiny study whose tables can be worked out by hand, and short ways to its reports."""

from functools import cache

import pytest

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.services import cached_evidence, cached_results, drill_down, results
from analysis.services.reporting import build
from items.models import Item
from tests.analysis.answered_texts import make_evidence
from tests.analysis.worked_out import report_of
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.made_once import made_once


@pytest.fixture(autouse=True)
def undrawn(request, monkeypatch):
    """Drawing takes a second: only tests that ask for `drawn` look at real figures."""
    if "real_figures" not in request.fixturenames:
        monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "<svg/>")
        monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")


@pytest.fixture
def real_figures():
    """Asks for real figures."""


@pytest.fixture
def unchanged(monkeypatch):
    """For tests that open many pages and change nothing meanwhile: what a study holds is read once for all of them."""
    count_once = cache(cached_results.count_state)
    for module in (cached_results, drill_down, results):
        monkeypatch.setattr(module, "count_state", count_once)
    monkeypatch.setattr(cached_evidence, "collect_evidence", cache(collect_evidence))


@pytest.fixture
def evidence(project):
    """A study of 40 texts that nobody has answered, for `answered_texts`."""
    return make_evidence(project)


@pytest.fixture
def tiny(project):
    """Two texts, one careful and one hurried item each with two options, of which the first is the key."""
    texts = [make_text(project, name) for name in ("t1", "t2")]
    careful = [make_item(text, "careful", f"c{number}", "TF") for number, text in enumerate(texts, 1)]
    hurried = [make_item(text, "hurried", f"h{number}", "TF") for number, text in enumerate(texts, 1)]
    return make_study(project, "tiny", [careful[0], hurried[0], careful[1], hurried[1]])


@pytest.fixture
def items(tiny):
    """The tiny study's items by id."""
    return list_items(tiny)


def list_items(study) -> dict[str, Item]:
    return {item.external_id: item for unit in study.units.all() for item in unit.items.all()}


@pytest.fixture
def two_annotators(tiny):
    """Ada and Ben have done both texts; each guessed one careful and one hurried item."""
    answer_tiny_study(tiny)
    return tiny


@made_once
def answer_tiny_study(study) -> None:
    ada, ben, items = make_annotator(study, "ada"), make_annotator(study, "ben"), list_items(study)
    answer(ada, "guess", items["c1"], "TF")
    answer(ada, "guess", items["h2"], "TF")
    answer(ben, "guess", items["h1"], "FF")
    answer(ben, "guess", items["c2"], "FF")
    for person, answers in {ada: "TF TF TF TF", ben: "TF TF TT FT"}.items():
        for name, ticks, rating in zip(("c1", "h1", "c2", "h2"), answers.split(), (5, 4, 4, 2), strict=True):
            answer(person, "read", items[name], ticks, rating=rating)


@pytest.fixture
def table():
    """A function that gives one table of a study's report."""

    def find(study, name, **choices):
        return build(study, Choices(**{"seed": 7} | choices)).table(name)

    return find


@pytest.fixture
def row(table):
    """A function that gives the one row of a table in which the named columns have these values."""

    def find(study, name, choices=None, **wanted):
        rows = table(study, name, **(choices or {})).rows
        found = [row for row in rows if all(row[column] == value for column, value in wanted.items())]
        assert len(found) == 1, f"{len(found)} rows of {name} are {wanted}"
        return found[0]

    return find


@pytest.fixture
def report(request, study):
    """The report of the `study` that a test module plants, worked out once as long as its answers are the same."""
    return report_of(study, Choices(seed=5), request.module.__name__)
