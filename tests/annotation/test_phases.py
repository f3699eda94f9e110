"""Through the phases of a study as a browser does: what is asked, what is told, who goes on."""

import pytest
from django.test import Client
from django.urls import reverse

from analysis.frames.responses import query_submitted
from annotation.simulation import simulate_study
from studies.models import Annotator, PhasePassed, Purpose, Response
from studies.phases import Phase
from studies.services.answering import submit_stage
from studies.services.phases import PRACTICE_ROUND
from studies.services.places import find_place
from tests.studies.world import Person, bank, make_live_study, post

RIGHT = "Guesses are final once the text was shown."
BACKGROUND = {
    "kind": "background",
    "questions": [
        {"name": "first_language", "text": "Your first language?", "levels": ["English", "other"]},
        {"name": "adult", "text": "Are you 18 or older?", "levels": ["yes", "no"], "screen_out": ["no"]},
        {"name": "remark", "text": "Anything else?", "kind": "text", "required": False},
    ],
}
CHECK = {
    "kind": "comprehension",
    "questions": [
        {"name": "final", "text": "When is a guess final?", "levels": [RIGHT, "Never."], "answer": RIGHT},
        {"name": "count", "text": "How many can be right?", "levels": ["one", "any number"], "answer": "any number"},
    ],
}
TRAINING = {
    "kind": "training",
    "questions": [
        {
            "name": "ex",
            "text": "Is 2 even?",
            "levels": ["yes", "no"],
            "answer": "yes",
            "explanation": "Two halves of one.",
        }
    ],
}
TEST = {"kind": "test", "pass_mark": 1, "questions": CHECK["questions"]}
ATTENTION = {
    "kind": "attention",
    "after": 1,
    "questions": [{"name": "blue", "text": "Please choose “blue”.", "levels": ["red", "blue"], "answer": "blue"}],
}
SURVEY = {
    "kind": "survey",
    "questions": [{"name": "hard", "text": "How hard was it?", "kind": "scale", "levels": ["1", "2"]}],
}


class Visitor:
    """A browser without JavaScript; `page` is what it shows."""

    def __init__(self, annotator: Annotator):
        self.annotator, self.client = annotator, Client()
        self.work = reverse("work", args=[annotator.public_id])
        self.page = self.client.post(reverse("join", args=[annotator.token]), follow=True).text

    def send(self, phase: str, **fields) -> str:
        self.page = self.client.post(self.work, {"phase": phase} | fields, follow=True).text
        return self.page

    @property
    def at(self) -> str | None:
        return find_place(self.annotator).phase

    @property
    def kind(self) -> str:
        return find_place(self.annotator).kind


def visit(project, *phases, **changes) -> Visitor:
    bank(project)
    return Visitor(make_live_study(project, phases=list(phases), **changes).annotators.get(seat=0))


def test_phases_come_in_the_order_of_the_file(project):
    visitor = visit(project, "instructions", "consent")
    assert visitor.at == "instructions"
    visitor.send("instructions")
    assert visitor.at == "consent"
    visitor.send("consent")
    assert visitor.kind == "stage"


def test_consent_is_stored_with_its_version_and_time(project):
    visitor = visit(project, {"kind": "consent", "version": "2.1", "title": "Our consent", "paragraphs": ["Words."]})
    assert "Our consent" in visitor.page
    visitor.send("consent")
    passed = PhasePassed.objects.get(annotator=visitor.annotator)
    assert (passed.version, passed.tries, passed.passed_at is not None) == ("2.1", 1, True)


def test_without_a_version_the_wording_has_a_hash_of_its_own(project):
    visitor = visit(project, {"kind": "consent", "paragraphs": ["One wording."]})
    visitor.send("consent")
    other = Phase(kind="consent", paragraphs=["Another wording."])
    assert len(PhasePassed.objects.get().version) == 12
    assert PhasePassed.objects.get().version != other.version_shown


def test_a_question_left_out_keeps_what_was_entered(project):
    visitor = visit(project, BACKGROUND)
    page = visitor.send("background", first_language="other", **{"try": "0"})
    assert visitor.at == "background"
    assert 'value="other" checked' in page
    assert not PhasePassed.objects.exists()


def test_background_answers_are_kept_and_what_is_not_on_offer_is_no_answer(project):
    visitor = visit(project, BACKGROUND)
    visitor.send("background", first_language="Klingon", adult="yes", **{"try": "0"})
    assert visitor.at == "background"
    visitor.send("background", first_language="English", adult="yes", remark=" hi ", **{"try": "0"})
    assert PhasePassed.objects.get().answers == {"first_language": "English", "adult": "yes", "remark": "hi"}
    assert visitor.kind == "stage"


def test_a_screening_answer_ends_it_and_frees_the_cells(project):
    visitor = visit(project, BACKGROUND)
    page = visitor.send("background", first_language="English", adult="no", **{"try": "0"})
    assert visitor.kind == "screened_out"
    assert "looking for other people" in page
    assert not visitor.annotator.assignments.active().exists()


