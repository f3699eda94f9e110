"""Report, export and import of a planted stopping questionnaire; numbers worked by hand from `PLANTED`."""

import csv
import io
import json
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.questions import read_judgment
from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.measures.reader_intervals import Arm
from analysis.protocols.stopping_questionnaire.agreement import (
    count_label_pairs,
    keep_both_answered,
    list_judgment_pairs,
)
from analysis.protocols.stopping_questionnaire.judgments import NOT_APPLICABLE, Judgments
from analysis.reports.contrasts import Family, GeneratorFigure
from analysis.reports.labels import measure_labels
from analysis.results.sections import place_in_results
from analysis.services.figures import specify_figure
from analysis.services.reporting import build
from studies.question_words import name_label, name_question
from studies.services.responses.importing import ImportRefused, import_responses
from tests import drawn, stopping
from tests.analysis.rows import find_row
from tests.factory import make_annotator
from tests.stopping import (
    CATEGORIES,
    GENERATORS,
    GROUPS,
    ITEMS,
    PLANTED,
    QUESTIONS,
    draft_study,
    group,
    make_bank,
    rows,
)
from tests.studies.answer_files import as_csv, as_jsonl
from tests.studies.test_gates import ANSWERS, judge

pytestmark = pytest.mark.slow

SEATS = range(3)


@pytest.fixture
def study(project):
    return stopping.import_study(project)


EVERYTHING = {"group": "", "generator": "", "source": ""}


def test_agreement_worked_by_hand(report):
    # Pairs first × second: yes-yes 7, no-no 1, no-yes 4, of 12.
    row = find_row(report, "agreement", category="understandable", view="all", **EVERYTHING)
    assert (row["language"], row["n_pairs"]) == ("en", 12)
    assert row["percent"] == pytest.approx(8 / 12)
    assert row["kappa"] == pytest.approx(7 / 31)  # p_e = (7 · 11 + 5 · 1) / 144
    assert row["kappa_order_free"] == pytest.approx(1 / 9)  # 18 of 24 labels are yes
    assert row["ac1"] == pytest.approx(7 / 15)  # two labels: it is asked of every item


def test_the_two_views_of_a_category_that_not_all_got_to(report):
    every, both = (
        find_row(report, "agreement", category="would_use", view=view, **EVERYTHING) for view in ("all", "applicable")
    )
    assert (every["n_pairs"], every["percent"]) == (12, pytest.approx(6 / 12))
    assert (both["n_pairs"], both["percent"]) == (4, pytest.approx(2 / 4))


def true_label(seat, item, category):
    return PLANTED[seat, item].get(category, NOT_APPLICABLE)


def test_agreement_is_that_of_the_planted_pairs(report):
    for category, generator, of in product(CATEGORIES, ["", *GENERATORS], ["", GROUPS[0]]):
        check_agreement(report, category, generator, of)


def check_agreement(report, category, generator, of) -> None:
    seats = [seat for seat in SEATS if of in ("", group(seat))]
    pairs = [
        (true_label(one, item, category), true_label(other, item, category))
        for item in ITEMS
        if item.endswith(generator)
        for one, other in combinations(seats, 2)
    ]
    applicable = [pair for pair in pairs if NOT_APPLICABLE not in pair]
    for view, chosen in (("all", pairs), ("applicable", applicable)):
        row = find_row(report, "agreement", category=category, view=view, generator=generator, group=of, source="")
        assert row["n_pairs"] == len(chosen), row
        agreed = sum(one == other for one, other in chosen)
        assert row["percent"] == (pytest.approx(agreed / len(chosen)) if chosen else None), row


def test_what_is_undefined_says_why(report):
    row = find_row(report, "agreement", category="rephrase", view="applicable", **EVERYTHING)
    assert (row["n_pairs"], row["percent"]) == (1, 0)
    row = find_row(
        report, "agreement", category="understandable", view="all", group="group-odd", generator="", source=""
    )
    assert (row["n_pairs"], row["percent"], row["kappa"]) == (0, None, None)
    assert row["reason"]
    row = find_row(report, "agreement", category="central", view="applicable", **(EVERYTHING | {"source": "atlas"}))
    assert (row["percent"], row["kappa"], row["ac1"]) == (1, None, 1)
    assert "0/0" in row["reason"]


