"""Withdrawing and deleting: afterwards nothing of it is in the bytes of the data folder, in files or in exports."""

import io
import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from config.cli.postgres import find_installation
from jobs.files import make_path, write_value
from jobs.scheduling import make_job
from projects.models import AuditEntry, Project
from studies.models import Annotator, Assignment, Contact, Draft, EndReason, Response, Slot, Study
from studies.services.people import add_annotators
from studies.services.rights import CannotErase, erase_person
from tests.studies.world import bank, counts, make_live_study, make_study_with_bank, person

pytestmark = pytest.mark.slow

PLACES = (
    "name", "mail-problem", "person", "profile", "consent", "background", "comment-1", "comment-2", "comment-3",
    "comment-4", "value-1", "value-2", "value-3", "draft-1", "draft-2", "report-1", "report-2", "flag", "reopening",
)  # fmt: skip
PLANTED = [*(f"xylophonic-{place}-zworykin" for place in PLACES), "quetzalina@planted.example"]


def plant(study: Study, number: int = 0) -> Annotator:
    """A person with twenty words that stand nowhere else: in a contact, answers, drafts, reports and decisions."""
    words = dict(zip((*PLACES, "email"), PLANTED, strict=True))
    someone = person(study, number).start()
    annotator = someone.annotator
    someone.do()
    someone.do()
    someone.save(someone.answers())
    Contact.objects.create(annotator=annotator, name=words["name"], email=words["email"], problem=words["mail-problem"])
    Annotator.objects.filter(pk=annotator.pk).update(person=words["person"], profile={"id": words["profile"]})
    annotator.phases_passed.filter(phase="consent").update(answers={"age": words["consent"]})
    annotator.phases_passed.filter(phase="instructions").update(answers={"age": words["background"]})
    mine = list(Response.objects.filter(assignment__annotator=annotator))
    for response, place in zip(mine, ("comment-1", "comment-2", "comment-3", "comment-4"), strict=False):
        Response.objects.filter(pk=response.pk).update(comment=words[place])
    for response, place in zip(mine[4:], ("value-1", "value-2", "value-3"), strict=False):
        Response.objects.filter(pk=response.pk).update(value=words[place])
    draft = Draft.objects.filter(assignment__annotator=annotator).first()
    Draft.objects.filter(pk=draft.pk).update(values={"a": words["draft-1"], "b": words["draft-2"]})
    for place in ("report-1", "report-2"):
        draft.assignment.reports.create(stage=draft.stage, problem="other", words=words[place], made_at=timezone.now())
    mine[0].adjudications.create(
        settled="flagged", reason=words["flag"], decided_at=timezone.now(), reopened_at=timezone.now(),
        reopened_because=words["reopening"],
    )  # fmt: skip
    return annotator


def read_stored_bytes() -> bytes:
    """Everything that is kept: the files of results and jobs, and the database, or on PostgreSQL what a dump holds."""
    return database_bytes() + b"".join(path.read_bytes() for path in make_path("x").parent.rglob("*") if path.is_file())


def database_bytes() -> bytes:
    if connection.vendor == "sqlite":
        name = Path(connection.settings_dict["NAME"])
        return b"".join(path.read_bytes() for path in name.parent.glob(f"{name.name}*"))
    about = connection.settings_dict
    address = [f"--host={about['HOST']}", f"--port={about['PORT']}", f"--username={about['USER']}", about["NAME"]]
    command = [find_installation() / "bin" / "pg_dump", *address]
    secret = {**os.environ, "PGPASSWORD": about["PASSWORD"]}
    return subprocess.run(command, capture_output=True, check=True, env=secret).stdout


def find_in(content: bytes) -> list[str]:
    return [words for words in PLANTED if words.encode() in content]


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


@pytest.mark.database
def test_nothing_of_a_withdrawn_person_is_in_the_bytes_of_the_database(real_database, db, caplog):
    caplog.set_level("DEBUG")
    project = Project.objects.create(slug="rivers", title="Rivers")
    bank(project)
    annotator = plant(make_live_study(project))
    assert len(PLANTED) == 20
    assert find_in(read_stored_bytes()) == PLANTED
    caplog.clear()  # the statements that planted the words
    erase_person(annotator, EndReason.WITHDRAWN)
    assert find_in(read_stored_bytes()) == []
    assert find_in(caplog.text.encode()) == []


@pytest.mark.database
def test_nothing_of_a_deleted_project_is_in_the_bytes_of_the_database(real_database, db):
    project = Project.objects.create(slug="rivers", title="Rivers of the unforgettable Okavango")
    bank(project)
    project.texts.update(body="The Quelimane passage.")  # a word that the full-text index holds by itself
    plant(make_live_study(project))
    call_command("delete_project", "rivers", confirm="rivers", stdout=io.StringIO())
    content = read_stored_bytes()
    assert find_in(content) == []
    assert b"Okavango" not in content
    assert b"quelimane" not in content.lower()
    assert not Project.everything.exists()
    assert set(counts().values()) <= {0, counts()["InstrumentVersion"]}
    entry = AuditEntry.objects.get(act="project_deleted")
    assert (entry.project_id, entry.subject_id, entry.user_id) == (project.pk, project.pk, None)


