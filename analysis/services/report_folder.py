"""The folder into which a report is written: looked at before anything is computed, cleared of the earlier report."""

import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from analysis.report import Report
from analysis.writers import WRITERS

ABOUT = "report.json"
FOLDERS = {"tables": tuple(WRITERS), "figures": ("vl.json", "svg", "png")}
"""What the folder has beside `ABOUT`, with the endings that each table or figure has there."""
MOST_BYTES = 100_000_000  # a report.json has a few kilobytes; what is this large, nobody's report has written


def make_ready(out: Path) -> None:
    """Make the folder and those in it; an `OSError` that names the one into which nothing can be written."""
    for folder in (out, *(out / name for name in FOLDERS)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from None


def remove_earlier(out: Path, report: Report) -> None:
    """Remove the tables and figures of which the folder's report.json speaks and which `report` does not have.

    Nothing else is touched: no file that report.json does not name, none outside the folder, no link and no folder.
    """
    now = {"tables": {table.name for table in report.tables}, "figures": set(report.figures)}
    for kind, names in named_in(out / ABOUT).items():
        for name in sorted(names - now[kind]):
            for path in (out / kind / f"{name}.{ending}" for ending in FOLDERS[kind]):
                if path.is_file() and not path.is_symlink() and is_inside(path, out):
                    path.unlink()


def named_in(about: Path) -> dict[str, set[str]]:
    """The names of tables and figures in a report.json; none if there is none, or if it is no report's."""
    try:
        said = json.loads(about.read_bytes()) if about.stat().st_size < MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return {kind: set(names_in(said.get(kind))) for kind in FOLDERS} if isinstance(said, dict) else {}


def names_in(listed: Any) -> Iterator[str]:
    """The plain names: one that could lead elsewhere is none that a report has written."""
    for name in listed if isinstance(listed, list | dict) else ():
        if isinstance(name, str) and name.isascii() and name.isidentifier():
            yield name


def is_inside(path: Path, out: Path) -> bool:
    """Whether it stands in the folder itself: `tables` may be a link to another place."""
    return os.path.realpath(path.parent) == os.path.join(os.path.realpath(out), path.parent.name)
