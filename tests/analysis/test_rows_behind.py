"""The rows behind a number of a large study are looked up by a worker, and are those that a small study has at once."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from analysis import tasks
from analysis.choices import Choices
from analysis.results import drill_down_views
from analysis.services import kept_files, rows_behind, working
from analysis.services.rows_behind import Number, is_kept
from jobs.models import Worker
from studies.models import Study, StudyState
from studies.services.states import switch_effects
from tests.factory import answer, make_annotator, make_study

CELL = {"table": "informativity", "number": "answerability", "generator": "careful", "evaluator": "human"}
N = 8  # judgments behind it
SMALL = 1_000_000


@pytest.fixture(autouse=True)
def large(db, settings, monkeypatch):
    """Every study is large, a page has two rows, a sheet two pages, and whoever works says nothing on the way."""
    cache.clear()
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}
    monkeypatch.setattr(working, "EVERY", 3600)
    monkeypatch.setattr(kept_files, "PART", 100)
    monkeypatch.setattr(rows_behind, "SHEET", 4)
    monkeypatch.setattr(drill_down_views, "PER_PAGE", 2)


@pytest.fixture
def worker(monkeypatch):
    """Somebody who works as soon as asked, before the page is looked at again; the kinds of what was worked out."""
    now, places, done = timezone.now(), [], []
    Worker.objects.create(name="w@here", started_at=now, last_seen=now)
    monkeypatch.setattr(tasks.work_out_results, "apply_async", lambda kwargs, **how: places.append(kwargs["place"]))

    def work():
        while places:
            done.append(cache.get(f"ticket:{places[0]}").kind)
            tasks.work_out_results(place=places.pop(0))
        return done

    return work


@pytest.fixture
def get(answered, as_user, reviewer):
    client = as_user(reviewer)
    return lambda name="study_behind", **asked: client.get(reverse(name, args=["tiny"]), CELL | asked)


@pytest.fixture
def at_last(get, worker):
    """A function that opens the page until it is there."""

    def opened(name="study_behind", **asked):
        while (response := get(name, **asked)).status_code == 202:
            worker()
        return response

    return opened


def content(response) -> bytes:
    return b"".join(response)


def main(response) -> str:
    """Without the head of the page, whose form has a secret of its own each time."""
    return response.content.decode().split("<main")[1]


def rows(response) -> list[list[str]]:
    return [[cell.text for cell in row] for row in response.context["table"].rows]


def test_the_page_waits_for_the_results_and_then_for_the_rows(get, worker):
    for kinds in (["report"], ["report", "behind"]):
        waiting = get()
        assert waiting.status_code == 202
        assert b"Waiting for a worker." in waiting.content
        assert worker() == kinds
    assert b"7 of 8 judgments are right, .88" in get().content


def test_every_page_is_that_of_a_small_study(at_last, get, settings):
    asked = [{}, {"page": "2"}, {"page": "3"}, {"page": "4"}, {"page": "99"}, {"page": "x"}]
    found = [main(at_last(**each)) for each in asked]
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    assert found == [main(get(**each)) for each in asked]


def test_who_turns_pages_causes_one_look_for_each_sheet(at_last, worker):
    seen = [row for page in "1234" for row in rows(at_last(page=page))]
    assert len(seen) == N
    assert worker() == ["report", "behind", "behind"]
    at_last(page="2")
    assert len(worker()) == 3


def test_the_file_is_that_of_a_small_study(at_last, get, worker, settings):
    found = content(at_last("study_behind_csv"))
    assert worker() == ["report", "behind-file"]
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    assert get("study_behind_csv").content == found


def test_a_file_that_lost_a_part_is_written_at_once_and_then_anew(at_last, get, monkeypatch):
    whole = content(at_last("study_behind_csv"))
    lost = []
    monkeypatch.setattr(kept_files.KeptFile, "parts", lambda file: iter([b"", None]) if not lost.append(1) else None)
    assert get("study_behind_csv").content == whole
    assert get("study_behind_csv").status_code == 202


def test_without_a_worker_they_are_looked_up_in_the_request(get):
    assert b"7 of 8 judgments are right, .88" in get().content
    assert content(get("study_behind_csv")).startswith(b"text_id,")


def test_of_a_small_study_nothing_is_kept(get, settings, worker):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": SMALL}
    response = get()
    assert (response.status_code, worker()) == (200, [])
    assert len(response.context["of"].rows.rows) == N


@pytest.mark.parametrize("wrong", [{"table": "x"}, {"number": "luck"}, {"generator": "x"}])
def test_no_worker_is_asked_about_a_number_that_is_not_there(at_last, get, worker, wrong):
    at_last()
    assert get(**wrong).status_code == 404
    assert worker() == ["report", "behind"]


def test_after_a_new_answer_they_are_looked_up_anew(at_last, worker, answered, items):
    assert len(at_last().context["of"].rows.rows) == N
    answer(make_annotator(answered, "cem"), "read", items["c1"], "TF")
    assert len(at_last().context["of"].rows.rows) == N + 2
    assert worker() == ["report", "behind"] * 2


def test_what_is_kept_is_for_reviewers_and_not_while_effects_are_hidden(
    at_last, get, answered, owner, as_user, viewer, reviewer
):
    at_last()
    assert as_user(viewer).get(reverse("study_behind", args=["tiny"]), CELL).status_code == 404
    as_user(reviewer)
    Study.objects.filter(pk=answered.pk).update(state=StudyState.LIVE)
    answered.refresh_from_db()
    switch_effects(answered, owner, hidden=True)
    assert get().status_code == get("study_behind_csv").status_code == 403


def test_each_number_of_each_study_is_kept_for_itself(answered):
    number = Number("informativity", "answerability", (("generator", "careful"),))
    other = make_study(answered.project, "other", [answered.units.first().items.first()])
    asked = [
        number.wanted("behind", answered, Choices()),
        number.wanted("behind", answered, Choices(), 1),
        number.wanted("behind-file", answered, Choices()),
        number.wanted("behind", other, Choices()),
        number.wanted("behind", answered, Choices(purposes=("main", "pilot"))),
        *(
            Number(*each).wanted("behind", answered, Choices())
            for each in [
                ("informativity", "guessability", number.names),
                ("informativity_matched", "answerability", number.names),
                ("informativity", "answerability", (("generator", "hasty"),)),
                ("informativity", "answerability", number.names, "crowd"),
            ]
        ),
    ]
    assert len({each.place for each in asked}) == len(asked)
    assert [Number.of(each) for each in asked[:2]] == [(number, 0), (number, 1)]


@pytest.mark.parametrize("table", ["label_mass", "position_bias"])
def test_rows_of_calls_are_not_kept(table):
    assert not is_kept(Number(table, "n", ()), ("state", 1))
    assert is_kept(Number("informativity", "n", ()), ("state", 1))
