"""Every reason a measure gives can be translated, and every word for the strength of agreement."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

from analysis import measures
from analysis.measures import kappa as landis_koch
from bench.messages import extract

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def translatable() -> set[str]:
    return {message.id for message in extract("analysis") if isinstance(message.id, str)}


def sentences() -> set[str]:
    """The constants of all modules of measures that are sentences."""
    modules = [import_module(f"{measures.__name__}.{module.name}") for module in iter_modules(measures.__path__)]
    constants = [value for module in modules for name, value in vars(module).items() if name.isupper()]
    return {value for value in constants if isinstance(value, str) and value.endswith(".") and " " in value}


def test_the_reasons_of_the_measures_are_marked_for_translation(translatable):
    assert len(sentences()) > 50
    assert sentences() - translatable == set()


def test_the_words_for_the_strength_of_agreement_are_marked_too(translatable):
    words = {word for _end, word in landis_koch.UPPER_ENDS}
    assert words | {landis_koch.POOR, landis_koch.ALMOST_PERFECT} <= translatable
