"""Shared by the commands that run models: options, parsing, confirmation, and waiting for a run."""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from jobs.workers import has_live_workers
from llm.failures import get_remedy
from llm.models import Endpoint, Run, RunState, Unknown
from llm.prices import format_money
from llm.request_options import MOST_TOKENS, Effort, RequestOptions, read_extra
from llm.run_numbers import Progress
from llm.services import draining
from llm.services.draining import drain_here
from llm.services.endpoints import CannotRunHere, ensure_running
from llm.services.planning import Estimate
from llm.services.runs import pause

SOME_MISSING = 3
"""The exit code of a command whose run ended with calls missing."""
KEEP_GOING: dict[str, Any] = {
    "action": "store_true",
    "help": "go on although the first replies are all unusable",
}

ON_UNKNOWN: dict[str, Any] = {
    "choices": Unknown.values,
    "help": "calls on the wire when a worker dies: ask again and count the first as paid (default), or hold them",
}


def add_option_arguments(parser: argparse.ArgumentParser) -> None:
    """Options that requests carry besides the prompt."""
    parser.add_argument("--max-tokens", type=int, metavar="N", help="output tokens of a reply, reasoning included")
    parser.add_argument("--reasoning-effort", choices=Effort.values, help="of a model that reasons")
    parser.add_argument(
        "--extra", type=parse_extra, metavar="JSON", help="more parameters of every request, as an object"
    )


def read_options(options: dict[str, Any]) -> RequestOptions:
    """The options of the command line; `CommandError` for an invalid limit."""
    if options["max_tokens"] is not None and not 1 <= options["max_tokens"] <= MOST_TOKENS:
        raise CommandError(f"--max-tokens is a number from 1 to {MOST_TOKENS}.")
    return RequestOptions(options["max_tokens"], options["reasoning_effort"] or "", options["extra"] or {})


def parse_extra(words: str) -> dict[str, Any]:
    try:
        return read_extra(words)
    except ValidationError as error:
        raise argparse.ArgumentTypeError(error.messages[0]) from None


def split_list(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def parse_amount(words: str) -> Decimal:
    try:
        found = Decimal(words)
    except InvalidOperation:
        raise argparse.ArgumentTypeError("write an amount such as 2.50") from None
    if not found.is_finite() or found < 0:
        raise argparse.ArgumentTypeError("write an amount such as 2.50")
    return found


def confirm_start(endpoint: Endpoint) -> None:
    """Ask at the terminal for confirmation before anything can cost money; without a terminal, `CommandError`."""
    if not sys.stdin.isatty():
        raise CommandError(
            f"Calls to {endpoint.name} cost money or have no price. Look at --estimate, then say so with --yes."
        )
    if input("Start? [y/N] ").strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was asked.")


class RunCommand(BaseCommand):
    """A command that runs a model: its options, its estimate, a question before paid calls, and waiting."""

    def add_run_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--budget", type=parse_amount, metavar="B", help="pause above it, in the endpoint's currency"
        )
        add_option_arguments(parser)
        parser.add_argument("--keep-going", **KEEP_GOING)
        parser.add_argument("--on-unknown", **ON_UNKNOWN)
        parser.add_argument("--estimate", action="store_true", help="show the estimate and stop")
        parser.add_argument("--yes", action="store_true", help="do not ask before calls that cost money")

    def refuse_options(self, options: dict[str, Any], names: Iterable[str], why: str) -> None:
        """Raises `CommandError` for the first of these options that was given: none is ignored silently."""
        for name in names:
            if options[name] is not None and options[name] is not False:
                flag = "as" if name == "label" else name.replace("_", "-")
                raise CommandError(f"--{flag} {why}. Leave it out.")

    def find_endpoint(self, name: str, *others: str) -> Endpoint:
        endpoint = Endpoint.objects.filter(name=name).first()
        if endpoint is None:
            known = ", ".join([*Endpoint.objects.values_list("name", flat=True), *others]) or "none"
            raise CommandError(f"There is no model “{name}”; there are: {known}. Add it with add_model.")
        return endpoint

    def confirm_estimate(self, found: Estimate, endpoint: Endpoint, options: dict[str, Any]) -> bool:
        """Show the estimate; returns whether to start the run, after confirmation if it costs money."""
        self.stdout.write(format_estimate(found, endpoint.currency))
        if options["estimate"]:
            return False
        if found.n_new and not (endpoint.is_free or endpoint.is_local or options["yes"]):
            confirm_start(endpoint)
        return True

    def wait_for_run(self, run: Run) -> Run:
        """Wait until the run ends or pauses; say why if calls are left."""
        run = wait_for_run(run, self.stdout.write)
        if stopped := explain_ending(run):
            self.stderr.write(stopped)
        return run


def read_run_terms(options: dict[str, Any]) -> dict[str, Any]:
    """The budget of a run and the treatment of failed calls, from the options of `add_run_arguments`."""
    terms = {"budget": options["budget"], "on_unknown": options["on_unknown"] or ""}
    return terms | {"keeps_going": options.get("keep_going", False)}


LOOK_EVERY = 2.0


def wait_for_run(run: Run, say: Callable[[str], None]) -> Run:
    """Wait until the run ends or pauses. Workers do the work; if none is alive, this process does it.

    A database outage of less than a minute only delays it.
    """
    last = [""]

    def tell(current: Run) -> None:
        if (line := format_progress(current)) != last[0]:
            say(line)
            last[0] = line

    while run.is_active:
        try:
            run = _wait_for_workers(run, tell)
        except draining.DATABASE_AWAY as error:
            draining.wait_for_database(error)
    return run


def _wait_for_workers(run: Run, tell: Callable[[Run], None]) -> Run:
    if not has_live_workers():
        return _drain_in_process(run, tell)
    time.sleep(LOOK_EVERY)
    run.refresh_from_db()
    tell(run)
    return run


def _drain_in_process(run: Run, tell: Callable[[Run], None]) -> Run:
    try:
        with ensure_running(run.endpoint):
            return drain_here(run, tell)
    except CannotRunHere as error:
        pause(run, str(error))
        run.refresh_from_db()
        return run


def format_progress(run: Run) -> str:
    progress = Progress(run)
    values = {"done": progress.n_done, "total": progress.n_calls, "missing": progress.n_missing}
    line = _("%(done)d of %(total)d calls done, %(missing)d without an answer") % values
    return f"{line}, {progress.amount_spent}." if progress.amount_spent else f"{line}."


def explain_ending(run: Run) -> str:
    """Why the run is paused with open calls, and what to do; "" if it is complete."""
    if run.state == RunState.DONE:
        return ""
    return f"{run.get_state_display()}: {get_remedy(run.reason) or run.reason}".strip().rstrip(":")


def format_estimate(found: Estimate, currency: str) -> str:
    """The number of calls, how many of them are known already, and the maximum tokens and money."""
    sentence = ngettext("%(n)d call", "%(n)d calls", found.n_calls) % {"n": found.n_calls}
    known = _("%(known)d of them answered before") % {"known": found.n_known}
    tokens = _("at most about %(into)d tokens in and %(out)d out") % {"into": found.tokens_in, "out": found.tokens_out}
    price = format_money(found.cost_nanos, currency) or _("no price known")
    return f"{sentence}, {known}; {tokens}; {price}."
