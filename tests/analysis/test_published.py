"""Published numbers beside one's own: what is matched with what, and what is only on one side."""

from itertools import product

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from analysis.choices import Choices
from analysis.models import GeneratorMatch
from analysis.plugins import load_plugins
from analysis.published_names import match_generators
from analysis.reports.published import NAMED, list_not_comparable, load_published_numbers, select_comparable
from analysis.services.reporting import build
from items.models import Generator
from studies.models import Assignment
from studies.services.responses.importing import import_responses
from tests import dimensions, pairs, stopping
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


def rows_of(study, **wanted):
    rows = build(study, Choices(seed=7)).table("published").rows
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


PEOPLE_READING = {"evaluator": "human", "stage": "read"}


@pytest.mark.parametrize(
    ("table", "row", "measure", "expected"),
    [
        ("informativity", {"generator": "llama-2", "evaluator": "human"}, "informativity", (0.187, 0.115, 0.262)),
        ("informativity", {"generator": "human", "evaluator": "llama-2"}, "informativity", (0.216, 0.161, 0.272)),
        ("informativity", {"generator": "gpt-4", "evaluator": "human"}, "informativity", (0.259, 0.193, 0.328)),
        ("ratings", {"generator": "llama-2", "evaluator": "human"}, "n_1", (11, None, None)),
        ("ratings", {"generator": "gpt-4", "evaluator": "human"}, "n_5", (84, None, None)),
        ("metric_means", {"metric": "METEOR", "generator": "Reference"}, "mean", (0.999, None, None)),
        ("agreement_with_humans", PEOPLE_READING, "kappa_unweighted", (0.683, None, None)),
        ("alpha", {"dimension": "clarity", "round": "2"}, "alpha", (0.576, None, None)),
        ("agreement", {"view": "without_ties"}, "conger_kappa", (0.29, 0.17, 0.41)),
    ],
)
def test_numbers_are_as_printed(table, row, measure, expected):
    (found,) = [
        each for each in load_published_numbers() if (each.table, dict(each.row), each.measure) == (table, row, measure)
    ]
    assert (found.value, found.low, found.high) == expected


def test_table_6_is_of_a_sample_and_stands_beside_table_5():
    row = {"metric": "UniEval", "dimension": "answerability", "coefficient": "pearson", "scope": "pooled"}
    found = {each.group: each.value for each in load_published_numbers() if dict(each.row) == row}
    assert found == {"": 0.207, "sample": 0.215}


def test_every_protocol_names_its_source_and_what_differs():
    assert {name for name, each in load_plugins().items() if each.published} == {
        each.protocol for each in load_published_numbers()
    }


def test_a_row_of_the_same_name_stands_beside_whatever_its_capitals(two_annotators):
    Generator.objects.filter(name="careful").update(name="GPT-4")
    (found,) = rows_of(two_annotators, row="gpt-4, human", measure="informativity")
    assert (found["published"], found["own"], found["own_n"]) == (0.259, 1 / 8, 8)
    assert found["published_said"].split() == [".26", "[.19,", ".33]"]


def test_what_only_one_side_has_is_said(two_annotators):
    (theirs,) = rows_of(two_annotators, row="llama-2, human", measure="informativity")
    assert (theirs["own"], theirs["reason"]) == (None, "this study has no such row")
    (ours,) = rows_of(two_annotators, row="careful, human", measure="informativity")
    assert (ours["published"], ours["own"]) == (None, 1 / 8)


def test_people_as_a_whole_match_and_single_people_are_not_listed(two_annotators):
    (all_people,) = rows_of(two_annotators, row="human, read", measure="kappa_unweighted")
    table = build(two_annotators, Choices(seed=7)).table("agreement_with_humans")
    (own,) = [row for row in table.rows if (row["evaluator"], row["stage"]) == ("human", "read")]
    assert all_people["own"] == own["kappa_unweighted"] is not None
    assert not rows_of(two_annotators, row="ada, read")


def test_the_questionnaire_is_compared_in_its_own_language(project):
    stopping.make_bank(project)
    study = stopping.draft_study(project)
    import_responses(study, as_csv(stopping.rows()))
    study.refresh_from_db()
    assert {row["group"] for row in rows_of(study)} == {"en: experts", "en: crowd"}
    found = rows_of(study, row="understandable, all", measure="percent", group="en: experts")
    assert [(row["published"], row["published_n"], row["own"]) for row in found] == [(0.8, None, 8 / 12)]
    study.language = "de-CH"
    assert {row["group"] for row in rows_of(study)} == {"de"}


