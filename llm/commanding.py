"""What commands that let models work have in common: lists and amounts in words, the last question."""

import argparse
import sys
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import CommandError

from llm.models import Endpoint, Unknown

SOME_MISSING = 3
"""How a command ends whose run is over with some missing."""

ON_UNKNOWN: dict[str, Any] = {
    "choices": Unknown.values,
    "help": "calls on the wire when a worker dies: ask again and count the first as paid (default), or hold them",
}


def listed(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]


def amount(words: str) -> Decimal:
    try:
        found = Decimal(words)
    except InvalidOperation:
        raise argparse.ArgumentTypeError("write an amount such as 2.50") from None
    if not found.is_finite() or found < 0:
        raise argparse.ArgumentTypeError("write an amount such as 2.50")
    return found


def confirm(endpoint: Endpoint) -> None:
    """Whoever may have to pay says yes at the terminal; without one, `CommandError`."""
    if not sys.stdin.isatty():
        raise CommandError(
            f"Calls to {endpoint.name} cost money or have no price. Look at --estimate, then say so with --yes."
        )
    if input("Start? [y/N] ").strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was asked.")
