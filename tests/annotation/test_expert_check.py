"""An expert check through the real pages: what is drawn, what experts see, what is stored, and what it counts for."""

from dataclasses import dataclass
from random import Random

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.services.reporting import build
from studies.models import Purpose, Response, StudyState
from studies.services.expert_check import can_open_expert_check, has_experts, open_expert_check
from studies.services.instruments import hash_content
from studies.services.launching import close_study, delete_annotators
from studies.services.places import find_place
from studies.services.second_round import open_second_round
from studies.services.spec import SpecError
from tests.analysis.rows import find_row
from tests.annotation.test_dimension_ratings import rate
from tests.annotation.world import Walker
from tests.dimensions import (
    DIMENSIONS,
    GENERATORS,
    Rater,
    annotators,
    make_live_study,
    make_study_with_bank,
    rows_on,
    true_score,
)
from tests.made_once import made_once

pytestmark = pytest.mark.slow

STRICT_ON = "conciseness"  # here the first expert finds every score wrong


@pytest.fixture
def study(project):
    return make_ratings_study(project)


@made_once
def make_ratings_study(project):
    study = make_study_with_bank(project)
    rate(study)
    return study


@dataclass
class Expert(Rater):
    """The first finds scores on one dimension wrong, the second finds all right."""

    def answers(self):
        sent = {"item": [fieldset["data-item"] for fieldset in self.page.select("fieldset.item")]}
        for _item, dimension, name in rows_on(self.page):
            is_strict = self.annotator.code == "expert-1" and dimension == STRICT_ON
            sent[name] = "wrong" if is_strict else "right"
        return sent


def check(study, **size) -> list[Expert]:
    experts = [Expert(annotator, Random(1)) for annotator in open_expert_check(study, **size).experts]
    for expert in experts:
        expert.work_through()
    return experts


def verdicts() -> dict[tuple[str, str, str], str]:
    rows = Response.objects.filter(stage="check")
    fields = ("assignment__annotator__code", "item__external_id", "question", "value")
    return {(code, item, question): value for code, item, question, value in rows.values_list(*fields)}


def test_every_verdict_is_kept_and_accuracy_is_by_dimension_and_expert(study):
    check(study, items=5)
    kept = verdicts()
    assert len(kept) == 2 * 5 * 7
    assert {key for key, value in kept.items() if value == "wrong"} == {
        ("expert-1", item, STRICT_ON) for _code, item, _question in kept
    }
    report = build(study, Choices())
    for dimension in DIMENSIONS:
        for expert in ("expert-1", "expert-2"):
            row = find_row(report, "expert_check", dimension=dimension, expert=expert)
            assert (row["n"], row["accuracy"]) == (5, 0 if (expert, dimension) == ("expert-1", STRICT_ON) else 1)
    assert "The experts gave the same verdict on 30 of 35 scores." in report.table("expert_check").notes


def test_experts_enter_no_other_figure(study):
    before = build(study, Choices())
    check(study)
    after = build(study, Choices())
    assert [table for table in after.tables if table.name != "expert_check"] == [
        table for table in before.tables if table.name != "expert_check"
    ]
    assert after.n_responses == before.n_responses


def test_the_sample_is_drawn_from_the_seed_and_is_the_same_for_all_experts(study):
    open_expert_check(study, items=4, experts=2)
    cells = [cells_of(expert) for expert in study.annotators.filter(purpose=Purpose.EXPERT)]
    assert cells[0] == cells[1]
    assert len(cells[0]) == 4
    delete_annotators(study.annotators.filter(purpose=Purpose.EXPERT))
    open_expert_check(study, items=4, experts=1)
    assert cells_of(study.annotators.get(purpose=Purpose.EXPERT)) == cells[0]


def cells_of(expert) -> dict:
    """By item, the scores that are shown and who gave them."""
    return {item: cells for assignment in expert.assignments.all() for item, cells in assignment.reopened.items()}


def test_each_item_is_drawn_with_all_scores_of_one_annotator(study):
    (expert,) = open_expert_check(study, items=100, experts=1).experts
    names = {str(item.pk): item.external_id for item in study.project.items.all()}
    seats = {annotator.code: annotator.seat for annotator in annotators(study)}
    drawn = cells_of(expert)
    assert len(drawn) == 9
    for item, cells in drawn.items():
        (code,) = {cell["annotator"] for cell in cells.values()}
        expected = {name: true_score(seats[code], names[item], name) for name in DIMENSIONS}
        assert {name: cell["score"] for name, cell in cells.items()} == expected


