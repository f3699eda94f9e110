"""The same door at the same moment: one gets through. SQLite takes its write lock when a transaction begins, and the
tests' database in memory knows no waiting; so these run where transactions interleave."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from projects.models import Membership, Role, User
from projects.services import (
    InvitationClosed,
    LastOwner,
    accept_invitation,
    change_role,
    create_invitation,
    create_sign_in_link,
    remove_member,
    use_sign_in_link,
)
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("sqlite" in connection.vendor, reason="transactions do not interleave on SQLite"),
]


@pytest.fixture
def at_once():
    """A function that calls another for each of the arguments, all in the same moment; counts those that pass."""

    def call(action, arguments, *refusals) -> int:
        barrier = Barrier(len(arguments))

        def one(argument) -> bool:
            try:
                with connection.cursor():
                    barrier.wait(timeout=PATIENCE)
                return bool(action(argument))
            except refusals:
                return False
            finally:
                connection.close()

        with ThreadPoolExecutor(len(arguments)) as pool:
            return sum(pool.map(one, arguments))

    return call


def test_a_sign_in_link_works_once(at_once):
    token = create_sign_in_link(User.objects.create_superuser("chief"))
    assert at_once(use_sign_in_link, [token] * 8) == 1


def test_an_invitation_makes_one_member(at_once, project):
    invitation = create_invitation(project, role=Role.VIEWER, note="", created_by=None)
    users = [User.objects.create_user(f"user-{number}") for number in range(8)]

    def accept(user) -> bool:
        accept_invitation(invitation, user)
        return True

    assert at_once(accept, users, InvitationClosed) == 1
    assert project.memberships.count() == 1


def test_a_double_click_of_one_person_is_no_error(at_once, project, stranger):
    invitation = create_invitation(project, role=Role.VIEWER, note="", created_by=None)

    def accept(user) -> bool:
        accept_invitation(invitation, user)
        return True

    assert at_once(accept, [stranger] * 4) == 4
    assert Membership.objects.filter(project=project, user=stranger).count() == 1


def test_two_owners_who_remove_each_other_leave_one(at_once, owner, viewer, project):
    change_role(viewer.memberships.get(), Role.OWNER)

    def remove(membership) -> bool:
        remove_member(membership)
        return True

    assert at_once(remove, list(project.memberships.all()), LastOwner) == 1
    assert project.memberships.get().role == Role.OWNER
