"""Roles and removal; a project that has an owner keeps one."""

import pytest
from django.urls import reverse

from projects.models import Membership, Role
from projects.services import LastOwner, change_role, remove_member

SENTENCE = "A project needs an owner."


def change(client, user, role):
    url = reverse("member_role", args=["rivers", user.memberships.get().pk])
    return client.post(url, {"role": role}, follow=True)


def remove(client, user):
    return client.post(reverse("member_remove", args=["rivers", user.memberships.get().pk]), follow=True)


def test_owner_changes_a_role(owner, viewer, as_user, role_of):
    change(as_user(owner), viewer, "researcher")
    assert role_of(viewer) == Role.RESEARCHER


def test_unknown_role_changes_nothing_and_says_so(owner, viewer, as_user, role_of):
    page = change(as_user(owner), viewer, "emperor")
    assert role_of(viewer) == Role.VIEWER
    assert "Choose one of the roles. Nothing was changed." in page.content.decode()


def test_asking_to_remove_removes_nobody(owner, viewer, as_user, role_of):
    as_user(owner).get(reverse("member_remove", args=["rivers", viewer.memberships.get().pk]))
    assert role_of(viewer) == Role.VIEWER


def test_owner_removes_a_member(owner, viewer, as_user, role_of):
    remove(as_user(owner), viewer)
    assert role_of(viewer) is None


def test_removed_member_no_longer_opens_the_project(owner, viewer, project, as_user):
    remove_member(viewer.memberships.get())
    assert as_user(viewer).get(project.get_absolute_url()).status_code == 404


def test_last_owner_is_not_removed(owner, as_user, role_of):
    page = remove(as_user(owner), owner)
    assert SENTENCE in page.content.decode()
    assert role_of(owner) == Role.OWNER


def test_last_owner_keeps_the_role(owner, as_user, role_of):
    page = change(as_user(owner), owner, "viewer")
    assert SENTENCE in page.content.decode()
    assert role_of(owner) == Role.OWNER


def test_one_of_two_owners_may_step_down_and_lands_on_the_project(owner, viewer, project, as_user, role_of):
    change_role(viewer.memberships.get(), Role.OWNER)
    page = change(as_user(owner), owner, "viewer")
    assert role_of(owner) == Role.VIEWER
    assert page.redirect_chain[-1][0] == project.get_absolute_url()


def test_owner_who_leaves_lands_on_the_list(owner, viewer, as_user):
    change_role(viewer.memberships.get(), Role.OWNER)
    assert remove(as_user(owner), owner).redirect_chain[-1][0] == reverse("project_list")


def test_what_counts_is_the_role_in_the_database(owner, viewer):
    """Two owners remove each other at once: the second holds a row that was read before."""
    change_role(viewer.memberships.get(), Role.OWNER)
    stale = Membership.objects.get(user=viewer)
    change_role(owner.memberships.get(), Role.VIEWER)
    with pytest.raises(LastOwner):
        remove_member(stale)


@pytest.mark.parametrize("end", [remove_member, lambda membership: change_role(membership, Role.VIEWER)])
def test_open_invitations_end_with_an_ownership(end, owner, viewer, invitation):
    change_role(viewer.memberships.get(), Role.OWNER)
    end(owner.memberships.get())
    invitation.refresh_from_db()
    assert invitation.revoked_at is not None


def test_open_invitations_outlive_other_members(owner, viewer, invitation):
    remove_member(viewer.memberships.get())
    invitation.refresh_from_db()
    assert invitation.revoked_at is None


def test_page_after_an_ended_session_leads_back_to_the_members(owner, viewer, as_user):
    """A POST that had to sign in first comes back as a GET."""
    url = reverse("member_role", args=["rivers", viewer.memberships.get().pk])
    assert as_user(owner).get(url).headers["Location"] == reverse("member_list", args=["rivers"])
