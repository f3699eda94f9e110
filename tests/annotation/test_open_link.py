"""Strangers by the open link: who they are, what they find, and what becomes of the work of those who leave."""

import csv
import hmac
from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analysis.frames.responses import query_submitted
from jobs.workers import WorkerHeartbeat
from studies.models import Annotator, Apart, Assignment, PhasePassed, Purpose
from studies.services.answering import go_on, submit_stage
from studies.services.launching import pause_study
from studies.services.lifecycle import count_finished
from studies.services.monitor import TIMED_OUT, list_people
from studies.services.phases import get_phase_words
from studies.services.places import find_place
from studies.services.recruiting import (
    NoPlace,
    admit_visitor,
    get_id_secret,
    give_back_work,
    has_place,
    return_abandoned,
    return_timed_out_work,
    write_signed_links,
)
from studies.services.spec import SpecError
from tests.annotation.test_phases import CHECK, RIGHT
from tests.studies.world import Person, bank, counts, make_live_study, make_study_with_bank, post
from tests.studies.world import person as someone

CODES = {"finished": "DONE1", "screened_out": "OUT1", "failed_check": "FAIL1"}
PROLIFIC = {"open_link": True, "platform": "prolific", "codes": CODES, "minutes": 10}


def make_study(project, places=2, texts=2, per_unit=1, **recruitment):
    bank(project, texts=texts)
    told = {"open_link": True, "minutes": 10} | recruitment
    return make_live_study(project, plan={"annotators": places, "per_unit": per_unit}, recruitment=told)


def address(study, **query) -> str:
    return reverse("open_link", args=[study.open_token]) + (
        "?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else ""
    )


def leave(annotator, minutes=31) -> None:
    Annotator.objects.filter(pk=annotator.pk).update(last_seen=timezone.now() - timedelta(minutes=minutes))


def begin(study, start="one", **known) -> Person:
    return Person(admit_visitor(study, start=start, **known)).start()


def test_the_landing_page_stores_nothing_and_says_how_long_it_takes(project):
    study = make_study(project)
    before = counts()
    page = Client().get(address(study)).text
    assert "about 10 minutes" in page
    assert counts() == before


def test_the_open_link_stands_on_the_page_of_people_for_those_who_manage_the_study(
    project, as_user, researcher, reviewer
):
    study = make_study(project)
    path = reverse("study_annotators", args=[study.slug])
    assert address(study) in as_user(researcher).get(path).text
    assert study.open_token not in as_user(reviewer).get(path).text


def test_start_gives_a_place_of_the_plan_and_pressed_twice_the_same(project):
    study = make_study(project)
    client = Client()
    for _press in range(2):
        response = client.post(address(study), {"start": "a-number-of-one-page"})
        assert response.status_code == 302
    annotator = study.annotators.get()
    assert {each.slot.seat for each in annotator.assignments.all()} == {annotator.seat}
    assert client.get(response["Location"]).status_code == 200


def test_the_same_browser_comes_back_to_its_own_work_and_may_start_as_another(project):
    study, client = make_study(project), Client()
    client.post(address(study), {"start": "first-landing-page-1"})
    assert "Welcome back" in client.get(address(study)).text
    client.post(address(study), {"start": "second-landing-page"})
    assert study.annotators.count() == 1
    client.post(address(study), {"start": "third-landing-page-1", "new": "yes"})
    assert study.annotators.count() == 2


def test_who_finds_no_place_is_told_before_consent(project):
    study = make_study(project, places=1)
    begin(study)
    before = counts()
    assert "All places are taken" in Client().get(address(study)).text
    response = Client().post(address(study), {"start": "a-late-landing-page"})
    assert (response.status_code, counts()) == (409, before)


def test_a_cap_on_people_holds_though_cells_are_free(project):
    study = make_study(project, places=2, cap=1)
    begin(study)
    assert not has_place(study)
    with pytest.raises(NoPlace):
        admit_visitor(study, start="two")