def test_single_labels_are_counted_with_and_without_what_is_not_applicable(report):
    counted = {
        label: find_row(report, "label_distributions", category="clear", label=label, **EVERYTHING)
        for label in ("yes", "more_or_less", "no", NOT_APPLICABLE)
    }
    assert {label: row["n"] for label, row in counted.items()} == {
        "yes": 5,
        "more_or_less": 3,
        "no": 1,
        NOT_APPLICABLE: 3,
    }
    assert counted["yes"]["share_all"] == pytest.approx(5 / 12)
    assert counted["yes"]["share_applicable"] == pytest.approx(5 / 9)
    assert counted[NOT_APPLICABLE]["share_applicable"] is None
    assert counted[NOT_APPLICABLE]["reason"]


@pytest.mark.parametrize(
    ("name", "share"),
    [("labels_by_group_and_source", "share_all"), ("applicable_labels_by_group_and_source", "share_applicable")],
)
def test_labels_are_drawn_for_each_group_in_each_source(study, report, name, share):
    assert name in report.figures
    pieces = specify_figure(study, report, name)["data"]["values"]
    rows = [
        row
        for row in report.table("label_distributions").rows
        if not row["generator"] and row["group"] and row["source"] and row[share] is not None
    ]
    shares = {(each["name"], each["category"], each["label"]): each["end"] - each["start"] for each in pieces}
    assert shares == {
        (f"{row['group']} · {row['source']}", name_question(row["category"]), name_label(row["label"])):
        pytest.approx(row[share])
        for row in rows
    }  # fmt: skip


def test_words_for_the_figure_speak_of_the_rows_that_it_draws(study, report):
    table = report.table("label_distributions")
    text = place_in_results(study, report, "", "labels_by_group_and_source", table).text
    first = next(row for row in table.rows if not row["generator"] and row["group"] and row["source"])
    assert first["group"] in text.partition(".")[0]


def test_how_far_judgments_got(report):
    expected = {
        "understandable": (12, 3), "domain_related": (9, 0), "grammatical": (9, 0), "clear": (9, 1),
        "rephrase": (3, 0), "answerable": (8, 2), "information_needed": (6, 0), "central": (6, 0), "would_use": (6, 0),
    }  # fmt: skip
    rows = [row for row in report.table("flow").rows if not row["group"]]
    assert {row["category"]: (row["reached"], row["stopped"]) for row in rows} == expected
    assert {row["group"] for row in report.table("flow").rows} == {"", *GROUPS}
    assert report.sentences[0] == "6 of 12 judgments stopped early, 3 of them at “understandable”."


def test_generators_are_compared_by_how_often_they_are_stopped_at(report):
    """Both are stopped at in 3 of 6 judgments."""
    [row] = report.table("contrasts").rows
    assert (row["measure"], row["generator_a"], row["generator_b"]) == ("stopped", "gen-alder", "gen-birch")
    assert row["difference"] == pytest.approx(0)
    assert row["low"] < 0 < row["high"]


def test_a_difference_in_stopping_worked_by_hand():
    """Of two judgments a text, alder's are stopped at in none, one, one; birch's in two, one, two: 2/6 less 5/6."""
    figures = {
        name: GeneratorFigure((Arm.of_tables(np.array(counts)[:, None], np.full((3, 1), 2)),))
        for name, counts in {"alder": (0, 1, 1), "birch": (2, 1, 2)}.items()
    }
    family = Family("stopped", "human", figures, 3, (-1.0, 1.0), higher_is_better=False)
    [found] = family.contrasts("annotators", seed=1)
    # Left out in turn: 2/4 - 3/4, 1/4 - 4/4, 1/4 - 3/4; their mean -1/2.
    error = (2 / 3 * (2 * 0.25**2)) ** 0.5
    assert found.value == pytest.approx(-0.5)
    assert found.low == pytest.approx(max(-1, -0.5 - 4.302652729696142 * error))
    assert found.high == pytest.approx(-0.5 + 4.302652729696142 * error)


