"""The verdict of a summary says no more than the adjusted contrasts: its class, from tables made by hand."""

import pytest

from analysis.reports.outcome import (
    Contrast,
    ContrastSet,
    Kind,
    Outcome,
    OutcomeSentences,
    Standing,
    assess_outcome,
    summarize_values,
)
from analysis.results.summary import list_differences

WORDS = OutcomeSentences(
    "%(best)s wins", "%(best)s wins of %(n)s", "tie of %(names)s", "%(names)s above", "%(names)s unclear", ""
)


def standing(name, value, low=None, high=None):
    return Standing(name, value, low, high)


def outcome(standings, contrasts=(), **more):
    return Outcome("", tuple(standings), None, WORDS, compared=ContrastSet(tuple(contrasts)), **more)


ABOVE = [standing("ann", 0.5, 0.3, 0.7), standing("bob", 0.4, 0.2, 0.6), standing("cat", 0.1, -0.1, 0.3)]
APART = [Contrast("ann", "bob", 0.1, 0.05, 0.2, 9), Contrast("ann", "cat", 0.4, 0.2, 0.6, 9)]
TIED = [Contrast("ann", "bob", 0.1, -0.2, 0.4, 9), Contrast("ann", "cat", 0.4, 0.2, 0.6, 9)]
NONE = [Contrast("ann", "bob", 0.1, None, None, 4), Contrast("ann", "cat", 0.4, None, None, 4)]
REST = [Contrast("bob", "cat", 0.3, -0.1, 0.7, 9)]


@pytest.mark.parametrize(
    ("found", "kind", "sentence"),
    [
        (outcome(ABOVE, APART + REST, has_zero=True), Kind.WINNER, "ann wins"),
        (outcome(ABOVE, TIED + REST, has_zero=True), Kind.MEASURES, "ann and bob above cat unclear"),
        (outcome(ABOVE, NONE, has_zero=True), Kind.MEASURES, "ann and bob above cat unclear"),
        (outcome(ABOVE, APART + REST), Kind.WINNER, "ann wins"),
        (outcome(ABOVE, TIED + REST), Kind.TIE, "tie of ann and bob"),
        (outcome(ABOVE, NONE), Kind.TOO_FEW, "Too few texts to compare the generators."),
        (outcome(ABOVE[2:], has_zero=True), Kind.TIE, "cat unclear"),
        (outcome(ABOVE[:1], has_zero=True), Kind.MEASURES, "ann above"),
        (outcome(ABOVE[:1]), Kind.COUNTS, "One generator, nothing to compare: ann at .50 [.30, .70]."),
        (outcome([standing("ann", 0.5), standing("bob", 0.1)], has_zero=True), Kind.TOO_FEW, None),
        (outcome([*ABOVE[:1], standing("bob", 0.1)]), Kind.TOO_FEW, None),
        (outcome([standing("ann", None)]), Kind.TOO_FEW, "Too few texts for a statement about the items."),
    ],
)  # fmt: skip
def test_the_class_follows_from_the_contrasts_and_the_intervals(found, kind, sentence):
    verdict = assess_outcome(found, is_running=False)
    assert verdict.kind == kind
    assert sentence is None or verdict.sentence == sentence


def test_a_number_that_no_generator_can_have_is_refused_with_its_reason():
    found = outcome([Standing(name, None, None, None, "Nobody was asked without the text.") for name in ("ann", "bob")])
    assert assess_outcome(found, is_running=False).sentence == "Nobody was asked without the text."
    cell = outcome([Standing("ann", None, None, None, "no answers without the text")])
    assert assess_outcome(cell, is_running=False).sentence == "No answers without the text."
    mixed = outcome([Standing("ann", None, None, None, "No answer."), standing("bob", 0.1)])
    assert assess_outcome(mixed, is_running=False).sentence == "Too few texts to compare the generators."


def test_who_has_no_interval_but_is_compared_is_named_too():
    sure = Standing("dan", 0.9, None, None, "It never varies.", 9)
    found = outcome([sure, *ABOVE[1:]], [Contrast("dan", "cat", 0.8, 0.5, 1.1, 9), *TIED], has_zero=True)
    assert assess_outcome(found, is_running=False).sentence == "bob above cat unclear Items by dan: no interval."


def test_decided_differences_come_before_larger_ones_that_are_not():
    open_ones = [Contrast(name, "cat", 0.9, -0.1, 1.9, 9) for name in ("ann", "bob", "dan")]
    found = outcome(ABOVE, [*open_ones, Contrast("ann", "eve", 0.2, 0.1, 0.3, 9)], has_zero=True)
    assert [line.names for line in list_differences(found)] == ["ann − eve", "ann − cat", "bob − cat"]


def test_while_answers_come_in_too_little_is_too_early():
    assert assess_outcome(outcome([standing("ann", 0.5), standing("bob", 0.1)]), is_running=True).kind == Kind.TOO_EARLY


def test_a_winner_among_those_that_can_be_compared_is_said_to_be_one_of_them():
    found = outcome([*ABOVE[:2], standing("dan", 0.9)], APART[:1], has_zero=True)
    assert assess_outcome(found, is_running=False).sentence == "ann wins of 2"


def test_lower_is_better_where_judgments_stop():
    low = [standing("ann", 0.1), standing("bob", 0.4)]
    found = outcome(low, [Contrast("ann", "bob", -0.3, -0.5, -0.1, 9)], higher_is_better=False)
    assert assess_outcome(found, is_running=False).kind == Kind.WINNER


def test_many_generators_are_counted_and_long_names_too():
    many = [standing(f"generator {n}", 0.5, 0.3, 0.7) for n in range(30)]
    long = [standing("n" * 60, 0.5, 0.3, 0.7), standing("m" * 60, 0.5, 0.3, 0.7)]
    assert assess_outcome(outcome(many, has_zero=True), is_running=False).sentence == "30 generators above"
    assert assess_outcome(outcome(long, has_zero=True), is_running=False).sentence == "2 generators above"


def test_who_has_no_number_is_named_with_the_reason():
    never = Standing("bob", None, None, None, "It never lost.")
    summary = summarize_values("Strengths: %(values)s.", [standing("ann", 0.5), never], ContrastSet())
    assert summary == "Strengths: .50 for ann. bob has no value. It never lost."
    assert summarize_values("%(values)s", [never], ContrastSet()) == ""
