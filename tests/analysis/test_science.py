"""People and models together, reliability, raters and readers in reports: numbers, and refusals in their words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from django.template import Context, Template

from analysis.formatting import format_interval, format_with_interval, number
from analysis.measures.rater_effects import crossed_components, d_study
from analysis.science.flaws import build_flaw_tables
from analysis.science.joined import build_joined_tables, describe_joined
from analysis.science.raters import build_rating_tables, describe_generators, describe_raters
from analysis.science.readers import (
    build_carry_over,
    build_reader_tables,
    describe_dependence,
    describe_dif,
    describe_rasch,
)
from analysis.science.scores import build_reliability_tables, describe_reliability
from analysis.services.reporting import build_report
from analysis.tables.page import build_page_table
from tests.analysis.answered_texts import N_TEXTS, add_answers, add_flaws, add_groups, add_ratings

pytestmark = pytest.mark.slow


def row_of(table, **wanted):
    (row,) = [row for row in table.rows if all(row[name] == value for name, value in wanted.items())]
    return row


MEASURES = ("answerability", "guessability", "informativity")
FITTED = {"generator": "ann", "measure": "informativity", "method": "fitted slope"}


def test_people_and_models_are_joined_and_add_up(evidence):
    joined, contrasts = build_joined_tables(add_answers(evidence))
    rows = {row["measure"]: row for row in joined.rows if row["generator"] == "ann" and row["method"] == "fitted slope"}
    assert rows["informativity"]["value"] == pytest.approx(
        rows["answerability"]["value"] - rows["guessability"]["value"]
    )
    row = row_of(joined, **FITTED)
    assert (row["n_texts"], row["n_texts_all"], row["predictor"], row["reason"]) == (20, 40, "gpt", "")
    alone = row_of(joined, **FITTED | {"method": "people only"})
    assert row["width_share"] == pytest.approx((row["high"] - row["low"]) / (alone["high"] - alone["low"]))
    assert row["n_effective"] == pytest.approx(20 / (1 - 0.5 * row["r"] ** 2))
    assert {each["method"] for each in joined.rows} == {"fitted slope", "people only", "models at face value"}
    (contrast,) = contrasts.rows
    other = row_of(joined, **FITTED | {"generator": "bob"})
    assert contrast["difference"] == pytest.approx(row["value"] - other["value"])
    assert len(describe_joined((joined, contrasts))) == 1


def test_where_people_did_all_texts_there_is_nothing_to_join(evidence):
    assert build_joined_tables(add_answers(evidence, n_people=N_TEXTS)) == ()


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"draw": False}, "The texts that people did were not drawn by chance, so people and models cannot be joined."),
        ({"n_people": 9}, "An estimate with models needs people on at least 10 texts; this row has 9."),
        ({"n_people": 15}, "People answered 15 of 20 drawn texts; those that are missing may differ."),
        ({"model_texts": 30}, "gpt has no answer on 10 of 40 texts; name an evaluator that answered them all."),
    ],
)
def test_refusals_to_join_stand_in_place_of_the_number(evidence, given, reason):
    joined, contrasts = build_joined_tables(add_answers(evidence, **given))
    row = row_of(joined, **FITTED)
    assert (row["value"], row["low"], row["reason"]) == (None, None, reason)
    assert contrasts.rows == ()
    assert reason in describe_joined((joined, contrasts))


def test_a_model_without_a_stage_predicts_people_in_the_other(evidence):
    """Of two models, one answered with the text only: answerability is estimated from both, the rest from the other."""
    full = add_answers(evidence)
    model = full.frame["kind"] == "model"
    read_only = full.frame[model & (full.frame["stage"] == "read")].assign(annotator="lama")
    annotators = pd.concat([full.annotators, full.annotators[-1:].assign(annotator="lama")], ignore_index=True)
    both = replace(full, frame=pd.concat([full.frame, read_only], ignore_index=True), annotators=annotators)
    table = build_joined_tables(both)[0]
    models = {measure: row_of(table, **FITTED | {"measure": measure})["predictor"] for measure in MEASURES}
    assert models == {"answerability": "gpt, lama", "guessability": "gpt", "informativity": "gpt, lama"}
    alone = full.frame[~model | (full.frame["stage"] == "read")]
    rows = {measure: row_of(build_joined_tables(replace(full, frame=alone))[0], **FITTED | {"measure": measure})
            for measure in MEASURES}  # fmt: skip
    usual = row_of(build_joined_tables(full)[0], **FITTED | {"measure": "answerability"})
    assert rows["answerability"]["value"] == pytest.approx(usual["value"])
    reason = "gpt has no answer on 40 of 40 texts; name an evaluator that answered them all."
    assert [rows[name]["reason"] for name in MEASURES] == ["", reason, reason]


def test_remarks_of_an_estimate(evidence):
    remark = row_of(build_joined_tables(add_answers(evidence, n_people=19))[0], **FITTED)["remark"]
    assert "People answered 19 of 20 drawn texts; those that are missing may differ." in remark
    assert "From 19 texts, how well models predict people is itself uncertain (r = " in remark


def test_models_that_say_the_opposite_are_no_gain(evidence):
    """A negative r: the row stands with its note, as good as the texts that people did."""
    full = add_answers(evidence)
    model = full.frame["kind"] == "model"
    frame = full.frame.assign(probability=full.frame["probability"].where(~model, 1 - full.frame["probability"]))
    tables = build_joined_tables(replace(full, frame=frame))
    row = row_of(tables[0], **FITTED)
    assert row["r"] < 0
    assert (row["n_effective"], row["value"] is not None) == (20, True)
    assert "Models hardly help here (r = " in row["remark"]
    (sentence,) = describe_joined(tables)
    assert "Models hardly help here (r = " in sentence
    assert "as good as people alone on" not in sentence


def add_second_model(full, model_texts=N_TEXTS):
    """With a second model that answers like the first, about the first texts."""
    theirs = full.frame[(full.frame["kind"] == "model") & (full.frame["text_id"] < f"t{model_texts:02}")]
    annotators = pd.concat([full.annotators, full.annotators[-1:].assign(annotator="lama")], ignore_index=True)
    frame = pd.concat([full.frame, theirs.assign(annotator="lama")], ignore_index=True)
    return replace(full, frame=frame, annotators=annotators)


def plan_predictors(evidence, *names):
    evidence.study.plan = {"people_texts": 20, "people_texts_by": "equal chance", "predictors": list(names)}
    return evidence


@pytest.mark.parametrize(
    ("planned", "chosen", "predictor", "is_later"),
    [
        ((), None, "gpt, lama", False),
        (("lama",), None, "lama", False),
        (("lama",), ("human", "gpt"), "gpt", True),
        (("lama",), ("human", "lama"), "lama", False),
        ((), ("human", "gpt"), "gpt", True),
    ],
)
def test_the_plan_names_the_models_that_predict_people(evidence, planned, chosen, predictor, is_later):
    both = plan_predictors(add_second_model(add_answers(evidence)), *planned)
    tables = build_joined_tables(replace(both, choices=replace(both.choices, evaluators=chosen)))
    row = row_of(tables[0], **FITTED)
    names = ", ".join(planned) or "all"
    sentence = (
        f"The models that predict people are not those of the plan ({names}), so this estimate is not pre-specified."
    )
    assert row["predictor"] == predictor
    assert (sentence in row["remark"], sentence in describe_joined(tables)[0]) == (is_later, is_later)


def test_a_planned_model_must_have_answered_every_text(evidence):
    both = plan_predictors(add_second_model(add_answers(evidence), 30), "gpt", "lama")
    reason = "lama has no answer on 10 of 40 texts; name an evaluator that answered them all."
    assert row_of(build_joined_tables(both)[0], **FITTED)["reason"] == reason
    nobody = plan_predictors(add_answers(evidence), "claude")
    reason = "claude has no answer on 40 of 40 texts; name an evaluator that answered them all."
    assert row_of(build_joined_tables(nobody)[0], **FITTED)["reason"] == reason


# Carry-over -----------------------------------------------------------------------------------------------------------


def test_where_everybody_guesses_nothing_can_be_compared(evidence):
    (table,) = build_carry_over(add_answers(evidence))
    (row,) = table.rows
    reason = "In this plan everybody (or nobody) guesses an item before reading it, so there is nothing to compare."
    assert (row["effect"], row["reason"]) == (None, reason)


def test_readers_who_guessed_are_compared_with_the_others(evidence):
    full = add_answers(evidence)
    guess, first = full.frame["stage"] == "guess", full.frame["annotator"] == "p0"
    (table,) = build_carry_over(replace(full, frame=full.frame[~guess | first | (full.frame["kind"] == "model")]))
    (row,) = table.rows
    read = full.frame[(full.frame["stage"] == "read") & (full.frame["kind"] == "human")]
    shares = read.groupby("annotator")["correct"].mean()
    assert row["effect"] == pytest.approx(shares["p0"] - shares[["p1", "p2"]].mean())
    assert row["others_only"] == pytest.approx(shares[["p1", "p2"]].mean())
    minutes = {"p0": 4.0, "p1": 2.0, "p2": 2.0}
    times = [(who, f"t{number:02}", "read", spent) for who, spent in minutes.items() for number in range(20)]
    timed = replace(full, frame=full.frame[~guess | first | (full.frame["kind"] == "model")],
                    times=pd.DataFrame(times, columns=["annotator", "text_id", "stage", "minutes"]))  # fmt: skip
    row = row_of(build_carry_over(timed)[0], measure="minutes")  # of two items
    assert (row["effect"], row["others_only"], row["n_texts"]) == (pytest.approx(1), pytest.approx(1), 20)
    few = replace(full, frame=full.frame[(~guess | first) & (full.frame["text_id"] < "t04")])
    assert build_carry_over(few)[0].rows[0]["reason"] == (
        "Comparing those who guessed an item with the others needs at least 5 texts; here 4."
    )


# Reliability, raters, readers -----------------------------------------------------------------------------------------


def test_reliability_needs_thirty_people(evidence):
    tables = build_reliability_tables(add_answers(evidence))
    assert {row["reason"] for row in tables[0].rows} == {"Reliability needs 30 people who did the same items; here 3."}
    assert describe_reliability(tables) == []


def test_reliability_of_thirty_people_on_the_texts_that_all_did(evidence):
    people = tuple(f"q{number:02}" for number in range(30))
    full = add_answers(evidence, people=people)
    left = full.frame[~((full.frame["annotator"] == "q00") & (full.frame["text_id"] >= "t10"))]
    (table,) = build_reliability_tables(replace(full, frame=left))
    over_texts, over_items = table.rows
    assert (over_texts["n_people"], over_texts["n_parts"], over_items["n_parts"]) == (30, 10, 20)
    assert over_texts["low"] < over_texts["alpha"] < over_texts["high"]
    alpha = over_texts["alpha"]
    assert over_texts["longer"] == pytest.approx(1.2 * alpha / (1 + 0.2 * alpha))
    why_not = "Only α over texts says what further texts would give."
    assert (over_texts["reason"], over_items["longer"], over_items["reason"]) == ("", None, why_not)


def test_a_rasch_model_needs_readers(evidence):
    (table,) = build_reader_tables(add_answers(evidence))
    reasons = {row["reason"] for row in table.rows}
    assert reasons == {"A Rasch model needs 100 readers; here 3. Difficulty is shown as the share right."}
    assert all(0 <= row["share_right"] <= 1 for row in table.rows)


def test_dif_refuses_small_groups(evidence):
    table = build_reader_tables(add_groups(evidence, (60, 40)))[-1]
    assert [row["reason"] for row in table.rows] == ["DIF needs 100 people in the smaller group; here 40."]
    table = build_reader_tables(add_groups(evidence, (150, 120)))[-1]
    assert [row["reason"] for row in table.rows] == ["DIF needs 300 people in both groups; here 270."]


def test_cells_of_wide_tables_name_their_columns_for_phones(evidence):
    page = build_page_table(build_reader_tables(add_groups(evidence, (60, 40)))[-1], "readers")
    grid = Template("{% load analysis %}{% remarks %}{% include 'analysis/parts/grid.html' %}{% endremarks %}")
    written = BeautifulSoup(grid.render(Context({"table": page})), "html.parser")
    assert "records" in written.table["class"]
    cells = written.tbody.tr.find_all("td")
    titles = [column.title for column in page.head[1:]]
    assert [cell.get("data-name") or title for cell, title in zip(cells, titles, strict=True)] == titles
    assert {cell.get("data-name") for cell in cells} >= {"First group", "D", "People"}
    assert [cell.has_attr("data-name") for cell in cells if not cell.get_text()] == [False, False]  # item and class


def test_dif_names_the_groups_that_it_does_not_compare(evidence):
    full = add_groups(evidence, (60, 40))
    third = full.annotators["group"].mask(full.annotators["annotator"] == "q000", "z")
    table = build_reader_tables(replace(full, annotators=full.annotators.assign(group=third)))[-1]
    assert table.notes[-1] == "The first two groups of the study are compared; not compared: z."
    assert [row["reason"] for row in table.rows] == ["DIF needs 100 people in the smaller group; here 40."]


def test_readers_of_two_large_groups(evidence):
    rasch, people, dependence, dif, texts = build_reader_tables(add_groups(evidence, (160, 160)))
    assert [row["n_items"] for row in people.rows] == [24] * 320
    assert people.rows[0]["outfit"] > 1 > people.rows[-1]["outfit"]
    order = [(row["category"], abs(row["d"] or 0)) for row in dif.rows]
    assert order == sorted(order, reverse=True)
    (cell,) = [cell for cell in build_page_table(dif, "readers").rows[0] if cell.interval]
    assert cell.interval == format_interval(dif.rows[0]["low"], dif.rows[0]["high"])
    assert {"n_pairs", "n_high"} <= {column.name for column in dependence.columns}
    items = [row for row in dif.rows if row["text_id"] == "t00"]
    text = row_of(texts, text_id="t00")
    assert (text["d"], text["n_items"], text["n_people"]) == (pytest.approx(sum(row["d"] for row in items)), 2, 320)
    widths = [row["high"] - row["low"] for row in items]
    assert text["high"] - text["low"] == pytest.approx(math.hypot(*widths))
    assert {row["model"] for row in rasch.rows if not row["reason"]} <= {"Rasch", "2PL"}
    assert [row["pairs"] for row in dependence.rows] == ["within item", "within text", "across texts"]
    assert [row["n_pairs"] for row in dependence.rows] == [24 * 3, 12, 24 * 23 / 2 - 12]
    assert {row["category"] for row in dif.rows} <= {"A", "B", "C", ""}
    large = sum(row["category"] == "C" for row in dif.rows)
    assert [str(large) in sentence for sentence in describe_dif((dif,))] == [True] * bool(large)
    assert len(describe_rasch((rasch,))) == bool(rasch.rows[0]["model"])
    assert len(dif.rows) == 24


def test_items_whose_answers_depend_on_each_other_are_listed(evidence):
    """Whoever gets one item of a text right gets the other right, too."""
    full = add_groups(evidence, (60, 60))
    keys = ["annotator", "stage", "text_id", "option_id"]
    first = full.frame[(full.frame["generator"] == "ann") & (full.frame["text_id"] == "t00")].set_index(keys)["correct"]
    copied = (full.frame["generator"] == "bob") & (full.frame["text_id"] == "t00")
    frame = full.frame.copy()
    frame.loc[copied, "correct"] = first.reindex(pd.MultiIndex.from_frame(frame.loc[copied, keys])).to_numpy()
    tables = {table.name: table for table in build_reader_tables(replace(full, frame=frame))}
    top = tables["dependent_pairs"].rows[0]
    assert (top["item_a"], top["item_b"], top["text_a"], top["n_people"]) == ("t00-ann", "t00-bob", "t00", 120)
    high = {row["pairs"]: row["n_high"] for row in tables["local_dependence"].rows}
    assert high["within text"] + high["across texts"] == len(tables["dependent_pairs"].rows)
    assert top["q3"] > 0.9
    (sentence,) = describe_dependence((tables["dependent_pairs"],))
    assert all(each in sentence for each in ("t00-ann", "t00-bob", number(top["q3"])))
    assert describe_dependence((tables["local_dependence"],)) == []


def test_generators_texts_and_raters_are_told_apart(evidence):
    """Of ten generators; with fewer there is no table."""
    rng = np.random.default_rng(5)
    marks = [
        (who, f"t{text:02}-g{place}", float(np.clip(round(3 + place / 4 - 1 + rng.normal(0, 1)), 1, 5)))
        for text in range(6) for place in range(10) for who in ("p0", "p1", "p2")
    ]  # fmt: skip
    full = add_ratings(evidence, marks)
    tables = {table.name: table for table in build_rating_tables(full)}
    (row,) = tables["g_study_generators"].rows
    values = full.every_round.pivot_table("value", "generator", ["text_id", "annotator"]).to_numpy(float)
    expected = crossed_components(values.reshape(10, 6, 3))
    assert row["generators_texts"] == pytest.approx(expected["pi"])
    assert (row["relative"], row["absolute"]) == pytest.approx(d_study(expected, 6, 3))
    assert 0 <= row["relative_low"] <= row["relative"] <= row["relative_high"] <= 1
    assert 0 <= row["absolute_low"] <= row["absolute"] <= row["absolute_high"] <= 1
    (sentence,) = describe_generators(tuple(tables.values()))
    assert format_with_interval(row["relative"], row["relative_low"], row["relative_high"]) in sentence
    assert d_study(expected, row["texts_80"], 3)[0] >= 0.8 > d_study(expected, max(row["texts_80"] - 1, 1), 3)[0]
    assert (row["n_generators"], row["n_texts"], row["n_raters"]) == (10, 6, 3)
    one_left = full.every_round[(full.every_round["annotator"] == "p0")]
    (row,) = build_rating_tables(replace(full, every_round=one_left))[2].rows
    assert row["reason"].startswith("Fewer than 2 raters")
    fewer = replace(full, every_round=full.every_round[full.every_round["generator"] != "g9"])
    assert "g_study_generators" not in {table.name for table in build_rating_tables(fewer)}


def test_raters_of_two_groups_are_not_pooled(evidence):
    marks = [(who, f"t{number:02}-ann", 1 + number % 4) for number in range(12) for who in ("p0", "p1", "p2")]
    full = add_ratings(evidence, marks)
    groups = full.annotators["annotator"].map({"p0": "x", "p1": "x", "p2": "y"}).fillna("")
    tables = build_rating_tables(replace(full, annotators=full.annotators.assign(group=groups)))
    assert [row["group"] for row in tables[0].rows] == ["x", "y"]
    assert {row["group"] for row in tables[1].rows} == {"x", "y"}


def test_ratings_of_two_raters_who_differ_by_one_mark(evidence):
    items = [f"t{number:02}-ann" for number in range(20)]
    marks = [
        (who, item, 2 + place % 3 + more) for place, item in enumerate(items) for who, more in (("p0", 0), ("p1", 1))
    ]
    g_study, d_study, severity, fair = build_rating_tables(add_ratings(evidence, marks))
    (row,) = g_study.rows
    assert (row["raters"], row["residual"]) == (pytest.approx(0.5), pytest.approx(0, abs=1e-9))
    assert (row["relative"], row["raters_70"], row["raters_80"]) == (pytest.approx(1), 1, 1)
    assert row["absolute_high"] <= 1
    assert len(describe_raters((g_study,))) == 1
    assert [each["n_raters"] for each in d_study.rows] == list(range(1, 9))
    assert [each["severity"] for each in severity.rows] == pytest.approx([-0.5, 0.5])
    assert fair.rows[0]["fair"] == pytest.approx(fair.rows[0]["raw"])


def test_refusals_about_raters(evidence):
    apart = [("p0", f"t{number:02}-ann", 3) for number in range(10)] + [
        ("p1", f"t{number:02}-ann", 4) for number in range(10, 20)
    ]
    g_study, _d_study, severity, fair = build_rating_tables(add_ratings(evidence, apart))
    not_apart = "Fewer than 2 raters (or 10 objects) were rated together, so their variances cannot be told apart."
    not_linked = "These raters have no items in common, even through others; severity cannot be compared."
    assert [row["reason"] for row in g_study.rows] == [not_apart]
    assert {row["reason"] for row in (*severity.rows, *fair.rows)} == {not_linked}
    few = [(who, f"t{number:02}-ann", 3 + number % 2) for number in range(9) for who in ("p0", "p1")]
    assert {row["reason"] for row in build_rating_tables(add_ratings(evidence, few))[2].rows} == {
        "This rater shares fewer than 10 items with others."
    }


def test_scores_of_a_second_round_do_not_enter(evidence):
    items = [f"t{number:02}-ann" for number in range(12)]
    first = add_ratings(
        evidence, [(who, item, 1 + place % 4) for place, item in enumerate(items) for who in ("p0", "p1")]
    )
    second = add_ratings(evidence, [("p0", items[0], 5)], round=2)
    both = replace(first, every_round=pd.concat([first.every_round, second.every_round], ignore_index=True))
    tables = build_rating_tables(both)
    assert tables[0].rows == build_rating_tables(first)[0].rows
    assert "Scores of a second round are not independent; this uses round 1." in tables[0].notes


def test_a_report_has_the_tables_before_its_description(evidence):
    report = build_report(add_answers(evidence))
    names = [table.name for table in report.tables]
    assert names[-1] == "description"
    assert {"people_and_models", "carry_over", "reliability", "rasch"} <= set(names)
    assert "people_and_models" in report.figures
    assert "rasch" not in report.figures
    assert not any(math.isnan(row["value"]) for row in report.table("people_and_models").rows if row["value"])


# Flaws ----------------------------------------------------------------------------------------------------------------


def test_flaws_with_few_items_have_a_count_and_no_effect(evidence):
    table, _items = build_flaw_tables(add_flaws(evidence, {"t01-ann", "t02-ann"}))
    row = row_of(table, flaw="fill_in_the_blank")
    assert (row["n_items"], row["n_asked"], row["informativity"]) == (2, 80, None)
    assert row["reason"] == "Fewer than 10 items have this flaw (2)."


def test_flaws_need_texts_with_and_without_them(evidence):
    both = {f"t{number:02}-{name}" for number in range(6) for name in ("ann", "bob")}
    table, _items = build_flaw_tables(add_flaws(evidence, both))
    row = row_of(table, flaw="fill_in_the_blank")
    assert row["reason"] == "Fewer than 5 texts hold items with and without it (0)."


@pytest.mark.parametrize(
    "marked", [{"settings": {"ann": "cloze"}}, {"metadata": {f"t{n:02}-ann": {"category": "Cloze"} for n in range(40)}}]
)
def test_a_cloze_item_is_not_asked_for_its_gap(evidence, marked):
    full = add_flaws(evidence, {"t01-ann", "t02-ann", "t01-bob"})
    assert row_of(build_flaw_tables(full)[0], flaw="fill_in_the_blank")["n_items"] == 3
    row = row_of(build_flaw_tables(replace(full, **marked))[0], flaw="fill_in_the_blank")
    assert (row["n_items"], row["n_asked"]) == (1, 40)


def test_a_question_that_negates_twice_is_remarked(evidence):
    stems = {"t01-ann": "Which ferry did nobody not see?", "t02-ann": "Which ferry did not leave?"}
    asked = [stems.get(item, "Which ferry left so late?") for item in evidence.items["item_id"]]
    table = build_flaw_tables(replace(add_answers(evidence), items=evidence.items.assign(stem=asked)))[1]
    remarks = {row["item_id"]: row["remark"] for row in table.rows if row["flaw"] == "negative_stem"}
    assert remarks == {"t01-ann": "double negation", "t02-ann": ""}


def test_the_effect_of_a_flaw_is_that_within_texts(evidence):
    full = add_flaws(evidence, {f"t{number:02}-ann" for number in range(12)})
    table, _items = build_flaw_tables(full)
    row = row_of(table, flaw="fill_in_the_blank")
    people = full.frame[full.frame["kind"] == "human"]
    shares = people.groupby(["text_id", "generator", "stage"])["correct"].mean().unstack("stage")
    gained = (shares["read"] - shares["guess"]).astype(float).unstack("generator")
    first = gained.iloc[:12]
    of_items = build_flaw_tables(full)[1]
    one = row_of(of_items, item_id="t00-ann", flaw="fill_in_the_blank")
    read = full.frame[(full.frame["kind"] == "human") & (full.frame["stage"] == "read")]
    chosen = read[(read["item_id"] == "t00-ann") & ~read["key"]].groupby("option_id")["value"].mean()
    assert (one["coded_by"], one["n_people"], one["rarest"]) == ("rules", 3, chosen.min())
    assert (one["n_rare"], 0 <= one["miskey"] <= 1) == ((chosen < 0.05).sum(), True)
    unread = row_of(
        build_flaw_tables(replace(full, frame=full.frame.iloc[:0]))[1], item_id="t00-ann", flaw="fill_in_the_blank"
    )
    people = [row["n_people"] for row in of_items.rows]
    assert people == sorted(people, reverse=True)  # all were answered by three or by nobody
    assert (unread["rarest"], unread["miskey"], bool(unread["reason"])) == (None, None, True)
    assert row["n_texts"] == 12
    assert row["informativity"] == pytest.approx((first["ann"] - first["bob"]).mean())
    assert row["informativity"] == pytest.approx(row["answerability"] - row["guessability"])
