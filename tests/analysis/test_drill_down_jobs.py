"""The rows behind a number of a large study are looked up by a worker, and are those that a small study has at once."""

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.results import drill_down_views
from analysis.services import drill_down
from analysis.services.drill_down import Number, is_cached
from studies.models import Study, StudyState
from studies.services.states import switch_effects
from tests.factory import answer, make_annotator, make_study

pytestmark = pytest.mark.slow

CELL = {"table": "informativity", "number": "answerability", "generator": "careful", "evaluator": "human"}
N = 8  # judgments behind it
SMALL = 1_000_000


@pytest.fixture(autouse=True)
def large(db, settings, monkeypatch):
    """Every study is large, a page has two rows, a sheet two pages."""
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}
    monkeypatch.setattr(drill_down, "SHEET", 4)
    monkeypatch.setattr(drill_down_views, "PER_PAGE", 2)


@pytest.fixture
def work(run_jobs):
    """A function that does what was asked for; the kinds of all that was done."""
    done = []
    return lambda: done.extend(run_jobs()) or done


@pytest.fixture
def get(two_annotators, as_user, reviewer):
    client = as_user(reviewer)
    return lambda name="study_behind", **asked: client.get(reverse(name, args=["tiny"]), CELL | asked)


@pytest.fixture
def at_last(get, work):
    """A function that opens the page until it is there."""

    def open_page(name="study_behind", **asked):
        while (response := get(name, **asked)).status_code == 202:
            work()
        return response

    return open_page


def content(response) -> bytes:
    return b"".join(response)


def main(response) -> str:
    """Without the head of the page, whose form has a secret of its own each time."""
    return response.content.decode().split("<main")[1]


def rows(response) -> list[list[str]]:
    return [[cell.text for cell in row] for row in response.context["table"].rows]


def test_the_page_waits_for_the_results_and_then_for_the_rows(get, work):
    for kinds in (["report"], ["report", "rows"]):
        waiting = get()
        assert waiting.status_code == 202
        assert b"Waiting for a worker." in waiting.content
        assert work() == kinds
    assert b"7 of 8 judgments are correct, .88" in get().content


def test_every_page_is_that_of_a_small_study(at_last, get, settings):
    asked = [{}, {"page": "2"}, {"page": "3"}, {"page": "4"}, {"page": "99"}, {"page": "x"}]
    found = [main(at_last(**each)) for each in asked]
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    assert found == [main(get(**each)) for each in asked]


def test_who_turns_pages_causes_one_look_for_each_sheet(at_last, work):
    seen = [row for page in "1234" for row in rows(at_last(page=page))]
    assert len(seen) == N
    assert work() == ["report", "rows", "rows"]
    at_last(page="2")
    assert len(work()) == 3


def test_the_file_is_that_of_a_small_study(at_last, get, work, settings):
    found = content(at_last("study_behind_csv"))
    assert work() == ["report", "rows-file"]
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    assert get("study_behind_csv").content == found


def test_without_a_worker_they_wait(get):
    assert get().status_code == get("study_behind_csv").status_code == 202
    assert b"No worker is running." in get().content


def test_of_a_small_study_nothing_is_cached(get, settings, work):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    response = get()
    assert (response.status_code, work()) == (200, [])
    assert len(response.context["of"].rows.rows) == N


@pytest.mark.parametrize("wrong", [{"table": "x"}, {"number": "luck"}, {"generator": "x"}])
def test_no_worker_is_asked_about_a_number_that_is_not_there(at_last, get, work, wrong):
    at_last()
    assert get(**wrong).status_code == 404
    assert work() == ["report", "rows"]


def test_after_a_new_answer_they_are_looked_up_anew(at_last, work, two_annotators, items):
    assert len(at_last().context["of"].rows.rows) == N
    answer(make_annotator(two_annotators, "cem"), "read", items["c1"], "TF")
    assert len(at_last().context["of"].rows.rows) == N + 2
    assert work() == ["report", "rows"] * 2


def test_what_is_cached_is_for_reviewers_and_not_while_effects_are_hidden(
    at_last, get, two_annotators, owner, as_user, viewer, reviewer
):
    at_last()
    assert as_user(viewer).get(reverse("study_behind", args=["tiny"]), CELL).status_code == 404
    as_user(reviewer)
    Study.objects.filter(pk=two_annotators.pk).update(state=StudyState.LIVE)
    two_annotators.refresh_from_db()
    switch_effects(two_annotators, owner, hidden=True)
    assert get().status_code == get("study_behind_csv").status_code == 403


def test_each_number_of_each_study_is_cached_for_itself(two_annotators):
    number = Number("informativity", "answerability", (("generator", "careful"),))
    other = make_study(two_annotators.project, "other", [two_annotators.units.first().items.first()])
    asked = [
        number.key("rows", two_annotators, Choices()),
        number.key("rows", two_annotators, Choices(), 1),
        number.key("rows-file", two_annotators, Choices()),
        number.key("rows", other, Choices()),
        number.key("rows", two_annotators, Choices(purposes=("main", "pilot"))),
        *(
            Number(*each).key("rows", two_annotators, Choices())
            for each in [
                ("informativity", "guessability", number.names),
                ("informativity_matched", "answerability", number.names),
                ("informativity", "answerability", (("generator", "hasty"),)),
                ("informativity", "answerability", number.names, "crowd"),
            ]
        ),
    ]
    assert len({each.make_job().key for each in asked}) == len(asked)
    assert [Number.of(each) for each in asked[:2]] == [(number, 0), (number, 1)]


@pytest.mark.parametrize("table", ["label_mass", "position_bias"])
def test_rows_of_calls_are_not_cached(table):
    assert not is_cached(Number(table, "n", ()), ("state", 1))
    assert is_cached(Number("informativity", "n", ()), ("state", 1))