def test_alpha_is_matched_by_dimension_and_round_and_generators_by_their_average(project):
    dimensions.make_bank(project)
    study = dimensions.draft_study(project)
    items = [item.external_id for item in project.items.all()]
    rows = [
        {"annotator": f"p{seat}", "stage": "rate", "item_id": item, "question": name}
        | {"value": dimensions.true_score(seat, item, name)}
        for seat, item, name in product(range(3), items, dimensions.DIMENSIONS)
    ]
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    report = build(study, Choices(seed=7))
    (found,) = rows_of(study, row="clarity, 1", measure="alpha")
    (own,) = [row for row in report.table("alpha").rows if (row["dimension"], row["round"]) == ("clarity", 1)]
    assert (found["published"], found["own"]) == (0.375, own["alpha"])
    (second,) = rows_of(study, row="clarity, 2", measure="alpha")
    assert second["reason"] == "this study has no such row"
    averages = [row["row"] for row in rows_of(study, measure="mean") if row["own"] is not None]
    assert averages == [f"{name}, average, 1" for name in dimensions.GENERATORS]


QGEVAL_NAMES = ("SQuAD BART-base_finetune", "gpt-4_fewshot", "GPT 4 zeroshot", "Flan-T5-XL_LoRA", "reference")
PUBLISHED = ("GPT-4-fewshot", "GPT-4-zeroshot", "Flan-T5-XL-LoRA", "Reference", "BART-base-finetune")


def test_generators_are_found_without_regard_to_case_blanks_and_separators():
    found = match_generators(PUBLISHED, QGEVAL_NAMES, {})
    assert found == dict(zip(QGEVAL_NAMES[1:], PUBLISHED[:4], strict=True))


def test_the_name_with_the_same_letters_comes_first_and_no_published_one_is_given_twice():
    assert match_generators(("GPT-4",), ("gpt_4", "GPT-4"), {}) == {"GPT-4": "GPT-4"}


def test_what_a_researcher_says_comes_before_names():
    values = {"gpt_4": "Reference", "reference": ""}
    assert match_generators(("GPT-4", "Reference"), ("gpt_4", "reference"), values) == {"gpt_4": "Reference"}


def test_a_researcher_matches_a_generator_on_the_results_page(two_annotators, as_user, researcher):
    cache.clear()
    page, results = as_user(researcher), reverse("results_compare", args=["tiny"])
    form = BeautifulSoup(page.get(results).content, "html.parser").select_one("#published-names form")
    names = [select["name"] for select in form.select("select")]
    answer = page.post(form["action"], dict(zip(names, ("gpt-4", ""), strict=True)))
    assert answer.headers["Location"] == f"{results}#published"
    (found,) = rows_of(two_annotators, row="gpt-4, human", measure="informativity")
    assert found["own"] == 1 / 8
    assert not rows_of(two_annotators, row="careful, human")
    stored = GeneratorMatch.objects.get()
    assert (stored.generator, stored.published, stored.made_by) == ("careful", "gpt-4", researcher)


def test_two_generators_are_never_one_published_and_viewers_match_nothing(two_annotators, as_user, researcher, viewer):
    cache.clear()
    address = reverse("study_matches", args=["tiny"])
    as_user(researcher).post(address, {"match-0": "gpt-4", "match-1": "gpt-4"})
    assert as_user(viewer).post(address, {"match-0": "gpt-4"}).status_code in (403, 404)
    assert not GeneratorMatch.objects.exists()


def test_the_command_matches_and_says_that_a_generator_is_none(two_annotators, capsys):
    Generator.objects.filter(name="careful").update(name="GPT 4")
    call_command("match_published", "tiny", "GPT 4=", "hurried=llama-2")
    assert capsys.readouterr().out.splitlines() == ["GPT 4 = (none)", "hurried = llama-2"]
    assert rows_of(two_annotators, row="gpt-4, human", measure="informativity")[0]["own"] is None
    with pytest.raises(CommandError, match="llama-3"):
        call_command("match_published", "tiny", "hurried=llama-3")


