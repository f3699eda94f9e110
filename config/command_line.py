"""The command line of `manage.py`: external failures are shown as one sentence, like a command's own errors."""

import io
import os
import sys

from django.core.checks import Tags
from django.core.management import BaseCommand, execute_from_command_line
from django.db import DatabaseError, InterfaceError, OperationalError, ProgrammingError

from config.env import BadSetting
from config.outages import AWAY, find_outage

FAILED, INTERRUPTED = 1, 130
NOT_PREPARED = {
    "no such table": "It is not prepared. Run: python manage.py migrate",
    "no such column": "It is of another version. Run: python manage.py migrate",
    "does not exist": "It is not prepared. Run: python manage.py migrate",
}


def run(argv: list[str]) -> int:
    """Run the command and return its exit code. With `--traceback` database errors keep their traceback.

    Output is always UTF-8, like the files, as exports may go to standard output.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # All checks would import every page, with pandas and scipy, before the command starts: `check` runs them.
    BaseCommand.requires_system_checks = [Tags.models]
    code = execute(argv)
    try:
        sys.stdout.flush()
    except OSError as error:
        forget_stdout()  # otherwise Python reports the error again when closing it
        if not isinstance(error, BrokenPipeError):  # with a broken pipe the reader has gone, but the work is done
            return report(f"Standard output cannot be written: {error.strerror}.")
    return code


def execute(argv: list[str]) -> int:
    try:
        execute_from_command_line(argv)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else FAILED * (ended.code is not None)
    except KeyboardInterrupt:
        return report("Interrupted.", INTERRUPTED)
    except BrokenPipeError:
        return FAILED
    except BadSetting as bad:
        return report(str(bad))
    except (DatabaseError, InterfaceError) as error:
        if "--traceback" in argv or not is_about_database_state(error):
            raise
        return report(describe_error(error))
    return 0


def is_about_database_state(error: Exception) -> bool:
    """Whether the error is about the state of the database rather than about the request."""
    return (
        find_outage(error) is not None
        or isinstance(error, (OperationalError, InterfaceError))
        or type(error) is DatabaseError
        or (isinstance(error, ProgrammingError) and "does not exist" in str(error))
    )


def describe_error(error: Exception) -> str:
    reason = str(error).strip().partition("\n")[0]
    if remedy := next((remedy for sign, remedy in NOT_PREPARED.items() if sign in reason), None):
        return f"The database refused: {reason}. {remedy}"
    return (find_outage(error) or AWAY).describe(error)


def report(words: str, code: int = FAILED) -> int:
    print(words, file=sys.stderr)
    return code


def forget_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
