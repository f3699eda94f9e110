"""The first step of `./lesart`: an environment of its own with everything that Lesart needs, made once.

Runs on the machine's Python, before anything is installed: standard library only.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TextIO

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "lesart-stamp"
LOCK = VENV / "lesart-lock"
NEEDED, OF_THE_LOCAL_MODEL = "requirements.txt", "requirements-model.txt"

# In place of this file's own folder, whose modules must not be taken for Python's or a package's.
sys.path[0] = str(ROOT)
from config.lesart import exits, options, processes  # noqa: E402


def main(arguments: list[str]) -> None:
    options.parse(arguments)  # a wrong option, or a wish for help, ends here
    try:
        ensure_environment()
    except OSError as error:
        raise exits.Refusal(
            exits.NOT_WRITABLE,
            f"Lesart's packages cannot be put into {VENV} ({error.strerror}). Give this user the right to write there, "
            "or clone Lesart to another place.",
        ) from None
    # The path alone, and -P: a folder `config` where the user stands must not be taken for ours.
    os.environ["PYTHONPATH"] = str(ROOT)
    # Compiled modules are kept, and kept apart from the sources: without them each start takes twice as long.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "pycache"))
    os.execv(PYTHON, [str(PYTHON), "-P", "-m", "config.lesart", *arguments])  # noqa: S606


def ensure_environment() -> None:
    """Makes or repairs `.venv` unless its stamp says that it is complete; two starts at once wait for each other."""
    if is_complete():
        return
    require_venv()
    if VENV.is_symlink():  # whose environment it is nobody knows here, and it would be emptied
        raise exits.Refusal(exits.NOT_WRITABLE, f"{VENV} is a link to another folder. Remove it, then start again.")
    VENV.mkdir(exist_ok=True)
    with open(LOCK, "a+") as lock:
        wait_for(lock)
        if is_complete():
            return
        lock.seek(0)
        was_interrupted = bool(lock.read())
        lock.write("An installation began.\n")
        lock.flush()
        install(lock, can_keep=not was_interrupted and is_of_this_python())
        lock.truncate(0)


def wait_for(lock: TextIO) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("Another ./lesart is installing the packages. Waiting for it.", file=sys.stderr)
        fcntl.flock(lock, fcntl.LOCK_EX)


def is_complete() -> bool:
    try:
        return STAMP.read_text() == expected_stamp() and PYTHON.exists()
    except OSError:
        return False


def expected_stamp() -> str:
    """What an environment depends on: the locked packages, its Python and its place (scripts in it hold the path)."""
    locks = b"".join((ROOT / name).read_bytes() for name in (NEEDED, OF_THE_LOCAL_MODEL))
    packages = hashlib.sha256(locks).hexdigest()
    return f"{packages}\n{PYTHON.resolve()}\n{VENV}\n"


def require_venv() -> None:
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise exits.Refusal(
            exits.NO_VENV,
            f"{sys.executable} has no venv module. On Debian and Ubuntu: apt install python3-venv "
            f"(for a Python beside the system's: python3.{sys.version_info.minor}-venv).",
        ) from None


def base_python() -> str:
    """The Python itself even if it was called through an environment, which may be the one to be replaced."""
    return getattr(sys, "_base_executable", None) or sys.executable


def is_of_this_python() -> bool:
    return PYTHON.exists() and PYTHON.resolve() == Path(base_python()).resolve()


def install(lock: TextIO, can_keep: bool) -> None:
    print(f"Installing Lesart's packages into {VENV}. This happens once and takes about a minute.", file=sys.stderr)
    STAMP.unlink(missing_ok=True)
    if not can_keep:
        clear()
    run(lock, base_python(), "-I", "-m", "venv", str(VENV))
    pip = [str(PYTHON), "-I", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    # To compile all modules would take as long again; Python compiles those it uses. Nothing is built from source.
    pip += ["--no-compile", "--only-binary", ":all:"]
    pip += ["--require-hashes", "--no-deps", "-r"]
    run(lock, *pip, str(ROOT / NEEDED))
    try:
        run(lock, *pip, str(ROOT / OF_THE_LOCAL_MODEL))
    except exits.Refusal:
        print("There is no small local model for this machine; Lesart works without it.", file=sys.stderr)
    STAMP.write_text(expected_stamp())


def clear() -> None:
    """Empties `.venv` but for the lock, which this process holds."""
    for path in VENV.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != LOCK:
            path.unlink()


def run(lock: TextIO, *command: str) -> None:
    """The command ends with us; where that cannot be had, it keeps the lock until it has ended."""
    end_with_us = processes.die_with_parent(signal.SIGTERM)
    code = subprocess.call(command, stdout=sys.stderr, cwd=ROOT, pass_fds=[lock.fileno()], preexec_fn=end_with_us)
    if code:
        raise exits.Refusal(
            exits.NOT_INSTALLED,
            f"The packages could not be installed: {' '.join(command[2:5])} ended with exit code {code}, its message "
            "stands above. Check the network and the free space, then start again.",
        )


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except exits.Refusal as refusal:
        print(refusal, file=sys.stderr)
        sys.exit(refusal.code)
    except KeyboardInterrupt:
        print("Interrupted. The next start begins again.", file=sys.stderr)
        sys.exit(130)
