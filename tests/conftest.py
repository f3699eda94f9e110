"""The characters of the tests: four members with different rights, a stranger, and a small project."""

import pytest
from django.utils import translation

from projects.models import Membership, Project, Role, User


@pytest.fixture(autouse=True, scope="session")
def fast_passwords():
    """Hashing a password for real takes longer than most tests."""
    from django.test import override_settings

    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(autouse=True)
def in_english():
    """A page asked for in German leaves its language to the thread, and so to the next test."""
    translation.activate("en")


@pytest.fixture
def project(db) -> Project:
    return Project.objects.create(slug="rivers", title="Rivers")


@pytest.fixture
def member(project):
    """A function that makes a member of the project with the given role."""

    def make(role: Role) -> User:
        user = User.objects.create_user(f"{role.value}-member", password="correct horse battery")
        Membership.objects.create(project=project, user=user, role=role)
        return user

    return make


@pytest.fixture
def owner(member):
    return member(Role.OWNER)


@pytest.fixture
def researcher(member):
    return member(Role.RESEARCHER)


@pytest.fixture
def reviewer(member):
    return member(Role.REVIEWER)


@pytest.fixture
def viewer(member):
    return member(Role.VIEWER)


@pytest.fixture
def stranger(db):
    """Somebody with an account and a project of their own, but none of this one."""
    user = User.objects.create_user("stranger", password="correct horse battery")
    other = Project.objects.create(slug="mountains", title="Mountains")
    Membership.objects.create(project=other, user=user, role=Role.OWNER)
    return user


@pytest.fixture
def as_user(client):
    """A function that signs the test client in and returns it."""

    def sign_in(user):
        client.force_login(user)
        return client

    return sign_in
