"""A prepared query gives the rows of its queryset, with the values of each call."""

from threading import Thread

import pytest
from django.db import connection
from django.db.models import Count
from django.db.models.sql.compiler import SQLCompiler

from items.models import Text
from projects.sql import PreparedQuery, prepare_insert, update_row
from studies.models import Assignment
from tests.factory import make_text


def list_texts(project: int, language: str):
    return Text.objects.filter(project=project, language=language).select_related("project").only("body", "project")


@pytest.fixture
def texts(project) -> list[Text]:
    return [make_text(project, f"t{place}", language=language) for place, language in enumerate(("en", "de", "en"))]


@pytest.mark.parametrize("language", ["en", "de", "eu", "%s", "' OR 1=1 --", "\0"[:0]])
def test_the_rows_are_those_of_the_queryset(project, texts, language):
    prepared = PreparedQuery(list_texts, int, str)
    prepared(project.pk, "de")
    found = prepared(project.pk, language)
    assert found == list(list_texts(project.pk, language))
    assert {text.project.slug for text in found} <= {project.slug}


def test_values_and_counts_can_be_asked_for(project, texts):
    prepared = PreparedQuery(
        lambda pk: Text.objects.filter(project=pk).order_by().values("language").annotate(n=Count("*")), int
    )
    assert {row["language"]: row["n"] for row in prepared(project.pk)} == {"en": 2, "de": 1}


def test_the_sql_is_made_once_a_thread(project, texts, monkeypatch):
    made, real = [], SQLCompiler.as_sql
    monkeypatch.setattr(SQLCompiler, "as_sql", lambda *args, **how: made.append(1) or real(*args, **how))
    prepared = PreparedQuery(list_texts, int, str)
    for language in ("en", "de", "en"):
        prepared(project.pk, language)
    assert len(made) == 1
    thread = Thread(target=lambda: (prepared.prepare(), connection.close()))
    thread.start()
    thread.join()
    assert len(made) == 2


def test_a_value_too_many_is_an_error(project):
    with pytest.raises(ValueError, match="zip"):
        PreparedQuery(list_texts, int, str)(project.pk)


def test_a_row_is_stored_by_its_attributes_and_others_stay(project):
    text, other = make_text(project, "t1", title="before"), make_text(project, "t2", title="before")
    text.title, text.body, text.pictures = "after", "not stored", {"a": "b"}
    update_row(text, "title", "pictures")
    text.refresh_from_db()
    other.refresh_from_db()
    assert (text.title, text.pictures, text.body == "not stored", other.title) == ("after", {"a": "b"}, False, "before")


def test_a_column_that_is_made_anew_for_each_row_must_be_given():
    with pytest.raises(ValueError, match="token"):
        prepare_insert(Assignment, ("annotator_id", "unit_id", "position", "stage"))
