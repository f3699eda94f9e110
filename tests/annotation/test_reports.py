"""Annotators report broken items from the page where they are; researchers see and close the reports."""

import pytest

from annotation.pages import PART as PART_HEADER
from studies.models import Draft, EndReason, ItemReport, Response
from studies.services.rights import erase_person, list_own_answers
from tests.annotation.world import PART, Walker, make_world


@pytest.fixture
def walker(project):
    study = make_world(project)
    return Walker(study.annotators.first()).start()


def report(walker, **more):
    data = walker.answers()
    return (
        data
        | {"report": "1", "report_item": data["item"][0], "report_problem": "wording", "report_words": "teh"}
        | more
    )


@pytest.mark.parametrize("headers", [{}, PART], ids=["page", "script"])
def test_a_report_is_stored_with_what_was_entered_and_the_place_stays(walker, headers):
    stage = walker.assignment.stage
    page = walker.post(report(walker), **headers)
    assert page.status_code == 200
    assert (PART_HEADER in page.headers) is bool(headers)
    (stored,) = ItemReport.objects.all()
    shown = {handle: item for handle, item, _options in walker.assignment.shown[stage]}
    assert (stored.problem, stored.words, stored.item_id) == ("wording", "teh", shown[report(walker)["report_item"]])
    assert walker.assignment.stage == stage
    assert Draft.objects.count() == len(shown)
    assert not Response.objects.exists()


def test_the_same_report_sent_twice_is_one(walker):
    walker.post(report(walker))
    walker.post(report(walker))
    assert ItemReport.objects.count() == 1


@pytest.mark.parametrize("change", [{"report_item": "f" * 16}, {"report_problem": "key"}, {"report_item": ""}])
def test_a_report_about_nothing_is_not_stored_and_the_answers_are(walker, change):
    assert walker.post(report(walker, **change)).status_code == 200
    assert not ItemReport.objects.exists()
    assert Draft.objects.exists()


def test_a_late_report_is_refused_like_any_late_page(walker):
    late = report(walker)
    walker.guess()
    walker.reveal()
    assert walker.post(late).status_code == 409
    assert not ItemReport.objects.exists()


def test_who_may_see_and_who_may_close(walker, as_user, viewer, reviewer, researcher):
    walker.post(report(walker))
    (stored,) = ItemReport.objects.all()
    page, close = (
        f"/s/{walker.annotator.study.slug}/people/",
        f"/s/{walker.annotator.study.slug}/people/reports/{stored.pk}/close/",
    )
    assert list(as_user(viewer).get(page).context["reports"]) == []
    client = as_user(reviewer)
    assert list(client.get(page).context["reports"]) == [stored]
    assert client.post(close).status_code == 404
    client = as_user(researcher)
    assert close in client.get(page).content.decode()
    client.post(close)
    stored.refresh_from_db()
    assert stored.seen_by == researcher
    assert close not in client.get(page).content.decode()


def test_a_person_sees_their_reports_and_takes_them_along_when_withdrawing(walker):
    walker.post(report(walker))
    assert [each.comment for each in list_own_answers(walker.annotator)] == ["teh"]
    erase_person(walker.annotator, EndReason.WITHDRAWN)
    assert not ItemReport.objects.exists()
