"""The page of a study's people: who is where, one person with their link, acts on one or many, and adding people."""

import csv
import io
from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from analysis.frames.responses import query_submitted
from projects.models import AuditEntry
from studies.models import Annotator, Contact, Purpose, Response
from studies.services.launching import close_study, pause_study
from studies.services.lifecycle import close_due_studies
from studies.services.monitor import Overview, compute_fair_pay, list_people
from studies.services.people import pause_person, resume_person
from studies.services.places import find_place
from studies.services.progress import Progress, build_coverage, count_progress
from studies.services.recruiting import admit_visitor
from tests.studies.world import Person, bank, draft_study, make_live_study, make_study_with_bank, person


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


@pytest.fixture
def page(client):
    """A function that opens the page and returns it, parsed."""
    return lambda: BeautifulSoup(client.get(reverse("study_annotators", args=["study"])).content, "html.parser")


@pytest.fixture
def add(client):
    return lambda **fields: client.post(reverse("study_annotators", args=["study"]), fields, follow=True)


def rows(soup: BeautifulSoup) -> list[list[str]]:
    return [
        [" ".join(cell.get_text(" ").split()) for cell in row.find_all(["th", "td"])]
        for row in soup.select(".people tbody tr")
    ]


def test_each_row_says_person_state_done_and_last_seen(study, page):
    someone = person(study).start()
    someone.do()
    someone.do()
    Annotator.objects.filter(pk=someone.annotator.pk).update(last_seen=timezone.now())
    first, second = rows(page())
    assert (first[1], first[2], first[4]) == ("P01", "working", "1 of 2")
    assert first[6] != "never"
    assert (second[1], second[2], second[4], second[6]) == ("P02", "not opened", "0 of 2", "never")


def test_the_link_stands_ready_on_the_page_of_the_person(client, study):
    annotator = study.annotators.first()
    soup = BeautifulSoup(client.get(reverse("study_person", args=["study", annotator.pk])).content, "html.parser")
    assert [field["value"] for field in soup.select("input.link-field")] == [f"http://testserver{annotator.get_link()}"]
    assert soup.select_one("button[data-copy]")["data-copy"] == f"link-{annotator.pk}"


def test_who_has_not_opened_the_link_has_it_in_their_row(client, study, page):
    links = [f"http://testserver{each.get_link()}" for each in study.annotators.order_by("pk")]
    soup = page()
    assert [field["value"] for field in soup.select("#people-live input.link-field")] == links
    assert soup.select_one(".people-head a.primary")["href"] == reverse("annotator_links", args=["study"])
    person(study).start()
    assert [field["value"] for field in page().select("#people-live input.link-field")] == links[1:]


def test_the_old_address_leads_to_the_page(client, study):
    came = client.get("/s/study/annotators/", follow=True)
    assert came.redirect_chain == [("/s/study/people/", 302)]


@pytest.mark.parametrize(("who", "sees"), [("viewer", False), ("reviewer", True), ("researcher", True)])
def test_who_only_views_sees_numbers_and_no_codes(who, sees, study, as_user, request):
    someone = person(study).start()
    Contact.objects.create(annotator=someone.annotator, name="Ada Karavan", email="ada@karavan.example")
    text = as_user(request.getfixturevalue(who)).get(reverse("study_people_live", args=["study"])).content.decode()
    assert ("P01" in text) is sees
    assert ("Ada Karavan" in text) is (who == "researcher")
    assert "Who has done what" in text
    assert someone.annotator.get_link() not in text


def test_a_reviewer_reads_the_answers_and_neither_link_nor_name(study, as_user, reviewer):
    someone = person(study).start()
    someone.do()
    Contact.objects.create(annotator=someone.annotator, name="Ada Karavan", email="ada@karavan.example")
    page = as_user(reviewer).get(reverse("study_person", args=["study", someone.annotator.pk]))
    assert page.context["answers"]
    assert someone.annotator.token not in page.content.decode()
    assert "karavan" not in page.content.decode().lower()


def act(client, study, name, people, **fields):
    fields |= {"act": name, "person": [each.pk for each in people]}
    return client.post(reverse("people_act", args=[study.slug]), fields, follow=True)


