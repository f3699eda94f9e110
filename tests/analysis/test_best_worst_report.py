"""Best–worst scaling: scores worked out by hand, files and packs, models, and what people see."""

import csv
import io
from math import log

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.writing import export_responses, iter_wide_rows
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build, build_report
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from llm.services.draining import drain_here
from studies.models import Response, Study, Unit
from studies.services.answering import Incomplete
from studies.services.places import find_place
from studies.services.responses.importing import ImportRefused, import_responses
from studies.services.selection import choose_items
from tests.analysis.packs import export_pack_bytes, import_pack_bytes, results_in
from tests.analysis.rows import find_row, rows_behind
from tests.analysis.whole_studies import make_best_worst_study
from tests.annotation.world import Walker
from tests.factory import make_item
from tests.studies.answer_files import as_csv
from tests.studies.world import bank, draft_study, make_live_study, person, post

pytestmark = pytest.mark.slow

GENERATORS = ("alder", "birch", "cedar", "dogwood")
ITEMS = "t1-cedar-1 t1-alder-1 t1-dogwood-1 t1-birch-1"
SAID = {"ada": ("alder", "dogwood"), "ben": ("alder", "cedar"), "cy": ("birch", "dogwood")}


@pytest.fixture(autouse=True)
def empty_cache(db):
    cache.clear()


def row(annotator, question, generator, **more):
    values = {"annotator": annotator, "stage": "choose", "question": question, "value": f"t1-{generator}-1"}
    return values | {"unit_item_ids": ITEMS} | more


def rows(choices=SAID):
    return [row(who, *each) for who, two in choices.items() for each in zip(("best", "worst"), two, strict=True)]


def import_study(project, choices=None):
    bank(project, texts=1, generators=GENERATORS)
    study = draft_study(project, protocol="best-worst")
    import_responses(study, as_csv(choices or rows()))
    return Study.objects.get(pk=study.pk)


@pytest.fixture
def study(project):
    return import_study(project)


def test_a_score_is_best_minus_worst_by_times_shown(study):
    scores = build(study, Choices(seed=1)).table("scores")
    by_counts = {row["generator"]: row["score"] for row in scores.rows if row["method"] == "counts"}
    assert by_counts == pytest.approx({"alder": 2 / 3, "birch": 1 / 3, "cedar": -1 / 3, "dogwood": -2 / 3})
    assert {row["n"] for row in scores.rows} == {3}
    assert scores.header == ("method", "generator", "score", "low", "high", "n", "reason")
    items = build(study, Choices(seed=1)).table("item_scores")
    assert [tuple(row[name] for name in items.header) for row in items.rows][:2] == [
        ("t1", "t1-alder-1", "alder", 2, 0, 3, 2 / 3),
        ("t1", "t1-birch-1", "birch", 1, 0, 3, 1 / 3),
    ]


def test_strengths_say_why_they_are_not_finite(study):
    rows = [row for row in build(study, Choices(seed=1)).table("scores").rows if row["method"] == "plackett-luce"]
    assert all(row["score"] is None and row["reason"] for row in rows)


def test_strengths_of_two_generators_in_threes_are_those_of_the_formula(project):
    """Sets of two items by alder and one by birch: P(birch best) = w / (2 + w), then the worst is an alder for sure."""
    bank(project, texts=1, generators=("alder",), items=2)
    make_item(project.texts.get(), "birch", "t1-birch-1")
    study = draft_study(project, protocol="best-worst", params={"tuple_size": 3})
    items = {"unit_item_ids": "t1-alder-1 t1-alder-2 t1-birch-1"}
    values = [("t1-birch-1", "t1-alder-1")] * 3 + [("t1-alder-1", "t1-birch-1")] * 2
    answers = [
        row(f"p{number}", name, "", value=value) | items
        for number, two in enumerate(values)
        for name, value in zip(("best", "worst"), two, strict=True)
    ]
    import_responses(study, as_csv(answers))
    rows = build(Study.objects.get(pk=study.pk), Choices(seed=1)).table("scores").rows
    strength = {row["generator"]: row["score"] for row in rows if row["method"] == "plackett-luce"}
    # Likelihood in w: (w / (2 + w))³ · (1 / (2 + w) · 1 / (1 + w))², whose top is at 4 w² = 6.
    assert strength["birch"] - strength["alder"] == pytest.approx(log(1.5) / 2, abs=1e-7)


