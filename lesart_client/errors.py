"""Errors as exceptions whose message says what happened and what to do."""

from typing import Any


class Problem(Exception):
    """The server refused a request; the fields are those of its problem document (RFC 9457)."""

    def __init__(self, status: int, document: dict[str, Any]):
        self.status, self.type = status, str(document.get("type", "about:blank"))
        self.detail, self.errors = str(document.get("detail", "")), list(document.get("errors", []))
        self.columns = list(document.get("columns", []))  # name and field of each, if a table of items was refused
        lines = [self.detail or f"The server answered {status}.", *map(describe_error, self.errors)]
        super().__init__("\n".join(lines))


def describe_error(error: dict[str, Any]) -> str:
    place = [f"line {error['line']}"] if error.get("line") else []
    place += [error["field"]] if error.get("field") else []
    return ": ".join(filter(None, [", ".join(place), str(error.get("reason", ""))]))


class JobFailed(Exception):
    """A job or run on the server ended without a result; `errors`: those in the file that it read."""

    def __init__(self, reason: str, errors: Any = ()):
        self.errors = list(errors)
        super().__init__("\n".join([reason, *map(describe_error, self.errors)]))


class TimedOut(Exception):
    """Something was not ready within your time limit; it continues on the server."""