def test_links_are_to_be_sent_first_and_reminders_come_after_a_day(client, study):
    page = client.get(reverse("study_annotators", args=["study"])).content.decode()
    assert "Send each person their link." in page
    assert "Remind 2 people" not in page
    assert "has not opened the link" not in page
    study.annotators.update(created_at=timezone.now() - timedelta(days=2))
    page = client.get(reverse("study_annotators", args=["study"])).content.decode()
    assert "Remind 2 people" in page
    assert "P01 has not opened the link." in page


def test_an_act_is_confirmed_first_and_reaches_all_who_are_ticked(client, study):
    people = list(study.annotators.all())
    act(client, study, "pause", people)
    assert not study.annotators.filter(paused_at__isnull=False).exists()
    act(client, study, "pause", people, confirmed="yes")
    assert study.annotators.filter(paused_at__isnull=False).count() == 2
    act(client, study, "resume", people[:1], confirmed="yes")
    assert [each.state.name for each in list_people(study)] == ["not_opened", "paused"]


def test_removing_needs_the_name_of_the_study(client, study):
    someone = person(study).start()
    someone.do()
    act(client, study, "remove", [someone.annotator], confirmed="yes")
    assert Response.objects.exists()
    act(client, study, "remove", [someone.annotator], confirmed="study")
    assert not Response.objects.exists()
    assert list_people(study)[0].state.name == "removed"


def test_a_replacement_gets_the_open_cells_with_their_generators(client, study):
    someone = person(study).start()
    someone.do()
    someone.do()
    left = set(someone.annotator.assignments.open().values_list("slot", "slot__generator"))
    act(client, study, "replace", [someone.annotator], confirmed="yes")
    new = study.annotators.get(code="P03")
    assert set(new.assignments.values_list("slot", "slot__generator")) == left
    someone.annotator.refresh_from_db()
    assert someone.annotator.revoked_at
    assert count_progress(study).total == 4


def test_open_work_is_given_to_others_and_discarded_work_is_in_no_figure(client, study):
    someone = person(study).start()
    someone.do()
    someone.do()  # one of two texts is finished
    act(client, study, "give_back", [someone.annotator], confirmed="yes")
    assert someone.annotator.assignments.active().count() == 1
    act(client, study, "discard", [someone.annotator])
    assert someone.annotator.assignments.active().count() == 1
    act(client, study, "discard", [someone.annotator], confirmed="yes")
    assert not someone.annotator.assignments.active().exists()
    assert Response.objects.exists()
    assert not query_submitted(study, [Purpose.MAIN]).exists()
    text = act(client, study, "give_back", [someone.annotator], confirmed="yes").content.decode()
    assert "P01 has no work to give back." in text
    acts = AuditEntry.objects.filter(act__startswith="work").order_by("pk")
    assert list(acts.values_list("act", "number")) == [("work_given_back", 1), ("work_discarded", 1)]


def test_a_person_who_is_paused_sees_so_and_loses_nothing(study):
    someone = person(study).start()
    someone.save(someone.answers())
    pause_person(someone.annotator)
    assert find_place(someone.annotator).kind == "paused"
    resume_person(someone.annotator)
    assert find_place(someone.annotator).kind == "stage"
    assert someone.annotator.assignments.filter(drafts__isnull=False).exists()


@pytest.mark.parametrize(
    ("away", "state"), [({"minutes": 29}, "working"), ({"minutes": 31}, "idle"), ({"hours": 25}, "stuck")]
)
def test_who_is_away_is_idle_and_then_stuck(away, state, study):
    someone = person(study).start()
    someone.do()
    Annotator.objects.filter(pk=someone.annotator.pk).update(last_seen=timezone.now() - timedelta(**away))
    assert list_people(study)[0].state.name == state


def test_coverage_counts_guesses_by_generator_and_readings_once(study):
    someone = person(study).start()
    someone.do()
    grid = build_coverage(study)
    assert grid.columns == [("guess", "alder"), ("guess", "birch"), ("read", "")]
    done = [sum(row[1][place].done for row in grid.rows) for place in range(3)]
    planned = [sum(row[1][place].planned for row in grid.rows) for place in range(3)]
    assert (sum(done[:2]), done[2], sum(planned[:2]), planned[2]) == (1, 0, 4, 4)