def test_after_a_second_round_the_latest_score_is_checked(study):
    open_second_round(study)
    rate(study, number=2)
    (expert,) = open_expert_check(study, experts=1).experts
    item = study.project.items.get(external_id="x3-gen-birch")  # 1, 2, 3 and then 2 by everybody
    assert cells_of(expert)[str(item.pk)]["relevance"]["score"] == 2


def test_experts_see_the_score_in_words_and_neither_whose_it_is_nor_who_wrote_the_item(study):
    experts = check(study)
    secrets = [name.encode() for name in (*GENERATORS, "x1-", "external-", "item-metadata", "source-1")]
    secrets += [annotator.code.encode() for annotator in annotators(study)]
    bodies = [body for expert in experts for body in expert.seen]
    for body in bodies:
        assert not [secret for secret in secrets if secret in body]
    page = next(BeautifulSoup(body, "html.parser") for body in bodies if b"Score given:" in body)
    text = page.select_one("[data-name=fluency] .checked").get_text(" ", strip=True)
    assert text == "Score given: 3, fluent, no mistakes, reads as a careful writer would put it"
    assert [label.get_text(" ", strip=True) for label in page.select("[data-name=fluency] .option-text")][:2] == [
        "right", "wrong",
    ]  # fmt: skip
    assert "You have checked all the scores" in bodies[-1].decode()


def test_a_score_without_a_verdict_is_missing(study):
    (expert,) = open_expert_check(study, items=1, experts=1).experts
    walker = Walker(expert)
    walker.join()
    response = walker.post({"token": walker.assignment.token})
    assert "Not answered yet: Fluency, Clarity" in response.content.decode()
    assert not verdicts()


def test_experts_may_also_work_when_the_study_is_closed(study):
    (expert,) = open_expert_check(study, experts=1).experts
    close_study(study)
    walker = Walker(expert)
    walker.join()
    assert find_place(study.annotators.get(pk=expert.pk)).kind == "stage"
    assert find_place(annotators(study)[0]).kind != "stage"


def test_a_check_is_opened_once_and_only_where_there_is_something_to_check(project, study):
    open_expert_check(study)
    assert has_experts(study)
    with pytest.raises(SpecError, match="is already open"):
        open_expert_check(study)
    empty = make_live_study(project, slug="empty")
    assert can_open_expert_check(empty)
    with pytest.raises(SpecError, match="nothing to check"):
        open_expert_check(empty)
    with pytest.raises(SpecError, match="1 to"):
        open_expert_check(empty, items=0)


def test_a_wording_that_says_nothing_of_it_has_no_check(study):
    version = study.instrument_version
    version.content = {key: value for key, value in version.content.items() if key != "check"}
    version.content_hash = hash_content(version.content)
    version.save()
    study.refresh_from_db()
    assert not can_open_expert_check(study)
    with pytest.raises(SpecError, match="This study's protocol and wording have"):
        open_expert_check(study)


def test_the_button_makes_the_links_and_a_reviewer_has_none(study, as_user, researcher, reviewer):
    results, address = reverse("results_agreement", args=["dims"]), reverse("expert_check", args=["dims"])
    assert address not in as_user(reviewer).get(results).content.decode()
    assert as_user(reviewer).post(address, {"items": 3, "experts": 2}).status_code in (403, 404)
    client = as_user(researcher)
    assert address in client.get(results).content.decode()
    assert "Ensure this value" in client.post(address, {"items": 0, "experts": 2}, follow=True).content.decode()
    page = client.post(address, {"items": 3, "experts": 2}, follow=True).content.decode()
    for expert in study.annotators.filter(purpose=Purpose.EXPERT):
        assert expert.code in page
        assert expert.get_link() in page
    assert address not in client.get(results).content.decode()


def test_the_command_prints_the_links(study, capsys):
    call_command("open_expert_check", "dims", items=3, experts=1)
    expert = study.annotators.get(purpose=Purpose.EXPERT)
    assert capsys.readouterr().out == (f"Each expert checks 21 scores of 3 items.\nexpert-1 {expert.get_link()}\n")
    with pytest.raises(CommandError, match="is already open"):
        call_command("open_expert_check", "dims")
    assert study.state == StudyState.LIVE
