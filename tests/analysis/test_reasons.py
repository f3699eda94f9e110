"""Every reason a measure gives can be translated."""

from analysis.measures import coefficients, intervals, landis_koch, share_intervals, wins
from analysis.reports.reasons import PAIR_REASONS, REASONS, STRENGTHS


def test_the_reasons_of_the_measures_are_marked_for_translation():
    constants = {**vars(intervals), **vars(share_intervals)}
    given = {value for value in constants.values() if isinstance(value, str) and value.endswith(".") and " " in value}
    sentences = {value for name, value in constants.items() if name.isupper() and value in given}
    assert sentences == set(REASONS)


def test_the_reasons_and_words_about_pairs_are_marked_too():
    given = {value for name, value in vars(wins).items() if name.isupper() and isinstance(value, str)}
    of_kappa = {coefficients.NOTHING_SHARED, coefficients.ONE_LABEL, coefficients.ONE_UNIT}
    assert set(PAIR_REASONS) == given | of_kappa
    words = {word for _end, word in landis_koch.UPPER_ENDS}
    assert set(STRENGTHS) == words | {landis_koch.POOR, landis_koch.ALMOST_PERFECT}