@pytest.mark.parametrize(("minutes", "wage", "pay"), [(31, 15, 7.75), (10, 12, 2), (1, 10, 0.17)])
def test_fair_pay_is_rounded_up_to_the_cent(minutes, wage, pay):
    assert compute_fair_pay(minutes, wage) == pay


def test_a_study_closes_by_itself_at_its_deadline(study):
    someone = person(study).start()
    type(study).objects.update(deadline=timezone.now() - timedelta(minutes=1))
    someone.annotator.refresh_from_db()
    assert find_place(someone.annotator).kind == "closed"
    assert close_due_studies() == ["study"]
    assert close_due_studies() == []


def test_a_deadline_in_the_past_is_refused_at_its_field_and_nothing_is_saved(study, as_user, researcher):
    client, address = as_user(researcher), reverse("study_manage", args=[study.slug])
    form = client.post(address, {"title": "Another", "deadline": "2020-01-01T10:00"}).context["form"]
    assert list(form.errors) == ["deadline"]
    study.refresh_from_db()
    assert (study.title == "Another", study.deadline) == (False, None)


def test_a_full_study_closes_when_nobody_is_at_work(study):
    first, second = person(study, 0).start().finish(), person(study, 1).start()
    type(study).objects.update(max_finished=1)
    assert close_due_studies() == []
    Annotator.objects.filter(pk=second.annotator.pk).update(last_seen=timezone.now() - timedelta(hours=25))
    assert close_due_studies() == ["study"]
    assert first.annotator.assignments.open().count() == 0


@pytest.mark.parametrize(("state", "leads"), [("live", True), ("paused", True), ("closed", False)])
def test_the_page_leads_to_where_a_running_study_is_closed(page, study, state, leads):
    type(study).objects.update(state=state)
    targets = {link["href"] for link in page().select(".people-tools a")}
    assert (reverse("study_design", args=["study"]) + "#now" in targets) == leads


def test_the_page_is_kept_by_no_cache(client, study):
    assert "no-store" in client.get(reverse("study_annotators", args=["study"]))["Cache-Control"]


def test_groups_are_shown_where_there_are_any(project, study, client):
    make_live_study(project, slug="grouped", groups=["students", "=cmd()"])
    soup = BeautifulSoup(client.get(reverse("study_annotators", args=["grouped"])).content, "html.parser")
    assert [row[1] for row in rows(soup)] == ["P01 students", "P02 =cmd()"]


def test_revoking_and_renewing_a_link(client, study, page):
    annotator = study.annotators.first()
    old = annotator.get_link()
    response = client.post(reverse("annotator_link", args=["study", annotator.pk, "revoke"]), follow=True)
    assert "P01&#x27;s link is now disabled." in response.content.decode()
    assert rows(page())[0][2] == "link disabled"
    response = client.post(reverse("annotator_link", args=["study", annotator.pk, "renew"]), follow=True)
    assert "P01 has a new link." in response.content.decode()
    annotator.refresh_from_db()
    assert annotator.revoked_at is None
    assert annotator.get_link() != old


def test_the_form_for_more_people_is_closed_while_there_are_some(page, study):
    assert not page().select_one("details#add").has_attr("open")
    Annotator.objects.update(revoked_at=timezone.now(), kind="model")
    assert page().select_one("details#add").has_attr("open")


def test_annotators_are_added_by_number(study, add):
    assert "3 people were added." in add(count="3").content.decode()
    assert study.annotators.count() == 5


def test_annotators_are_added_by_code_one_a_line(study, add):
    add(people="anna\r\n\r\n ben \r\n")
    assert list(study.annotators.exclude(person="").values_list("person", flat=True)) == ["anna", "ben"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "Say how many annotators to add"),
        ({"count": "0"}, "greater than or equal to 1"),
        ({"count": "201"}, "less than or equal to 200"),
        ({"count": "200", "people": "anna"}, "Add at most 200 annotators at once."),
        ({"people": "anna\nanna"}, "can take part once"),
        ({"people": "x" * 201}, "A code may have up to 200 visible characters"),
        ({"people": "a\x1bb"}, "to 200 visible characters"),
        ({"people": "x" * 50_001}, "at most 50000 characters"),
        ({"count": "1", "group": "strangers"}, "is not one of the available choices"),
    ],
)
def test_what_cannot_be_added_is_said(fields, sentence, project, study, add):
    type(study).objects.update(groups=["students"])
    page = add(**fields)
    assert page.status_code == 200
    assert sentence in page.content.decode()
    assert study.annotators.count() == 2


