"""The results page: what it shows, to whom, and from where it takes it."""

import csv
import io
import re

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from analysis.choices import Choices
from analysis.services.reporting import build
from evaluation.models import Metric, MetricValue
from items.models import Generator, Item
from studies.models import StudyState
from studies.services.responses.importing import import_responses
from tests import dimensions, reading, stopping
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

URLS = {
    "results": ("study_results", ()),
    "details": ("results_details", ()),
    "figure": ("study_figure", ("dumbbell", "svg")),
    "specification": ("study_figure", ("dumbbell", "vl.json")),
    "table": ("study_table", ("informativity",)),
    "csv": ("study_export", ("csv",)),
    "wide": ("study_export", ("wide",)),
    "jsonl": ("study_export", ("jsonl",)),
    "codebook": ("study_export", ("codebook",)),
}
SIMULATED = '<span class="badge warning">simulated answers</span>'


def address(name, slug="tiny"):
    view, arguments = URLS[name]
    return reverse(view, args=(slug, *arguments))


def stable(response) -> str:
    """The page without what differs from request to request."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


@pytest.fixture
def page(as_user, viewer):
    """A function that gives the results page as a viewer sees it."""

    def show(slug="tiny", **asked):
        response = as_user(viewer).get(reverse("results_details", args=[slug]), asked)
        assert response.status_code == 200
        return stable(response)

    return show


@pytest.fixture
def summary(as_user, viewer):
    """A function that gives the summary as a viewer sees it."""
    return lambda slug="tiny": stable(as_user(viewer).get(reverse("study_results", args=[slug])))


def test_every_page_and_file_of_results_opens(two_annotators, as_user, reviewer):
    client = as_user(reviewer)
    for name in URLS:
        assert client.get(address(name)).status_code == 200, name


def test_foreign_and_unknown_studies_look_alike(two_annotators, as_user, stranger):
    client = as_user(stranger)
    for name in URLS:
        foreign, unknown = client.get(address(name)), client.get(address(name, "nowhere"))
        assert foreign.status_code == unknown.status_code == 404, name
        assert stable(foreign).replace("tiny", "nowhere") == stable(unknown), name


@pytest.mark.parametrize("path", ["figures/nothing.svg", "tables/nothing.csv"])
def test_unknown_figures_and_tables_are_not_found(two_annotators, as_user, viewer, path):
    assert as_user(viewer).get(f"/s/tiny/results/{path}").status_code == 404


def test_unknown_formats_are_not_found(two_annotators, as_user, owner):
    assert as_user(owner).get("/s/tiny/export/ods/").status_code == 404


def test_the_page_shows_numbers_intervals_and_n(two_annotators, page):
    html = page()
    assert "People" in html or "people" in html
    for words in (
        ".75",
        ".88",
        "4 judgments, 2 texts",
        "as published: [",
        "Informativity, matched",
        "Agreement with people",
    ):
        assert words in html


def test_undefined_stands_with_its_reason(two_annotators, page):
    html = page()
    assert "undefined" in html
    assert "no option was judged by both annotators of a pair" in html


def test_the_figure_has_its_numbers_in_words(two_annotators, page):
    assert "careful, people: Guessability .75" in page()


def test_the_best_is_marked_by_a_sign_and_not_by_colour_alone(project, page):
    """One generator is answered nearly always right with the text, the other nearly never."""
    texts = [make_text(project, f"t{number}") for number in range(10)]
    by = {name: [make_item(text, name, f"{name}{text.external_id}", "TF") for text in texts] for name in ("ann", "bob")}
    study = make_study(project, "clear", [item for pair in zip(*by.values(), strict=True) for item in pair])
    for place in range(4):
        person = make_annotator(study, f"p{place}")
        for number in range(10):
            odd = (number**2 + place) % 5 == 0
            answer(person, "guess", by["ann"][number], "TT")
            answer(person, "guess", by["bob"][number], "TT")
            answer(person, "read", by["ann"][number], "TT" if odd else "TF")
            answer(person, "read", by["bob"][number], "TT" if odd else "FT")
    signs = BeautifulSoup(page("clear"), "html.parser").select('[data-table="informativity"] strong + .best')
    assert {sign["aria-label"] for sign in signs} == {"best"}
    assert {sign.find_parent("tr").find("th").get_text() for sign in signs} == {"ann"}


def test_a_study_without_answers_says_what_to_do(tiny, page):
    assert "Send the annotators their links" in page()
    tiny.state = StudyState.DRAFT
    tiny.save()
    assert "This study is a draft" in page()


def test_simulated_answers_stay_out_beside_real_ones(two_annotators, items, page):
    answer(make_annotator(two_annotators, "sim", purpose="simulated"), "guess", items["c1"], "FT")
    html = page()
    assert "simulated answers (2)" in html
    assert SIMULATED not in html
    assert SIMULATED in page(asked=1, include="simulated")


def test_a_study_of_simulated_answers_shows_them_under_a_banner(tiny, items, page):
    answer(make_annotator(tiny, "sim", purpose="simulated"), "guess", items["c1"], "TF")
    assert SIMULATED in page()
    assert "No answers of this study are included" in page(asked=1)


def test_a_model_beside_simulated_people_does_not_hide_them(tiny, items, page):
    answer(make_annotator(tiny, "sim", purpose="simulated"), "guess", items["c1"], "TF")
    answer(make_annotator(tiny, "gpt", kind="model"), "guess", items["c1"], "TF")
    assert SIMULATED in page()


def test_the_convention_is_a_choice_of_the_reader(two_annotators, page):
    assert "as published: [" in page(asked=1, convention="annotators")
    assert "these annotators only: [" in page(asked=1, convention="published")


def test_a_choice_that_does_not_exist_is_said_and_changes_nothing(two_annotators, page):
    html = page(asked=1, convention="lucky")
    assert "Select a valid choice" in html
    assert "as published: [" in html


def test_lists_of_items_lead_to_the_text(two_annotators, page):
    text = two_annotators.units.get(text__external_id="t2").text
    assert reverse("text", args=["rivers", text.pk]) in page()


def test_viewers_are_not_offered_exports(two_annotators, page):
    assert reverse("study_export", args=["tiny", "csv"]) not in page()


def test_hostile_names_are_text(two_annotators, page):
    generator = two_annotators.units.first().items.first().generator
    generator.name = "<script>alert(1)</script>"
    generator.save()
    html = page()
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert" in html


def test_a_new_answer_a_new_key_and_a_new_name_show_at_once(two_annotators, items, page):
    assert ".88" in page()
    items["c1"].options.filter(external_id="b").update(correct=True)
    assert "5 judgments" not in page()
    assert "<strong>.88</strong>" not in page()
    answer(make_annotator(two_annotators, "cy"), "guess", items["c1"], "TF")
    assert "6 judgments, 2 texts" in page()
    generator = items["c1"].generator
    generator.name = "painstaking"
    generator.save()
    assert "painstaking" in page()


def test_an_unchanged_study_is_not_computed_again(two_annotators, page, monkeypatch):
    first = page()
    monkeypatch.setattr("analysis.services.reporting.build", lambda *_: 1 / 0)
    assert page() == first


def test_the_csv_of_a_table_is_the_reports(two_annotators, as_user, viewer):
    response = as_user(viewer).get(address("table"))
    assert response["Content-Disposition"] == 'attachment; filename="tiny-informativity.csv"'
    first = next(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    assert (first["generator"], first["answerability"]) == ("careful", "0.875")


def test_the_export_of_the_page_is_a_whole_file(two_annotators, as_user, reviewer):
    response = as_user(reviewer).get(address("csv"))
    content = b"".join(response.streaming_content).decode()
    assert response["Content-Disposition"] == 'attachment; filename="tiny.csv"'
    assert len(list(csv.DictReader(io.StringIO(content, newline="")))) == 32


def test_the_page_stays_small(two_annotators, page):
    assert len(page().encode()) < 150_000


def test_an_annotators_page_opens_from_the_results_of_a_live_study(two_annotators, as_user, researcher):
    two_annotators.state = StudyState.LIVE
    two_annotators.save()
    page = as_user(researcher).get(address("results"))
    assert f'action="{reverse("study_preview", args=[two_annotators.slug])}"' in page.content.decode()


def test_a_generator_called_human_keeps_its_name(two_annotators, page):
    Generator.objects.filter(name="careful").update(name="human")
    _before, described = page().split('id="description"')
    assert re.findall(r'<th scope="row">(\w+)</th>', described) == ["all", "all", "human", "hurried", "people"]


def controls(as_user, user, study):
    response = as_user(user).get(reverse("results_details", args=[study.slug]))
    page = BeautifulSoup(response.content.decode(), "html.parser")
    return {field["name"] for field in page.select("form.controls [name]")} - {"asked"}


def test_intervals_are_chosen_where_there_are_any(two_annotators, as_user, viewer):
    assert "convention" in controls(as_user, viewer, two_annotators)


def test_nothing_is_offered_that_would_change_nothing(project, as_user, viewer):
    """A stopping questionnaire has intervals of contrasts only; scores without metrics leave none out."""
    stopping.make_bank(project)
    stopped = stopping.draft_study(project)
    import_responses(stopped, as_csv(stopping.rows()))
    assert controls(as_user, viewer, stopped) == {"convention"}
    dimensions.make_bank(project)
    scored = dimensions.draft_study(project)
    import_responses(scored, as_csv(dimensions.both_rounds()))
    assert "drop" not in controls(as_user, viewer, scored)
    metric = Metric.objects.create(project=project, name="LIX")
    for number, item in enumerate(Item.objects.filter(external_id__startswith="x")):
        MetricValue.objects.create(metric=metric, item=item, value=number)
    cache.clear()
    assert "drop" in controls(as_user, viewer, scored)


def test_what_holds_of_several_tables_is_said_once_and_in_files_with_each(two_annotators, page):
    note = "95 % intervals over readers and texts"
    html = page()
    assert html.count(note) == 1
    notes = BeautifulSoup(html, "html.parser").select_one("#notes")
    assert note in notes.get_text()
    tables = [table for table in build(two_annotators, Choices()).tables if any(note in one for one in table.notes)]
    assert len(tables) > 1


def test_addresses_hold_only_what_was_chosen(two_annotators, page):
    usual, chosen = BeautifulSoup(page(), "html.parser"), BeautifulSoup(page(convention="published"), "html.parser")
    assert not usual.select('main a[href*="convention="]')
    asked = BeautifulSoup(page(asked=1, convention="published"), "html.parser")
    assert asked.select('main a[href*="convention=published"]')
    assert not chosen.select('main a[href*="convention="]')  # without `asked` an address asks for nothing


def test_a_long_table_that_is_closed_at_first_stands_on_its_own_page(project, as_user, reviewer):
    study = reading.plant_three_texts(project)
    html = BeautifulSoup(as_user(reviewer).get(address("details", study.slug)).content, "html.parser")
    own = reverse("study_table_page", args=[study.slug, "item_analysis"])
    assert not html.select('[data-table="item_analysis"]')
    assert html.select(f'a[href^="{own}"]')


def test_the_details_hold_every_table_of_the_report_once_and_closed(project, two_annotators, page):
    for study in (two_annotators, dimensions.import_study(project)):
        shown = BeautifulSoup(page(study.slug), "html.parser")
        for table in build(study, Choices(seed=7)).tables:
            assert len(shown.find_all(id=table.name)) == 1, table.name
        assert shown.select(".table-list details")
        assert not shown.select(".table-list details[open]")


def test_tables_that_lack_the_same_say_it_once(project, page):
    dimensions.import_study(project)
    shown = BeautifulSoup(page("dims"), "html.parser")
    assert shown.get_text().count("no item of this study has a metric") == 1
    lacking = shown.find(id="empty")
    assert lacking.find("a", id="metric_correlations")
    assert lacking.find("a", id="metric_by_score")
    assert not shown.select("section#metric_correlations")


def test_one_answer_is_said_to_be_too_little(tiny, items, summary):
    answer(make_annotator(tiny, "ada"), "guess", items["c1"], "TF")
    assert 'data-kind="too-early"' in summary()


def test_the_verdict_and_the_figure_stand_before_whatever_can_be_chosen(two_annotators, summary):
    shown = summary()
    assert shown.index('class="verdict') < shown.index("<figure") < shown.index('<form class="controls')


def test_a_running_study_says_how_far_it_is(two_annotators, summary):
    assert "<progress" in summary()
    two_annotators.state = StudyState.CLOSED
    two_annotators.save()
    assert "<progress" not in summary()


def test_where_nothing_was_answered_there_is_nothing_to_choose(tiny, page):
    shown = BeautifulSoup(page(), "html.parser")
    assert not shown.select("form.controls")
    assert shown.select_one(".empty")
