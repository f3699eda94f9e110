"""A launch and an import write in short transactions: what is half done is seen nowhere, and is cleared by the next."""

import gc
import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection, transaction

from items.models import Item, Text
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from projects import scratch
from projects.models import Project
from studies.models import Annotator, Assignment, Response, Study, StudyState, Unit
from studies.services import launching
from studies.services.creating import NotADraft, change_study, create_launched
from studies.services.launching import delete_draft, launch_study, start_preview
from studies.services.responses.importing import import_responses
from studies.services.spec import check_spec
from studies.services.states import WrongState
from tests.studies.answer_files import as_csv, whole
from tests.studies.world import bank, counts, draft_study, spec

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(scratch, "CHUNK", 3)


@pytest.fixture
def during(monkeypatch):
    """A function that has `act` done before the last transaction of a launch."""

    def put(act):
        go_live = launching.go_live
        monkeypatch.setattr(launching, "go_live", lambda *given: (act(), go_live(*given))[1])

    return put


def test_nothing_is_seen_before_the_last_transaction(project, small_chunks, during):
    bank(project)
    study, seen = draft_study(project), []
    during(lambda: seen.append((list(Study.objects.all()), study.units.count(), Assignment.objects.count())))
    launch_study(study)
    assert seen == [([study], 0, 4)]  # the assignments are written, and are no study's
    assert (study.units.count(), study.annotators.count()) == (2, 2)
    assert list(Study.everything.all()) == [study]


@pytest.mark.django_db(transaction=True)
def test_no_garbage_is_collected_under_the_lock_and_a_pause_follows(monkeypatch):
    pauses: list[float] = []
    monkeypatch.setattr(scratch, "sleep", pauses.append)
    with scratch.write_briefly():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert len(pauses) == (connection.vendor == "sqlite")
    with transaction.atomic(), scratch.write_briefly():
        pass
    assert len(pauses) == (connection.vendor == "sqlite")  # none inside the caller's transaction


def test_meanwhile_the_draft_is_previewed_but_neither_changed_nor_launched(project, during):
    bank(project)
    study, refused = draft_study(project), []

    def use():
        start_preview(study)
        for act in (launch_study, delete_draft, lambda draft: import_responses(draft, b""), change):
            with pytest.raises((WrongState, NotADraft), match="being launched"):
                act(study)
            refused.append(act)

    during(use)
    launch_study(study)
    assert len(refused) == 4
    assert set(study.annotators.values_list("purpose", flat=True)) == {"main"}
    assert study.units.count() == 2


def change(study):
    change_study(study, check_spec(spec(title="Another title")))


def test_a_launch_that_fails_leaves_nothing(project, small_chunks, during):
    bank(project)
    study, before = draft_study(project), counts()

    def fail():
        raise OSError("full")

    during(fail)
    with pytest.raises(OSError, match="full"):
        launch_study(study)
    assert counts() == before
    assert Study.everything.get().is_draft


@pytest.mark.parametrize(
    ("host", "pid", "age", "abandoned"),
    [
        (None, None, 0, True),  # this process, which does not know of it
        (None, 2**22 + 1, 0, True),  # a process that is not there
        (None, 1, 0, False),
        (None, 1, 600, True),
        ("elsewhere", 1, 60, False),
        ("elsewhere", 1, 600, True),
    ],
)
def test_who_is_dead(host, pid, age, abandoned):
    from datetime import timedelta

    from django.utils import timezone

    name = f"{host or socket.gethostname()} {pid or os.getpid()} 12ab"
    study = Study(writer=name, written_at=timezone.now() - timedelta(seconds=age))
    assert study.is_abandoned is abandoned


def test_one_at_work_elsewhere_is_not_disturbed(project):
    from django.utils import timezone

    bank(project)
    study = draft_study(project)
    Study.objects.create(
        **{name: getattr(study, name) for name in ("project", "instrument_version", "protocol", "plan", "seed")},
        slug="scratch-1",
        scratch_of=study,
        writer="elsewhere 1 12ab",
        written_at=timezone.now(),
    )
    with pytest.raises(WrongState, match="being launched"):
        launch_study(study)
    assert Study.everything.filter(slug="scratch-1").exists()