def test_pairs_are_matched_by_how_ties_are_taken_and_a_draft_has_none(project):
    pairs.make_bank(project)
    rows = rows_of(pairs.draft_study(project))
    assert [row["row"] for row in rows] == ["with_ties", "with_ties", "without_ties", "without_ties"]
    assert {row["own"] for row in rows} == {None}


def test_printed_ratings_of_a_generator_stand_beside_one_s_own(two_annotators):
    Generator.objects.filter(name="hurried").update(name="llama-2")
    (found,) = rows_of(two_annotators, measure="n_1", row="llama-2, human")
    assert (found["published"], found["published_n"], found["own"], found["own_n"]) == (11, 180, 0, 4)
    assert (found["published_said"], found["own_said"]) == ("11", "0")


def test_a_mean_of_round_2_stands_beside_one_s_own_of_round_1_which_says_so(project):
    study = dimensions.import_study(project)
    Generator.objects.filter(name="gen-alder").update(name="GPT-4-fewshot")
    (second,) = rows_of(study, row="GPT-4-fewshot, fluency, 2", measure="mean")
    assert "(" not in second["own_said"]
    Assignment.objects.filter(annotator__study=study, round=2).update(returned_at=timezone.now())
    (found,) = rows_of(study, row="GPT-4-fewshot, fluency, 2", measure="mean")
    assert found["published"] == 2.988
    assert found["own_said"].endswith("(round 1)")
    assert not rows_of(study, row="GPT-4-fewshot, average, 1")  # not a second time


def test_what_can_be_compared_comes_first_and_in_words(project):
    study = dimensions.import_study(project)
    rows = rows_of(study)
    shown = [row["own"] is not None for row in rows if row["published"] is not None]
    assert shown == sorted(shown, reverse=True)
    words = " ".join(row["row_said"] for row in rows)
    assert "consistency with the expected answer" in words
    assert "answer_consistency" not in words
    assert "pooled" not in words


def test_only_what_has_both_numbers_compares_and_the_rest_is_counted_with_its_reason(two_annotators):
    Generator.objects.filter(name="careful").update(name="GPT-4")
    table = build(two_annotators, Choices(seed=7)).table("published")
    both = select_comparable(table).rows
    assert "gpt-4, human" in {row["row"] for row in both}
    assert all(row["published"] is not None and row["own"] is not None for row in both)
    found = list(list_not_comparable(table))
    assert sum(each.n for each in found) + len(both) == len(table.rows)
    theirs = next(each for each in found if each.reason == "this study has no such row")
    assert (theirs.measure, len(theirs.named), theirs.n_unnamed) == ("informativity", NAMED, theirs.n - NAMED)
    ours = next(each for each in found if each.reason == "not published")
    assert ours.named[0] == "items by hurried, answers by people"


def test_the_results_page_shows_what_compares_and_sums_up_the_rest_closed(two_annotators, as_user, viewer):
    cache.clear()
    Generator.objects.filter(name="careful").update(name="GPT-4")
    html = as_user(viewer).get(reverse("results_details", args=["tiny"])).content
    section = BeautifulSoup(html, "html.parser").select_one("#published")
    table = build(two_annotators, Choices(seed=7)).table("published")
    assert len(section.select("tbody tr")) == len(select_comparable(table).rows) > 0
    rest = section.select_one("details details:not([open])")
    assert (
        f"{len(table.rows) - len(select_comparable(table).rows)} figures are not comparable" in rest.summary.get_text()
    )
    own = reverse("study_table_page", args=["tiny", "published"])
    assert rest.select_one("a")["href"].startswith(own)


def test_where_nothing_compares_the_page_says_what_would(project, as_user, viewer):
    cache.clear()
    dimensions.make_bank(project)
    study = dimensions.draft_study(project)
    items = [item.external_id for item in project.items.all()]
    scores = [
        {"annotator": "p0", "stage": "rate", "item_id": item, "question": "fluency", "value": 2} for item in items
    ]
    import_responses(study, as_csv(scores), partial=True)
    html = as_user(viewer).get(reverse("results_details", args=[study.slug])).content
    section = BeautifulSoup(html, "html.parser").select_one("#published")
    assert "Nothing to compare" in section.get_text()
    assert not section.select("table")
