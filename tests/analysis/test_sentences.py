"""What the results page says in words."""

import pandas as pd
import pytest

from analysis.choices import Choices
from analysis.measures.power import Components, Plan, informativity_curve
from analysis.protocols.guess_then_read.spread import build_plan
from analysis.reports.spread import say_scatter as scattered_clause
from analysis.reports.spread import say_what_narrows
from analysis.services.reporting import build
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow


def list_sentences(study):
    return list(build(study, Choices(seed=7)).sentences)


@pytest.fixture
def clear(project):
    """Three texts; with the text all careful and few hurried judgments are right, without it all are half right."""
    return judge_once(project, {1: "TTFF", 2: "TTFF", 3: "TTTF"})


@pytest.fixture
def unclear(project):
    """Five texts; on the last two it is the careful items that are judged wrongly."""
    return judge_once(project, {1: "TTFF", 2: "TTFF", 3: "TTTF", 4: "TTFF", 5: "TTFF"}, turned=(4, 5))


def judge_once(project, wrong: dict[int, str], turned=()):
    """A study by one person: with the text, the items of one of two generators have the given ticks, by text."""
    items = []
    for number in wrong:
        text = make_text(project, f"t{number}")
        items += [make_item(text, name, f"{name}{number}", "TFFF") for name in ("careful", "hurried")]
    study = make_study(project, "clear", items)
    ada = make_annotator(study, "ada")
    for item in items:
        number = int(item.external_id[-1])
        answer(ada, "guess", item, "TTTF")
        is_wrong = (item.generator.name == "hurried") != (number in turned)
        answer(ada, "read", item, wrong[number] if is_wrong else "TFFF")
    return study


def test_the_values_are_said_with_the_answers_they_rest_on(clear):
    first, *_rest = list_sentences(clear)
    assert ".50" in first
    assert ".17" in first
    assert "48 judgments by 1 person on 3 texts" in first


def test_a_difference_whose_interval_holds_zero_is_not_claimed(unclear):
    """One annotator on five texts, on two of which the difference is turned: an interval that holds 0."""
    [_values, difference] = list_sentences(unclear)
    assert difference.startswith("The data cannot show whether items by careful and hurried differ")
    assert "5 texts; more texts would narrow this interval" in difference


def test_nothing_is_claimed_without_an_interval(tiny, items):
    ada = make_annotator(tiny, "ada")
    for name, read in {"c1": "TF", "h1": "FF"}.items():
        answer(ada, "guess", items[name], "FF")
        answer(ada, "read", items[name], read)
    assert [sentence.partition(":")[0] for sentence in list_sentences(tiny)[1:]] == [
        "The data cannot show whether the generators differ"
    ]


def test_one_generator_is_not_compared_with_itself(tiny, items):
    ada = make_annotator(tiny, "ada")
    answer(ada, "guess", items["c1"], "FF")
    answer(ada, "read", items["c1"], "TF")
    [value, left_out] = list_sentences(tiny)
    assert ".50 for items by careful" in value
    assert left_out == "Not compared: items by hurried (no answers yet)."


def test_without_people_a_model_speaks_under_its_name(tiny, items):
    gpt = make_annotator(tiny, "gpt", kind="model")
    answer(gpt, "guess", items["c1"], "FF")
    answer(gpt, "read", items["c1"], "TF")
    assert list_sentences(tiny)[0].startswith("By the answers of gpt, ")


def test_no_answers_no_sentences(tiny):
    assert list_sentences(tiny) == []


@pytest.mark.parametrize(
    ("texts", "annotators", "clause"),
    [
        (0.34, 0.09, "more texts would narrow this interval; more annotators hardly would"),
        (0.34, 0.16, "more texts would narrow this interval most; more annotators less"),
        (0.15, 0.34, "more annotators would narrow this interval most; more texts less"),
        (0.34, 0.17, "more texts would narrow this interval, and so would more annotators"),
        (0.05, 0.2, "more annotators would narrow this interval; more texts hardly would"),
        (0.05, 0.05, ""),
    ],
)
def test_hardly_is_less_than_a_tenth_and_less_than_half_as_much_is_less(texts, annotators, clause):
    assert say_what_narrows(texts, annotators) == clause