def test_the_platform_id_is_the_person_and_re_entry_resumes(project):
    study, client = make_study(project, **PROLIFIC), Client()
    link = address(study, PROLIFIC_PID="abc123", STUDY_ID="s9", SESSION_ID="x7")
    first = client.post(link)["Location"]
    assert Client().post(address(study, PROLIFIC_PID="abc123"))["Location"] == first
    annotator = study.annotators.get()
    assert (annotator.person, annotator.profile) == ("abc123", {"platform": {"STUDY_ID": "s9", "SESSION_ID": "x7"}})


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "lacks the participant id (PROLIFIC_PID)"),
        ("?PROLIFIC_PID=a1&PROLIFIC_PID=a2", "more than one value"),
        ("?PROLIFIC_PID=%3Cb%3Ea%3C/b%3E", "no valid value"),
        ("?PROLIFIC_PID=", "no valid value"),
        ("?PROLIFIC_PID={{%25PROLIFIC_PID%25}}", "no valid value"),
    ],
)
def test_an_address_without_one_plain_id_is_refused_in_a_sentence(project, query, message):
    study = make_study(project, **PROLIFIC)
    response = Client().post(address(study) + query)
    assert response.status_code == 400
    assert message in response.text
    assert "<b>a" not in response.text
    assert not study.annotators.exists()


MTURK = {"open_link": True, "platform": "mturk", "codes": CODES, "minutes": 10}
SANDBOX = "https://workersandbox.mturk.com"


