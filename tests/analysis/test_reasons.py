"""Every reason a measure gives can be translated."""

from analysis.measures import alpha, coefficients, correlations, intervals, share_intervals
from analysis.reports.reasons import REASONS


def test_the_reasons_of_the_measures_are_marked_for_translation():
    modules = (intervals, share_intervals, alpha, coefficients, correlations)
    constants = {name: value for module in modules for name, value in vars(module).items() if isinstance(value, str)}
    given = {value for value in constants.values() if value.endswith(".") and " " in value}
    sentences = {value for name, value in constants.items() if name.isupper() and value in given}
    assert sentences == set(REASONS)
