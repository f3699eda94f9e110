"""What a study exports can be imported again unchanged, and then it holds the same answers."""

import io

import pytest
from django.core.management import call_command

from analysis.exports.writing import export_responses
from studies.models import Purpose, Response, StudyState
from studies.services.people import add_annotators
from studies.services.responses.importing import import_responses
from tests.factory import make_item, make_text
from tests.studies.world import Person, bank, draft_study, make_live_study

pytestmark = pytest.mark.slow

SAME = (
    "assignment__annotator__code", "assignment__annotator__kind", "assignment__annotator__group",
    "assignment__annotator__person", "assignment__annotator__purpose", "assignment__annotator__reading",
    "assignment__round", "stage", "question", "item", "option", "value", "probability", "unsure", "submitted_at",
    "comment",
)  # fmt: skip


def answers(study) -> set[tuple]:
    return set(Response.objects.filter(assignment__annotator__study=study).values_list(*SAME))


def export_file(study, format: str, purposes=("main",)) -> bytes:
    out = io.StringIO(newline="")
    export_responses(study, format, out, purposes)
    return out.getvalue().encode()


@pytest.fixture
def finished_study(project):
    """A study that three people have finished: two of the plan, and one who is known by a code."""
    bank(project)
    study = make_live_study(project, slug="done", groups=["students", "teachers"])
    add_annotators(study, 1, people=["anna"])
    for number, annotator in enumerate(study.annotators.all()):
        someone = Person(annotator).start()
        while someone.here:
            handle, _item, options = someone.shown[0]
            unsure = {f"unsure-{handle}": [options[0][0]]} if someone.here.stage == "read" else {}
            someone.save(someone.answers(tick=[0, 2, None][number], rating=number + 1, **unsure))
            someone.hand_in()
    return study


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_finished_study_comes_back_as_it_was(format, project, finished_study):
    again = draft_study(project, slug="again")
    counts = import_responses(again, export_file(finished_study, format))
    assert answers(again) == answers(finished_study)
    assert (counts.annotators, counts.assignments, counts.responses) == (3, 6, len(answers(finished_study)))
    again.refresh_from_db()
    assert again.state == StudyState.IMPORTED


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_second_round_trip_gives_the_same_answers(format, project, finished_study):
    again, third = draft_study(project, slug="again"), draft_study(project, slug="third")
    import_responses(again, export_file(finished_study, format))
    import_responses(third, export_file(again, format))
    assert answers(third) == answers(finished_study)


def test_other_purposes_come_back_as_what_they_are(project, finished_study):
    finished_study.annotators.filter(code="P01").update(purpose=Purpose.PILOT)
    again = draft_study(project, slug="again")
    import_responses(again, export_file(finished_study, "csv", ("main", "pilot")))
    assert set(again.annotators.values_list("code", "purpose")) == {
        ("P01", "pilot"), ("P02", "main"), ("P03", "main"),
    }  # fmt: skip


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_ids_and_codes_that_look_like_formulas_come_back_as_they_are(format, project):
    item = make_item(make_text(project, "=text"), "alder", "-item", "TFF")
    item.options.filter(external_id="a").update(external_id="@a")
    item.options.filter(external_id="b").update(external_id="'=b")
    study = make_live_study(project, slug="done", groups=["+group"], plan={"annotators": 1})
    study.annotators.update(code="=1+1", person="'quoted")
    Person(study.annotators.get()).start().finish()
    again = draft_study(project, slug="again")
    import_responses(again, export_file(study, format))
    assert answers(again) == answers(study)


def test_the_commands_go_together(project, finished_study, tmp_path):
    file = tmp_path / "answers.csv"
    call_command("export_responses", "done", out=str(file), stderr=io.StringIO())
    draft_study(project, slug="again")
    out = io.StringIO()
    call_command("import_responses", str(file), study="again", stdout=out)
    assert out.getvalue() == "Imported: 3 annotators, 6 assignments, 66 responses.\n"


def test_reports_see_the_same_numbers(project, finished_study):
    from analysis.frames.responses import load_responses

    again = draft_study(project, slug="again")
    import_responses(again, export_file(finished_study, "csv"))
    columns = ["annotator", "stage", "item_id", "option_id", "question", "value", "correct"]
    frames = [
        load_responses(study)[columns].sort_values(columns[:5]).reset_index(drop=True)
        for study in (finished_study, again)
    ]
    assert frames[0].equals(frames[1])
