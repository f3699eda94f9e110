"""While effects by generator are hidden, no page and no file of a page tells generators apart by their answers."""

from itertools import combinations, product

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command
from django.urls import reverse

from analysis.figures.registry import FORMS, list_figures
from analysis.urls import urlpatterns
from items.models import Generator
from studies.models import EffectsSwitch, Study, StudyState
from studies.services.responses.importing import import_responses
from studies.services.states import WrongState, are_effects_hidden, switch_effects
from tests import dimensions, pairs, stopping
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def hide(owner):
    """A function that makes a study live, with its effects hidden."""

    def switch(study):
        Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
        study.refresh_from_db()
        switch_effects(study, owner, hidden=True)
        return study

    return switch


def import_rows(study, rows):
    import_responses(study, as_csv(rows))
    return study


def dimension_ratings(project):
    dimensions.make_bank(project)
    cells = product(
        range(3), [f"x{n}-{name}" for n in (1, 2, 3) for name in dimensions.GENERATORS], dimensions.DIMENSIONS
    )
    rows = [
        {"annotator": f"p{seat}", "stage": "rate", "item_id": item, "question": question}
        | {"value": dimensions.true_score(seat, item, question)}
        for seat, item, question in cells
    ]
    return import_rows(dimensions.draft_study(project), rows)


def stopping_questionnaire(project):
    return stopping.import_study(project)


def pairwise(project):
    pairs.make_bank(project)
    rows = [
        {"annotator": f"ann{seat}", "stage": "compare", "question": "better", "item_id": one, "other_item_id": other}
        | {"value": pairs.true_preference(seat, one, other), "shown_left": one, "part": "calibration"}
        for one, other in combinations([f"p1-{name}-0" for name in pairs.GENERATORS], 2)
        for seat in range(3)
    ]
    return import_rows(pairs.draft_study(project), rows)


def addresses(study):
    """Every page and file of the analysis, with every name that it takes."""
    tables = [
        *{table for table, _draw in list_figures().values()},
        "agreement_with_humans",
        "agreement",
        "sides",
        "alpha",
    ]
    names = {
        "study_figure": [{"name": name, "ending": ending} for name in list_figures() for ending in ("svg", "vl.json")],
        "study_planner_figure": [{"ending": ending} for ending in ("svg", "vl.json")],
        "study_table_page": [{"name": name} for name in (*tables, "item_analysis", "generator_means")],
        "study_table": [{"name": name} for name in (*tables, "item_analysis", "guessable_items", "unanswerable_items")],
        "agreement_lab_csv": [{"name": name} for name in ("coefficients", "contingency", "labels")],
        "study_protocols_csv": [{"name": "protocols"}],
        "stand_in_csv": [{"name": name} for name in ("stand_in", "stand_in_calibration", "stand_in_biases")],
        "study_table_file": [{"name": name, "ending": end} for name in tables for end in ("csv", "tex", "json")],
        "results_paper": [
            {"name": name, "width": 77, "ending": "svg"} for name in ("summary", "agreement", "items", "compare")
        ],
        "study_pack_file": [{"pk": 1}],
        "project_export_file": [{"pk": 1}],
        "study_working": [{"place": "none"}],
        "study_export": [
            {"format": name}
            for name in ("csv", "wide", "jsonl", "item-evaluation", "preferences", "qti", "unanswered", "metrics")
        ],
        "study_item": [{"pk": item.pk} for item in study.units.first().items.all()],
        "study_coding_text": [{"pk": study.units.first().text_id}],
    }
    for pattern in urlpatterns:
        route = pattern.pattern
        # The first takes a code back and shows nothing; imports of projects belong to no study.
        if pattern.name != "study_item_code_remove" and "slug" in route.converters:
            slug = study.project.slug if str(route).startswith("p/") else study.slug
            for more in names.get(pattern.name, [{}]):
                yield reverse(pattern.name, kwargs={"slug": slug, **more})


def page_text(response) -> str:
    """The content without the description of what was asked, which does name the generators."""
    if response.streaming:
        return b"".join(response.streaming_content).decode()
    page = BeautifulSoup(response.content.decode(), "html.parser")
    for asked in page.select("#description, input[type=hidden]"):  # a hidden field repeats the address
        asked.decompose()
    return str(page)


@pytest.mark.parametrize("make", [dimension_ratings, stopping_questionnaire, pairwise, None])
def test_no_page_and_no_file_names_a_generator(project, request, as_user, owner, hide, make, unchanged):
    study = hide(make(project) if make else request.getfixturevalue("two_annotators"))
    names = Generator.objects.filter(project=project).values_list("name", flat=True)
    client = as_user(owner)
    seen = {}
    for address in addresses(study):
        query = {"table": "informativity", "number": "informativity", "generator": names[0], "evaluator": "human"}
        response = client.get(address, query if "judgments" in address else {})
        seen[address] = response.status_code
        if response.status_code != 404:
            assert not [name for name in names if name in page_text(response)], address
    assert 200 in seen.values()
    assert seen[reverse("results_details", args=[study.slug])] == 200


