"""Typed access to environment variables that fails loudly: the only place where they are read."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import dj_database_url

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
ENGINES = {"django.db.backends.sqlite3", "django.db.backends.postgresql"}


class BadSetting(ValueError):
    """An environment variable has a value that Lesart cannot read."""


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default)


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name)
    if value is None:
        return default
    if value.strip().lower() in TRUE | FALSE:
        return value.strip().lower() in TRUE
    raise BadSetting(f"{name} is {value!r}; write 1 or 0.")


def whole_number(name: str, default: int) -> int:
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise BadSetting(f"{name} is {value!r}; write a whole number.") from None


def words(name: str, default: str = "") -> list[str]:
    """A list separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def secret(name: str, file: Path) -> str:
    """The variable, else a random key that is made once and kept in the file, readable by its owner only."""
    if value := text(name):
        return value
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(48))
        return file.read_text().strip()
    except OSError as error:
        reason = f"{name} is not set, and {file} cannot be written to keep one: {error.strerror}."
        raise BadSetting(reason) from None


def time_zone(name: str, default: str) -> str:
    """The name of a time zone that this machine knows."""
    value = text(name, default)
    try:
        ZoneInfo(value)
    except (ValueError, OSError, KeyError):  # a name that is no path, a folder, or not there
        raise BadSetting(f"{name} is {value!r}; write the name of a time zone, such as Europe/Zurich.") from None
    return value


def database(name: str, default: str) -> dict[str, Any]:
    """The address of a database as Django's settings of it. The sentence does not say it: it may hold a password."""
    try:
        found = dj_database_url.parse(text(name) or default, conn_health_checks=True)
    except ValueError:
        found = {}
    if found.get("ENGINE") not in ENGINES:
        raise BadSetting(f"{name} cannot be read; write postgres://USER:PASSWORD@HOST:5432/NAME or sqlite:///FILE.")
    return dict(found)
