"""A summary says first what the adjusted contrasts say, and no more: five planted outcomes of every protocol."""

import pytest
from django.core.cache import cache
from django.urls import reverse

from analysis.choices import Choices
from analysis.figures.paper import Panels
from analysis.measures.contrasts import TOO_FEW_TEXTS
from analysis.plugins import find_plugin
from analysis.reports.evaluators import HUMAN
from analysis.reports.outcome import Kind, find_rows
from analysis.results.forms import ResultsForm
from analysis.results.summary import HOW_MANY_TEXTS, NEXT, find_verdict, list_differences, list_notes, note_speaker
from analysis.services.reporting import build
from analysis.services.results import count_by_purpose
from tests.drawn_outcomes import BEST, MODEL, OUTCOMES, ROWS, draw_study

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
MAIN_MEASURE = {
    "guess-then-read": "informativity",
    "dimension-ratings": "average",
    "stopping-questionnaire": "stopped",
    "pairwise": "win_rate",
    "best-worst": "best_worst_score",
}
# Where the first thing to do leads.
TO_DO = {"winner": "/results/methods/", "models only": "/people/"}
PLANTED = [(protocol, outcome) for protocol in ROWS for outcome in OUTCOMES]


def find_winner(rows: list[dict], is_low_better: bool) -> str | None:
    """The generator that no other differs from to its side, where each other one differs from one that is as good."""
    beaten = set()
    for row in rows:
        if row["low_adjusted"] > 0 or row["high_adjusted"] < 0:
            first_is_better = (row["low_adjusted"] > 0) != is_low_better
            beaten.add(row["generator_b" if first_is_better else "generator_a"])
    left = {row[side] for row in rows for side in ("generator_a", "generator_b")} - beaten
    return left.pop() if len(left) == 1 else None


@pytest.mark.parametrize(("protocol", "planted"), PLANTED)
def test_the_verdict_is_the_one_of_the_contrasts(project, protocol, planted):
    cache.clear()
    study = draw_study(project, protocol, planted)
    report = build(study, Choices(seed=1))
    outcome = find_plugin(protocol).summary(report, "pooled")
    verdict = find_verdict(study, outcome, count_by_purpose(study))
    contrasts = [row for row in find_rows(report, "contrasts") if row["measure"] == MAIN_MEASURE[protocol]]
    speaker = outcome.speaker or HUMAN
    rows = [row for row in contrasts if row["evaluator"] == speaker and row["low_adjusted"] is not None]
    winner = find_winner(rows, protocol == "stopping-questionnaire")
    expect_class(planted, verdict, winner, rows, outcome)
    assert speaker == (MODEL if planted == "models only" else HUMAN)
    assert bool(list(note_speaker(study, outcome))) == (planted == "models only")
    assert find_next(study, report, outcome, verdict) == TO_DO.get(planted, find_planner(study))
    assert (outcome.compared.reason == TOO_FEW_TEXTS) == (planted in ("one text", "refusal"))
    expect_words(verdict, outcome, rows)


def find_next(study, report, outcome, verdict) -> str:
    """The end of the address to which the only thing to do leads."""
    notes = list_notes(study, report, ResultsForm(study, count_by_purpose(study)), outcome, verdict)
    [href] = [note.href for note in notes if note.level == NEXT]
    return href.removeprefix(f"/s/{study.slug}").partition("?")[0]


def find_planner(study) -> str:
    """Where one learns how many texts a study needs."""
    has_planner = find_plugin(study.protocol).planner is not None
    return "/planner/" if has_planner else f"{reverse('choosing')}#{HOW_MANY_TEXTS}"


def expect_class(planted, verdict, winner, rows, outcome):
    match planted:
        case "winner" | "models only":
            assert (verdict.kind, winner) == (Kind.WINNER, BEST)
            assert outcome.standings[0].generator == BEST
            assert first_drawn(outcome.figure) == BEST
        case "none":
            assert (verdict.kind, winner) == (Kind.TIE, None)
            assert len(rows) == 6
        case "one text":
            assert (verdict.kind, rows) == (Kind.TOO_FEW, [])
            assert not any(each.is_certain for each in outcome.standings)
        case "refusal":
            assert rows == []
            assert outcome.compared.reason
            own = [each for each in outcome.standings if each.is_certain]
            above = outcome.has_zero and any(each.low > 0 for each in own)
            assert verdict.kind == (Kind.MEASURES if above else Kind.TIE if outcome.has_zero else Kind.TOO_FEW)


def first_drawn(figure) -> str:
    """The generator of the top row."""
    return figure.labels[0] if isinstance(figure, Panels) else figure.lines[0].label


def expect_words(verdict, outcome, rows):
    """No winner is named that is none, and a difference is marked as standing where its interval excludes 0."""
    sentences = verdict.sentence.partition(": ")[2] if outcome.speaker else verdict.sentence
    winning = {outcome.words.winner % {"best": each.generator} for each in outcome.standings}
    assert any(sentences.startswith(sentence) for sentence in winning) == (verdict.kind == Kind.WINNER)
    assert outcome.speaker in verdict.sentence
    if verdict.kind == Kind.TOO_FEW:
        assert not any(each.generator in verdict.sentence for each in outcome.standings)
    standing = {
        frozenset((row["generator_a"], row["generator_b"]))
        for row in rows
        if row["low_adjusted"] > 0 or row["high_adjusted"] < 0
    }
    for each in list_differences(outcome):
        assert each.is_decided == (frozenset(each.names.split(" − ")) in standing)