def test_a_hidden_figure_is_refused_in_every_form_also_if_it_was_seen_before(
    two_annotators, hide, as_user, owner, monkeypatch
):
    client, names = as_user(owner), ("dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating")
    for ending in FORMS:
        monkeypatch.setitem(FORMS, ending, lambda spec: b"drawn")
    figures = [reverse("study_figure", args=["tiny", name, ending]) for name, ending in product(names, FORMS)]
    assert {client.get(figure).content for figure in figures} == {b"drawn"}
    hide(two_annotators)
    for figure in figures:
        assert client.get(figure).status_code == client.get(figure, {"download": "1"}).status_code == 404, figure


def test_answers_are_not_exported_meanwhile(two_annotators, hide, as_user, reviewer):
    hide(two_annotators)
    client = as_user(reviewer)
    for name in ("csv", "wide", "jsonl", "metrics", "unanswered"):
        response = client.get(reverse("study_export", args=["tiny", name]))
        assert response.status_code == 403, name
        assert "until the study is closed" in response.content.decode(), name


def test_the_code_book_says_nothing_of_answers_and_stays(two_annotators, hide, as_user, reviewer):
    hide(two_annotators)
    assert as_user(reviewer).get(reverse("study_export", args=["tiny", "codebook"])).status_code == 200


def test_nobody_reads_or_codes_single_items_meanwhile(two_annotators, items, hide, as_user, reviewer):
    hide(two_annotators)
    sheet = reverse("study_item", args=["tiny", items["c1"].pk])
    assert as_user(reviewer).post(sheet, {"code": "widely_known"}).status_code == 403
    assert not two_annotators.item_codes.exists()


def test_agreement_and_progress_are_still_there(two_annotators, hide, as_user, viewer):
    hide(two_annotators)
    html = as_user(viewer).get(reverse("results_details", args=["tiny"])).content.decode()
    assert "Agreement with people" in html
    assert "hidden until the study is closed" in html
    assert as_user(viewer).get(reverse("study_table", args=["tiny", "agreement_with_humans"])).status_code == 200


def test_the_lab_keeps_coefficients_and_hides_who_gave_what(two_annotators, hide, as_user, viewer):
    hide(two_annotators)
    client = as_user(viewer)
    codes = [
        client.get(reverse("agreement_lab_csv", args=["tiny", name])).status_code
        for name in ("coefficients", "contingency", "labels")
    ]
    assert codes == [200, 404, 404]


def test_agreement_of_single_generators_is_hidden_too(project, hide, as_user, viewer):
    study = hide(stopping_questionnaire(project))
    content = as_user(viewer).get(reverse("study_table", args=[study.slug, "agreement"])).content.decode()
    lines = [line.split(",") for line in content.split("\r\n")[1:-1]]
    assert lines
    assert {(line[2], line[3]) for line in lines} == {("", "")}  # generator, source


def test_closing_the_study_shows_everything(two_annotators, hide, as_user, viewer):
    study = hide(two_annotators)
    Study.objects.filter(pk=study.pk).update(state=StudyState.CLOSED)
    assert "careful" in as_user(viewer).get(reverse("study_table", args=["tiny", "informativity"])).content.decode()


def test_reopening_hides_again(two_annotators, hide):
    study = hide(two_annotators)
    for state, hidden in ((StudyState.CLOSED, False), (StudyState.LIVE, True), (StudyState.IMPORTED, False)):
        study.state = state
        assert are_effects_hidden(study) is hidden


def test_an_owner_switches(two_annotators, as_user, owner):
    assert as_user(owner).post(reverse("study_effects", args=["tiny"]), {"hide": "yes"}).status_code == 302
    assert are_effects_hidden(two_annotators)


def test_each_switching_is_logged_once(two_annotators, owner):
    assert [switch_effects(two_annotators, owner, hidden=hidden) for hidden in (False, True, True, False)] == [
        False, True, False, True,
    ]  # fmt: skip
    assert list(EffectsSwitch.objects.values_list("hidden", "made_by__username")) == [
        (True, owner.username), (False, owner.username),
    ]  # fmt: skip


def test_a_closed_study_has_nothing_to_hide(two_annotators, owner):
    Study.objects.filter(pk=two_annotators.pk).update(state=StudyState.CLOSED)
    with pytest.raises(WrongState):
        switch_effects(two_annotators, owner, hidden=True)


def test_the_admins_command_is_not_limited(two_annotators, hide, tmp_path):
    hide(two_annotators)
    call_command("report", "tiny", out=str(tmp_path))
    assert "careful" in (tmp_path / "tables" / "informativity.csv").read_text()


def test_lists_of_studies_say_no_verdict_while_effects_are_hidden(project, as_user, owner, hide):
    study, client = dimension_ratings(project), as_user(owner)
    verdict = client.get(reverse("study_results", args=[study.slug])).context["verdict"].sentence
    pages = [reverse(page, args=["rivers"]) for page in ("project", "study_list")]
    assert all(verdict in client.get(page).content.decode() for page in pages)
    hide(study)
    assert not any(verdict in client.get(page).content.decode() for page in pages)
