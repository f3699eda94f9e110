"""The bank as JSONL: what comes out goes in again."""

import json

import pytest

from items.models import Text
from items.services.exporting import export_lines
from tests.items.files import BODY, item_row, load, refusal, text_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def bank(project):
    full = item_row(
        id="q1", generator="Ada", answer="He sings.", reference=True, multiple=True, metadata={"b": 1, "a": 2.0}
    )
    full["answers"][0] |= {"id": "right", "explanation": "It says so."}
    load(
        project,
        text_row([full, item_row(options=[], question="And then?")], id="t1", title="Ferry"),
        text_row(text="Ein Wort\u2028und noch eines: „schön“, und das \x1b ist auch eines.", language="de"),
        text_row([], text="Words that are nobody's", metadata={"split": "x", "extra": {"z": None, "genre": "tale"}}),
    )
    return project


@pytest.fixture
def other(stranger):
    return stranger.memberships.get().project


@pytest.mark.database
def test_export_and_import_into_an_empty_project_give_the_same_export(bank, other):
    lines = export_lines(bank)
    load(other, *[line.rstrip("\n").encode() for line in lines])
    assert export_lines(other) == lines
    assert len(lines) == 3


def test_importing_its_own_export_changes_nothing(bank):
    assert not load(bank, *[line.encode() for line in export_lines(bank)]).writes


def test_only_current_versions_are_exported_in_their_old_order(bank):
    load(
        bank, text_row([item_row(id="q1", question="Why, then?")], id="t1", text="Another text entirely."), update=True
    )
    first = json.loads(export_lines(bank)[0])
    assert (first["id"], first["text"]) == ("t1", "Another text entirely.")
    assert [item["question"] for item in first["items"]] == ["Why, then?", "And then?"]


def test_no_line_is_cut_by_readers_that_cut_at_unicode_line_ends(bank):
    assert all(len(line.splitlines()) == 1 for line in export_lines(bank))


@pytest.fixture
def secret(project):
    load(project, text_row(id="t1", metadata={"extra": {"shareable": False}}))
    return project


def test_a_text_that_may_not_be_shared_is_replaced_by_its_hash(secret):
    exported = json.loads(export_lines(secret)[0])
    assert exported["text"] is None
    assert len(exported["text_sha256"]) == 64
    assert BODY not in export_lines(secret)[0]


def test_the_hash_finds_its_text_again(secret, other):
    lines = [line.encode() for line in export_lines(secret)]
    assert not load(secret, *lines).writes
    assert "Add the text itself" in refusal(other, *lines)[0][2]
    Text.objects.filter(project=secret).update(body="Another text")
    assert "does not match the project's text" in refusal(secret, *lines)[0][2]


def test_the_page_downloads_it(bank, as_user, viewer):
    response = as_user(viewer).get("/p/rivers/items.jsonl")
    assert response["Content-Disposition"] == 'attachment; filename="rivers-items.jsonl"'
    assert response.content.decode() == "".join(export_lines(bank))


VERSIONS = [{"name": "simple", "text": "The ferry goes."}, {"name": "de", "text": "Die Fähre.", "language": "de"}]


def test_versions_of_a_text_come_in_and_out_and_another_wording_is_a_new_version(project, other):
    load(project, text_row(id="t1", versions=VERSIONS))
    text = Text.objects.get(project=project)
    assert [text.in_version(name).language for name in ("original", "simple", "de")] == ["en", "en", "de"]
    load(other, *[line.encode() for line in export_lines(project)])
    assert Text.objects.get(project=other).versions == VERSIONS
    assert "versions" in str(refusal(project, text_row(id="t1", versions=VERSIONS[:1])))
    load(project, text_row(id="t1", versions=VERSIONS[:1]), update=True)
    assert Text.objects.current().get(project=project).version == 2


@pytest.mark.parametrize("name", ["original", "de"])
def test_versions_have_names_of_their_own(project, name):
    assert f"“{name}”" in str(refusal(project, text_row(versions=[*VERSIONS, {"name": name, "text": "x"}])))


def test_versions_of_a_text_that_may_not_be_shared_stay_here(project):
    load(project, text_row(versions=VERSIONS, metadata={"extra": {"shareable": False}}))
    (line,) = export_lines(project)
    assert VERSIONS[0]["text"] not in line
