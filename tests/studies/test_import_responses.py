"""Importing makes a finished study of a draft: annotators, assignments, submissions and responses."""

import io
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from studies.models import Assignment, Response, StudyState, Submission, Unit
from studies.models.people import DONE
from studies.services.responses.importing import import_responses
from studies.services.states import WrongState
from tests.studies.answer_files import as_csv, as_jsonl, make_option_rows, whole
from tests.studies.world import Person, bank, counts, draft_study, make_live_study


@pytest.fixture
def study(project):
    bank(project)
    return draft_study(project)


def test_the_study_is_imported_closed_and_has_no_open_work(study):
    import_responses(study, as_csv(whole()))
    study.refresh_from_db()
    assert study.state == StudyState.IMPORTED
    assert study.launched_at is not None
    assignment = Assignment.objects.get()
    assert (assignment.stage, assignment.shown, assignment.slot) == (DONE, {}, None)
    assert set(Submission.objects.values_list("stage", flat=True)) == {"guess", "read"}
    assert Response.objects.count() == 3 + 2 * 4


def test_all_chosen_texts_become_units_also_those_nobody_answered(study):
    import_responses(study, as_csv(whole()))
    assert set(Unit.objects.values_list("text__external_id", flat=True)) == {"t1", "t2"}


def test_values_are_stored_as_what_they_mean(study):
    import_responses(study, as_csv(whole()))
    guess = Response.objects.filter(stage="guess").values_list("option__external_id", "value")
    assert dict(guess) == {"a": True, "b": False, "c": False}
    assert set(Response.objects.filter(question="rating").values_list("value", flat=True)) == {4}


@pytest.mark.parametrize("true", ["true", "True", "TRUE", " true "])
def test_truth_is_read_in_any_case(true, study):
    rows = whole()
    rows[0]["value"], rows[1]["value"] = true, "FALSE"
    import_responses(study, as_csv(rows))
    assert Response.objects.filter(stage="guess", value=True).count() == 1


def test_json_values_may_be_written_as_what_they_are(study):
    rows = whole()
    for row in rows:
        row["value"] = int(row["value"]) if row["question"] == "rating" else row["value"] == "true"
        row["unsure"] = None
    import_responses(study, as_jsonl(rows))
    assert Response.objects.filter(question="rating", value=4).count() == 2


def test_unsure_that_is_not_said_stays_unknown(study):
    rows = whole()
    rows[3]["unsure"] = "true"
    rows[4]["unsure"] = "false"
    import_responses(study, as_csv(rows))
    item = Response.objects.filter(stage="read", item__external_id="t1-alder-1", question="answer")
    assert dict(item.values_list("option__external_id", "unsure")) == {"a": True, "b": False, "c": None}


def test_times_are_read_with_or_without_a_zone(study):
    rows = [row | {"submitted_at": "2026-01-31T12:00:00"} for row in whole()]
    rows[0]["submitted_at"] = "2026-01-31T14:00:00+01:00"
    import_responses(study, as_csv(rows))
    times = set(Response.objects.values_list("submitted_at", flat=True))
    assert times == {datetime(2026, 1, 31, 12, tzinfo=UTC), datetime(2026, 1, 31, 13, tzinfo=UTC)}
    assert Submission.objects.get(stage="guess").submitted_at == datetime(2026, 1, 31, 13, tzinfo=UTC)
    assert Assignment.objects.get().finished_at == datetime(2026, 1, 31, 13, tzinfo=UTC)


def test_unknown_times_stay_unknown(study):
    import_responses(study, as_csv(whole()))
    assert set(Response.objects.values_list("submitted_at", flat=True)) == {None}
    assert set(Submission.objects.values_list("submitted_at", flat=True)) == {None}


def test_annotators_have_what_the_rows_say_of_them(study):
    import_responses(study, as_csv(whole(group="experts", person="anna", purpose="pilot")))
    known = study.annotators.values_list("code", "kind", "group", "person", "purpose", "reading").get()
    assert known == ("P01", "human", "experts", "anna", "pilot", "ticked")
    study.refresh_from_db()
    assert study.groups == ["experts"]


def test_an_imported_annotator_has_no_way_in(study):
    from studies.services.places import find_place

    import_responses(study, as_csv(whole()))
    assert find_place(study.annotators.get()).kind == "closed"


def test_a_model_answers_what_it_answers(study):
    fields = {"annotator_kind": "model", "model": "m-1", "reading": "probability", "probability": "0.25"}
    rows = (
        make_option_rows("m", "guess", "t1-alder-1", **fields)[:1]
        + make_option_rows("m", "read", "t1-birch-1", **fields)[1:]
    )
    import_responses(study, as_csv(rows))
    annotator = study.annotators.get()
    assert (annotator.kind, annotator.model, annotator.reading) == ("model", "m-1", "probability")
    assert Response.objects.count() == 3
    assert set(Response.objects.values_list("probability", flat=True)) == {0.25}


def test_a_model_may_answer_items_of_all_generators_without_the_text(study):
    fields = {"annotator_kind": "model"}
    rows = make_option_rows("m", "guess", "t1-alder-1", **fields) + make_option_rows(
        "m", "guess", "t1-birch-1", **fields
    )
    import_responses(study, as_csv(rows))
    assert study.annotators.get().reading == "label"


