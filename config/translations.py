"""Compiled catalogs of the pages' translations: a `.mo` file beside each `.po`, created here and never committed.

python -m config.translations     # compile what has changed
"""

import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATTERNS = ("locale/*/LC_MESSAGES/django.po", "*/locale/*/LC_MESSAGES/django.po")


def compile_stale() -> list[Path]:
    """Compile every catalog that is newer than its compiled file; returns the compiled sources.

    If nothing has changed, it only compares file times.
    """
    stale = [source for pattern in PATTERNS for source in sorted(ROOT.glob(pattern)) if is_stale(source)]
    for source in stale:
        compile_catalog(source)
    return stale


def is_stale(source: Path) -> bool:
    compiled = source.with_suffix(".mo")
    return not compiled.exists() or compiled.stat().st_mtime_ns < source.stat().st_mtime_ns


def compile_catalog(source: Path) -> None:
    """Write the `.mo` of a `.po` in one step, so that several processes may do it at once."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    with open(source, "rb") as file:
        catalogue = read_po(file, locale=source.parent.parent.name)
    handle, name = tempfile.mkstemp(dir=source.parent, suffix=".mo.part")
    with os.fdopen(handle, "wb") as file:
        write_mo(file, catalogue)
    Path(name).chmod(0o644)
    Path(name).replace(source.with_suffix(".mo"))


if __name__ == "__main__":
    for path in compile_stale():
        print(path.relative_to(ROOT))
