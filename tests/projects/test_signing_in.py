"""Sign-in: guessing is slowed down per account and per address, and nobody learns who has an account."""

import pytest
from django.urls import reverse

from projects.models import User

PASSWORD = "correct horse battery"
LOGIN = "/accounts/login/"


def sign_in(client, name="newcomer", password=PASSWORD, address="192.0.2.1"):
    return client.post(LOGIN, {"login": name, "password": password}, REMOTE_ADDR=address)


def is_in(client) -> bool:
    return "_auth_user_id" in client.session


def test_right_password_leads_to_the_projects(newcomer, client):
    assert sign_in(client).headers["Location"] == reverse("project_list")


def test_email_address_works_as_name(newcomer, client):
    User.objects.filter(pk=newcomer.pk).update(email="new@example.org")
    sign_in(client, name="new@example.org")
    assert is_in(client)


def test_unknown_name_looks_like_a_wrong_password(newcomer, client, bare):
    known, unknown = sign_in(client, password="wrong"), sign_in(client, name="nobody77", password="wrong")
    assert bare(known).replace("newcomer", "NAME") == bare(unknown).replace("nobody77", "NAME")


@pytest.mark.database
def test_guessing_one_account_is_stopped_and_its_owner_signs_in_from_elsewhere(newcomer, client):
    for _ in range(5):
        sign_in(client, password="wrong", address="198.51.100.7")
    sign_in(client, address="198.51.100.7")
    assert not is_in(client)
    sign_in(client, address="192.0.2.1")
    assert is_in(client)


def test_behind_a_proxy_the_browsers_address_counts(newcomer, client, settings):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1

    def try_from(browser, password):
        data = {"login": "newcomer", "password": password}
        client.post(LOGIN, data, headers={"X-Forwarded-For": browser}, REMOTE_ADDR="10.0.0.1")

    for _ in range(5):
        try_from("198.51.100.7", "wrong")
    try_from("198.51.100.7", PASSWORD)
    assert not is_in(client)
    try_from("192.0.2.1", PASSWORD)
    assert is_in(client)


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("path", ["password/reset/", "email/", "confirm-email/"])
def test_without_a_mail_server_no_mail_is_promised(newcomer, as_user, mailoutbox, path, method):
    client = as_user(newcomer)
    reply = getattr(client, method)(f"/accounts/{path}", {"email": "new@example.org"})
    assert reply.templates[0].name == "account/no_mail.html"
    assert reply.status_code == 200
    assert mailoutbox == []


def test_with_a_mail_server_a_forgotten_password_is_reset_by_mail(newcomer, client, settings, mailoutbox):
    settings.LESART = settings.LESART | {"SENDS_MAIL": True}
    User.objects.filter(pk=newcomer.pk).update(email="new@example.org")
    client.post(reverse("account_reset_password"), {"email": "new@example.org"})
    assert [message.to for message in mailoutbox] == [["new@example.org"]]


def test_hsts_is_said_over_https_alone(client, db, settings):
    settings.SECURE_HSTS_SECONDS = 3600
    assert client.get(LOGIN, secure=True)["Strict-Transport-Security"] == "max-age=3600"
    assert "Strict-Transport-Security" not in client.get(LOGIN)


def test_guessing_from_one_address_is_stopped_for_any_account(newcomer, client):
    for number in range(10):
        sign_in(client, name=f"name-{number}", password="wrong")
    sign_in(client)
    assert not is_in(client)


def test_a_forwarded_address_is_not_believed(newcomer, client):
    for number in range(10):
        data = {"login": f"name-{number}", "password": "wrong"}
        client.post(LOGIN, data, headers={"X-Forwarded-For": f"203.0.113.{number}"}, REMOTE_ADDR="192.0.2.1")
    sign_in(client)
    assert not is_in(client)


def test_thirty_attempts_in_a_minute_are_told_to_wait(client, db):
    for _ in range(30):
        client.post(LOGIN, {"login": "", "password": ""})
    response = client.post(LOGIN, {"login": "", "password": ""})
    assert response.status_code == 429
    assert "Wait a few minutes, then try again." in response.content.decode()


def test_signing_out_needs_a_post(newcomer, as_user):
    client = as_user(newcomer)
    client.get("/accounts/logout/")
    assert is_in(client)
    client.post("/accounts/logout/")
    assert not is_in(client)


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_sign_in_leads_to_no_other_site(target, newcomer, client):
    data = {"login": "newcomer", "password": PASSWORD, "next": target}
    assert client.post(LOGIN, data).headers["Location"] == reverse("project_list")


def test_closed_account_is_not_let_in(newcomer, client):
    User.objects.filter(pk=newcomer.pk).update(is_active=False)
    page = client.post(LOGIN, {"login": "newcomer", "password": PASSWORD}, follow=True)
    assert not is_in(client)
    assert "This account is closed" in page.content.decode()
