import re

import pytest

from projects.models import Membership, Role, User
from projects.services import create_invitation


@pytest.fixture
def invitation(project, owner):
    return create_invitation(project, role=Role.RESEARCHER, note="for Anna", created_by=owner)


@pytest.fixture
def newcomer(db) -> User:
    """Somebody with an account and no project."""
    return User.objects.create_user("newcomer", password="correct horse battery")


@pytest.fixture
def role_of(project):
    """A function that says which role a user has in the project, None if none."""

    def find(user: User) -> str | None:
        return Membership.objects.filter(project=project, user=user).values_list("role", flat=True).first()

    return find


@pytest.fixture
def bare():
    """A function that takes out of a page what differs between any two requests: form tokens and the path."""

    def strip(response) -> str:
        page = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())
        return page.replace(response.request["PATH_INFO"], "PATH")

    return strip
