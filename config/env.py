"""Typed access to environment variables with clear errors: the only place where they are read."""

import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo

import dj_database_url

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
HOST, ORIGIN = re.compile(r"[^/\s@]+"), re.compile(r"https?://[^/\s@]+")
MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}
SQLITE = "config.sqlite"  # Django's backend with a queue of writers
ENGINES = {"django.db.backends.sqlite3": SQLITE, "django.db.backends.postgresql": "django.db.backends.postgresql"}


class BadSetting(ValueError):
    """An environment variable has a value that Lesart cannot read."""


def read_text(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def read_flag(name: str) -> bool:
    value = os.environ.get(name, "0")
    if value.strip().lower() in TRUE | FALSE:
        return value.strip().lower() in TRUE
    raise BadSetting(f"{name} is {value!r}; write 1 or 0.")


def read_integer(name: str, default: int) -> int:
    value = read_text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise BadSetting(f"{name} is {value!r}; write a whole number.") from None


def read_choice(name: str, choices: Sequence[str]) -> str:
    """One of these words, the first by default."""
    value = read_text(name) or choices[0]
    if value not in choices:
        raise BadSetting(f"{name} is {value!r}; write {' or '.join(choices)}.")
    return value


def read_list(name: str, default: str = "") -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in read_text(name, default).split(",") if word.strip()]


def read_hosts(name: str, default: str = "") -> list[str]:
    """Host names, with or without a port; a URL is refused, as no request has it as its host."""
    return _check_each(name, read_list(name, default), HOST, "HOST, without https:// and path")


def read_origins(name: str) -> list[str]:
    """URLs consisting of scheme and host."""
    return _check_each(name, read_list(name), ORIGIN, "https://HOST, without path")


def _check_each(name: str, values: list[str], shape: re.Pattern[str], example: str) -> list[str]:
    if wrong := next((value for value in values if not shape.fullmatch(value)), None):
        raise BadSetting(f"{name} has {wrong!r}; write {example}, several with commas between them.")
    return values


def read_secret(name: str, file: Path) -> str:
    """The variable, else a random key that is created once and stored in the file, readable only by its owner."""
    if value := read_text(name):
        return value
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(48))
        return file.read_text().strip()
    except OSError as error:
        reason = f"{name} is not set, and {file} cannot be written to keep one: {error.strerror}."
        raise BadSetting(reason) from None


def read_time_zone(name: str, default: str) -> str:
    """The name of a time zone known to this machine."""
    value = read_text(name, default)
    try:
        ZoneInfo(value)
    except (ValueError, OSError, KeyError):  # a name that is an invalid path, a folder, or missing
        raise BadSetting(f"{name} is {value!r}; write the name of a time zone, such as Europe/Zurich.") from None
    return value


def read_mail_server(name: str) -> dict[str, Any]:
    """The URL of a mail server as Django settings; empty without one. Error messages do not contain it."""
    if not read_text(name):
        return {}
    try:
        parts = urlsplit(read_text(name))
        port = parts.port or MAIL_PORTS[parts.scheme]
    except (ValueError, KeyError):
        parts = None
    if parts is None or not parts.hostname:
        raise BadSetting(f"{name} cannot be read; write smtp+tls://USER:PASSWORD@HOST:587, smtps://… or smtp://HOST.")
    return {
        "HOST": parts.hostname, "PORT": port,
        "HOST_USER": unquote(parts.username or ""), "HOST_PASSWORD": unquote(parts.password or ""),
        "USE_TLS": parts.scheme == "smtp+tls", "USE_SSL": parts.scheme == "smtps",
    }  # fmt: skip


def read_database(name: str, default: str) -> dict[str, Any]:
    """The URL of a database as Django settings. Error messages do not contain it: it may have a password."""
    try:
        found = dj_database_url.parse(read_text(name) or default, conn_health_checks=True)
    except ValueError:
        found = {}
    if found.get("ENGINE") not in ENGINES:
        raise BadSetting(f"{name} cannot be read; write postgres://USER:PASSWORD@HOST:5432/NAME or sqlite:///FILE.")
    return dict(found) | {"ENGINE": ENGINES[found["ENGINE"]]}
