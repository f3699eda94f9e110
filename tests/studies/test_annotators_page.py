"""The list of a study's annotators: who is how far, personal links, and adding people."""

import csv
import io

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from studies.models import Annotator
from studies.services.launching import pause_study
from tests.studies.world import bank, drafted, launched, person


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def study(project):
    bank(project)
    return launched(project)


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


def test_each_row_says_annotator_done_open_and_last_seen(study, page):
    someone = person(study).start()
    someone.do()
    someone.do()
    Annotator.objects.filter(pk=someone.annotator.pk).update(last_seen=timezone.now())
    first, second = rows(page())
    assert first[:4] == ["P01", "1", "1", "now"]
    assert second[:4] == ["P02", "0", "2", "not yet"]


def test_each_link_stands_ready_to_be_copied(study, page):
    links = [field["value"] for field in page().select("input.link-field")]
    assert links == [f"http://testserver{annotator.get_link()}" for annotator in study.annotators.all()]
    assert {button["data-copy"] for button in page().select("button[data-copy]")} == {
        f"link-{annotator.pk}" for annotator in study.annotators.all()
    }


def test_the_page_is_kept_by_no_cache(client, study):
    assert "no-store" in client.get(reverse("study_annotators", args=["study"]))["Cache-Control"]


def test_groups_are_shown_where_there_are_any(project, study, client):
    launched(project, slug="grouped", groups=["students", "=cmd()"])
    soup = BeautifulSoup(client.get(reverse("study_annotators", args=["grouped"])).content, "html.parser")
    assert [row[1] for row in rows(soup)] == ["students", "=cmd()"]


def test_revoking_and_renewing_a_link(client, study, page):
    annotator = study.annotators.first()
    old = annotator.get_link()
    said = client.post(reverse("annotator_link", args=["study", annotator.pk, "revoke"]), follow=True)
    assert "P01&#x27;s link is now disabled." in said.content.decode()
    assert "revoked" in rows(page())[0][4]
    said = client.post(reverse("annotator_link", args=["study", annotator.pk, "renew"]), follow=True)
    assert "P01 has a new link." in said.content.decode()
    annotator.refresh_from_db()
    assert annotator.revoked_at is None
    assert annotator.get_link() != old


def test_annotators_are_added_by_number(study, add):
    assert "3 annotators were added." in add(count="3").content.decode()
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
    launched(project, slug="full", plan={"annotators": 4, "per_unit": 2})
    page = client.post(reverse("study_annotators", args=["full"]), {"count": "1"})
    assert "text already has its number of annotators" in page.content.decode()


def test_nobody_is_added_to_a_draft(project, client):
    bank(project)
    drafted(project, slug="draft")
    page = client.post(reverse("study_annotators", args=["draft"]), {"count": "1"})
    assert page.status_code == 200
    assert not Annotator.objects.exists()
    assert "Annotators and their links are created when the study is launched." in page.content.decode()


def test_a_paused_study_can_be_added_to(study, add):
    pause_study(study)
    add(count="1")
    assert study.annotators.count() == 3


def test_simulated_annotators_stand_apart_and_say_what_they_are(study, page):
    from annotation.simulation import make_simulated_annotators

    make_simulated_annotators(study, 1, seed=1)
    people, simulated = page().find_all("tbody")
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
    import_responses(drafted(project, slug="imported"), as_csv(whole()))
    assert links_file(client, "imported") == []


@pytest.mark.slow
def test_sixty_annotators_are_one_line_each(project, client):
    bank(project)
    launched(project, slug="large", plan={"annotators": 60})
    with_sixty = client.get(reverse("study_annotators", args=["large"]))
    soup = BeautifulSoup(with_sixty.content, "html.parser")
    assert len(rows(soup)) == 60


@pytest.mark.slow
def test_the_page_asks_the_database_no_more_for_sixty_than_for_two(
    project, client, study, django_assert_max_num_queries
):
    launched(project, slug="large", plan={"annotators": 60})
    with django_assert_max_num_queries(12):
        client.get(reverse("study_annotators", args=["large"]))
