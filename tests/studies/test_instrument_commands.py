"""import_instrument and export_instrument."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from studies.services.instrument_writing import copy_instrument
from studies.services.instruments import find_version, load_shipped_sources

PEOPLE = "guess-then-read/en"


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


@pytest.fixture
def file(tmp_path):
    """A function that writes an instrument “mine” with a change."""

    def write(old: str = "", new: str = "") -> str:
        source = load_shipped_sources()[PEOPLE].replace("name: guess-then-read\n", "name: mine\n").replace(old, new)
        (tmp_path / "mine.yaml").write_text(source, "utf-8")
        return str(tmp_path / "mine.yaml")

    return write


def test_a_file_becomes_an_instrument_and_then_its_next_version(project, file):
    assert run("import_instrument", file(), "--project", "rivers") == "mine/en version 1 is stored.\n"
    assert "nothing was stored" in run("import_instrument", file(), "--project", "rivers")
    changed = file("Guess without the text", "Guess!")
    assert "version 2 is stored" in run("import_instrument", changed, "--project", "rivers", "--note", "Shorter")
    assert find_version("mine/en", project).note == "Shorter"


def test_without_a_project_it_is_there_for_all(project, file):
    run("import_instrument", file())
    assert find_version("mine/en", project).instrument.project is None


def test_problems_are_listed_and_nothing_is_stored(project, file):
    with pytest.raises(CommandError) as refused:
        run("import_instrument", file("{n_options}", "{n}"), "--project", "rivers")
    lines = str(refused.value).splitlines()
    assert lines[0] == "Nothing was stored."
    assert [line.split("”")[0] for line in lines[1:]] == ["“guess.hint", "“read.hint"]


@pytest.mark.parametrize("name", ["[mine]", "{mine: 1}", "", "5"])
def test_a_name_that_is_no_text_is_refused(name, project, file):
    with pytest.raises(CommandError, match="name” is required"):
        run("import_instrument", file("name: mine\n", f"name: {name}\n"), "--project", "rivers")


def test_an_unknown_project_is_refused(db, file):
    with pytest.raises(CommandError, match="There is no project “nowhere”"):
        run("import_instrument", file(), "--project", "nowhere")


def test_a_shipped_one_is_written_as_its_file(db, tmp_path):
    out = tmp_path / "out.yaml"
    run("export_instrument", PEOPLE, "--out", str(out))
    assert out.read_bytes() == load_shipped_sources()[PEOPLE].encode()


def test_a_projects_own_is_written_and_read_back_as_the_same(project, tmp_path):
    own = copy_instrument(find_version(PEOPLE, project), project, "mine")
    out = tmp_path / "out.yaml"
    run("export_instrument", "mine/en@1", "--out", str(out), "--project", "rivers")
    assert "nothing was stored" in run("import_instrument", str(out), "--project", "rivers")
    assert own.instrument.versions.count() == 1


def test_an_unknown_name_is_refused(project, tmp_path):
    with pytest.raises(CommandError, match="There is no instrument “mine/en”"):
        run("export_instrument", "mine/en", "--out", str(tmp_path / "x"))
