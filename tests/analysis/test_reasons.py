"""Every reason a measure gives can be translated, and every word for the strength of agreement."""

from analysis.measures import alpha, coefficients, correlations, intervals, landis_koch, share_intervals, wins
from analysis.reports.reasons import REASONS, STRENGTHS


def test_the_reasons_of_the_measures_are_marked_for_translation():
    modules = (intervals, share_intervals, alpha, coefficients, correlations, wins)
    constants = {name: value for module in modules for name, value in vars(module).items() if isinstance(value, str)}
    given = {value for value in constants.values() if value.endswith(".") and " " in value}
    sentences = {value for name, value in constants.items() if name.isupper() and value in given}
    assert sentences == set(REASONS)


def test_the_words_for_the_strength_of_agreement_are_marked_too():
    words = {word for _end, word in landis_koch.UPPER_ENDS}
    assert set(STRENGTHS) == words | {landis_koch.POOR, landis_koch.ALMOST_PERFECT}