def test_a_full_plan_is_said(project, client):
    bank(project, texts=4)
    make_live_study(project, slug="full", plan={"annotators": 4, "per_unit": 2})
    page = client.post(reverse("study_annotators", args=["full"]), {"count": "1"})
    assert "text already has its number of annotators" in page.content.decode()


def test_nobody_is_added_to_a_draft(project, client):
    bank(project)
    draft_study(project, slug="draft")
    page = client.post(reverse("study_annotators", args=["draft"]), {"count": "1"})
    assert page.status_code == 200
    assert not Annotator.objects.exists()
    assert "People and their links are made when the study is launched." in page.content.decode()


def test_a_paused_study_can_be_added_to(study, add):
    pause_study(study)
    add(count="1")
    assert study.annotators.count() == 3


def test_simulated_annotators_stand_apart_and_say_what_they_are(study, page):
    from annotation.simulation import make_simulated_annotators

    make_simulated_annotators(study, 1, seed=1)
    people, _coverage, simulated = page().find_all("tbody")
    assert "sim-01" not in people.get_text()
    assert "simulated" in simulated.get_text()
    assert "are not people" in page().main.get_text()


def links_file(client, slug: str) -> list[dict[str, str]]:
    response = client.get(reverse("annotator_links", args=[slug]))
    assert response["Content-Type"].startswith("text/csv")
    assert "attachment" in response["Content-Disposition"]
    assert "no-store" in response["Cache-Control"]
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def test_the_file_of_links_holds_every_person_with_a_link(client, study):
    annotators = list(study.annotators.all())
    Annotator.objects.filter(pk=annotators[1].pk).update(revoked_at=timezone.now())
    from annotation.simulation import make_simulated_annotators
    from studies.services.launching import start_preview

    make_simulated_annotators(study, 1, seed=1)
    start_preview(study)
    assert links_file(client, "study") == [
        {"annotator": "P01", "person": "", "group": "", "link": f"http://testserver{annotators[0].get_link()}"}
    ]


@pytest.mark.parametrize("hostile", ["=1+1", "+1", "-1", "@x", "＝1"])
def test_cells_of_the_file_are_no_formulas(hostile, client, study):
    Annotator.objects.filter(code="P01").update(group=hostile, person=hostile)
    first = links_file(client, "study")[0]
    assert (first["group"], first["person"]) == (f"'{hostile}", f"'{hostile}")


def test_an_imported_study_has_no_file_of_links(project, client):
    from studies.services.responses.importing import import_responses
    from tests.studies.answer_files import as_csv, whole

    bank(project)
    import_responses(draft_study(project, slug="imported"), as_csv(whole()))
    assert links_file(client, "imported") == []


@pytest.mark.slow
def test_sixty_annotators_are_one_line_each_and_no_more_queries(project, client, django_assert_max_num_queries):
    bank(project)
    make_live_study(project, slug="large", plan={"annotators": 60})
    with django_assert_max_num_queries(30):
        with_sixty = client.get(reverse("study_annotators", args=["large"]))
    assert len(rows(BeautifulSoup(with_sixty.content, "html.parser"))) == 60


def test_places_of_an_open_link_that_nobody_has_taken_are_still_to_be_done(project, page):
    study = make_study_with_bank(project, plan={"annotators": 3}, recruitment={"open_link": True})
    assert "texts are done" not in page().text  # nobody has come
    Person(admit_visitor(study, start="one")).start().finish()
    assert count_progress(study) == Progress(annotators=1, finished=2, total=6)
    assert Overview(study, list_people(study)).n_all == 6
    assert "2 of 6 texts are done." in page().text
    study = close_study(study)
    assert count_progress(study).total == 2


def test_archiving_is_offered_once_a_study_is_no_longer_live(project, as_user, researcher):
    study = make_study_with_bank(project)
    client, archive = as_user(researcher), reverse("study_archive", args=[study.slug])
    pages = [reverse(name, args=[study.slug]) for name in ("study_manage", "study_erase")]
    assert not any(archive in client.get(page).text for page in pages)
    close_study(study)
    assert all(archive in client.get(page).text for page in pages)