def test_whoever_judges_a_set_has_judged_each_of_its_items(study):
    report = build(study, Choices(seed=1))
    assert "Every item has answers of at least two people." in {
        check.sentence for check in report.checks if check.passed
    }


def test_agreement_is_about_the_item_chosen(study):
    report = build(study, Choices(seed=1))
    for question in ("best", "worst"):
        agreed = find_row(report, "agreement", question=question)
        assert (agreed["percent"], agreed["n_units"], agreed["n_annotators"]) == (pytest.approx(1 / 3), 1, 3)
    # Of Ada, Ben (alder) and Cy (birch): p_e is the mean over pairs of the shares that two have in common, 1/3.
    assert find_row(report, "agreement", question="best")["kappa"] == pytest.approx(0)


def test_behind_a_count_stand_the_choices(study):
    evidence = collect_evidence(study, Choices(seed=1))
    table = build_report(evidence).table("item_scores")
    alder = next(row for row in table.rows if row["generator"] == "alder")
    best = next(column for column in table.columns if column.name == "best")
    behind = rows_behind(evidence, table, alder, best)
    assert [(row["annotator"], row["best"], row["worst"], row["unit_items"]) for row in behind] == [
        ("ada", "t1-alder-1", "t1-dogwood-1", ITEMS),
        ("ben", "t1-alder-1", "t1-cedar-1", ITEMS),
    ]


def export_rows(study):
    out = io.StringIO()
    export_responses(study, "csv", out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_a_file_names_the_items_in_stored_order_in_its_last_column(study):
    assert Unit.objects.get().unit_items.count() == 4
    rows = export_rows(study)
    assert list(rows[0])[-1] == "unit_item_ids"
    assert {(row["item_id"], row["other_item_id"], row["unit_item_ids"]) for row in rows} == {("", "", ITEMS)}
    assert {tuple(row[name] for name in ("question", "ada", "ben")) for row in iter_wide_rows(study, ("main",))} == {
        ("best", "t1-alder-1", "t1-alder-1"),
        ("worst", "t1-dogwood-1", "t1-cedar-1"),
    }


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"unit_item_ids": "t1-alder-1 t1-birch-1 t1-cedar-1"}, "unit_item_ids"),
        ({"unit_item_ids": ITEMS.replace("cedar", "birch")}, "unit_item_ids"),
        ({"unit_item_ids": ITEMS.replace("t1-cedar-1", "nobody")}, "unit_item_ids"),
        ({"unit_item_ids": "", "item_id": "t1-alder-1"}, "unit_item_ids"),
        ({"item_id": "t1-alder-1"}, "item_id"),
        ({"value": "t2-alder-1"}, "value"),
        ({"question": "worst", "value": "t1-alder-1"}, "question"),
    ],
)
def test_what_nobody_can_have_chosen_is_refused(project, changes, column):
    bank(project, texts=2, generators=GENERATORS)
    study = draft_study(project, protocol="best-worst")
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, as_csv([row("ada", "best", "alder"), row("ben", "best", "alder") | changes,
                                        row("ben", "best", "alder")]))  # fmt: skip
    assert column in {problem.field for problem in refused.value.problems}


def test_a_text_with_fewer_items_than_a_set_is_left_out_and_counted(project):
    bank(project, texts=2, generators=("alder", "birch", "cedar"))
    make_item(project.texts.get(external_id="t1"), "dogwood", "t1-dogwood-1", "TF")
    found = choose_items(draft_study(project, protocol="best-worst"))
    assert [text.external_id for text, _items in found.texts] == ["t1"]
    assert len(found.notices) == 1


