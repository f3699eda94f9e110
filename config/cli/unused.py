"""Removes files of packages that Lesart never reads: their tests, sources of translations, other languages.

That is a fifth of the environment. Standard library only: it runs while the packages are installed.

python config/cli/unused.py SITE_PACKAGES     # what the image does
"""

import shutil
import sys
from pathlib import Path

LANGUAGES = {"en", "de", "eu"}  # of the pages
LOCALES = LANGUAGES | {"root"}  # of babel, which only gives the names of languages
PATTERNS = (
    "numpy/**/tests",
    "pandas/tests",
    "scipy/**/tests",
    "nltk/test",
    "pip/**/__pycache__",
    "setuptools/**/__pycache__",
    "**/LC_MESSAGES/*.po",
    "HanTa/morphmodel_dutch.pgz",
    "drf_spectacular_sidecar/static/drf_spectacular_sidecar/redoc",
)


def remove_unused(site_packages: Path) -> None:
    """Delete the unused files; a second call finds none."""
    for path in find_unused(site_packages):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def find_unused(site_packages: Path) -> list[Path]:
    """Folders and files to delete, none inside another."""
    found = {path for pattern in PATTERNS for path in site_packages.glob(pattern)}
    found |= {path for path in site_packages.glob("babel/locale-data/*.dat") if path.stem not in LOCALES}
    catalogues = site_packages.glob("**/locale/*/LC_MESSAGES")
    found |= {path.parent for path in catalogues if path.parent.name not in LANGUAGES}
    return sorted(path for path in found if not found.intersection(path.parents))


if __name__ == "__main__":
    remove_unused(Path(sys.argv[1]))