def test_mturk_shows_a_preview_to_those_who_have_not_accepted(project):
    study = make_study(project, **MTURK)
    before = counts()
    link = address(study, assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE", hitId="h1", turkSubmitTo=SANDBOX)
    page = Client().get(link, headers={"Sec-Fetch-Dest": "iframe"})
    assert page.status_code == 200
    assert "Accept the task first" in page.text
    assert "about 10 minutes" in page.text
    assert "<button" not in page.text.partition("<main")[2]
    assert Client().post(link).status_code == 200
    assert counts() == before


def test_mturk_may_frame_the_landing_page_which_then_leads_to_a_window_of_its_own(project):
    study = make_study(project, **MTURK)
    link = address(study, workerId="w1", assignmentId="a1", hitId="h1", turkSubmitTo=SANDBOX)
    framed = Client().get(link, headers={"Sec-Fetch-Dest": "iframe"})
    assert "frame-ancestors https://*.mturk.com" in framed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed.headers
    assert 'target="_blank"' in framed.text
    assert 'name="start"' not in framed.text
    alone = Client().get(link)
    assert 'name="start"' in alone.text


@pytest.mark.parametrize("host", [SANDBOX, "https://www.mturk.com/"])
def test_work_from_mturk_is_handed_in_to_its_own_host_for_the_newest_assignment(project, host):
    study, client = make_study(project, **MTURK), Client()
    client.post(address(study, workerId="w1", assignmentId="a1", hitId="h1", turkSubmitTo=host))
    client.post(address(study, workerId="w1", assignmentId="a2", hitId="h1", turkSubmitTo=host))  # accepted anew
    *before, last = walk_pages(client, study.annotators.get())
    form = BeautifulSoup(last, "html.parser").select_one(".completion form")
    assert (form["method"], form["action"]) == ("post", host.rstrip("/") + "/mturk/externalSubmit")
    assert {field["name"]: field["value"] for field in form.select("input")} == {"assignmentId": "a2", "code": "DONE1"}
    assert not any("externalSubmit" in page for page in before)
    policy = client.get(reverse("work", args=[study.annotators.get().public_id])).headers["Content-Security-Policy"]
    assert f"form-action 'self' https://www.mturk.com {SANDBOX}" in policy


@pytest.mark.parametrize("host", ["https://mturk.com.evil.example", "http://www.mturk.com", "javascript:alert(1)", ""])
def test_work_from_mturk_goes_to_no_other_host(project, host):
    study, client = make_study(project, **MTURK), Client()
    client.post(address(study, workerId="w1", assignmentId="a1", turkSubmitTo=host))
    last = walk_pages(client, study.annotators.get())[-1]
    assert "DONE1" in last
    assert not BeautifulSoup(last, "html.parser").select(".completion form, .completion a")


def test_pages_of_other_studies_send_forms_nowhere_else_and_are_not_framed(project):
    study, client = make_study(project, **PROLIFIC), Client()
    landing = client.get(address(study, PROLIFIC_PID="abc123"))
    work = client.get(client.post(address(study, PROLIFIC_PID="abc123"))["Location"])
    for page in (landing, work):
        assert "mturk" not in page.headers["Content-Security-Policy"]
        assert page.headers["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("recruitment", "words"),
    [
        (MTURK, ["workerId", "assignmentId", "hitId", "turkSubmitTo", "ExternalURL"]),
        (PROLIFIC, ["?PROLIFIC_PID={{%PROLIFIC_PID%}}&amp;STUDY_ID="]),
        ({"platform": "other", "id_parameter": "code"}, ["?code=ID", "own id in place of ID"]),
        ({"platform": "other", "signed_ids": True}, ["?participant=ID&amp;signature=SIGNATURE"]),
    ],
)
def test_the_open_link_names_its_parameters(project, as_user, researcher, recruitment, words):
    study = make_study(project, **recruitment)
    page = as_user(researcher).get(reverse("study_annotators", args=[study.slug])).text
    assert [each for each in words if each not in page] == []


def test_another_platform_has_re_entry_and_its_own_way_back(project):
    back = "https://panel.example/back?code={code}"
    study, client = make_study(project, platform="other", id_parameter="code", return_to=back, codes=CODES), Client()
    first = client.post(address(study, code="x-1"))["Location"]
    assert Client().post(address(study, code="x-1"))["Location"] == first
    *before, last = walk_pages(client, study.annotators.get())
    assert 'href="https://panel.example/back?code=DONE1"' in last
    assert not any("panel.example" in page for page in before)


def test_an_unknown_open_link_looks_like_any_wrong_link(project):
    make_study(project)
    response = Client().get(reverse("open_link", args=["x" * 32]))
    assert response.status_code == 404


def walk_pages(client, annotator) -> list[str]:
    """All pages from the link to the end."""
    work, pages = reverse("work", args=[annotator.public_id]), []
    while (place := find_place(annotator)).kind != "done":
        pages.append(client.get(work).text)
        if place.kind == "phase":
            client.post(work, {"phase": place.phase})
        else:
            Person(annotator).do()
    return [*pages, client.get(work).text]


def test_the_completion_code_is_on_the_last_page_only(project):
    study, client = make_study(project, **PROLIFIC), Client()
    client.post(address(study, PROLIFIC_PID="abc123"))
    *before, last = walk_pages(client, study.annotators.get())
    assert "https://app.prolific.com/submissions/complete?cc=DONE1" in last
    assert not any(code in page for page in before for code in CODES.values())
    assert not any(code in last for code in ("OUT1", "FAIL1"))
    words = get_phase_words(study.annotators.get(), "done")["paragraphs"]
    assert last.index("cc=DONE1") < last.index(words[0])  # which says that the page can be closed


def test_without_a_platform_everybody_has_a_code_of_their_own(project):
    study = make_study(project)
    codes = set()
    for number in range(2):
        client = Client()
        client.post(address(study), {"start": f"the-landing-page-{number}"})
        last = walk_pages(client, study.annotators.order_by("pk").last())[-1]
        codes.add(last.split("<code>")[1].split("</code>")[0])
    assert len(codes) == 2


def test_who_fails_gets_the_code_of_failure_and_the_cells_are_free_again(project):
    study = make_study_with_bank(project, plan={"annotators": 1, "per_unit": 1}, phases=[CHECK], recruitment=PROLIFIC)
    client = Client()
    work = client.post(address(study, PROLIFIC_PID="abc123"))["Location"]
    for tried in ("0", "1"):
        page = client.post(
            work, {"phase": "comprehension", "final": RIGHT, "count": "one", "try": tried}, follow=True
        ).text
    assert "cc=FAIL1" in page
    assert "DONE1" not in page
    assert has_place(study)
    assert begin(study, person="other").annotator.assignments.open().count() == 2


def test_abandoned_cells_are_offered_again_and_the_finished_stay(project):
    study = make_study(project, places=1, texts=2)
    gone = begin(study)
    gone.do()
    gone.do()
    leave(gone.annotator)
    assert has_place(study)
    heir = begin(study, start="two").annotator
    assert heir.assignments.count() == 1
    assert gone.annotator.assignments.active().count() == 1
    assert not has_place(study)


@pytest.mark.parametrize(("minutes", "freed"), [(29, 0), (31, 2)])
def test_work_is_abandoned_after_three_times_the_minutes_and_half_an_hour_at_least(project, minutes, freed):
    study = make_study(project, places=1, minutes=2)
    leave(begin(study).annotator, minutes)
    assert return_abandoned(study) == freed


class Clock:
    """The present time, which a test can move on."""

    def __init__(self, monkeypatch):
        self.ahead, real = timedelta(0), timezone.now
        monkeypatch.setattr(timezone, "now", lambda: real() + self.ahead)

    def move(self, minutes: int) -> None:
        self.ahead += timedelta(minutes=minutes)


@pytest.mark.parametrize("recruitment", [{"open_link": True, "minutes": 10}, {"time_out": 30}])
def test_work_times_out_by_the_clock_alone(project, monkeypatch, recruitment):
    clock = Clock(monkeypatch)
    study = make_study_with_bank(project, plan={"annotators": 1}, recruitment=recruitment)
    person = begin(study) if study.open_token else someone(study).start()
    person.do()
    person.do()
    clock.move(29)
    WorkerHeartbeat("worker").act()
    assert person.annotator.assignments.active().count() == 2
    clock.move(2)
    WorkerHeartbeat("worker").act()  # nobody opens a page or runs a command
    (left,) = person.annotator.assignments.filter(returned_at__isnull=False)
    assert (left.apart, left.finished_at) == (Apart.ABANDONED, None)
    assert person.annotator.assignments.active().get().finished_at
    shown = next(each for each in list_people(study) if each.annotator.pk == person.annotator.pk)
    assert shown.state == TIMED_OUT
    assert count_finished(study) == 0


def test_what_times_out_while_the_study_is_paused_stays(project, monkeypatch):
    clock, study = Clock(monkeypatch), make_study(project, places=1)
    begin(study)
    pause_study(study)
    clock.move(100)
    assert return_timed_out_work() == 0


def test_work_that_timed_out_and_was_taken_goes_on_as_surplus(project, monkeypatch):
    clock, study = Clock(monkeypatch), make_study(project, places=1, texts=1)
    person = begin(study)
    token, answers = person.here.token, person.answers()
    clock.move(31)
    assert return_timed_out_work() == 1
    assert return_timed_out_work() == 0
    begin(study, start="heir").finish()
    submit_stage(person.annotator, token, answers)  # acknowledged, so it is stored
    clock.move(31)
    assert return_timed_out_work() == 0
    assert person.annotator.assignments.get().apart == Apart.SURPLUS
    assert find_place(person.annotator).kind == "stage"


def test_the_time_out_grows_with_the_estimated_minutes(project):
    study = make_study(project, places=1, minutes=60)
    leave(begin(study).annotator, 179)
    assert return_abandoned(study) == 0
    leave(study.annotators.get(), 181)
    assert return_abandoned(study) == 2


def test_who_comes_back_keeps_a_place_that_is_still_free(project):
    study = make_study(project, places=1)
    person = begin(study)
    token, answers = person.here.token, person.answers()
    leave(person.annotator)
    return_abandoned(study)
    assert find_place(person.annotator).kind == "returning"
    person.save(answers, token)  # the page that stood open all the time
    person.hand_in(token)
    assert person.annotator.assignments.active().count() == 2
    assert not person.annotator.assignments.filter(apart__isnull=False).exists()


def test_who_comes_back_to_a_taken_place_gets_another_free_cell_for_what_was_not_begun(project):
    study = make_study(project, places=2, texts=4)
    person = begin(study)
    leave(person.annotator)
    return_abandoned(study)
    Assignment.objects.filter(annotator=person.annotator).update(stage_opened_at=None)
    heir = admit_visitor(study, start="heir")
    taken = set(heir.assignments.values_list("unit", flat=True))
    go_on(person.annotator)
    held = set(person.annotator.assignments.active().values_list("unit", flat=True))
    assert len(held) == 2
    assert held.isdisjoint(taken)


def test_who_comes_back_to_a_full_study_works_on_as_surplus_is_thanked_and_is_in_no_figure(project):
    study = make_study(project, places=1, texts=1)
    person = begin(study)
    token, answers = person.here.token, person.answers()
    leave(person.annotator)
    heir = begin(study, start="heir").finish()
    submit_stage(person.annotator, token, answers)  # acknowledged, so it is stored
    while (place := find_place(person.annotator)).kind == "stage":
        shown = place.assignment.shown[place.stage.name]
        fields = {f"answer-{handle}": options[0][0] for handle, _item, options in shown}
        fields |= {f"rating-{handle}": "3" for handle, _item, _options in shown}
        submit_stage(person.annotator, place.token, post(item=[row[0] for row in shown], **fields))
    assert place.kind == "done"
    assert person.annotator.assignments.get().apart == Apart.SURPLUS
    counted = query_submitted(study, [Purpose.MAIN]).values_list("assignment__annotator", flat=True)
    assert set(counted) == {heir.annotator.pk}


def test_work_given_back_by_hand_can_keep_or_discard_what_is_finished(project):
    study = make_study(project, places=1)
    person = begin(study)
    person.do()
    person.do()
    assert give_back_work(person.annotator) == 1
    assert give_back_work(person.annotator, discard=True) == 1
    assert begin(study, start="two").annotator.assignments.count() == 2


def test_strangers_are_spread_over_the_groups_by_their_quotas(project):
    bank(project)
    plan = {"annotators": {"experts": 1, "crowd": 2}, "per_unit": {"experts": 1, "crowd": 1}}
    study = make_live_study(project, plan=plan, recruitment={"open_link": True, "minutes": 10})
    expert = admit_visitor(study, start="e", group="experts")
    assert {each.slot.group for each in expert.assignments.select_related("slot")} == {"experts"}
    with pytest.raises(NoPlace):
        admit_visitor(study, start="f", group="experts")
    assert admit_visitor(study, start="g").group == "crowd"


def test_phases_of_someone_screened_out_are_kept_with_their_score(project):
    study = make_study_with_bank(project, plan={"annotators": 1, "per_unit": 1}, phases=[CHECK], recruitment=PROLIFIC)
    client = Client()
    work = client.post(address(study, PROLIFIC_PID="p1"))["Location"]
    client.post(work, {"phase": "comprehension", "final": RIGHT, "count": "one", "try": "0"})
    assert PhasePassed.objects.get().score == 1


SIGNED = {"open_link": True, "platform": "other", "signed_ids": True}


def test_signed_ids_cannot_be_made_up(project, as_user, researcher):
    study = make_study(project, **SIGNED)
    table = as_user(researcher).post(reverse("signed_links", args=[study.slug]), {"ids": "abc-1\n\nabc-2"}).content
    (name, _link), (person, link), _other = csv.reader(table.decode().splitlines())
    assert (name, person) == ("participant", "abc-1")
    for made_up in (link.replace("abc-1", "abc-3"), link[:-1], link.partition("&")[0], f"{link}&signature=x"):
        response = Client().post(made_up)
        assert (response.status_code, study.annotators.count()) == (400, 0)
    assert Client().post(link).status_code == 302
    assert study.annotators.get().person == "abc-1"
    secret = get_id_secret(study)
    assert f"signature={hmac.new(secret.encode(), b'abc-1', 'sha256').hexdigest()[:32]}" in link
    assert secret not in Client().get(link).text


@pytest.mark.parametrize("ids", ["", "a\nb c", "a\na", "<b>", "x" * 101, "\n".join(map(str, range(10_001)))])
def test_a_list_that_cannot_be_signed_is_refused(project, ids):
    study = make_study(project, **SIGNED)
    with pytest.raises(SpecError):
        write_signed_links(study, ids, "https://here.example/")
