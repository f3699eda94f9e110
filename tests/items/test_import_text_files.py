"""Plain text files: one text each."""

import unicodedata

import pytest

from items.formats.text_files import read_text_files
from items.models import MAX_TEXT, Text
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from tests.items.files import BODY

GERMAN = "Die Fähre fährt um neun Uhr. Am Sonntag fährt sie um zehn, weil der Hafenmeister im Chor singt."


def store(project, *files, **options):
    return import_items(project, read_text_files(files), ImportOptions(**options), filename="files")


def list_problems(files) -> list[tuple[int, str, str, str]]:
    problems = read_text_files(files).problems.listed
    return [(each.line, each.name, each.field, each.reason) for each in problems]


@pytest.mark.django_db
def test_each_file_is_a_text_with_the_files_name(project):
    store(project, ("ferry.txt", BODY.encode()), ("Die Fähre (2).txt", GERMAN.encode("utf-16")))
    assert list(Text.objects.values_list("external_id", "title", "body", "language")) == [
        ("ferry", "ferry", BODY, "en"),
        ("Die Fähre (2)", "Die Fähre (2)", GERMAN, "de"),
    ]


@pytest.mark.django_db
def test_the_same_files_again_change_nothing(project):
    store(project, ("ferry.txt", BODY.encode()))
    assert not store(project, ("ferry.txt", BODY.replace(". ", ".\r\n").replace("\r\n", " ").encode())).writes


@pytest.mark.django_db
def test_a_name_that_macos_takes_apart_is_the_same_name(project):
    store(project, ("Fähre.txt", BODY.encode()))
    assert not store(project, (unicodedata.normalize("NFD", "Fähre.txt"), BODY.encode())).writes


@pytest.mark.django_db
def test_another_wording_under_the_same_name_needs_update(project):
    store(project, ("ferry.txt", BODY.encode()))
    with pytest.raises(ImportRefused) as refused:
        store(project, ("ferry.txt", b"The ferry leaves at eight in the morning and at noon."))
    (problem,) = refused.value.plan.problems.listed
    assert problem.name == "ferry.txt"
    assert "a different wording" in problem.reason


def test_windows_1252_is_a_warning_that_names_the_file():
    (warning,) = read_text_files([("a.txt", GERMAN.encode("cp1252"))]).warnings.listed
    assert warning.name == "a.txt"
    assert "was read as Windows-1252. Check words such as: Fähre, fährt" in warning.reason


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        (b"", "text", "The file is empty"),
        (b"\xef\xbb\xbf \r\n", "text", "The file is empty"),
        (b"a\0b", "", "NUL"),
        (b"PK\x03\x04", "", "ZIP archive"),
        (b"x" * (MAX_TEXT + 1), "text", "the limit is 100,000"),
    ],
)
def test_a_bad_file_is_named_with_the_reason(content, field, words):
    ((line, name, where, reason),) = list_problems([("good.txt", BODY.encode()), ("bad.txt", content)])
    assert (line, name, where) == (2, "bad.txt", field)
    assert words in reason


def test_two_files_of_one_name_are_refused():
    ((line, name, field, reason),) = list_problems([("a.txt", BODY.encode()), ("a.TXT", GERMAN.encode())])
    assert (line, name, field) == (2, "a.TXT", "id")
    assert "Rename one" in reason


@pytest.mark.django_db
def test_a_name_that_can_be_no_id_leaves_the_text_without(project):
    store(project, ("a\x1bb.txt", BODY.encode()))
    text = Text.objects.get()
    assert text.external_id.startswith("t-")
    assert text.title == ""


def test_a_single_file_is_a_format_of_its_own():
    (line,) = read_bank_file(BODY.encode(), "text", name="/some/where/ferry.txt").lines
    assert (line.text.id, line.text.body) == ("ferry", BODY)