def test_a_pack_comes_in_with_the_same_tables_and_figures(project):
    study = make_best_worst_study(project)
    pack = export_pack_bytes(study)
    assert {"report/tables/scores.csv", "report/figures/scores.vl.json"} <= set(results_in(pack))
    assert results_in(export_pack_bytes(import_pack_bytes(pack))) == results_in(pack)


def test_its_pages_open_and_the_planner_says_that_it_plans_no_sizes(project, as_user, researcher):
    study, client = make_best_worst_study(project), as_user(researcher)
    for name in (
        "study_design",
        "study_results",
        "results_items",
        "results_compare",
        "agreement_lab",
        "stand_in",
        "study_evaluators",
        "study_coding",
        "study_pack",
    ):
        assert client.get(reverse(name, args=[study.slug])).status_code == 200, name
    assert client.get(reverse("study_planner", args=[study.slug])).context["unplanned"]
    item = study.units.first().items.first()
    sheet = client.get(reverse("study_item", args=[study.slug, item.pk]))
    assert {len(judgment.compared_with) for judgment in sheet.context["judgments"]} == {3}


def launch_with_plain_words(project):
    """Stems and options say nothing of who wrote them."""
    bank(project, texts=1, generators=GENERATORS)
    for place, item in enumerate(project.items.order_by("pk")):
        item.stem = f"Which reed is meant, number {place * 37 % 97}?"
        item.save()
        item.options.update(text=f"reed {place}")
    return make_live_study(project, protocol="best-worst")


def test_a_model_chooses_by_number_and_never_the_same_item_twice(project, serve_model, endpoint, quick_models):
    study = launch_with_plain_words(project)
    server = serve_model("1")
    drain_here(get_row(start(study, JudgeSpec(endpoint(server)))).run)
    values = dict(Response.objects.values_list("question", "value"))
    assert set(values) == {"best", "worst"}
    assert values["best"] != values["worst"]
    first, second = server.prompts
    assert "Which question is the best?" in first
    assert "Criteria: the question and its answers rest on the text;" in first
    assert "Which question is the worst?" in second
    assert ("4. " in first, "4. " in second) == (True, False)
    assert not any(name in prompt for name in GENERATORS for prompt in server.prompts)
    judged = build(Study.objects.get(pk=study.pk), Choices(seed=1)).table("judge_scores")
    assert sorted(row["score"] for row in judged.rows) == [-1, 0, 0, 1]


# The page -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def someone(project):
    return person(launch_with_plain_words(project))


def test_the_page_shows_all_items_with_two_controls_each_and_nothing_of_their_generators(someone):
    page = Walker(someone.annotator).start().get().content.decode()
    sides = BeautifulSoup(page, "html.parser").select(".side")
    assert len(sides) == 4
    assert {len(side.select("input[type=radio]")) for side in sides} == {2}
    assert {label.get_text(" ", strip=True) for label in sides[1].select(".option-text")} == {"Best : B", "Worst : B"}
    assert not any(name in page for name in (*GENERATORS, "t1-"))


def fields(someone, best, worst):
    handles = [handle for handle, _item, _options in someone.shown]
    chosen = {f"best-{handles[0]}": handles[best], f"worst-{handles[0]}": handles[worst]}
    return post(item=handles[0], **chosen)


def test_a_draft_is_kept_and_one_item_cannot_be_both(someone):
    someone.start()
    someone.save(fields(someone, 2, 2))
    with pytest.raises(Incomplete) as refused:
        someone.hand_in()
    assert "must differ" in str(refused.value.form.errors)
    someone.save(fields(someone, 2, 0))
    assert someone.here.drafts.get().values.keys() == {"best", "worst"}
    items = [item for _handle, item, _options in someone.shown]
    someone.hand_in()
    stored = {row.question: row for row in Response.objects.all()}
    assert {name: row.item_id for name, row in stored.items()} == {"best": None, "worst": None}
    names = dict(Unit.objects.get().items.values_list("pk", "external_id"))
    assert [stored[name].value for name in ("best", "worst")] == [names[items[2]], names[items[0]]]
    assert find_place(someone.annotator).kind == "done"
