"""A consistent read sees one moment and holds nobody up."""

import sqlite3
import threading

import pytest
from django.db import connection, connections, transaction

from analysis.frames.evidence import open_consistent_read
from projects.models import Project

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def titles() -> list[str]:
    return list(Project.objects.order_by("pk").values_list("title", flat=True))


def create_elsewhere(slug: str, title: str) -> None:
    """Make a project in a thread of its own, which has a connection of its own."""
    failed = []

    def run():
        try:
            Project.objects.create(slug=slug, title=title)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert not failed


@pytest.mark.skipif(connection.vendor == "sqlite", reason="the suite's SQLite is in memory: see the test with a file")
def test_what_is_written_meanwhile_is_not_seen_and_not_held_up():
    Project.objects.create(slug="first", title="First")
    with open_consistent_read():
        assert titles() == ["First"]
        create_elsewhere("second", "Second")
        assert titles() == ["First"]
    assert titles() == ["First", "Second"]


@pytest.fixture
def file_database(tmp_path):
    """An SQLite file with the settings of the product, in the place of the suite's database."""
    if connection.vendor != "sqlite":
        pytest.skip("This is about SQLite.")
    path = tmp_path / "notes.sqlite3"
    usual, in_file = connections["default"], connections["default"].copy()
    in_file.settings_dict = {**usual.settings_dict, "NAME": str(path)}
    connections["default"] = in_file
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE note (words TEXT)")
    yield path
    in_file.close()
    connections["default"] = usual


def notes() -> int:
    with connection.cursor() as cursor:
        return cursor.execute("SELECT COUNT(*) FROM note").fetchone()[0]


def test_on_sqlite_a_writer_is_neither_seen_nor_held_up(file_database):
    writer = sqlite3.connect(file_database, timeout=0)
    with open_consistent_read():
        assert notes() == 0
        with writer:
            writer.execute("INSERT INTO note VALUES ('meanwhile')")
        assert notes() == 0
    assert notes() == 1
    writer.close()


def test_after_an_error_the_connection_works_again():
    with pytest.raises(ZeroDivisionError), open_consistent_read():
        raise ZeroDivisionError
    with transaction.atomic():
        Project.objects.create(slug="first", title="First")
    assert titles() == ["First"]


def test_inside_a_transaction_it_changes_nothing():
    with transaction.atomic():
        Project.objects.create(slug="first", title="First")
        with open_consistent_read():
            assert titles() == ["First"]
        Project.objects.create(slug="second", title="Second")
    assert titles() == ["First", "Second"]
