"""The characters of the tests: four members with different rights, a stranger, and a small project."""

import gc
import os
from contextlib import ExitStack
from functools import wraps

import pytest
from django.conf import settings as project_settings
from django.contrib.contenttypes.models import ContentType
from django.core.management.commands import flush
from django.test import override_settings
from django.utils import timezone, translation

from analysis.figures import registry
from analysis.services import reporting
from annotation import pages
from config import static_build
from config.cli.test import PARTS, find_files_with
from config.env import SQLITE
from config.static_files import StaticFilesMiddleware
from config.translations import compile_stale
from jobs import working
from jobs.kinds import KINDS
from jobs.models import Job, JobState, Worker
from llm import failures
from llm.models import Endpoint
from llm.services import draining, runs
from projects.models import Membership, Project, Role, User
from studies import plans
from studies.services import declarations, phases
from tests import examples  # noqa: F401 - the profile of hypothesis
from tests.computed_once import compute_once, draw_once, search_once
from tests.mock_server import mock_server
from tests.shelf import share_shelf

compile_stale()

if project_settings.DATABASES["default"]["ENGINE"] == SQLITE:
    # pytest-django knows Django's own SQLite only, and would give each worker a file with an impossible name.
    project_settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = ":memory:"


def pytest_collection_modifyitems(items):
    """Files with slow tests first, so that no worker is left with one at the end."""
    check_marks(items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish():
    """What the collected modules hold stays to the end: the garbage collector need not look through it again."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def check_marks(items):
    """A part of `./lesart test` collects the files that name its marks: a mark from elsewhere would be left out."""
    for part in PARTS:
        files = {project_settings.BASE_DIR / name for name in (find_files_with(part.marks) if part.marks else ())}
        for item in items:
            if item.path not in files and any(item.get_closest_marker(mark) for mark in part.marks):
                raise pytest.UsageError(
                    f"{item.path} does not name {' or '.join(part.marks)}, but a test of it has it."
                )


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix, request, tmp_path_factory):
    """A browser asks several threads at once: in a file each has a connection of its own, as in the product.

    In memory all would share one, where a row cannot be written while another thread reads the table.
    """
    database = project_settings.DATABASES["default"]
    in_a_browser = any(item.get_closest_marker("browser") for item in request.session.items)
    if in_a_browser and database["ENGINE"] == SQLITE:
        database.setdefault("TEST", {})["NAME"] = str(tmp_path_factory.mktemp("database") / "lesart.sqlite3")


@pytest.fixture(autouse=True, scope="session")
def fast_passwords():
    """Hashing a password for real takes longer than most tests."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(autouse=True, scope="session")
def stay_migrated():
    """Emptying all tables after a test of transactions migrates nothing: its signal takes longer than the emptying."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_, **__: ContentType.objects.clear_cache())
        yield


@pytest.fixture(autouse=True, scope="session")
def sources_of_static_files():
    """The live server of the browser's tests knows only those, whether or not they were built here."""
    storages = project_settings.STORAGES | {"staticfiles": {"BACKEND": static_build.PLAIN_STORAGE}}
    with override_settings(STORAGES=storages, WHITENOISE_USE_FINDERS=True):
        yield


def add_once(add):
    """Static files added to a new client's middleware as they were to the first one's under the same settings."""
    kept = {}

    @wraps(add)
    def add_again(middleware, *of, **named):
        place = str((of, named, project_settings.STATIC_ROOT, project_settings.STATICFILES_DIRS))
        if place not in kept:
            add(middleware, *of, **named)
            kept[place] = dict(middleware.files)
        middleware.files.update(kept[place])

    return add_again


@pytest.fixture(autouse=True, scope="session")
def static_files_listed_once():
    """Each client would look through all static files, which takes longer than many pages."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("add_files", "add_files_from_finders"):
            patch.setattr(StaticFilesMiddleware, name, add_once(getattr(StaticFilesMiddleware, name)))
        yield


@pytest.fixture(autouse=True)
def in_english():
    """A page asked for in German leaves its language to the thread, and so to the next test."""
    translation.activate("en")


@pytest.fixture(autouse=True)
def forget_studies():
    """A test is rolled back, so that the next one gives the same primary keys to other studies."""
    declarations.forget_launched()
    phases.forget_launched()
    pages.keep_common_genre.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def job_folder(tmp_path_factory):
    """Files of jobs lie in a folder of the tests."""
    with override_settings(JOB_FOLDER=tmp_path_factory.mktemp("jobs")):
        yield


@pytest.fixture(autouse=True, scope="session")
def shelf_of_all_workers(tmp_path_factory):
    """Where studies and reports lie that one worker has made and another needs too."""
    base = tmp_path_factory.getbasetemp()
    share_shelf((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shelf")


COMPUTED_ONCE = [(reporting, "build_protocol_report", compute_once), (reporting, "build_stand_in_tables", compute_once)]
COMPUTED_ONCE += [(plans, "balance_labels", search_once), (registry, "build_specification", draw_once)]


@pytest.fixture(autouse=True, scope="session")
def computed_once():
    """The arithmetic of reports, figures and plans, which is the same for the same evidence and the same numbers."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, keep in COMPUTED_ONCE:
            patch.setattr(module, name, keep(getattr(module, name)))
        yield


@pytest.fixture
def recompute(computed_once, monkeypatch):
    """Reports and plans are computed again, for tests of how that is done and whether it gives the same."""
    for module, name, _keep in COMPUTED_ONCE:
        monkeypatch.setattr(module, name, getattr(module, name).__wrapped__)


def check_step(heartbeat: working.Heartbeat, step: str, done: int, total: int) -> None:
    """Pages and programs find a sentence for each step that a job reports."""
    kind = KINDS[heartbeat.job.kind]
    if step not in kind.steps:
        pytest.fail(f"The kind {kind.name} has no sentence for the step {step}.")


@pytest.fixture
def run_jobs(db, monkeypatch):
    """A function that does what a worker does with all queued jobs, and returns their kinds in this order."""
    monkeypatch.setattr(working.Heartbeat, "start", lambda heartbeat: None)
    monkeypatch.setattr(working.Heartbeat, "stop", lambda heartbeat: None)
    monkeypatch.setattr(working.Heartbeat, "on_progress", check_step)

    def run() -> list[str]:
        queued = list(Job.objects.filter(state=JobState.QUEUED).order_by("queued_at", "pk"))
        for job in queued:
            working.run_job(job.pk)
        return [job.kind for job in queued]

    return run


@pytest.fixture
def worker(db) -> Worker:
    """A live worker that does nothing by itself."""
    return Worker.objects.create(name="w@here", started_at=timezone.now(), last_seen=timezone.now())


@pytest.fixture
def project(db) -> Project:
    return Project.objects.create(slug="rivers", title="Rivers")


@pytest.fixture
def member(project):
    """A function that makes a member of the project with the given role."""

    def make(role: Role) -> User:
        user = User.objects.create_user(f"{role.value}-member", password="correct horse battery")
        Membership.objects.create(project=project, user=user, role=role)
        return user

    return make


@pytest.fixture
def owner(member):
    return member(Role.OWNER)


@pytest.fixture
def researcher(member):
    return member(Role.RESEARCHER)


@pytest.fixture
def reviewer(member):
    return member(Role.REVIEWER)


@pytest.fixture
def viewer(member):
    return member(Role.VIEWER)


@pytest.fixture
def stranger(db):
    """Somebody with an account and a project of their own, but none of this one."""
    user = User.objects.create_user("stranger", password="correct horse battery")
    other = Project.objects.create(slug="mountains", title="Mountains")
    Membership.objects.create(project=other, user=user, role=Role.OWNER)
    return user


@pytest.fixture
def as_user(client):
    """A function that signs the test client in and returns it."""

    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in


@pytest.fixture
def quick_models(monkeypatch, settings):
    """Waiting is for servers; messages to workers go nowhere; the mock server may be called."""
    monkeypatch.setattr(failures, "FIRST_DELAY", 0.0)
    monkeypatch.setattr(failures, "LEAST_LIMIT_DELAY", 0.0)
    monkeypatch.setattr(draining, "WAIT_SECONDS", 0.02)
    monkeypatch.setattr(runs, "_send", lambda run_id: None)
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def serve_model():
    """A function that starts a mock server with the answers given; it ends with the test."""
    with ExitStack() as stack:
        yield lambda answer, **how: stack.enter_context(mock_server(answer, **how))


@pytest.fixture
def endpoint():
    """A function that makes the endpoint “mock” of a server."""

    def make(server, **fields) -> Endpoint:
        fields = {"base_url": server.base_url, "model": "mock-1", "max_concurrency": 4, "timeout_seconds": 60} | fields
        return Endpoint.objects.update_or_create(name="mock", defaults=fields)[0]

    return make