def frame_of(answers_of_all: list[dict]) -> Judgments:

    stage = judge()
    categories = tuple(question for question in stage.questions if question.kind == "choice")
    rows = [
        {"annotator": f"p{number % 3}", "item_id": number // 3} | read_judgment(stage, categories, answers)
        for number, answers in enumerate(answers_of_all)
    ]
    return Judgments(categories, pd.DataFrame(rows).astype(object))


def on_the_path(answers) -> dict:
    stage = judge()
    return {name: value for name, value in stage.path(answers, stage.questions).items() if value is not None}


@given(st.lists(ANSWERS.map(on_the_path), min_size=2, max_size=9))
def test_agreeing_in_all_is_agreeing_where_applicable_or_seeing_it_neither(message):
    """agree_all · N = agree_applicable · pairs + seen_by_neither, whatever is missing."""
    judgments = frame_of(message)
    for category in judgments.categories:
        table = count_label_pairs(judgments, category, list_judgment_pairs(judgments))
        every, applicable = measure_labels(table), measure_labels(keep_both_answered(table, category))
        agreed = applicable["percent"] * applicable["n_pairs"] if applicable["n_pairs"] else 0
        seen_by_neither = table[len(category.levels) :, len(category.levels) :].sum()
        assert (every["percent"] * every["n_pairs"] if every["n_pairs"] else 0) == pytest.approx(
            agreed + seen_by_neither
        )


def test_a_missing_answer_is_neither_a_label_nor_not_applicable(project):
    make_bank(project)
    study = draft_study(project)
    without = [row for row in rows() if (row["annotator"], row["question"]) != ("p1", "central")]
    import_responses(study, as_csv(without))
    study.refresh_from_db()
    report = build(study, Choices(seed=5))
    labels = [row for row in report.table("label_distributions").rows if row["category"] == "central"]
    counts = {row["label"]: row["n"] for row in labels if not (row["group"] or row["generator"] or row["source"])}
    assert counts == {"yes": 3, "no": 1, NOT_APPLICABLE: 6}  # two of twelve are missing
    assert find_row(report, "agreement", category="central", view="all", **EVERYTHING)["n_pairs"] == 12 - 4


def export_rows(study, format="csv") -> list[dict]:
    out = io.StringIO()
    export_responses(study, format, out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def make_rows() -> set[tuple[str, str, str, str]]:
    return {(row["annotator"], row["item_id"], row["question"], row["value"]) for row in rows()}


def test_the_long_export_holds_exactly_what_was_planted(study):
    taken = [(row["annotator"], row["item_id"], row["question"], row["value"]) for row in export_rows(study)]
    assert sorted(taken) == sorted(make_rows())


def test_the_wide_export_says_what_was_not_applicable(study):
    unasked = {
        (annotator, row["item_id"], row["question"])
        for row in export_rows(study, "wide")
        for annotator in ("p0", "p1", "p2")
        if row.get(annotator) == "not_applicable"
    }
    assert unasked == {
        (f"p{seat}", item, question)
        for (seat, item), answers in PLANTED.items()
        for question in QUESTIONS
        if question not in answers
    }


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_what_was_exported_is_taken_again(project, study, format):
    out = io.StringIO()
    export_responses(study, format, out)
    again = draft_study(project, slug="again")
    assert import_responses(again, out.getvalue().encode()).responses == len(rows())
    again.refresh_from_db()
    assert build(again, Choices()).table("agreement").rows == build(study, Choices()).table("agreement").rows


def test_the_wide_export_has_a_column_for_each_annotator(study):
    (row,) = [
        row for row in export_rows(study, "wide") if (row["item_id"], row["question"]) == ("s1-gen-birch", "rephrase")
    ]
    assert [row["p0"], row["p1"], row["p2"]] == ["yes", "no", "not_applicable"]


def list_refusals(project, lines) -> list[tuple[int, str, str]]:
    study = draft_study(project)
    with pytest.raises(ImportRefused) as refusal:
        import_responses(study, as_csv(lines))
    return [(problem.line, problem.field, problem.reason) for problem in refusal.value.problems]


def line(question, value, **more):
    return {"annotator": "ada", "stage": "judge", "item_id": ITEMS[0], "question": question, "value": value} | more


def test_a_value_behind_a_stop_is_refused_with_its_own_line(project):
    make_bank(project)
    lines = [
        line("understandable", "no"),
        line("central", "yes", item_id=ITEMS[1], annotator="ben"),
        line("clear", "yes"),
    ]
    problems = list_refusals(project, lines)
    assert (4, "question", "“clear” is not asked after these answers.") in problems
    assert [number for number, _field, _reason in problems] == [3, 4]


def test_a_value_that_is_none_of_the_answers_is_refused_with_its_line(project):
    make_bank(project)
    ((number, field, reason),) = list_refusals(project, [line("understandable", "yes"), line("clear", "perhaps")])
    assert (number, field) == (3, "value")
    assert "yes, more_or_less, no" in reason


def test_free_texts_may_be_absent(project):
    make_bank(project)
    study = draft_study(project)
    without = [row for row in rows() if row["question"] not in ("rephrasal", "answer")]
    assert import_responses(study, as_jsonl(without)).responses == len(without)


def test_a_later_round_replaces_a_whole_judgment(project):
    make_bank(project)
    study = draft_study(project)
    again = line("understandable", "no", annotator="p0", group="group-even", round=2)
    import_responses(study, as_csv([*rows(), again]))
    study.refresh_from_db()
    flow = [row for row in build(study, Choices()).table("flow").rows if not row["group"]]
    assert [(row["reached"], row["stopped"]) for row in flow[:2]] == [(12, 4), (8, 0)]
    (clear,) = [row for row in export_rows(study, "wide") if (row["item_id"], row["question"]) == (ITEMS[0], "clear")]
    assert clear["p0"] == "not_applicable"


def test_a_model_has_labels_but_no_agreement(study):
    from studies.models import Response
    from tests.factory import make_assignment

    item = study.project.items.get(external_id=ITEMS[0])
    model = make_annotator(study, "judge-model", kind="model")
    shared = {"assignment": make_assignment(model, item), "stage": "judge", "item": item}
    Response.objects.create(
        **shared, question="understandable", value="no", instrument_version=study.instrument_version
    )
    report = build(study, Choices(seed=5))
    row = find_row(report, "flow", group="judge-model", category="understandable")
    assert (row["reached"], row["stopped"]) == (1, 1)
    assert find_row(report, "flow", group="", category="understandable")["reached"] == 12
    assert not [row for row in report.table("agreement").rows if row["group"] == "judge-model"]


def test_the_command_writes_every_table_and_figure(study, tmp_path):
    call_command("report", study.slug, out=str(tmp_path))
    header = (tmp_path / "tables" / "agreement.csv").read_text().splitlines()[0]
    assert header == "language,group,generator,source,category,view,percent,kappa,kappa_order_free,ac1,n_pairs,reason"
    assert (tmp_path / "tables" / "flow.csv").read_text().startswith("group,category,reached,stopped")
    values = json.loads((tmp_path / "report.json").read_text())
    assert values["figures"] == list(drawn.FIGURES[drawn.stopping_questionnaire])
    for name in values["figures"]:
        assert "<svg" in (tmp_path / "figures" / f"{name}.svg").read_text()


def test_the_results_page_shows_tables_and_figures(study, as_user, viewer):
    page = as_user(viewer).get(f"/s/{study.slug}/results/details/").content.decode()
    for name in ("flow", "label_distributions"):
        assert f"/results/figures/{name}.svg" in page
    assert "not applicable" in page
    summary = as_user(viewer).get(f"/s/{study.slug}/results/").content.decode()
    assert "6 of 12 judgments stopped early" in summary
