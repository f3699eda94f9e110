"""What the results page says in words."""

import pandas as pd
import pytest

from analysis.choices import Choices
from analysis.evidence import evidence_of
from analysis.measures.intervals import Interval
from analysis.reports import build
from analysis.reports.answers import judgments_of
from analysis.reports.contrasts import Contrast, contrast
from analysis.reports.narrowing import clause_of
from analysis.reports.narrowing import scattered as scattered_clause
from analysis.reports.sentences import worded
from tests.factory import answer, make_annotator, make_item, make_study, make_text


def said(study):
    return list(build(study, Choices(seed=7)).sentences)


@pytest.fixture
def clear(project):
    """Three texts; with the text all careful and few hurried judgments are right, without it all are half right."""
    items = []
    for number in (1, 2, 3):
        text = make_text(project, f"t{number}")
        items += [make_item(text, name, f"{name}{number}", "TFFF") for name in ("careful", "hurried")]
    study = make_study(project, "clear", items)
    ada = make_annotator(study, "ada")
    for item in items:
        last = item.external_id.endswith("3")
        answer(ada, "guess", item, "TTTF")
        hurried = "TTTF" if last else "TTFF"
        answer(ada, "read", item, hurried if item.generator.name == "hurried" else "TFFF")
    return study


def test_the_contrast_is_recomputed_inside_each_replicate(clear):
    """Per text careful informs .5, hurried .25, .25 and 0: the difference is -.25, -.25 and -.5."""
    judgments = judgments_of(evidence_of(clear, Choices()).frame)
    found = contrast(judgments, "hurried", "careful", seed=7)
    # Left out in turn: -.375, -.375, -.25; their mean -1/3.
    error = (2 / 3 * (2 * (1 / 24) ** 2 + (1 / 12) ** 2)) ** 0.5
    assert found.value == pytest.approx(-1 / 3)
    assert (found.interval.low, found.interval.high) == pytest.approx(
        (-1 / 3 - 4.302652729696142 * error, -1 / 3 + 4.302652729696142 * error)
    )
    assert found.n_texts == 3


def test_a_difference_is_said_with_its_interval_and_texts(clear):
    assert said(clear) == [
        "By people's answers, items by careful inform most (.50), those by hurried least (.17 [−.19, .53]):"
        " 48 judgments by 1 person on 3 texts.",
        "Whether items by hurried inform less than those by careful cannot be told: −.33 [−.69, .03], 3\u00a0texts;"
        " more texts would narrow this.",
    ]


def test_nothing_is_claimed_without_an_interval(tiny, items):
    ada = make_annotator(tiny, "ada")
    for name, read in {"c1": "TF", "h1": "FF"}.items():
        answer(ada, "guess", items[name], "FF")
        answer(ada, "read", items[name], read)
    assert said(tiny) == [
        "By people's answers, items by careful inform most (.50), those by hurried least (.00):"
        " 8 judgments by 1 person on 1 text.",
        "Whether items by hurried and careful differ cannot be told, as there is no interval: Only one text has"
        " judgments here; an interval needs at least two.",
    ]


def test_generators_that_inform_equally_are_in_no_order(tiny, items):
    ada = make_annotator(tiny, "ada")
    for name in ("c1", "h1"):
        answer(ada, "guess", items[name], "FF")
        answer(ada, "read", items[name], "TF")
    assert said(tiny)[0] == (
        "By people's answers, items by careful, hurried inform equally (.50): 8 judgments by 1 person on 1 text."
    )


def test_one_generator_is_not_compared_with_itself(tiny, items):
    ada = make_annotator(tiny, "ada")
    answer(ada, "guess", items["c1"], "FF")
    answer(ada, "read", items["c1"], "TF")
    assert said(tiny) == [
        "By people's answers, text informativity is .50 for items by careful: 4 judgments by 1 person on 1 text.",
        "Not compared: items by hurried (no answers yet).",
    ]


def test_without_people_a_model_speaks_under_its_name(tiny, items):
    gpt = make_annotator(tiny, "gpt", kind="model")
    answer(gpt, "guess", items["c1"], "FF")
    answer(gpt, "read", items["c1"], "TF")
    assert said(tiny) == [
        "By the answers of gpt, text informativity is .50 for items by careful: 4 judgments on 1 text.",
        "Not compared: items by hurried (no answers).",
    ]


def test_no_answers_no_sentences(tiny):
    assert said(tiny) == []


def test_a_difference_whose_interval_leaves_out_zero_is_called_less():
    interval = Interval(-0.19, -0.03, "jackknife-t", "text", 4, 64, 4, None)
    assert worded(Contrast("hurried", "careful", -0.11, interval, 4)) == (
        "Items by hurried inform less than those by careful: −.11 [−.19, −.03], 4\u00a0texts."
    )


@pytest.mark.parametrize(
    ("texts", "annotators", "clause"),
    [
        (0.34, 0.11, "more texts would narrow this, more annotators hardly"),
        (0.34, 0.17, "more texts would narrow this, more annotators too"),
        (0.05, 0.2, "more annotators would narrow this, more texts hardly"),
        (0.05, 0.05, ""),
    ],
)
def test_hardly_is_less_than_half_as_much(texts, annotators, clause):
    assert clause_of(texts, annotators) == clause


@pytest.fixture
def scattered(project):
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


def test_what_would_narrow_an_interval_is_derived_from_fitted_components(scattered):
    sentences = said(scattered)
    assert "; more texts would narrow this, more annotators" in sentences[1]
    assert "with twice the texts" in sentences[2]


def test_without_fitted_components_nothing_is_said_about_more_annotators(clear):
    """One person tells nothing of how people differ; more texts narrow an interval by texts whatever it is."""
    assert said(clear)[1].endswith("; more texts would narrow this.")
    assert not any("annotators" in sentence for sentence in said(clear))


def test_models_say_nothing_about_more_annotators(scattered):
    scattered.annotators.update(kind="model", reading="label")
    assert "; more texts would narrow this." in said(scattered)[1]
    assert not any("annotators" in sentence for sentence in said(scattered))


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
    assert scattered_clause(differing(cells), "ann", "bob") == ("more texts would narrow this, more annotators hardly")


def test_annotators_who_scatter_on_every_text_would_narrow_it_by_being_more():
    """Text means 0, 1, 0, 1; what neither text nor annotator tells of is ±1 in every cell."""
    signs = {("a", 1): 1, ("b", 1): -1, ("a", 2): -1, ("b", 2): 1, ("a", 3): 1, ("b", 3): -1, ("a", 4): -1, ("b", 4): 1}
    cells = {(text, who): (text % 2 == 0) + 3.0 * sign for (who, text), sign in signs.items()}
    assert scattered_clause(differing(cells), "ann", "bob") == "more texts would narrow this, more annotators too"


def test_one_annotator_tells_nothing_of_more_annotators():
    cells = {(text, "a"): float(text) for text in (1, 2, 3)}
    assert scattered_clause(differing(cells), "ann", "bob") == "more texts would narrow this"