@pytest.fixture
def small_study(project):
    """Eight texts, two generators of two items; four people, whose answers depend on text, item and person."""
    items = []
    for number in range(8):
        text = make_text(project, f"s{number}")
        items += [
            make_item(text, name, f"{name}{number}-{place}", "TFF") for name in ("ann", "bob") for place in (1, 2)
        ]
    study = make_study(project, "scattered", items)
    for place in range(4):
        person = make_annotator(study, f"p{place}")
        for number, item in enumerate(items):
            hard = number % 3 == 0 or (number // 4) % 3 == place % 3
            answer(person, "guess", item, ("TTF", "FTT", "TFT")[(number + place) % 3])
            answer(person, "read", item, ("TFT" if number % 2 else "FTF") if hard else "TFF")
    return study


def test_what_would_narrow_an_interval_is_derived_from_fitted_components(small_study):
    sentences = list_sentences(small_study)
    assert "; more texts would narrow this interval" in sentences[1]
    assert "twice the texts" in sentences[2]


def test_without_fitted_components_nothing_is_said_about_more_annotators(unclear):
    """One person tells nothing of how people differ; more texts narrow an interval by texts whatever it is."""
    assert list_sentences(unclear)[1].endswith("; more texts would narrow this interval.")
    assert not any("annotators" in sentence for sentence in list_sentences(unclear))


def test_models_say_nothing_about_more_annotators(small_study):
    small_study.annotators.update(kind="model", reading="label")
    assert "; more texts would narrow this interval." in list_sentences(small_study)[1]
    assert not any("annotators" in sentence for sentence in list_sentences(small_study))


def differing(cells):
    """Answers about two generators that differ by so much, by text and annotator."""
    rows = [
        {"text_id": text, "annotator": who, "generator": name, "value": value if name == "ann" else 0.0}
        for (text, who), value in cells.items()
        for name in ("ann", "bob")
    ]
    return pd.DataFrame(rows)


def test_annotators_who_agree_on_every_text_would_narrow_nothing_by_being_more():
    """Differences are of texts alone: 1, 2, 3 and 4 by each of three annotators."""
    cells = {(text, who): float(text) for text in (1, 2, 3, 4) for who in "abc"}
    assert scattered_clause(differing(cells), "ann", "bob") == (
        "more texts would narrow this interval; more annotators hardly would"
    )


def test_annotators_who_scatter_on_every_text_would_narrow_it_by_being_more():
    """Text means 0, 1, 0, 1; what neither text nor annotator tells of is ±1 in every cell."""
    signs = {("a", 1): 1, ("b", 1): -1, ("a", 2): -1, ("b", 2): 1, ("a", 3): 1, ("b", 3): -1, ("a", 4): -1, ("b", 4): 1}
    cells = {(text, who): (text % 2 == 0) + 3.0 * sign for (who, text), sign in signs.items()}
    assert scattered_clause(differing(cells), "ann", "bob") == (
        "more texts would narrow this interval, and so would more annotators"
    )


def test_one_annotator_tells_nothing_of_more_annotators():
    cells = {(text, "a"): float(text) for text in (1, 2, 3)}
    assert scattered_clause(differing(cells), "ann", "bob") == "more texts would narrow this interval"


def test_a_simulated_study_is_like_the_one_that_was_answered_about_the_two_generators():
    """A third generator with few items takes nothing from the items and guesses of the two that are compared."""
    cells = [
        {"text_id": text, "generator": generator, "item_id": f"{text}{generator}{item}", "option_id": option,
         "annotator": person, "stage": stage}
        for text in "wxyz" for generator in ("careful", "hurried") for item in range(3) for option in "abc"
        for place, person in enumerate("pqrstu")
        for stage in ("read", *(["guess"] if place % 3 == 0 else []))
    ]  # fmt: skip
    plan = build_plan(pd.DataFrame(cells), 4)
    assert (plan.texts, plan.annotators, plan.generators, plan.items, plan.options, plan.pool) == (4, 6, 3, 3, 3, None)


def test_a_simulated_interval_is_as_wide_as_that_of_the_study_it_is_drawn_from():
    """The mean width over studies drawn from known components is that of intervals of such studies."""
    plan = Plan(texts=12, annotators=6, generators=2, items=3, options=3)
    how = {"seed": 1, "components": Components(), "studies": 60}
    (readers,) = informativity_curve(plan, ("texts", [12]), 0.5, (0.8, 0.8), over_readers=True, **how)
    (texts,) = informativity_curve(plan, ("texts", [12]), 0.5, (0.8, 0.8), **how)
    assert texts.difference_width * 0.9 < readers.difference_width < texts.difference_width * 2
