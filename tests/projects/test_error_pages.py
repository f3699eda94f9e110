"""What people see when something is wrong."""

import pytest
from django.template.loader import render_to_string
from django.test import Client


@pytest.mark.parametrize("name", ["400", "403", "403_csrf", "429", "500"])
def test_error_page_needs_no_request(name):
    assert "<h1>" in render_to_string(f"{name}.html")


def test_wrong_address_is_a_page_with_a_way_on(client, db):
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "This page was not found" in response.content.decode()


def test_page_without_its_token_says_that_nothing_was_stored(db):
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "a", "password": "b"})
    assert response.status_code == 403
    assert "Nothing was saved." in response.content.decode()


def test_crash_is_a_page_without_details(client, db, monkeypatch):
    def crash(*arguments):
        raise RuntimeError("secret words")

    monkeypatch.setattr("projects.views.find_invitation", crash)
    client.raise_request_exception = False
    response = client.get("/invitation/abc/")
    assert response.status_code == 500
    assert "Something went wrong" in response.content.decode()
    assert "secret words" not in response.content.decode()
