"""The command line of `./lesart`: commands, options, exit codes.

Standard library only: invalid options are refused before anything is installed.
"""

import argparse
from typing import Any

STOPPED = 0
FAILED = 1
WRONG_USAGE = 2
NO_PYTHON = 3  # set by the shell script
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
    """The command cannot continue: a sentence and an exit code."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


Commands = argparse._SubParsersAction  # what add_subparsers() returns has no public name
COMMON: dict[str, Any] = {
    "epilog": EXPLANATION,
    "formatter_class": argparse.RawDescriptionHelpFormatter,
    "allow_abbrev": False,
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command and its options; `manage` and `test` keep the arguments that they pass on in `rest`."""
    if arguments[:1] == ["manage"]:
        return _parse_manage(arguments[1:])
    parser = _build_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error("unrecognized arguments: " + " ".join(rest))
    options.rest = rest
    if options.command == "test":
        options.extras = [*options.extras, "tests"]
    return options


def _parse_manage(arguments: list[str]) -> argparse.Namespace:
    """Everything belongs to manage.py, except our own option at the very beginning."""
    if arguments[:1] != ["--with"]:
        return argparse.Namespace(command="manage", rest=arguments, extras=[])
    parser = argparse.ArgumentParser(prog="./lesart manage", **COMMON)
    _add_extras(parser)
    return argparse.Namespace(command="manage", rest=arguments[2:], extras=parser.parse_args(arguments[:2]).extras)


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./lesart", description="Sets Lesart up and runs it.", **COMMON)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_up(commands)
    _add_test(commands)
    commands.add_parser("manage", help="a command of manage.py, on the data and the broker of `up`", **COMMON)
    setup = commands.add_parser("setup", help="only install the packages, as the others do by themselves", **COMMON)
    _add_extras(setup, "local", "tests")
    return parser


def _add_up(commands: "Commands[argparse.ArgumentParser]") -> None:
    up = commands.add_parser("up", help="run Lesart until Ctrl-C", **COMMON)
    up.add_argument("--port", type=_parse_port, default=8000, metavar="N", help="default 8000; 0 picks a free one")
    up.add_argument("--host", default="127.0.0.1", help="address to listen on; default 127.0.0.1")
    no_model = "start without the small local model"
    up.add_argument("--no-model", action="store_true", help=no_model)
    _add_extras(up)


def _add_test(commands: "Commands[argparse.ArgumentParser]") -> None:
    help_text = "run all tests: on SQLite, on PostgreSQL, in a browser"
    test = commands.add_parser("test", help=help_text, description="Other arguments go to pytest.", **COMMON)
    left_out = "leave a part out; the last line then says so"
    quick = "only what takes seconds: no browser, no PostgreSQL, no slow test, few random examples"
    test.add_argument("--quick", action="store_true", help=quick)
    test.add_argument("--without", action="append", default=[], choices=["browser", "postgres"], help=left_out)
    _add_extras(test)


def _add_extras(parser: argparse.ArgumentParser, *choices: str) -> None:
    help_text = "with an optional extra; local: models of the transformers library, in an environment of its own"
    help_text += "; tests: what tests and checks run on" if "tests" in choices else ""
    parser.add_argument(
        "--with", action="append", default=[], choices=choices or ["local"], dest="extras", help=help_text
    )


def _parse_port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 65535")
    return int(text)
