"""Typed access to environment variables that fails loudly: the only place where they are read."""

import os
import secrets
from pathlib import Path

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}


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
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
            new.write(secrets.token_urlsafe(48))
    except FileExistsError:
        pass
    except OSError as error:
        reason = f"{name} is not set, and {file} cannot be written to keep one: {error.strerror}."
        raise BadSetting(reason) from None
    return file.read_text().strip()
