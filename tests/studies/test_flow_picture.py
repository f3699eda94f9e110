"""The picture of a questionnaire that stops, on the page of its study."""

import itertools
import re

import pytest
from bs4 import BeautifulSoup

from studies.flow_picture import draw_stage
from tests.stopping import draft_study, make_bank, make_live_study
from tests.studies.test_gates import judge
from tests.studies.world import bank
from tests.studies.world import draft_study as other_drafted


@pytest.fixture
def picture():
    return draw_stage(judge())


def test_each_gate_has_a_box_and_each_stop_one_beside_it(picture):
    assert [box.kind for box in picture.boxes] == ["gate", "stop", "gate", "stop", "gate", "stop", "gate", "end"]
    gates = [box for box in picture.boxes if box.kind == "gate"]
    assert all(one.y + one.height < other.y for one, other in itertools.pairwise(gates))
    stops = [box for box in picture.boxes if box.kind == "stop"]
    assert all(abs(stop.middle - gate.middle) <= 1 for stop, gate in zip(stops, gates, strict=False))


def test_ends_say_after_how_many_questions(picture):
    endings = [words.text for words in picture.words if words.kind == "ending"]
    assert endings == [
        "Stop", "after 1 question", "Stop", "after 4 questions", "Stop", "after 5–7 questions", "End",
        "after 9–11 questions",
    ]  # fmt: skip


def test_conditions_stand_in_words_without_the_stops_before(picture):
    conditions = [words.text for words in picture.words if words.kind == "condition"]
    assert "asked only if clear = more_or_less or grammatical = no" in conditions
    assert "asked only if rephrase = yes" in conditions
    assert "answerable = no" in " ".join(conditions)
    assert not [text for text in conditions if "not (" in text]


def test_nothing_is_drawn_beyond_the_picture(picture):
    for box in picture.boxes:
        assert box.x >= 0
        assert box.x + box.width <= picture.width
        assert box.y >= 0
        assert box.y + box.height <= picture.height
    for words in picture.words:
        assert 0 <= words.x <= picture.width
        assert 0 <= words.y <= picture.height


def test_every_path_is_listed_with_its_length_and_the_answers_that_lead_along_it(picture):
    lengths = [path.length for path in picture.listed]
    assert lengths == [f"{n} question{'s' if n > 1 else ''}" for n in (1, 4, 5, 6, 7, 9, 10, 11)]
    assert picture.listed[0].answers == ["understandable = no"]
    assert picture.listed[0].ending == "ends at “Does it make sense?”"
    assert picture.listed[1].answers == [
        "understandable = yes, grammatical = yes, clear = no",
        "understandable = yes, grammatical = no, clear = no",
    ]
    assert picture.listed[-1].ending == "goes to the end"


@pytest.mark.parametrize("make", [draft_study, make_live_study])
def test_the_study_page_shows_it_before_and_after_launch(project, as_user, viewer, make):
    make_bank(project)
    page = BeautifulSoup(as_user(viewer).get(f"/s/{make(project).slug}/design/").content, "html.parser")
    assert len(page.select(".flow svg rect")) == 8
    assert len(page.select(".paths > li")) == 8
    assert not re.search(r'style="|<script(?! )', str(page.select_one(".flow")))


def test_a_study_without_gates_has_no_picture(project, as_user, viewer):
    bank(project)
    assert "flow" not in as_user(viewer).get(f"/s/{other_drafted(project).slug}/design/").content.decode()
