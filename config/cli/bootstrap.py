"""The first step of `./lesart`: create an environment with everything that Lesart needs, once.

Optional extras get an environment of their own, so that the usual start stays the same.

Runs on the machine's Python before anything is installed, so it uses only the standard library.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS, MODEL_REQUIREMENTS = "requirements.txt", "requirements-model.txt"
TEST_REQUIREMENTS = "requirements-tests.txt"
TRANSFORMERS, TORCH_FOR_PROCESSORS = "requirements-local.txt", "requirements-local-cpu.txt"
TORCH = "requirements-local-torch.txt"

# Replaces this file's own folder, whose modules must not be mistaken for Python's or a package's.
sys.path[0] = str(ROOT)
from config.cli import processes, unused, usage  # noqa: E402


@dataclass(frozen=True)
class Environment:
    """A folder with its own Python and packages."""

    folder: Path
    with_local: bool = False
    with_tests: bool = False

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def stamp(self) -> Path:
        return self.folder / "lesart-stamp"

    @property
    def tests_stamp(self) -> Path:
        """Records which packages for tests and checks are installed, too; `up` needs none of them."""
        return self.folder / "lesart-stamp-tests"

    @property
    def lock(self) -> Path:
        return self.folder / "lesart-lock"

    @property
    def requirements(self) -> list[str]:
        local = [TRANSFORMERS, TORCH_FOR_PROCESSORS, TORCH] if self.with_local else []
        return [REQUIREMENTS, MODEL_REQUIREMENTS, *local]


def make_environment(extras: Sequence[str]) -> Environment:
    with_local = "local" in extras
    return Environment(ROOT / (".venv-local" if with_local else ".venv"), with_local, "tests" in extras)


def main(arguments: list[str]) -> None:
    environment = make_environment(usage.parse(arguments).extras)  # a wrong option, or --help, ends here
    try:
        ensure_environment(environment)
    except OSError as error:
        raise usage.Refusal(
            usage.NOT_WRITABLE,
            f"Lesart's packages cannot be put into {environment.folder} ({error.strerror}). Give this user the right "
            "to write there, or clone Lesart to another place.",
        ) from None
    # Only this path, and -P: a folder `config` in the user's folder must not be mistaken for ours.
    os.environ["PYTHONPATH"] = str(ROOT)
    # Compiled modules are kept, apart from the sources: without them each start takes twice as long.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(environment.folder / "pycache"))
    os.execv(environment.python, [str(environment.python), "-P", "-m", "config.cli", *arguments])  # noqa: S606


def ensure_environment(environment: Environment) -> None:
    """Create or repair it unless its stamp says that it is complete; two simultaneous starts wait for each other."""
    if is_complete(environment):
        return
    require_venv()
    folder = environment.folder
    if folder.is_symlink():  # perhaps to somebody else's environment, which would be emptied
        raise usage.Refusal(usage.NOT_WRITABLE, f"{folder} is a link to another folder. Remove it, then start again.")
    folder.mkdir(exist_ok=True)
    with open(environment.lock, "a+") as lock:
        wait_for(lock)
        if is_complete(environment):
            return
        lock.seek(0)
        was_interrupted = bool(lock.read())
        lock.write("An installation began.\n")
        lock.flush()
        install(environment, lock, can_keep=not was_interrupted and is_of_this_python(environment))
        lock.truncate(0)


def wait_for(lock: TextIO) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another ./lesart is installing the packages. Waiting for it.", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)


def is_complete(environment: Environment) -> bool:
    has_tests = not environment.with_tests or is_stamp_valid(environment, environment.tests_stamp, [TEST_REQUIREMENTS])
    return has_tests and can_run(environment)


def can_run(environment: Environment) -> bool:
    """Whether it has everything that `up` needs."""
    return is_stamp_valid(environment, environment.stamp, environment.requirements) and environment.python.exists()


def is_stamp_valid(environment: Environment, stamp: Path, locks: list[str]) -> bool:
    try:
        return stamp.read_text() == build_stamp(environment, locks)
    except OSError:
        return False


def build_stamp(environment: Environment, locks: list[str]) -> str:
    """What an environment depends on: the locked packages, its Python, and its path, which scripts in it contain."""
    packages = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in locks)).hexdigest()
    return f"{packages}\n{environment.python.resolve()}\n{environment.folder}\n"


def require_venv() -> None:
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise usage.Refusal(
            usage.NO_VENV,
            f"{sys.executable} has no venv module. On Debian and Ubuntu: apt install python3-venv "
            f"(for a Python beside the system's: python3.{sys.version_info.minor}-venv).",
        ) from None


def find_base_python() -> str:
    """The Python installation itself, even if called through an environment, which may be about to be replaced."""
    return getattr(sys, "_base_executable", None) or sys.executable


def is_of_this_python(environment: Environment) -> bool:
    return environment.python.exists() and environment.python.resolve() == Path(find_base_python()).resolve()


def install(environment: Environment, lock: TextIO, can_keep: bool) -> None:
    sentence = f"Installing Lesart's packages into {environment.folder}. This happens once and takes about a minute."
    print(sentence, file=sys.stderr)
    pip = [str(environment.python), "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    # Compiling all modules would double the time; Python compiles those it uses. Nothing is built from source.
    pip += ["--no-compile", "--only-binary", ":all:"]
    pip += ["--require-hashes", "--no-deps", "-r"]
    if not (can_keep and can_run(environment)):
        install_packages(environment, lock, pip, can_keep)
    if environment.with_tests:
        run(lock, *pip, str(ROOT / TEST_REQUIREMENTS))
        environment.tests_stamp.write_text(build_stamp(environment, [TEST_REQUIREMENTS]))


def install_packages(environment: Environment, lock: TextIO, pip: list[str], can_keep: bool) -> None:
    environment.stamp.unlink(missing_ok=True)
    environment.tests_stamp.unlink(missing_ok=True)
    if not can_keep:
        clear(environment)
    run(lock, find_base_python(), "-I", "-m", "venv", str(environment.folder))
    run(lock, *pip, str(ROOT / REQUIREMENTS))
    try:
        run(lock, *pip, str(ROOT / MODEL_REQUIREMENTS))
    except usage.Refusal:
        print("There is no small local model for this machine; Lesart works without it.", file=sys.stderr)
    if environment.with_local:
        install_transformers(lock, pip)
    for site_packages in environment.folder.glob("lib/python*/site-packages"):
        unused.remove_unused(site_packages)
    environment.stamp.write_text(build_stamp(environment, environment.requirements))


def install_transformers(lock: TextIO, pip: list[str]) -> None:
    """With the CPU-only torch if pip finds it: the common build for Linux is fifteen times as large."""
    run(lock, *pip, str(ROOT / TRANSFORMERS))
    try:
        run(lock, *pip, str(ROOT / TORCH_FOR_PROCESSORS))
    except usage.Refusal:
        print("So torch is installed in its common build. On Linux that takes some 3 GB.", file=sys.stderr)
        run(lock, *pip, str(ROOT / TORCH))


def clear(environment: Environment) -> None:
    """Delete its contents except the lock, which this process holds."""
    for path in environment.folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != environment.lock:
            path.unlink()


def run(lock: TextIO, *command: str) -> None:
    """Run a command that ends with this process; if that is impossible, it keeps the lock until it has ended."""
    end_with_us = processes.die_with_parent(signal.SIGTERM)
    code = subprocess.call(command, stdout=sys.stderr, cwd=ROOT, pass_fds=[lock.fileno()], preexec_fn=end_with_us)
    if code:
        raise usage.Refusal(
            usage.NOT_INSTALLED,
            f"The packages could not be installed: {' '.join(command[2:5])} ended with exit code {code}, its message "
            "stands above. Check the network and the free space, then start again.",
        )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except usage.Refusal as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(refusal.code)
    except KeyboardInterrupt:
        print("Interrupted. The next start begins again.", file=sys.stderr)
        sys.exit(130)
