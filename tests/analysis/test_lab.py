"""The agreement lab: all coefficients of a small table worked out by hand, for any question and any annotators."""

import csv
import io

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils.translation import override

from analysis.agreement.lab import build_lab
from analysis.agreement.questions import FIRST, SECOND, LabQuestion, list_questions
from analysis.choices import Choices
from analysis.frames.responses import load_responses
from analysis.services.results import get_lab_overview
from studies.services.responses.importing import import_responses
from tests import stopping
from tests.factory import answer, make_annotator
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


def question(study, key):
    return {each.key: each for each in list_questions(study)}[key]


def compare(study, key="read.answer", annotators=("ada", "ben")):
    found = build_lab(load_responses(study), question(study, key), list(annotators), Choices(seed=7))
    assert found is not None
    return found


def values(found):
    return {(row["coefficient"], row["weights"]): row["value"] for row in found.coefficients.rows}


def test_the_contingency_table_of_two_annotators(two_annotators):
    """With the text: ada TF TF TF TF, ben TF TF TT FT."""
    assert [(row["category"], row["false"], row["true"]) for row in compare(two_annotators).contingency.rows] == [
        ("false", 2, 2),
        ("true", 1, 3),
    ]


def test_coefficients_of_that_table(two_annotators):
    """p_a = 5/8. Cohen: p_e = (4·3 + 4·5)/64 = .5. Scott and Fleiss: π = 9/16. AC1: 2π(1 − π)."""
    found = values(compare(two_annotators))
    pi = 9 / 16
    assert found["Percent agreement", "identity"] == 5 / 8
    assert found["Conger's κ", "identity"] == pytest.approx(0.25)
    assert found["Cohen's κ, mean of pairs", "identity"] == pytest.approx(0.25)
    chance = pi**2 + (1 - pi) ** 2
    assert found["Fleiss' κ", "identity"] == pytest.approx((5 / 8 - chance) / (1 - chance))
    assert found["Gwet's AC1", "identity"] == pytest.approx((5 / 8 - 2 * pi * (1 - pi)) / (1 - 2 * pi * (1 - pi)))
    assert found["Brennan–Prediger", "identity"] == pytest.approx(0.25)


def test_files_name_coefficients_alike_in_every_language(two_annotators):
    with override("eu"):
        found = values(compare(two_annotators, "read.rating"))
    assert found.keys() == values(compare(two_annotators, "read.rating")).keys()


def test_each_coefficient_says_what_it_rests_on(two_annotators):
    for row in compare(two_annotators).coefficients.rows:
        assert (row["n_units"], row["n_pairs"], row["n_judgments"], row["n_texts"]) == (8, 8, 16, 2)
        assert row["prevalence"] == 9 / 16


def test_a_scale_also_gets_weighted_coefficients_and_levels(two_annotators):
    """Ratings are the same throughout, 5 4 4 2."""
    found = values(compare(two_annotators, "read.rating"))
    assert found["Gwet's AC2", "quadratic"] == 1
    assert found["Krippendorff's α", "interval"] == 1
    assert ("Gwet's AC2", "linear") not in values(compare(two_annotators))


def test_a_scale_also_gets_intraclass_correlations_and_the_ratio_level(two_annotators):
    found = values(compare(two_annotators, "read.rating"))
    assert [found[f"ICC({model})", "interval"] for model in ("1", "2", "3", "1,k", "2,k", "3,k")] == [1] * 6
    assert found["Krippendorff's α", "ratio"] == 1
    assert found["Fleiss' κ", "ordinal"] == 1
    assert ("ICC(1)", "interval") not in values(compare(two_annotators))


def test_pairs_counted_alike_stand_beside_pairs_by_what_they_share(two_annotators, items):
    """Ada and gpt agree on all of one item; with ben gpt shares the same two options, with ada he shares eight."""
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    found = values(compare(two_annotators, annotators=("ada", "ben", "gpt")))
    assert found["Cohen's κ, mean of pairs", "identity"] == pytest.approx((8 * 0.25 + 2 * 1 + 2 * 1) / 12)
    assert found["Light's κ, unweighted mean of pairs", "identity"] == pytest.approx((0.25 + 1 + 1) / 3)


