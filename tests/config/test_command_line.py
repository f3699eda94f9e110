"""What ends a command from outside is said in a sentence with a remedy, and in its exit code."""

import os
import signal
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import DataError, OperationalError, ProgrammingError

from config import command_line
from config.env import BadSetting
from tests.patience import PATIENCE


@pytest.fixture
def ended_by(monkeypatch, capfd):
    """A function that ends a command with an error: its exit code and what it printed."""

    def end(error, *options):
        def execute(argv):
            raise error

        monkeypatch.setattr(command_line, "execute_from_command_line", execute)
        code = command_line.run(["manage.py", "report", *options])
        return code, capfd.readouterr().err

    return end


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (OperationalError("no such table: studies_study"), "manage.py migrate"),
        (ProgrammingError('relation "studies_study" does not exist\nLINE 1: …'), "manage.py migrate"),
        (OperationalError("database is locked"), "try again"),
        (OperationalError("database or disk is full"), "Make room"),
        (OperationalError("attempt to write a readonly database"), "right to write"),
        (OperationalError("connection refused"), "DATABASE_URL"),
    ],
)
def test_what_is_wrong_with_the_database_is_said_with_a_remedy(ended_by, error, remedy):
    code, message = ended_by(error)
    assert code == 1
    assert remedy in message
    assert message.count("\n") == 1


def test_a_fault_in_what_was_asked_of_the_database_keeps_its_traceback(ended_by):
    with pytest.raises(DataError):
        ended_by(DataError("value too long"))
    with pytest.raises(OperationalError):
        ended_by(OperationalError("database is locked"), "--traceback")


def test_a_setting_that_cannot_be_read_is_a_sentence(ended_by):
    assert ended_by(BadSetting("DEBUG is 'x'; write 1 or 0.")) == (1, "DEBUG is 'x'; write 1 or 0.\n")


def test_an_interrupted_command_ends_with_130(ended_by):
    assert ended_by(KeyboardInterrupt()) == (130, "Interrupted.\n")


def test_a_refusal_keeps_its_exit_code(ended_by):
    assert ended_by(SystemExit(3)) == (3, "")


def manage(folder, *words, **how):
    environment = os.environ | {"LESART_DATA": str(folder), "DATABASE_URL": "", "PYTHONUNBUFFERED": ""}
    environment |= how.pop("env", {})
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *words]
    return subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, encoding="utf-8", preexec_fn=heeding_ctrl_c, **how
    )


def heeding_ctrl_c():
    """As in a shell: whoever runs the tests in the background may ignore it, and what they start would too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_a_reader_that_went_away_is_no_fault(tmp_path):
    read, write = os.pipe()
    os.close(read)
    command = manage(tmp_path, "version", stdout=write)
    os.close(write)
    assert command.communicate(timeout=PATIENCE)[1] == ""
    assert command.returncode == 0


@pytest.mark.slow
def test_a_full_standard_output_is_named(tmp_path):
    with open("/dev/full", "w") as full:
        command = manage(tmp_path, "version", stdout=full)
    assert command.communicate(timeout=PATIENCE)[1] == "Standard output cannot be written: No space left on device.\n"
    assert command.returncode == 1


@pytest.mark.slow
def test_ctrl_c_leaves_a_sentence(tmp_path):
    waiting = "print('here', flush=True); import time; time.sleep(60)"
    command = manage(tmp_path, "shell", "--verbosity", "0", "--command", waiting, stdout=subprocess.PIPE)
    assert command.stdout.readline() == "here\n"
    command.send_signal(signal.SIGINT)
    assert command.communicate(timeout=PATIENCE)[1] == "Interrupted.\n"
    assert command.returncode == 130


def test_what_is_printed_is_utf_8_in_any_locale(tmp_path):
    latin = {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    words = "print('Straße – 👍 \\udcff')"
    command = manage(tmp_path, "shell", "--verbosity", "0", "--command", words, stdout=subprocess.PIPE, env=latin)
    assert command.communicate(timeout=PATIENCE) == ("Straße – 👍 \\udcff\n", "")
