"""Tokens: made and revoked on the account page, stored hashed, refused in one sentence."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from api.models import AccessToken, Scope
from api.services import tokens
from api.services.tokens import count_use, create_token
from projects.models import Membership

GIVEN = {"name": "notebook", "scopes": ["read", "answers"], "days": "30"}


def test_a_token_is_made_on_the_account_page_and_shown_once(as_user, viewer, client):
    page = as_user(viewer).post(reverse("token_list"), GIVEN).content.decode()
    words = re.search(r"lesart_[\w-]{43}", page)[0]
    token = AccessToken.objects.get()
    assert (token.user, token.name, token.scopes) == (viewer, "notebook", ["answers", "read"])
    page = client.get(reverse("token_list")).content.decode()
    assert words not in page
    assert [page.count(f"<div>{scope.label}</div>") for scope in Scope] == [1, 0, 0, 1, 0, 0]
    assert words not in str(AccessToken.objects.values())
    answer = client.get("/api/v1/", headers={"Authorization": f"Bearer {words}"})
    assert answer.json()["user"] == viewer.username
    assert answer.json()["scopes"] == ["answers", "read"]


def test_a_revoked_token_is_refused(as_user, viewer, caller, client):
    call = caller(viewer)
    assert as_user(viewer).post(reverse("token_revoke", args=[AccessToken.objects.get().pk])).status_code == 302
    answer = call.get("projects/")
    assert answer.status_code == 401
    assert "revoked" in answer.json()["detail"]


def test_nobody_revokes_the_token_of_somebody_else(as_user, viewer, owner, caller):
    call = caller(viewer)
    assert as_user(owner).post(reverse("token_revoke", args=[AccessToken.objects.get().pk])).status_code == 404
    assert call.get("projects/").status_code == 200


@pytest.mark.parametrize("change", [{"expires_at": timezone.now() - timedelta(seconds=1)}])
def test_an_expired_token_is_refused(viewer, caller, change):
    call = caller(viewer)
    AccessToken.objects.update(**change)
    answer = call.get("projects/")
    assert (answer.status_code, answer.json()["type"]) == (401, "urn:lesart:problem:unauthenticated")
    assert "expired" in answer.json()["detail"]


def test_a_removed_member_sees_nothing_of_the_project(viewer, caller, project):
    call = caller(viewer)
    assert call.get(f"projects/{project.slug}/").status_code == 200
    Membership.objects.filter(user=viewer).delete()
    answer = call.get(f"projects/{project.slug}/")
    assert (answer.status_code, answer.json()["title"]) == (404, "Not found")
    assert call.get("projects/").json()["results"] == []


def test_the_token_of_a_closed_account_is_refused(viewer, caller):
    call = caller(viewer)
    viewer.is_active = False
    viewer.save()
    assert call.get("projects/").status_code == 401


def test_a_minute_allows_so_many_requests(viewer, settings):
    settings.LESART = settings.LESART | {"API_PER_MINUTE": 2}
    token, _words = create_token(viewer, name="n", scopes=[Scope.READ], days=1)
    now = timezone.now()
    assert [count_use(token, now) for _ in range(3)] == [True, True, False]
    assert count_use(token, now + timedelta(minutes=1))


def test_who_asks_too_often_is_told_when_to_come_back(viewer, caller, monkeypatch):
    monkeypatch.setattr("api.authentication.count_use", lambda token: False)
    answer = caller(viewer).get("projects/")
    assert (answer.status_code, answer.json()["type"]) == (429, "urn:lesart:problem:rate-limit")
    assert 1 <= int(answer.headers["Retry-After"]) <= 60


def test_no_token_lives_longer_than_a_year(viewer):
    token, _words = create_token(viewer, name="n", scopes=[Scope.READ], days=10_000)
    assert token.expires_at <= timezone.now() + timedelta(days=tokens.MAX_DAYS)
