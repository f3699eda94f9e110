"""Reads docker-compose.yml, the Dockerfile and .dockerignore as Docker would, as far as ours go, and no further."""

import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from tests.config.shell import ROOT

COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = ROOT / "Dockerfile"
VARIABLE = re.compile(r"\$\$|\$\{(?P<name>\w+)(?P<how>:[?-])?(?P<rest>[^}]*)\}|\$")


class Missing(Exception):
    """A variable that must be set is not; the sentence is that of the file."""


def compose() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text())


def variables() -> set[str]:
    """All names that the file takes from .env or the environment."""
    return {found["name"] for found in VARIABLE.finditer(COMPOSE.read_text()) if found["name"]}


def fill_in(node: Any, values: Mapping[str, str]) -> Any:
    """The node with every variable replaced; `Missing` for a needed one without a value."""
    if isinstance(node, dict):
        return {key: fill_in(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [fill_in(value, values) for value in node]
    return VARIABLE.sub(replacement(values), node) if isinstance(node, str) else node


def replacement(values: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    def replace(found: re.Match[str]) -> str:
        if found.group() == "$$":
            return "$"
        if not found["name"] or not found["how"]:
            raise ValueError(f"{found.group()} says neither what is missing nor a default.")
        value = values.get(found["name"], "")
        if not value and found["how"] == ":?":
            raise Missing(found["rest"])
        return value or found["rest"]

    return replace


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, with continued lines joined."""
    lines = re.sub(r"\\\n\s*", " ", DOCKERFILE.read_text()).splitlines()
    return [
        (word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line and line[0] != "#")
    ]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each FROM; the last stage is the image."""
    found: list[list[tuple[str, str]]] = []
    for instruction in instructions():
        if instruction[0] == "FROM":
            found.append([])
        found[-1].append(instruction)
    return found


def image_environment() -> dict[str, str]:
    values = [rest for word, rest in stages()[-1] if word == "ENV"]
    return dict(word.split("=", 1) for rest in values for word in shlex.split(rest))


def is_in_image(path: PurePosixPath) -> bool:
    """Whether .dockerignore lets a file of the repository through: the last line that fits decides."""
    kept = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line and not line.startswith("#") and fits(line.removeprefix("!"), path):
            kept = line.startswith("!")
    return kept


def fits(pattern: str, path: PurePosixPath) -> bool:
    if pattern.startswith("**/"):
        return any(fnmatch(part, pattern.removeprefix("**/")) for part in path.parts)
    return fnmatch(str(path) if "/" in pattern else path.parts[0], pattern)


def image_files() -> Iterator[Path]:
    """Every file of the repository that the build sees, relative to it."""
    kept = (line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!")
    for pattern in kept:
        for top in sorted(ROOT.glob(pattern)):
            for file in [top] if top.is_file() else sorted(top.rglob("*")):
                relative = file.relative_to(ROOT)
                if file.is_file() and is_in_image(PurePosixPath(relative)):
                    yield relative


def make_image(folder: Path) -> None:
    """Puts into the folder what `COPY . .` would."""
    for file in image_files():
        (folder / file.parent).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, folder / file)


def packages_of_tests() -> list[str]:
    """What tests and checks alone run on; the image has none of them."""
    lines = (ROOT / "requirements-tests.in").read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "-"))]
