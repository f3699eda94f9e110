"""Every URL of the app, from the URL configuration, for every character."""

from itertools import product

import pytest
from django.urls import reverse

from projects.models import Membership, Project, Role, User
from projects.services import create_invitation
from projects.urls import urlpatterns
from tests.undone import undone

EVERYBODY, SIGNED_IN = "everybody", "signed in"
NEEDS = {
    "project_list": EVERYBODY,
    "project_new": SIGNED_IN,
    "account": SIGNED_IN,
    "account_delete": SIGNED_IN,
    "project": Role.VIEWER,
    "project_edit": Role.OWNER,
    "member_list": Role.OWNER,
    "member_role": Role.OWNER,
    "member_remove": Role.OWNER,
    "invitation_revoke": Role.OWNER,
    "invitation": EVERYBODY,
    "sign_in_link": EVERYBODY,
}
CHARACTERS = ["anonymous", "stranger", "viewer", "reviewer", "researcher", "owner", "admin_user"]
PROJECT_PAGES = [name for name, needs in NEEDS.items() if isinstance(needs, Role)]


@pytest.fixture
def address(project):
    """A function from a URL's name to its address in the project."""
    other = Membership.objects.create(project=project, user=User.objects.create_user("other"), role=Role.VIEWER)
    invitation = create_invitation(project, role=Role.VIEWER, note="", created_by=None)
    numbers = {"member_role": other.pk, "member_remove": other.pk, "invitation_revoke": invitation.pk}

    def find(name: str, slug: str = project.slug, pk: int | None = None) -> str:
        if name in ("invitation", "sign_in_link"):
            return reverse(name, args=[invitation.token])
        if name in numbers:
            return reverse(name, args=[slug, pk or numbers[name]])
        return reverse(name, args=[slug] if name in PROJECT_PAGES else [])

    return find


@pytest.fixture
def as_character(client, request):
    def enter(character: str):
        client.logout()
        if character != "anonymous":
            client.force_login(request.getfixturevalue(character))
        return client

    return enter


def may(character: str, needs: str | Role) -> bool:
    if needs in (EVERYBODY, SIGNED_IN):
        return True
    rank = {"stranger": -1, "admin_user": Role.OWNER.rank}
    return rank.get(character, None if character in rank else Role(character).rank) >= Role(needs).rank


def test_the_table_names_every_url():
    assert set(NEEDS) == {"project"} | {pattern.name for pattern in urlpatterns}  # its page is made a layer above


@pytest.mark.slow
@pytest.mark.parametrize("character", CHARACTERS)
def test_who_may_open_what(character, address, as_character):
    as_character(character)
    for name, method in product(NEEDS, ("get", "post")):
        url = address(name)
        with undone():
            response = getattr(as_character(character), method)(url)
        if NEEDS[name] == EVERYBODY:
            assert response.status_code in (200, 302, 404), (name, method)
        elif character == "anonymous":
            assert response.headers["Location"] == f"{reverse('account_login')}?next={url}", (name, method)
        else:
            allowed = (200, 302) if may(character, NEEDS[name]) else (404,)
            assert response.status_code in allowed, (name, method)


@pytest.mark.parametrize("name", PROJECT_PAGES)
def test_a_foreign_project_looks_like_one_that_does_not_exist(name, stranger, address, as_user, bare):
    client = as_user(stranger)
    foreign, wrong = client.get(address(name)), client.get(address(name, slug="nowhere"))
    assert foreign.status_code == wrong.status_code == 404
    assert bare(foreign) == bare(wrong)


@pytest.mark.parametrize("name", ["member_role", "member_remove"])
def test_a_foreign_member_looks_like_one_that_does_not_exist(name, owner, stranger, address, as_user, bare):
    client = as_user(owner)
    foreign = client.post(address(name, pk=stranger.memberships.get().pk), {"role": "viewer"})
    wrong = client.post(address(name, pk=987_654_321), {"role": "viewer"})
    assert foreign.status_code == wrong.status_code == 404
    assert bare(foreign) == bare(wrong)
    assert stranger.memberships.get().role == Role.OWNER


def test_a_foreign_invitation_cannot_be_revoked(owner, stranger, address, as_user):
    elsewhere = create_invitation(Project.objects.get(slug="mountains"), role=Role.VIEWER, note="", created_by=stranger)
    assert as_user(owner).post(address("invitation_revoke", pk=elsewhere.pk)).status_code == 404
    elsewhere.refresh_from_db()
    assert elsewhere.revoked_at is None


@pytest.mark.database
@pytest.mark.parametrize("pk", [0, 10**30])
def test_a_number_out_of_range_is_only_not_found(pk, owner, as_user, project):
    assert as_user(owner).get(f"/p/{project.slug}/members/{pk}/remove/").status_code == 404