def test_a_withdrawn_person_is_in_no_export(study):
    annotator = plant(study)
    plant_other = person(study, 1).start().finish()
    erase_person(annotator, EndReason.WITHDRAWN)
    for name in ("csv", "wide", "jsonl"):
        out = io.StringIO()
        call_command("export_responses", study.slug, format=name, stdout=out)
        assert find_in(out.getvalue().encode()) == [], name
        assert plant_other.annotator.code in out.getvalue()


def test_a_withdrawn_person_is_in_no_pack(study, tmp_path):
    annotator = plant(study)
    person(study, 1).start().finish()
    erase_person(annotator, EndReason.WITHDRAWN)
    call_command("export_pack", study.slug, out=str(tmp_path / "pack.zip"), stdout=io.StringIO())
    with zipfile.ZipFile(tmp_path / "pack.zip") as pack:
        content = {name: pack.read(name) for name in pack.namelist()}
    assert find_in(b"".join(content.values())) == []
    assert [name for name in content if re.search(rb"\bP01\b", content[name])] == []


def test_results_and_files_kept_before_are_gone(study, django_capture_on_commit_callbacks):
    annotator, with_answers = plant(study), write_value(PLANTED)
    job = make_job("report", study.job_subject, {}, study.project)
    job.file = with_answers.name
    job.save()
    with django_capture_on_commit_callbacks(execute=True):
        erase_person(annotator, EndReason.REMOVED)
    assert not study.project.jobs.exists()
    assert not with_answers.exists()


def test_who_withdrew_leaves_a_code_and_free_cells(study):
    annotator = plant(study)
    held = Assignment.objects.active().filter(annotator=annotator).count()
    erased = erase_person(annotator, EndReason.WITHDRAWN)
    assert erased.answers > 0
    annotator.refresh_from_db()
    assert (annotator.code, annotator.ended_as, annotator.person, annotator.profile) == ("P01", "withdrawn", "", {})
    assert not Assignment.objects.active().filter(annotator=annotator).exists()
    (new,) = add_annotators(study, 1)
    assert set(new.assignments.values_list("slot", flat=True)) == set(
        Assignment.objects.filter(annotator=annotator).values_list("slot", flat=True)
    )
    assert new.assignments.count() == held
    assert Slot.objects.filter(unit__study=study, purpose="main").count() == held * 2


def test_nobody_withdraws_twice_and_no_model_does(study):
    annotator = plant(study)
    erase_person(annotator, EndReason.WITHDRAWN)
    with pytest.raises(CannotErase, match="already deleted"):
        erase_person(annotator, EndReason.REMOVED)
    model = Annotator.objects.create(study=study, code="gpt", kind="model")
    with pytest.raises(CannotErase, match="is a model"):
        erase_person(model, EndReason.REMOVED)


def test_the_command_withdraws_and_says_how_much(study):
    plant(study)
    out = io.StringIO()
    call_command("withdraw_person", study="study", code="P01", stdout=out)
    assert re.match(r"\d+ answers and \d+ drafts of P01 are deleted\.", out.getvalue())
    with pytest.raises(CommandError, match="nobody with the code"):
        call_command("withdraw_person", study="study", code="P77")


def test_a_project_is_not_deleted_without_its_name(study):
    before = counts()
    with pytest.raises(CommandError, match=r"Type “rivers” to confirm\. Nothing was deleted\. It holds: 1 study"):
        call_command("delete_project", "rivers", confirm="river")
    assert counts() == before


def test_a_deletion_meanwhile_takes_the_place_from_whoever_answers(study):
    """What was acknowledged before is gone with the study; what comes after is refused, not half stored."""
    from studies.services.answering import StaleStage
    from studies.services.deleting import delete_with_all

    someone = person(study).start()
    data, token = someone.answers(), someone.here.token
    delete_with_all(study, "study")
    with pytest.raises(StaleStage):
        someone.save(data, token)
    assert counts()["Draft"] == counts()["Annotator"] == 0


def test_an_answer_given_while_a_text_is_being_deleted_is_deleted_too(real_database, db, monkeypatch):
    from jobs import deleting
    from projects.deletion import collect_rows
    from studies.services.deleting import delete_with_all

    study = make_study_with_bank(Project.objects.create(slug="rivers", title="Rivers"))
    someone = person(study).start()
    text = someone.here.unit.text
    calls = []

    def collect(roots):
        rows = collect_rows(roots)
        calls.append(len(calls))
        if len(calls) == 2:  # the first only counts
            someone.do()
        return rows

    monkeypatch.setattr(deleting, "collect_rows", collect)
    monkeypatch.setattr(deleting, "AT_ONCE", 0)
    delete_with_all(text, text.external_id, waits=True)
    assert len(calls) == 3
    assert Response.objects.count() == 0
    assert someone.here.unit.text != text
    assert study.units.count() == 1