def test_a_baseline_is_an_annotator_too(study):
    import_responses(study, as_csv(make_option_rows("majority", "read", "t1-alder-1", annotator_kind="baseline")))
    assert study.annotators.get().kind == "baseline"


def test_partial_takes_the_guesses_of_people_who_did_not_read(study):
    counted = import_responses(study, as_csv(make_option_rows("P01", "guess", "t1-alder-1")), partial=True)
    assert counted.responses == 3


def test_who_only_guessed_has_not_read_the_text(project, study):
    from studies.services.people import add_annotators

    import_responses(study, as_csv(make_option_rows("P01", "guess", "t1-alder-1", person="anna")), partial=True)
    other = make_live_study(project, slug="other", plan={"annotators": "open"})
    assert add_annotators(other, 1, people=["anna"])[0].assignments.active().count() == 2


def test_who_read_in_an_imported_study_has_read_the_text(project, study):
    from studies.services.people import add_annotators

    import_responses(study, as_csv(whole(person="anna")))
    other = make_live_study(project, slug="other", plan={"annotators": "open"})
    assert add_annotators(other, 1, people=["anna"])[0].assignments.active().count() == 1


def test_a_second_round_is_kept_beside_the_first(study):
    import_responses(study, as_csv(whole() + whole(round="2")))
    assert sorted(Assignment.objects.values_list("round", flat=True)) == [1, 2]


def test_a_dry_run_checks_and_stores_nothing(study):
    before = counts()
    counted = import_responses(study, as_csv(whole()), dry_run=True)
    assert counted.responses == 11
    assert counts() == before
    study.refresh_from_db()
    assert study.is_draft


def test_a_preview_of_the_draft_is_gone_afterwards(study):
    from studies.services.launching import start_preview

    Person(start_preview(study)).start().finish()
    import_responses(study, as_csv(whole()))
    assert list(study.annotators.values_list("code", flat=True)) == ["P01"]
    assert Response.objects.count() == 11


def test_a_launched_study_takes_no_import(project, study):
    running = make_live_study(project, slug="running")
    with pytest.raises(WrongState, match="is live, so"):
        import_responses(running, as_csv(whole()))


def test_an_imported_study_takes_no_second_import(study):
    import_responses(study, as_csv(whole()))
    before = counts()
    with pytest.raises(WrongState, match="of imported answers"):
        import_responses(study, as_csv(whole("P02")))
    assert counts() == before


def test_the_command_says_what_is_wrong_and_ends_with_an_error(study, tmp_path):
    file = tmp_path / "answers.csv"
    file.write_bytes(as_csv(whole() + make_option_rows("P02", "guess", "t9-x-1")))
    with pytest.raises(CommandError) as refused:
        call_command("import_responses", str(file), study="study")
    lines = str(refused.value).split("\n")
    assert lines[0] == "Nothing was stored."
    assert lines[1] == "line 13: item_id: The study has no item “t9-x-1”."
    assert refused.value.returncode != 0


def test_the_command_checks_only_with_dry_run(study, tmp_path):
    file = tmp_path / "answers.csv"
    file.write_bytes(as_csv(whole()))
    out = io.StringIO()
    call_command("import_responses", str(file), study="study", dry_run=True, stdout=out)
    assert out.getvalue() == "Checked, nothing stored: 1 annotators, 1 assignments, 11 responses.\n"


def test_the_command_lists_the_first_problems_and_counts_the_rest(study, tmp_path):
    file = tmp_path / "answers.csv"
    file.write_bytes(as_csv([row for _n in range(20) for row in make_option_rows("P01", "guess", "nothing")]))
    with pytest.raises(CommandError, match="and 10 more"):
        call_command("import_responses", str(file), study="study")


def test_what_a_file_says_cannot_steer_the_terminal(study, tmp_path):
    file = tmp_path / "answers.jsonl"
    file.write_bytes(as_jsonl(make_option_rows("P01", "guess", "\x1b[31mred")))
    with pytest.raises(CommandError) as refused:
        call_command("import_responses", str(file), study="study")
    assert "\x1b" not in str(refused.value)


def test_a_file_that_is_not_there_or_too_large_is_named(study, tmp_path, settings):
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("import_responses", str(tmp_path / "nowhere.csv"), study="study")
    settings.LESART = settings.LESART | {"COMMAND_UPLOAD_BYTES": 10}
    file = tmp_path / "answers.csv"
    file.write_bytes(as_csv(whole()))
    with pytest.raises(CommandError, match="larger than"):
        call_command("import_responses", str(file), study="study")


def test_a_file_without_end_is_read_only_as_far_as_the_bound(study, settings):
    settings.LESART = settings.LESART | {"COMMAND_UPLOAD_BYTES": 1_000_000}
    with pytest.raises(CommandError, match="larger than 1 MB"):
        call_command("import_responses", "/dev/zero", study="study")


def test_an_import_that_breaks_off_leaves_nothing(study, monkeypatch):
    from studies.services.responses import importing

    def fail(*args):
        raise OSError("disk full")

    before = counts()
    monkeypatch.setattr(importing, "make_imported", fail)
    with pytest.raises(OSError, match="disk full"):
        import_responses(study, as_csv(whole()))
    assert counts() == before
