"""A file that is written out is there whole or not at all, and nothing else is put in its place."""

import os
import stat
import threading

import pytest
from django.core.management import CommandError, call_command

from analysis.files import open_whole_file
from tests.factory import make_item, make_study, make_text


def write(path, words="new", mode="w"):
    with open_whole_file(path, mode) as file:
        file.write(words)


def test_a_file_that_breaks_off_leaves_what_was_there(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("old")
    with pytest.raises(TypeError):
        write(path, words=None)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path):
    path, link = tmp_path / "answers.csv", tmp_path / "latest.csv"
    path.write_text("old")
    link.symlink_to(path)
    write(link)
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_a_file_that_is_there_keeps_its_rights(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("old")
    path.chmod(0o600)
    write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("umask", "rights"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_a_new_file_has_the_rights_that_the_user_gives_new_files(tmp_path, umask, rights):
    before = os.umask(umask)
    try:
        write(tmp_path / "answers.csv")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "answers.csv").stat().st_mode) == rights


def test_a_name_as_long_as_names_may_be_is_written(tmp_path):
    write(tmp_path / ("a" * 255))
    assert (tmp_path / ("a" * 255)).read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write(pipe, b"new", "wb")
    reader.join(10)
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.fixture
def study(project):
    return make_study(project, "study", [make_item(make_text(project, "t1"), "human", "t1-h1")])


def test_an_export_to_a_device_writes_to_it_and_puts_nothing_beside_it(study):
    before = set(os.listdir("/dev"))
    call_command("export_responses", study.slug, out="/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert set(os.listdir("/dev")) == before


def test_answers_do_not_take_the_name_of_a_file_beside_them(study, tmp_path):
    with pytest.raises(CommandError, match=r"codebook\.csv is the name of a file beside the answers"):
        call_command("export_responses", study.slug, out=str(tmp_path / "codebook.csv"))
    assert not list(tmp_path.iterdir())