def test_tests_against_chance_worked_by_hand(two_annotators):
    """Chance .5: variance under it (.5 + .25 − .515625) / (8 · .25) = .1171875. Fleiss: √(2 / (8 · 2 · 1))."""
    cohen, fleiss, *categories = compare(two_annotators).tests.rows
    assert (cohen["coefficient"], cohen["about"], cohen["n_units"]) == ("Cohen's κ", "ada × ben", 8)
    assert cohen["se_null"] == pytest.approx(0.1171875**0.5)
    assert cohen["z"] == pytest.approx(0.25 / 0.1171875**0.5)
    assert cohen["p"] == pytest.approx(0.4652, abs=1e-4)
    assert cohen["se_units"] == pytest.approx(cohen["se_asymptotic"] * (8 / 7) ** 0.5)
    assert (fleiss["coefficient"], fleiss["about"]) == ("Fleiss' κ", "")
    assert fleiss["z"] == pytest.approx((5 / 8 - 65 / 128) / (1 - 65 / 128) / 0.125**0.5)
    assert [(row["about"], row["z"]) for row in categories] == [
        ("false", pytest.approx(fleiss["z"])),
        ("true", pytest.approx(fleiss["z"])),
    ]


def test_what_cannot_be_tested_says_why(two_annotators, items):
    gpt = make_annotator(two_annotators, "gpt", kind="model")
    for item in items.values():
        answer(gpt, "read", item, "TT")
    pair = compare(two_annotators, annotators=("ben", "gpt")).tests.rows[0]
    assert (pair["value"], pair["z"]) == (0, None)
    assert "the same label, so" in pair["reason"]
    ratings = {row["about"]: row["reason"] for row in compare(two_annotators, "read.rating").tests.rows}
    assert ratings["1"] == ratings["3"] == "No annotator, or every annotator, gave this category."


def test_categories_are_the_declared_ones(two_annotators):
    assert compare(two_annotators, "read.rating").contingency.header == ("category", "1", "2", "3", "4", "5")


def test_models_stand_beside_people(two_annotators, items):
    gpt = make_annotator(two_annotators, "gpt", kind="model")
    for item in items.values():
        answer(gpt, "read", item, "TF")
    assert values(compare(two_annotators, annotators=("ada", "gpt")))["Percent agreement", "identity"] == 1
    labels = compare(two_annotators, annotators=("ben", "gpt")).labels.rows
    assert [(row["annotator"], row["true"], row["n"]) for row in labels] == [("ben", 5, 8), ("gpt", 4, 8)]


def test_nothing_shared_is_undefined_with_a_reason(two_annotators):
    row = compare(two_annotators, "guess.answer").coefficients.rows[0]
    assert row["value"] is None
    assert "No unit was judged by two annotators" in row["reason"]


def test_a_pick_of_a_pair_is_the_first_or_the_second_item_of_the_pair():
    better = LabQuestion("compare", "better", "pick", (FIRST, SECOND, "tie"))
    assert [better.category(value, "i1") for value in ("i1", "i2", "tie")] == [FIRST, SECOND, "tie"]


def test_the_page_compares_all_people_until_told_otherwise(two_annotators, items, as_user, viewer):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    client, address = as_user(viewer), reverse("agreement_lab", args=["tiny"])
    html = client.get(address, {"question_asked": "read.answer"}).content.decode()
    assert "Rows: ada. Columns: ben." in html
    html = client.get(address, {"question_asked": "read.answer", "annotator": ["ada", "gpt"]}).content.decode()
    assert "Rows: ada. Columns: gpt." in html


def test_one_annotator_alone_is_told_what_is_missing(two_annotators, as_user, viewer):
    html = as_user(viewer).get(reverse("agreement_lab", args=["tiny"]), {"annotator": "ada"}).content.decode()
    assert "Agreement needs at least two annotators" in html


def test_a_study_without_answers_has_a_page(tiny, as_user, viewer):
    assert as_user(viewer).get(reverse("agreement_lab", args=["tiny"])).status_code == 200


@pytest.mark.parametrize("name", ["coefficients", "tests", "contingency", "labels"])
def test_each_table_is_a_file(two_annotators, as_user, viewer, name):
    address = reverse("agreement_lab_csv", args=["tiny", name])
    response = as_user(viewer).get(address, {"question_asked": "read.answer"})
    assert len(list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))) >= 2


def test_strangers_and_unknown_files_find_nothing(two_annotators, as_user, stranger, viewer):
    assert as_user(stranger).get(reverse("agreement_lab", args=["tiny"])).status_code == 404
    assert as_user(viewer).get(reverse("agreement_lab_csv", args=["tiny", "luck"])).status_code == 404


