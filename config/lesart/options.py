"""What `./lesart` understands. Standard library only: wrong options are refused before anything is installed."""

import argparse

from config.lesart import exits


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command and its options; `manage` and `test` keep what they pass on in `rest`."""
    if arguments[:1] == ["manage"]:
        return argparse.Namespace(command="manage", rest=arguments[1:])
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error("unrecognized arguments: " + " ".join(rest))
    options.rest = rest
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _command(argparse.ArgumentParser, prog="./lesart", description="Lesart, set up and run from its clone.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_up(commands)
    _add_test(commands)
    _command(commands.add_parser, "manage", help="run a command of manage.py on the data that `up` uses")
    _command(commands.add_parser, "setup", help="only install the packages; the other commands do it by themselves")
    return parser


def _add_up(commands) -> None:
    up = _command(commands.add_parser, "up", help="run Lesart until Ctrl-C")
    up.add_argument("--port", type=_port, default=8000, metavar="N", help="default 8000; 0 picks a free one")
    up.add_argument("--host", default="127.0.0.1", help="the address to listen on; default 127.0.0.1, this machine only")
    up.add_argument(
        "--no-model", action="store_true",
        help="start without the local model; this version has none, so that nothing changes",
    )  # fmt: skip


def _add_test(commands) -> None:
    test = _command(
        commands.add_parser, "test", help="run all tests: on SQLite, on PostgreSQL, in a browser",
        description="Other arguments go to pytest.",
    )  # fmt: skip
    test.add_argument(
        "--without", action="append", default=[], choices=["browser", "postgres"],
        help="leave a part out; the last line then says so",
    )  # fmt: skip


def _command(make, *args, **options) -> argparse.ArgumentParser:
    return make(
        *args, **options, epilog=exits.EXPLANATION, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise ValueError
    return port


_port.__name__ = "port"  # what argparse calls it in "invalid port value"
