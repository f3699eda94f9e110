"""The one-time way in that `./lesart up` prints."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from projects.models import SignInLink, User
from projects.services import create_sign_in_link, use_sign_in_link


def print_link(**options) -> str:
    out = StringIO()
    call_command("create_sign_in_link", stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def token(admin_user):
    return create_sign_in_link(admin_user)


def page_of(token: str) -> str:
    return reverse("sign_in_link", args=[token])


def get_user_id(client) -> str | None:
    return client.session.get("_auth_user_id")


def test_command_prints_the_address_alone_on_a_line(db):
    line = print_link(base="http://127.0.0.1:8123/")
    assert line.startswith("http://127.0.0.1:8123/sign-in/")
    assert line.endswith("/\n")
    assert line.count("\n") == 1


def test_command_makes_the_admin_once_and_without_a_password(db):
    print_link()
    print_link()
    admin = User.objects.get()
    assert (admin.username, admin.is_superuser, admin.has_usable_password()) == ("admin", True, False)


def test_command_takes_the_admin_there_is(db):
    chief = User.objects.create_superuser("chief")
    print_link()
    assert SignInLink.objects.get().user == chief
    assert User.objects.count() == 1


def test_command_never_promotes_somebody_called_admin(db):
    User.objects.create_user("admin")
    with pytest.raises(CommandError, match="createsuperuser"):
        print_link()
    assert not User.objects.get().is_superuser


@pytest.mark.parametrize("base", ["127.0.0.1:8000", "javascript:alert(1)", "", "http://"])
def test_command_refuses_a_base_that_is_no_address(base, db):
    with pytest.raises(CommandError, match="--base"):
        print_link(base=base)
    assert not SignInLink.objects.exists()


def test_only_the_hash_is_kept(token):
    link = SignInLink.objects.get()
    assert token not in [str(getattr(link, field.name)) for field in SignInLink._meta.fields]
    assert len(link.token_hash) == 64


def test_link_is_valid_for_a_day(token):
    assert timedelta(hours=23) < SignInLink.objects.get().expires_at - timezone.now() <= timedelta(hours=24)


def test_opening_shows_a_button_and_signs_nobody_in(token, client):
    page = client.get(page_of(token)).content.decode()
    assert "This link signs you in as admin." in page
    assert get_user_id(client) is None
    assert SignInLink.objects.get().used_at is None


def test_the_button_signs_in(token, client, admin_user):
    response = client.post(page_of(token))
    assert response.headers["Location"] == reverse("project_list")
    assert get_user_id(client) == str(admin_user.pk)


def test_the_button_works_once(token, client):
    client.post(page_of(token))
    client.logout()
    assert client.post(page_of(token)).status_code == 404
    assert get_user_id(client) is None


def expire(token):
    SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def close_account(token):
    User.objects.update(is_active=False)


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("close", [use_sign_in_link, expire, close_account])
def test_links_that_do_not_work_look_alike(close, method, token, client, bare):
    close(token)
    closed, unknown = getattr(client, method)(page_of(token)), getattr(client, method)(page_of("unknown"))
    assert closed.status_code == unknown.status_code == 404
    assert bare(closed) == bare(unknown)
    assert "./lesart manage create_sign_in_link" in bare(closed)
    assert get_user_id(client) is None


def test_expired_links_are_forgotten_when_a_new_one_is_made(token, admin_user):
    expire(token)
    create_sign_in_link(admin_user)
    assert SignInLink.objects.count() == 1
