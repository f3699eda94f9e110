"""The personal link: a button lets the browser in, and the link is seen nowhere afterwards."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.access import COOKIE
from studies.models import Annotator
from tests.annotation.world import Walker, make_world

pytestmark = pytest.mark.database


def link(annotator: Annotator) -> str:
    return reverse("join", args=[annotator.token])


def test_opening_the_link_changes_nothing(walker):
    page = walker.get(link(walker.annotator))
    walker.annotator.refresh_from_db()
    assert page.status_code == 200
    assert not page.cookies.get(COOKIE)
    assert walker.annotator.joined_at is None
    assert walker.annotator.last_seen is None


def test_the_button_leads_to_the_work(walker):
    answer = walker.join()
    walker.annotator.refresh_from_db()
    assert answer["Location"] == walker.work
    assert walker.annotator.joined_at is not None


def test_the_cookie_is_for_this_annotators_work_alone(walker):
    cookie = walker.join().cookies[COOKIE]
    assert cookie["path"] == walker.work
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert not cookie["secure"]
    assert cookie["max-age"] >= 90 * 24 * 3600


def test_the_cookie_is_secure_where_the_site_is(walker, settings):
    settings.SESSION_COOKIE_SECURE = True
    assert walker.join().cookies[COOKIE]["secure"]


@pytest.mark.parametrize("token", ["x", "a" * 32, "a" * 500, "%00", "ä", "-" * 32])
def test_an_unknown_link_says_whom_to_ask(client, db, token):
    page = client.get(f"/join/{token}/")
    assert page.status_code == 404
    assert "please ask the person who sent it to you" in page.text


def test_an_unknown_link_looks_the_same_to_every_asker(walker, client):
    assert client.get("/join/" + "a" * 32 + "/").content == client.get("/work/" + "a" * 16 + "/").content


def test_a_revoked_link_says_whom_to_ask(walker):
    walker.join()
    Annotator.objects.filter(pk=walker.annotator.pk).update(revoked_at=timezone.now())
    for page in (walker.get(link(walker.annotator)), walker.post(path=link(walker.annotator)), walker.get()):
        assert page.status_code == 410
        assert "Please ask the person who sent you the link" in page.text


def test_a_work_address_alone_opens_nothing(walker, client):
    for path in (walker.work, walker.confirm, walker.draft):
        assert client.get(path).status_code == 404
        assert client.post(path, {"phase": "consent"}).status_code == 404


def test_another_annotators_cookie_opens_nothing(walker, other):
    walker.start()
    other.client.cookies[COOKIE] = walker.annotator.token
    assert other.get().status_code == 404
    assert other.post({"token": walker.assignment.token}, other.draft).status_code == 404


@pytest.mark.parametrize("cookie", ["", "\x00", "x" * 5000, "ü", "' OR 1=1"])
def test_a_broken_cookie_opens_nothing(walker, cookie):
    walker.client.cookies[COOKIE] = cookie
    assert walker.get().status_code == 404


def test_the_link_is_in_no_page_after_joining(walker):
    walker.start().finish()
    walker.get()
    token = walker.annotator.token
    assert len(walker.seen) > 8
    assert not [response for response in walker.seen[1:] if token in response.text or token in str(response.headers)]


def test_the_join_page_names_the_link_nowhere(walker):
    page = walker.get(link(walker.annotator))
    assert walker.annotator.token not in page.text
    assert "<a " not in page.text.replace('<a class="skip-link" href="#main">', "")


def test_the_link_is_in_no_referrer(walker):
    for page in (walker.get(link(walker.annotator)), walker.join(), walker.get("/join/" + "a" * 32 + "/")):
        assert page["Referrer-Policy"] == "strict-origin"


def test_no_page_is_kept_or_listed(walker, client):
    walker.get(link(walker.annotator))
    walker.start().finish()
    walker.get()
    walker.keep(client.get("/join/nothing/"))
    walker.keep(client.get(walker.work))
    walker.keep(client.put(link(walker.annotator)))
    for response in walker.seen:
        assert response["Cache-Control"] == "no-store"
        assert response["X-Robots-Tag"] == "noindex"


def test_the_page_speaks_the_studys_language(project):
    walker = Walker(make_world(project, language="de").annotators.first())
    page = walker.get(link(walker.annotator), HTTP_ACCEPT_LANGUAGE="en")
    assert '<html lang="de">' in page.text
    assert "Willkommen" in page.text
    walker.start()
    stage = walker.get(HTTP_ACCEPT_LANGUAGE="en")
    assert "Text 1 von 2" in stage.text
    assert stage["Content-Language"] == "de"
