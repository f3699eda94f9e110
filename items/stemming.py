"""NLTK's Snowball stemmers without the rest of NLTK, which loads scipy.stats and much else for a second of CPU."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from types import ModuleType
from typing import Any

PACKAGE, STEMMERS = "nltk", "nltk.stem.snowball"
LOADING = Lock()


@cache
def load_stemmer(language: str) -> Any:
    """The stemmer of a language by its English name, with a method `stem`."""
    with LOADING:
        return load_module().SnowballStemmer(language)


def load_module() -> ModuleType:
    if PACKAGE in sys.modules:
        return import_module(STEMMERS)
    with replace_packages():
        return import_module(STEMMERS)


@contextmanager
def replace_packages() -> Iterator[None]:
    """Replace NLTK's packages by empty ones that find modules but load none; at the end remove all of NLTK again.

    Stop words, which are not used here, would load all corpus readers.
    """
    spec = find_spec(PACKAGE)
    assert spec
    assert spec.origin
    folder = Path(spec.origin).parent
    for name, path in ((PACKAGE, folder), (f"{PACKAGE}.stem", folder / "stem"), (f"{PACKAGE}.corpus", folder)):
        sys.modules[name] = package = ModuleType(name)
        package.__path__ = [str(path)]
    package.stopwords = None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
            del sys.modules[name]
