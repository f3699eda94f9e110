"""The exit codes of `./lesart`."""

STOPPED = 0
FAILED = 1
WRONG_USAGE = 2
NO_PYTHON = 3  # said by the shell script
NO_VENV = 4
NOT_INSTALLED = 5
PORT_TAKEN = 6
NOT_WRITABLE = 7
ALREADY_RUNNING = 8
NOT_PREPARED = 9
NOT_STARTED = 10

EXPLANATION = """exit codes:
  0   stopped when asked (Ctrl-C, TERM, HUP), or every part of the tests ran and passed
  1   a part of the tests failed or could not run
  2   wrong usage
  3   no Python 3.11 or newer
  4   this Python has no venv module
  5   the packages could not be installed
  6   the port is taken or the address cannot be used
  7   the data folder or the clone cannot be written
  8   Lesart already runs on this data folder
  9   the database could not be prepared
  10  a service did not start
  130 interrupted by Ctrl-C before Lesart ran, or while it was tested"""


class Refusal(Exception):
    """The command cannot go on: a sentence for people and an exit code."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
