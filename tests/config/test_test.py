"""`./lesart test` succeeds only if every part passed, and says last what was left out."""

from contextlib import nullcontext

import pytest

from config.cli import test as command
from config.cli import usage


@pytest.fixture
def parts(monkeypatch):
    """Three parts whose surroundings are empty and whose pytest ends with the given codes; records the calls."""

    def ending(*codes: int) -> list[list[str]]:
        calls, answers = [], iter(codes)
        monkeypatch.setattr(command, "PARTS", [
            command.Part("SQLite", None, ["-m", "one"], lambda: nullcontext({})),
            command.Part("PostgreSQL", "postgres", ["-m", "two"], lambda: nullcontext({})),
            command.Part("browser", "browser", ["-m", "three"], lambda: nullcontext({})),
        ])  # fmt: skip
        monkeypatch.setattr(command.signal, "signal", lambda *_: None)
        monkeypatch.setattr(command, "_run_pytest", lambda arguments, _: (calls.append(arguments), next(answers))[1])
        return calls

    return ending


def last_lines(capsys) -> list[str]:
    return capsys.readouterr().out.rstrip().splitlines()[-4:]


def test_all_parts_passed(parts, capsys):
    parts(0, 0, 0)
    assert command.test([], [], [], False) == 0
    assert last_lines(capsys)[1:] == ["SQLite: passed", "PostgreSQL: passed", "browser: passed"]


def test_a_failed_part_does_not_keep_the_others_from_running(parts, capsys):
    calls = parts(1, 0, 0)
    assert command.test([], [], [], False) == usage.FAILED
    assert len(calls) == 3
    assert last_lines(capsys)[1] == "SQLite: failed"


def test_a_part_without_any_test_has_failed(parts, capsys):
    parts(0, 5, 0)
    assert command.test([], [], [], False) == usage.FAILED
    assert last_lines(capsys)[2] == "PostgreSQL: failed, it has no test"


def test_what_is_left_out_is_said_last(parts, capsys):
    calls = parts(0, 0)
    assert command.test(["postgres"], [], [], False) == 0
    assert len(calls) == 2
    assert last_lines(capsys)[-1] == "Not everything was tested. Left out: PostgreSQL."


def test_quick_is_one_part_and_says_that_it_is_not_everything(parts, capsys, monkeypatch):
    calls = parts(0)
    monkeypatch.setattr(command, "_use_private_services", lambda **variables: nullcontext(variables))
    assert command.test([], ["-x"], [], True) == 0
    assert [call[-3:] for call in calls] == [["-m", "not browser and not local and not slow", "-x"]]
    assert last_lines(capsys)[-1].startswith("Not everything was tested.")


def test_other_arguments_go_to_every_part(parts):
    calls = parts(0, 0, 0)
    command.test([], ["-x", "tests/items"], [], False)
    assert all(call[-2:] == ["-x", "tests/items"] for call in calls)


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "named"), [(["-x"], True), (["-x", "tests/items"], False)])
def test_a_part_collects_files_with_its_marks_unless_some_are_named(monkeypatch, arguments, named):
    calls = []
    monkeypatch.setattr(command, "_run_pytest", lambda given, _: calls.append(given) or 0)
    marks = ["browser"]
    command._run_part(command.Part("browser", "browser", [], lambda: nullcontext({}), marks=marks), arguments)
    assert calls == [[*arguments, *(command.find_files_with(marks) if named else [])]]
    assert "tests/browser/test_walk.py" in command.find_files_with(marks)
    assert "tests/items/test_words.py" not in command.find_files_with(marks)


def test_a_browser_that_is_no_program_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("LESART_CHROMIUM", str(tmp_path / "nowhere"))
    with pytest.raises(command.NoChromium, match="which is no program"):
        command.find_chromium()


def test_a_database_from_outside_has_to_be_postgresql(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "sqlite:///somewhere")
    with pytest.raises(command.CannotRun, match="names no PostgreSQL"), command._use_postgresql():
        pass


def test_the_part_of_an_extra_runs_only_with_it(parts, monkeypatch, capsys):
    calls = parts(0, 0, 0, 0, 0)
    extra = command.Part("transformers", "local", ["-m", "four"], lambda: nullcontext({}), optional=True)
    monkeypatch.setattr(command, "PARTS", [*command.PARTS, extra])
    command.test([], [], [], False)
    assert ["-m", "four"] not in calls
    command.test(["postgres", "browser"], [], ["local"], False)
    assert ["-m", "four"] in calls
