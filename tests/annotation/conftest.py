import pytest

from tests.annotation.world import Walker, make_world


@pytest.fixture
def study(project):
    return make_world(project)


@pytest.fixture
def walker(study):
    """The first annotator, who has not opened the link yet."""
    return Walker(study.annotators.first())


@pytest.fixture
def other(study):
    return Walker(study.annotators.all()[1])
