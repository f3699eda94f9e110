"""The first step of `./lesart`: an environment of its own with everything that Lesart needs, made once.

Standard library only, and readable for old Pythons, which have to say that they are too old.
"""
# ruff: noqa: UP

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REQUIREMENTS = os.path.join(ROOT, "requirements.txt")
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "lesart-stamp")
LOCK = os.path.join(VENV, "lesart-lock")

# Not this file's own folder: a module of ours must not be taken for one of Python's.
sys.path[0] = ROOT
from config.lesart import exits  # noqa: E402


def main(arguments):
    require_python()
    from config.lesart import options

    options.parse(arguments)
    try:
        ensure_environment()
    except EnvironmentError as error:
        raise exits.Refusal(
            exits.NOT_WRITABLE,
            "Lesart's packages cannot be put into %s (%s). Give this user the right to write there, "
            "or clone Lesart to another place." % (VENV, error.strerror or error),
        )
    # -P and the path alone: a folder `config` where the user stands must not be taken for ours.
    os.environ["PYTHONPATH"] = ROOT
    os.execv(VENV_PYTHON, [VENV_PYTHON, "-P", "-m", "config.lesart"] + arguments)


def require_python():
    if sys.version_info < (3, 11):
        raise exits.Refusal(
            exits.NO_PYTHON,
            "Lesart needs Python 3.11 or newer; %s is %s. Install a newer one, or name it: "
            "PYTHON=/path/to/python3 ./lesart up" % (sys.executable, ".".join(map(str, sys.version_info[:3]))),
        )


def require_venv():
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        raise exits.Refusal(
            exits.NO_VENV,
            "%s has no venv module. On Debian and Ubuntu install it with: apt install python3-venv "
            "(for a Python beside the system's: python%d.%d-venv)." % ((sys.executable,) + sys.version_info[:2]),
        )


def ensure_environment():
    """Makes or repairs `.venv` unless its stamp says that it is complete; two starts at once wait for each other."""
    if is_complete():
        return
    require_venv()
    if not os.path.isdir(VENV):
        os.makedirs(VENV)
    import fcntl

    with open(LOCK, "a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_complete():
            return
        lock.seek(0)
        was_interrupted = bool(lock.read())
        lock.write("an installation began\n")
        lock.flush()
        install(can_keep=not was_interrupted and is_own_python())
        lock.truncate(0)


def is_complete():
    try:
        with open(STAMP) as stamp:
            return stamp.read() == expected_stamp() and os.path.exists(VENV_PYTHON)
    except EnvironmentError:
        return False


def expected_stamp():
    """What an environment depends on: the locked packages, its Python and its place (scripts hold the path)."""
    with open(REQUIREMENTS, "rb") as requirements:
        packages = hashlib.sha256(requirements.read()).hexdigest()
    return "\n".join([packages, os.path.realpath(VENV_PYTHON), VENV, ""])


def base_python():
    """The Python itself, also when it was called through an environment, which may be the one to be replaced."""
    return getattr(sys, "_base_executable", None) or sys.executable


def is_own_python():
    return os.path.exists(VENV_PYTHON) and os.path.realpath(VENV_PYTHON) == os.path.realpath(base_python())


def install(can_keep):
    say("Installing Lesart's packages into %s. This happens once and takes about a minute." % VENV)
    if os.path.exists(STAMP):
        os.remove(STAMP)
    if not can_keep:
        clear()
    run([base_python(), "-m", "venv", VENV])
    # Compiling all of it would take longer than the rest; Python compiles what it uses.
    run(
        [VENV_PYTHON, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-compile"]
        + ["--only-binary", ":all:", "--require-hashes", "--no-deps", "-r", REQUIREMENTS]
    )
    with open(STAMP, "w") as stamp:
        stamp.write(expected_stamp())


def clear():
    """Empties `.venv` but for the lock, which this process holds."""
    for name in os.listdir(VENV):
        path = os.path.join(VENV, name)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif path != LOCK:
            os.remove(path)


def run(command):
    code = subprocess.call(command, stdout=sys.stderr, cwd=ROOT)
    if code:
        raise exits.Refusal(
            exits.NOT_INSTALLED,
            "The packages could not be installed: `%s` ended with code %d, its message stands above. "
            "Check the network and the free space, then start again." % (" ".join(command[:4]), code),
        )


def say(sentence):
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except exits.Refusal as refusal:
        say(str(refusal))
        sys.exit(refusal.code)
    except KeyboardInterrupt:
        say("Interrupted. The next start begins again.")
        sys.exit(130)
