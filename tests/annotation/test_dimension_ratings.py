"""Dimension ratings through the real pages, both rounds: what is shown, what is stored, what stays on the server."""

from random import Random

import pytest
from bs4 import BeautifulSoup

from annotation.simulation import simulate_study
from studies.models import Assignment, Response
from studies.services.second_round import open_second_round
from studies.services.spec import SpecError
from tests.annotation.world import Walker
from tests.dimensions import (
    DIMENSIONS,
    FLAGGED,
    GENERATORS,
    TEXTS,
    Rater,
    annotators,
    make_bank,
    make_live_study,
    make_study_with_bank,
    rows_on,
    true_score,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


def rate(study, number: int = 1) -> list[Rater]:
    raters = [Rater(annotator, Random(1), number=number) for annotator in annotators(study)]
    for rater in raters:
        rater.work_through()
    return raters


def read_scores(number: int) -> dict[tuple[int, str, str], int]:
    fields = ("assignment__annotator__seat", "item__external_id", "question", "value")
    rows = Response.objects.filter(assignment__round=number).values_list(*fields)
    return {(seat, item, question): value for seat, item, question, value in rows}


def test_what_is_stored_is_what_was_scored(study):
    rate(study)
    items = [f"x{number}-{generator}" for number in range(1, TEXTS + 1) for generator in GENERATORS]
    assert read_scores(1) == {
        (seat, item, dimension): true_score(seat, item, dimension)
        for seat in range(3)
        for item in items
        for dimension in DIMENSIONS
    }


def test_the_second_round_gives_back_exactly_the_planted_cells(study):
    rate(study)
    opened = open_second_round(study)
    assert (opened.annotators, opened.cells, opened.by_rule) == (3, 6, {"a": 2, "b": 1, "c": 3})
    items = {item.pk: item.external_id for item in study.project.items.all()}
    found = {
        (assignment.annotator.seat, items[int(item)], question, rule)
        for assignment in Assignment.objects.filter(round=2).select_related("annotator")
        for item, cells in assignment.reopened.items()
        for question, cell in cells.items()
        for rule in cell["rules"]
    }
    assert found == FLAGGED


def test_a_rule_that_is_switched_off_gives_back_nothing(project):
    study = make_study_with_bank(project, params={"rules": ["b"]})
    rate(study)
    assert open_second_round(study).by_rule == {"b": 1}


def test_in_the_second_round_only_the_flagged_cells_are_asked_and_both_rounds_stay(study):
    rate(study)
    first = read_scores(1)
    open_second_round(study)
    rate(study, number=2)
    assert read_scores(1) == first
    assert read_scores(2) == {
        (seat, item, name): true_score(seat, item, name, 2) for seat, item, name, _rule in FLAGGED
    }


def page_of(annotator) -> BeautifulSoup:
    walker = Walker(annotator)
    walker.join()
    return BeautifulSoup(walker.get().content, "html.parser")


def test_one_sees_one_s_own_score_and_of_split_cells_the_others(study):
    rate(study)
    open_second_round(study)
    first, second, _third = annotators(study)
    alone = beside(second, "external-x2")
    split = beside(second, "external-x3")
    uneven = beside(first, "external-x1")
    assert alone == {("x2-gen-alder", "clarity"): "Your score: 1"}
    assert split == {("x3-gen-birch", "relevance"): "Your score: 2 · The others' scores: 1, 3 Your comment (optional)"}
    assert set(uneven.values()) == {"Your score: 3", "Your score: 2"}


def beside(annotator, text: str) -> dict[tuple[str, str], str]:
    """What stands beside each row of the annotator's second round on a text, which is put first."""
    second = annotator.assignments.filter(round=2)
    second.update(position=99)
    second.filter(unit__text__external_id=text).update(position=50)
    page = page_of(annotator)
    found = {}
    for item, question, name in rows_on(page):
        words = page.select_one(f'[name="{name}"]').find_parent("fieldset").select_one(".earlier").get_text(" ")
        found[item, question] = " ".join(words.split())
    return found


def test_a_comment_reaches_the_others_without_a_name(study):
    rate(study)
    open_second_round(study)
    first, second, _third = annotators(study)
    for annotator in (first, second):
        annotator.assignments.filter(round=2).exclude(unit__text__external_id="external-x3").delete()
    walker = Walker(first)
    walker.join()
    page = BeautifulSoup(walker.get().content, "html.parser")
    area = page.select_one("textarea")
    (row,) = rows_on(page)
    handle = page.select_one("fieldset.item")["data-item"]
    token = page.select_one("input[name=token]")["value"]
    walker.post({"token": token, "item": handle, row[2]: "2", area["name"]: "The reeds <b>matter</b>."})
    assert Response.objects.get(assignment__annotator=first, assignment__round=2).comment == "The reeds <b>matter</b>."
    page = page_of(second)
    assert "The reeds <b>matter</b>." in page.select_one(".earlier").get_text()
    assert first.code not in str(page)


def test_a_second_round_is_opened_once_and_only_where_the_study_has_one(project, study):
    with pytest.raises(SpecError, match="No score matches"):
        open_second_round(study)
    rate(study)
    open_second_round(study)
    with pytest.raises(SpecError, match="is already open"):
        open_second_round(study)
    with pytest.raises(SpecError, match="one round"):
        open_second_round(make_live_study(project, slug="one", params={"rounds": 1}))


def test_nothing_of_generators_references_or_others_is_on_a_page_of_round_1(study):
    secrets = [name.encode() for name in (*GENERATORS, "x1-", "external-", "item-metadata", "source-1")]
    for rater in rate(study):
        others = [other.code.encode() for other in annotators(study) if other.pk != rater.annotator.pk]
        for body in rater.seen:
            assert not [secret for secret in (*secrets, *others) if secret in body]
            assert b"others&#x27; scores" not in body


def test_the_text_and_the_expected_answer_stand_on_the_page(study):
    page = Walker(annotators(study)[0]).start().get().content.decode()
    assert "about herons." in page
    assert "Expected answer:" in page


def test_without_an_expected_answer_its_fit_is_not_asked_nor_taken(project):
    make_bank(project, expected="")
    study = make_live_study(project)
    rater = Rater(annotators(study)[0], Random(1))
    rater.work_through()
    assert set(Response.objects.values_list("question", flat=True)) == set(DIMENSIONS) - {"answer_consistency"}


def test_one_question_a_page_can_be_gone_to_and_back_and_stores_the_same(project):
    study = make_study_with_bank(project, params={"layout": "question"})
    walker = Walker(annotators(study)[0]).start()
    page = BeautifulSoup(walker.get().content, "html.parser")
    assert len(page.select("fieldset.item")) == 1
    assert len(page.select("nav.page-list button")) == 3
    third = page.select("nav.page-list button")[2]["value"]
    first = page.select_one("fieldset.item")["data-item"]
    token = page.select_one("input[name=token]")["value"]
    answers = {name: "3" for _item, _row, name in rows_on(page)}
    page = BeautifulSoup(walker.post({"token": token, "item": first, "go": third} | answers).content, "html.parser")
    assert page.select_one("fieldset.item")["data-item"] == third
    assert page.select_one(".page-list .is-answered")["value"] == first
    Rater(annotators(study)[1], Random(1)).work_through()
    assert Response.objects.filter(assignment__annotator__seat=1).count() == 9 * 7


def test_a_list_of_dimensions_and_a_scale_of_one_s_own(project):
    study = make_study_with_bank(project, params={"dimensions": ["fluency", "fun"], "scale": 5})
    page = BeautifulSoup(Walker(annotators(study)[0]).start().get().content, "html.parser")
    item = page.select_one("fieldset.item")
    assert [row["data-name"] for row in item.select("[data-row]")] == ["fluency", "fun"]
    assert [box["value"] for box in item.select("[data-name=fun] input")] == ["5", "4", "3", "2", "1"]
    assert "fully met" in item.select_one("[data-name=fun] label").get_text()


def test_simulated_people_get_through(study):
    (annotator,) = simulate_study(study, 1, seed=3)
    assert Response.objects.filter(assignment__annotator=annotator).count() == 9 * 7
