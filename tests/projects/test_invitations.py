"""Links that make members: accepted by POST, once; all that do not work look alike."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from projects.models import Invitation, Role, User
from projects.services import InvitationClosed, accept_invitation, revoke_invitation
from projects.signup import INVITATION_KEY, InvitedOnlyAdapter

NEW_ACCOUNT = {"username": "anna", "password1": "blue-river-9481", "password2": "blue-river-9481"}


def expire(invitation):
    Invitation.objects.filter(pk=invitation.pk).update(expires_at=timezone.now() - timedelta(seconds=1))


def use_up(invitation):
    accept_invitation(invitation, User.objects.create_user("faster"))


def forget(invitation):
    invitation.delete()


def test_owner_makes_a_link_and_sees_it(owner, project, as_user):
    page = (
        as_user(owner)
        .post(reverse("member_list", args=["rivers"]), {"role": "viewer", "note": "Ben"}, follow=True)
        .content.decode()
    )
    invitation = project.invitations.get()
    assert f"http://testserver{invitation.get_absolute_url()}" in page
    assert invitation.created_by == owner


def test_link_is_valid_for_two_weeks(invitation):
    assert timedelta(days=13, hours=23) < invitation.expires_at - timezone.now() <= timedelta(days=14)


def test_unknown_role_makes_no_link(owner, project, as_user):
    page = as_user(owner).post(reverse("member_list", args=["rivers"]), {"role": "emperor", "note": ""})
    assert page.context["form"].errors["role"]
    assert not project.invitations.exists()


def test_opening_shows_project_and_role_and_changes_nothing(invitation, newcomer, as_user, role_of):
    page = as_user(newcomer).get(invitation.get_absolute_url()).content.decode()
    assert "Rivers" in page
    assert "Researcher: also edits" in page
    assert role_of(newcomer) is None
    invitation.refresh_from_db()
    assert invitation.accepted_at is None


def test_opening_as_nobody_starts_no_session(invitation, client):
    client.get(invitation.get_absolute_url())
    assert INVITATION_KEY not in client.session


def test_accepting_makes_a_member(invitation, newcomer, project, as_user, role_of):
    response = as_user(newcomer).post(invitation.get_absolute_url())
    assert role_of(newcomer) == Role.RESEARCHER
    assert response.headers["Location"] == project.get_absolute_url()


def test_accepting_twice_leads_to_the_project(invitation, newcomer, project, as_user):
    client = as_user(newcomer)
    client.post(invitation.get_absolute_url())
    assert client.post(invitation.get_absolute_url()).headers["Location"] == project.get_absolute_url()
    assert client.get(invitation.get_absolute_url()).headers["Location"] == project.get_absolute_url()


def test_member_who_accepts_keeps_the_role_and_the_link_stays_open(invitation, viewer, as_user, role_of):
    as_user(viewer).post(invitation.get_absolute_url())
    assert role_of(viewer) == Role.VIEWER
    assert Invitation.objects.open().filter(pk=invitation.pk).exists()


def test_used_link_says_nothing_to_somebody_removed_again(invitation, newcomer, as_user):
    accept_invitation(invitation, newcomer)
    newcomer.memberships.all().delete()
    assert as_user(newcomer).get(invitation.get_absolute_url()).status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("close", [use_up, expire, revoke_invitation, forget])
def test_links_that_do_not_work_look_alike(close, method, invitation, newcomer, as_user, role_of, bare):
    client = as_user(newcomer)
    close(invitation)
    closed = getattr(client, method)(invitation.get_absolute_url())
    unknown = getattr(client, method)(reverse("invitation", args=["unknown"]))
    assert closed.status_code == unknown.status_code == 404
    assert bare(closed) == bare(unknown)
    assert "Ask the person who sent it for a new one." in bare(closed)
    assert role_of(newcomer) is None


@pytest.mark.database
@pytest.mark.parametrize("token", ["%00", "a%00b", "%ED%A0%80", "x" * 3000, "ä", "' OR 1=1 --"])
def test_broken_tokens_are_only_unknown(token, client, db):
    assert client.get(f"/invitation/{token}/").status_code == 404


def test_two_at_once_make_one_member(invitation, newcomer, stranger, role_of):
    """Both have seen it open; the later one must lose."""
    accept_invitation(invitation, newcomer)
    with pytest.raises(InvitationClosed):
        accept_invitation(invitation, stranger)
    assert role_of(stranger) is None


def test_revoking_ends_a_link(invitation, owner, as_user):
    as_user(owner).post(reverse("invitation_revoke", args=["rivers", invitation.pk]))
    assert not Invitation.objects.open().exists()


def test_opening_the_address_of_revoking_revokes_nothing(invitation, owner, as_user):
    as_user(owner).get(reverse("invitation_revoke", args=["rivers", invitation.pk]))
    assert Invitation.objects.open().exists()


def test_who_has_an_account_signs_in_and_comes_back(invitation, newcomer, client, role_of):
    response = client.post(invitation.get_absolute_url(), {"sign_in": ""})
    assert response.headers["Location"].startswith(reverse("account_login"))
    credentials = {"login": "newcomer", "password": "correct horse battery"}
    response = client.post(response.headers["Location"], credentials)
    assert response.headers["Location"] == invitation.get_absolute_url()
    assert role_of(newcomer) is None, "signing in alone accepts nothing"


@pytest.mark.database
def test_who_has_none_makes_one_and_is_a_member(invitation, project, client, role_of):
    response = client.post(invitation.get_absolute_url(), {"sign_up": ""})
    page = client.post(response.headers["Location"], NEW_ACCOUNT, follow=True)
    assert role_of(User.objects.get(username="anna")) == Role.RESEARCHER
    assert page.redirect_chain[-1][0] == project.get_absolute_url()


def test_one_invitation_makes_one_account(invitation, client, db):
    other = Client()
    for browser in (client, other):
        browser.post(invitation.get_absolute_url(), {"sign_up": ""})
    client.post(reverse("account_signup"), NEW_ACCOUNT)
    page = other.post(reverse("account_signup"), NEW_ACCOUNT | {"username": "second"})
    assert "Accounts need an invitation" in page.content.decode()
    assert not User.objects.filter(username="second").exists()


def test_no_account_when_the_invitation_was_used_in_the_last_moment(invitation, client, monkeypatch):
    client.post(invitation.get_absolute_url(), {"sign_up": ""})
    use_up(invitation)
    monkeypatch.setattr(InvitedOnlyAdapter, "is_open_for_signup", lambda self, request: True)
    response = client.post(reverse("account_signup"), NEW_ACCOUNT)
    assert response.headers["Location"] == invitation.get_absolute_url()
    assert not User.objects.filter(username="anna").exists()


def test_no_account_without_an_invitation(client, db):
    page = client.post(reverse("account_signup"), NEW_ACCOUNT)
    assert "Accounts need an invitation" in page.content.decode()
    assert not User.objects.exists()
