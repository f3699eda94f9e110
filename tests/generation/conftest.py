"""Models on a mock server, waited for by nobody."""

import pytest

from tests.factory import make_text

GERMAN = "Mira hörte jeden Abend um sieben ein Klavierstück aus der Wohnung im Erdgeschoss. Herr Seidel spielte es."


@pytest.fixture(autouse=True)
def quick(quick_models):
    """Every test here may ask the mock server."""


@pytest.fixture
def piano(project):
    return make_text(project, "piano", title="Das Ende", body=GERMAN, language="de")
