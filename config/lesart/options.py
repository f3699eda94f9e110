"""What `./lesart` understands. Standard library only: wrong options are refused before anything is installed."""

import argparse
from typing import Any

from config.lesart import exits

Commands = argparse._SubParsersAction  # what add_subparsers() returns has no public name
COMMON: dict[str, Any] = {
    "epilog": exits.EXPLANATION,
    "formatter_class": argparse.RawDescriptionHelpFormatter,
    "allow_abbrev": False,
}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command and its options; `manage` and `test` keep what they pass on in `rest`."""
    if arguments[:1] == ["manage"]:
        return _manage(arguments[1:])
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error("unrecognized arguments: " + " ".join(rest))
    options.rest = rest
    return options


def _manage(arguments: list[str]) -> argparse.Namespace:
    """All that follows belongs to manage.py, but for our own option at its very beginning."""
    if arguments[:1] != ["--with"]:
        return argparse.Namespace(command="manage", rest=arguments, extras=[])
    parser = argparse.ArgumentParser(prog="./lesart manage", **COMMON)
    _add_extras(parser)
    return argparse.Namespace(command="manage", rest=arguments[2:], extras=parser.parse_args(arguments[:2]).extras)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="./lesart", description="Sets Lesart up and runs it.", **COMMON)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_up(commands)
    _add_test(commands)
    commands.add_parser("manage", help="a command of manage.py, on the data and the broker of `up`", **COMMON)
    setup = commands.add_parser("setup", help="only install the packages, as the others do by themselves", **COMMON)
    _add_extras(setup)
    return parser


def _add_up(commands: "Commands[argparse.ArgumentParser]") -> None:
    up = commands.add_parser("up", help="run Lesart until Ctrl-C", **COMMON)
    up.add_argument("--port", type=_port, default=8000, metavar="N", help="default 8000; 0 picks a free one")
    up.add_argument("--host", default="127.0.0.1", help="address to listen on; default 127.0.0.1")
    no_model = "start without the small local model"
    up.add_argument("--no-model", action="store_true", help=no_model)
    _add_extras(up)


def _add_test(commands: "Commands[argparse.ArgumentParser]") -> None:
    help_text = "run all tests: on SQLite, on PostgreSQL, in a browser"
    test = commands.add_parser("test", help=help_text, description="Other arguments go to pytest.", **COMMON)
    left_out = "leave a part out; the last line then says so"
    test.add_argument("--without", action="append", default=[], choices=["browser", "postgres"], help=left_out)
    _add_extras(test)


def _add_extras(parser: argparse.ArgumentParser) -> None:
    help_text = "with an optional extra, in an environment of its own; local: models of the transformers library"
    parser.add_argument("--with", action="append", default=[], choices=["local"], dest="extras", help=help_text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 65535")
    return int(text)
