"""The summary of a study that is hardly one says something true: its class of verdict, its figure, nothing cut."""

import re
from random import Random

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from analysis.reports.outcome import Kind
from items.models import Text
from studies.models import Response, Study, StudyState
from studies.services.responses.importing import import_responses
from studies.services.states import switch_effects
from tests.studies.answer_files import as_csv
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.slow
LONG = [f"generator-{number:02}-" + "n" * 47 for number in range(30)]
ARABIC = "يصف النص طيور النهر في الشتاء."


def rate(project, *, texts=6, generators=("alder", "birch"), people=3, best="") -> Study:
    """Ratings on one dimension; `best` names whose items are always at the top."""
    bank(project, texts=texts, generators=generators)
    study = draft_study(project, protocol="dimension-ratings", params={"dimensions": ["clarity"]})
    rng = Random(7)
    rows = [
        {"annotator": f"P{seat}", "stage": "rate", "question": "clarity", "text_id": f"t{text}"}
        | {"item_id": f"t{text}-{name}-1", "value": 3 if name == best else rng.choice((1, 2, 2))}
        for text in range(1, texts + 1)
        for seat in range(people)
        for name in generators
    ]
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    return study


def right_to_left(project) -> Study:
    study = rate(project, best="alder")
    Text.objects.update(language="ar", title=ARABIC, body=ARABIC)
    return study


def without_answers(project) -> Study:
    bank(project)
    study = draft_study(project, protocol="dimension-ratings")
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    return study


def make_hidden_study(project) -> Study:
    study = rate(project, best="alder")
    Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
    study.refresh_from_db()
    switch_effects(study, None, hidden=True)
    return study


CASES = {
    "one generator": (lambda project: rate(project, generators=("alder",)), Kind.COUNTS),
    "one generator always at the top": (
        lambda project: rate(project, generators=("alder",), best="alder"),
        Kind.COUNTS,
    ),
    "one text": (lambda project: rate(project, texts=1, best="alder"), Kind.TOO_FEW),
    "one person": (lambda project: rate(project, people=1, best="alder"), Kind.WINNER),
    "no answers": (without_answers, None),
    "30 generators with names of 60 characters": (lambda project: rate(project, generators=LONG), Kind.TIE),
    "300 texts": (lambda project: rate(project, texts=300, people=1, best="alder"), Kind.WINNER),
    "right to left": (right_to_left, Kind.WINNER),
    "hidden effects": (make_hidden_study, "hidden"),
    "imported without times": (lambda project: rate(project, best="alder"), Kind.WINNER),
}


@pytest.mark.parametrize("case", CASES)
def test_the_summary_says_something_true(as_user, viewer, project, case):
    cache.clear()
    draw, kind = CASES[case]
    study = draw(project)
    response = as_user(viewer).get(reverse("study_results", args=[study.slug]))
    page = BeautifulSoup(response.content, "html.parser").main
    assert response.status_code == 200
    assert len(response.content) < 150_000
    verdict = page.select_one("h2.verdict[data-kind]")
    assert (verdict["data-kind"] if verdict else None) == kind
    assert len(page.get_text().split()) < 300 + 20 * len(LONG) * (case.startswith("30"))
    assert_nothing_is_cut(page)
    if case == "imported without times":
        assert not Response.objects.filter(first_answered_at__isnull=False).exists()
    if case == "hidden effects":
        assert "alder" not in page.get_text()


def assert_nothing_is_cut(page) -> None:
    """Each figure has the room of its words: nothing starts left of it or below it."""
    for svg in page.select("figure svg"):
        _x, _y, width, height = map(float, svg["viewbox"].split())
        for text in svg.select("text"):
            x, y = (float(re.sub(r"[^\d.-]", "", text.get(name, "0")) or 0) for name in ("x", "y"))
            assert 0 <= x <= width
            assert 0 <= y <= height