def test_simulated_answers_are_named_on_the_page_and_in_the_files(tiny, items, as_user, viewer):
    for code in ("sim-1", "sim-2"):
        answer(make_annotator(tiny, code, purpose="simulated"), "guess", items["c1"], "TF")
    client = as_user(viewer)
    assert "The answers are simulated." in client.get(reverse("agreement_lab", args=["tiny"])).content.decode()
    file = client.get(reverse("agreement_lab_csv", args=["tiny", "labels"])).content.decode()
    assert {row["included"] for row in csv.DictReader(io.StringIO(file, newline=""))} == {"main, simulated"}


@pytest.fixture
def questionnaire_study(project):
    """The planted questionnaire: p0 and p2 are the even group, p1 the odd one."""
    stopping.make_bank(project)
    study = stopping.draft_study(project)
    import_responses(study, as_csv(stopping.rows()))
    study.refresh_from_db()
    return study


def read_lab(as_user, user, study, **asked):
    response = as_user(user).get(reverse("agreement_lab", args=[study.slug]), asked)
    assert response.status_code == 200
    return BeautifulSoup(response.content.decode(), "html.parser")


def rows_of(page, section):
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in page.select(f"#{section} tr")]


def test_a_questionnaire_is_told_gate_by_gate_in_both_views(questionnaire_study):
    """Of s2-gen-alder p0 and p1 stop at the first gate, p2 goes on; of s1-gen-birch p2 stops at `clear`."""
    found = get_lab_overview(questionnaire_study, Choices(seed=7), ["p0", "p1", "p2"])
    rows = {(row["question"], row["view"]): row for row in found.rows}
    assert {view for name, view in rows if name == "understandable"} == {""}
    whole, reached = rows["clear", "all"], rows["clear", "applicable"]
    # Labels of clear by item: yes yes yes | more_or_less more_or_less no | – – yes | – yes more_or_less.
    assert (whole["n_units"], whole["n_pairs"], whole["percent"]) == (4, 12, pytest.approx((3 + 1 + 1 + 0) / 12))
    assert (reached["n_units"], reached["n_pairs"]) == (3, 7)
    assert whole["prevalence"] == pytest.approx(5 / 12)


def test_not_applicable_is_a_category_of_the_contingency_table_where_asked_for(questionnaire_study, as_user, viewer):
    asked = {"question_asked": "judge.clear", "annotator": ["p0", "p1"]}
    page = read_lab(as_user, viewer, questionnaire_study, view="all", **asked)
    assert rows_of(page, "contingency")[0][-1] == "not applicable"
    assert rows_of(page, "contingency")[-1] == ["not applicable", "1", "0", "0", "1"]
    assert "not applicable" not in str(rows_of(read_lab(as_user, viewer, questionnaire_study, **asked), "contingency"))


def test_a_group_is_chosen_at_once_and_kept_in_the_address_of_files(questionnaire_study, as_user, viewer):
    page = read_lab(as_user, viewer, questionnaire_study, group="human:group-even")
    assert [row[0] for row in rows_of(page, "labels")[1:]] == ["p0", "p2"]
    assert all("group=human%3Agroup-even" in link["href"] for link in page.select(".table-foot a"))


def test_groups_and_single_annotators_add_up(questionnaire_study, as_user, viewer):
    page = read_lab(as_user, viewer, questionnaire_study, group="human:group-even", annotator="p1")
    assert [row[0] for row in rows_of(page, "labels")[1:]] == ["p0", "p1", "p2"]


def test_questions_and_categories_are_told_in_words_and_filed_by_name(questionnaire_study, as_user, viewer):
    page = read_lab(as_user, viewer, questionnaire_study, question_asked="judge.clear")
    assert "more or less" in page.get_text()
    assert not {"domain_related", "more_or_less", "would_use"} & set(page.get_text().split())
    address = reverse("agreement_lab_csv", args=[questionnaire_study.slug, "questions"])
    rows = list(csv.DictReader(io.StringIO(as_user(viewer).get(address).content.decode(), newline="")))
    assert "domain_related" in {row["question"] for row in rows}


def test_other_protocols_have_one_view(two_annotators, as_user, viewer):
    page = read_lab(as_user, viewer, two_annotators)
    assert not page.select("[name=view]")
    assert [row[0] for row in rows_of(page, "questions")[1:]] == ["answer", "answer", "rating"]