def test_the_comprehension_check_has_exactly_two_tries(project):
    visitor = visit(project, CHECK)
    page = visitor.send("comprehension", final=RIGHT, count="one", **{"try": "0"})
    assert "1 of 2 answers are right" in page
    visitor.send("comprehension", final=RIGHT, count="one", **{"try": "0"})  # the same page again: no second try
    assert PhasePassed.objects.get().tries == 1
    visitor.send("comprehension", final="Never.", count="one", **{"try": "1"})
    assert visitor.kind == "failed_check"
    visitor.send("comprehension", final=RIGHT, count="any number", **{"try": "2"})
    assert visitor.kind == "failed_check"
    passed = PhasePassed.objects.get()
    assert (passed.tries, passed.score, passed.passed_at) == (2, 0, None)


def test_the_second_try_may_succeed(project):
    visitor = visit(project, CHECK)
    visitor.send("comprehension", final="Never.", count="one", **{"try": "0"})
    visitor.send("comprehension", final=RIGHT, count="any number", **{"try": "1"})
    assert visitor.kind == "stage"
    assert PhasePassed.objects.get().score == 2


def test_training_explains_after_the_answer_and_never_before(project):
    visitor = visit(project, TRAINING)
    assert "Two halves of one." not in visitor.page
    page = visitor.send("training", ex="no", **{"try": "0"})
    assert "The right answer is: yes. Two halves of one." in page
    assert visitor.at == "training"
    visitor.send("training")
    assert visitor.kind == "stage"


@pytest.mark.parametrize(("count", "kind"), [("any number", "stage"), ("one", "failed_check")])
def test_a_test_is_scored_against_its_pass_mark(project, count, kind):
    visitor = visit(project, TEST)
    visitor.send("test", final="Never.", count=count, **{"try": "0"})
    assert visitor.kind == kind
    assert PhasePassed.objects.get().score == (count == "any number")


def test_swapping_the_right_answers_changes_no_byte_before_they_are_given(project):
    """The metamorphic test of blinding: what an answer is right by never reaches the browser first."""
    bank(project)
    other = [
        question | {"answer": question["levels"][question["levels"][0] == question["answer"]]}
        for question in CHECK["questions"]
    ]
    pages = []
    for number, questions in enumerate((CHECK["questions"], other)):
        study = make_live_study(project, slug=f"s{number}", phases=[CHECK | {"questions": questions}])
        visitor = Visitor(study.annotators.get(seat=0))
        pages.append(
            visitor.page[visitor.page.index("<h1") :].split("csrfmiddlewaretoken")[0]
            + visitor.page.split('name="phase"')[1]
        )
    assert pages[0] == pages[1]


def test_an_attention_check_stands_between_units_and_stops_nobody(project):
    visitor = visit(project, ATTENTION)
    Person(visitor.annotator).do()
    Person(visitor.annotator).do()
    assert visitor.at == "attention"
    visitor.send("attention", blue="red", **{"try": "0"})
    assert visitor.kind == "stage"
    assert PhasePassed.objects.get().score == 0


def test_the_survey_comes_behind_the_last_unit(project):
    visitor = visit(project, SURVEY, {"kind": "thanks", "title": "Goodbye now"})
    Person(visitor.annotator).finish()
    assert visitor.at == "survey"
    page = visitor.send("survey", hard="2", **{"try": "0"})
    assert "Goodbye now" in page
    assert visitor.kind == "done"


def test_practice_comes_first_has_no_guess_of_two_generators_and_counts_nowhere(project):
    bank(project, texts=3)
    practice = {"kind": "practice", "texts": ["t3"]}
    study = make_live_study(project, items={"texts": ["t1", "t2"]}, phases=["consent", practice, TEST])
    visitor = Visitor(study.annotators.get(seat=0))
    visitor.send("consent")
    here = find_place(visitor.annotator).assignment
    assert (here.unit.text.external_id, here.round) == ("t3", PRACTICE_ROUND)
    assert len(here.shown["guess"]) == 1
    for _stage in range(2):
        practising = Person(visitor.annotator)
        place = find_place(visitor.annotator)
        hand_in_place(practising, place)
    assert visitor.at == "test"
    assert Response.objects.exists()
    assert not query_submitted(study, [Purpose.MAIN]).exists()
    assert study.units.count() == 2


def hand_in_place(person, place) -> None:
    shown = place.assignment.shown[place.stage.name]
    fields = {"item": [handle for handle, _item, _options in shown]}
    for handle, _item, options in shown:
        fields[f"answer-{handle}"] = options[0][0]
        fields[f"rating-{handle}"] = "3"
    submit_stage(person.annotator, place.token, post(**fields))


def test_simulated_people_go_through_all_phases(project):
    bank(project, texts=3)
    everything = [
        "consent",
        BACKGROUND,
        CHECK,
        TRAINING,
        TEST | {"name": "last"},
        {"kind": "practice", "texts": ["t3"]},
        ATTENTION,
        SURVEY,
    ]
    study = make_live_study(project, items={"texts": ["t1", "t2"]}, phases=everything)
    (simulated,) = simulate_study(study, 1, 5)
    assert simulated.phases_passed.filter(passed_at=None).count() == 0
    assert simulated.phases_passed.count() == 7