KILLED = """
import os, signal, sys
import django
django.setup()
from projects import scratch
from projects.models import Project
from studies.models import Study
scratch.CHUNK = 2
left = [int(sys.argv[2])]
save = scratch.Writer.show_life

def show_life(writer):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    save(writer)

scratch.Writer.show_life = show_life
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from studies.services.responses.importing import import_responses
from studies.services.launching import launch_study
if sys.argv[1] == "launch":
    launch_study(Study.objects.get(slug="study"))
if sys.argv[1] == "create":
    from studies.services.creating import create_launched
    from studies.services.spec import check_spec
    from tests.studies.world import spec
    create_launched(Project.objects.get(), check_spec(spec()))
if sys.argv[1] == "responses":
    import_responses(Study.objects.get(slug="study"), sys.stdin.buffer.read())
if sys.argv[1] == "items":
    bank = read_bank_file(sys.stdin.buffer.read())
    import_items(Project.objects.get(), bank, ImportOptions(), filename="items.jsonl")
"""


def run_and_kill(what: str, after: int, content: bytes = b"") -> None:
    """Do it in a process of its own that is killed after so many of its transactions."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, what, str(after)],
        input=content,
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "config.settings"},
        check=False,
        capture_output=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-500:]


def database_url() -> str:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    host = database["HOST"] or "127.0.0.1"
    return f"postgres://{database['USER']}:{database['PASSWORD']}@{host}:{database['PORT'] or 5432}/{database['NAME']}"


@pytest.fixture
def rivers(real_database) -> Project:
    project = Project.objects.create(slug="rivers", title="Rivers")
    bank(project)
    return project


@pytest.mark.slow
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("after", [1, 4])
def test_a_killed_launch_is_seen_nowhere_and_the_next_one_succeeds(rivers, after):
    study = draft_study(rivers)
    run_and_kill("launch", after)
    assert list(Study.objects.values_list("slug", "state")) == [("study", "draft")]
    assert Study.everything.count() == 2
    assert not study.units.exists()
    assert not study.annotators.exists()
    study, _chosen = launch_study(study)
    assert study.state == StudyState.LIVE
    assert (Study.everything.count(), Unit.objects.count(), Annotator.objects.count(), Assignment.objects.count()) == (
        1, 2, 2, 4,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_killed_import_of_answers_is_seen_nowhere_and_the_next_one_succeeds(rivers):
    study = draft_study(rivers)
    content = as_csv([*whole("ada"), *whole("ben")])
    run_and_kill("responses", 5, content)
    assert Response.objects.exists() or Assignment.objects.exists()
    assert list(Study.objects.values_list("slug", "state")) == [("study", "draft")]
    assert not study.annotators.exists()
    import_responses(study, content)
    study.refresh_from_db()
    assert study.state == StudyState.IMPORTED
    assert (Study.everything.count(), Annotator.objects.count(), Response.objects.count()) == (1, 2, 22)


@pytest.mark.slow
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_killed_study_that_was_to_be_launched_at_once_leaves_its_name_free(rivers):
    run_and_kill("create", 2)
    assert not Study.objects.exists()
    assert Study.everything.count() == 2
    study, _chosen = create_launched(rivers, check_spec(spec()))
    assert (study.slug, study.state) == ("study", StudyState.LIVE)
    assert list(Study.everything.all()) == list(Study.objects.all()) == [study]


@pytest.mark.slow
@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_a_killed_import_of_items_is_seen_nowhere_and_the_next_one_succeeds(rivers):
    lines = [
        {
            "id": f"n{text}",
            "text": f"The text n{text} is new.",
            "language": "en",
            "items": items_by("cedar", f"n{text}"),
        }
        for text in range(5)
    ]
    there = {"id": "t1", "text": rivers.texts.get(external_id="t1").body, "language": "en"}
    lines.append(there | {"items": items_by("cedar", "t1")})
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    before = bank_of(rivers)
    run_and_kill("items", 7, content)
    assert Project.everything.count() == 2
    assert list(Project.objects.all()) == [rivers]
    assert bank_of(rivers) == before
    plan = import_items(rivers, read_bank_file(content), ImportOptions(), filename="items.jsonl")
    assert (plan.counts().new_texts, plan.counts().new_items) == (5, 12)
    assert (Project.everything.count(), Item.objects.current().count(), Text.objects.count()) == (1, 16, 7)
    assert rivers.generators.count() == 3


def items_by(generator: str, text: str) -> list[dict]:
    return [
        {"id": f"{text}-{generator}-{place}", "generator": generator, "question": f"What is {place}?"}
        for place in range(2)
    ]


def bank_of(project: Project) -> list:
    """Everything that pages of the bank could list."""
    texts = list(project.texts.values_list("external_id", "version"))
    about = list(Item.objects.current().filter(text__project=project).values_list("external_id", "version"))
    items = list(project.items.values_list("external_id", "version"))
    return [texts, about, items, list(project.generators.values_list("name", flat=True))]
