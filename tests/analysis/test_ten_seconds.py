"""What a summary says first is what the adjusted contrasts say, and no more: five planted outcomes of every protocol."""

import pytest
from django.core.cache import cache

from analysis.choices import Choices
from analysis.plugins import find_plugin
from analysis.reports.outcome import Kind, rows_called
from analysis.results.summary import find_verdict, list_differences
from analysis.services.reports import build
from analysis.services.results import counts_by_purpose
from tests.drawn_outcomes import BEST, OUTCOMES, ROWS, draw_study

pytestmark = pytest.mark.slow
FIRST = {
    "guess-then-read": "informativity",
    "dimension-ratings": "average",
    "stopping-questionnaire": "stopped",
    "pairwise": "win_rate",
    "best-worst": "score",
}


@pytest.fixture(params=ROWS)
def protocol(request):
    return request.param


@pytest.fixture(params=OUTCOMES)
def planted(request):
    return request.param


@pytest.fixture
def found(project, protocol, planted):
    cache.clear()
    study = draw_study(project, protocol, planted)
    report = build(study, Choices(seed=1))
    outcome = find_plugin(protocol).summary(report, "pooled")
    return report, outcome, find_verdict(study, outcome, counts_by_purpose(study))


def adjusted(report, protocol: str) -> list[dict]:
    """The differences by the first measure that have a simultaneous interval, of people if they have answered."""
    rows = [row for row in rows_called(report, "contrasts") if row["measure"] == FIRST[protocol]]
    speaker = "human" if any(row["evaluator"] == "human" for row in rows) else None
    return [row for row in rows if row["low_adjusted"] is not None and row["evaluator"] in (speaker, row["evaluator"])]


def find_winner(rows: list[dict], protocol: str) -> str | None:
    """The generator whose differences from all others exclude 0 to its side."""
    is_low = protocol == "stopping-questionnaire"
    wins: dict[str, set] = {}
    for row in rows:
        for name, other, low in (
            (row["generator_a"], row["generator_b"], row["low_adjusted"]),
            (row["generator_b"], row["generator_a"], -row["high_adjusted"]),
        ):
            high = row["high_adjusted"] if low == row["low_adjusted"] else -row["low_adjusted"]
            if (high < 0) if is_low else (low > 0):
                wins.setdefault(name, set()).add(other)
    names = {row[side] for row in rows for side in ("generator_a", "generator_b")}
    return next((name for name in wins if wins[name] == names - {name}), None)


def test_the_verdict_is_the_one_of_the_contrasts(found, protocol, planted):
    report, outcome, verdict = found
    rows = adjusted(report, protocol)
    winner = find_winner(rows, protocol)
    above = [each for each in outcome.standings if outcome.has_zero and each.low is not None and each.low > 0]
    expected = Kind.WINNER if winner else Kind.MEASURES if above else Kind.TIE if rows else Kind.TOO_FEW
    if outcome.has_zero and expected == Kind.TOO_FEW and any(each.is_certain for each in outcome.standings):
        expected = Kind.TIE  # each generator's own interval holds 0
    assert verdict.kind == expected
    if planted == "winner":
        assert (verdict.kind, winner) == (Kind.WINNER, BEST)
    if planted == "none":
        assert verdict.kind == Kind.TIE
    if planted == "one text":
        assert verdict.kind == Kind.TOO_FEW
    if planted == "refusal":
        assert not rows
        assert outcome.compared.reason


def test_its_words_say_no_more_than_its_class(found, protocol):
    report, outcome, verdict = found
    winning = {outcome.words.winner % {"best": each.generator} for each in outcome.standings}
    assert (verdict.sentence.partition(". ")[0].rstrip(".") + "." in winning) == (verdict.kind == Kind.WINNER)
    if verdict.kind == Kind.TOO_FEW:
        assert not any(each.generator in verdict.sentence for each in outcome.standings)
    standing = {
        frozenset((row["generator_a"], row["generator_b"]))
        for row in adjusted(report, protocol)
        if row["low_adjusted"] > 0 or row["high_adjusted"] < 0
    }
    for each in list_differences(outcome):
        assert each.stands == (frozenset(each.names.split(" − ")) in standing)
