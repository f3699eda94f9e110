"""Every reason a measure gives can be translated."""

from analysis.measures import intervals, share_intervals
from analysis.reports.reasons import REASONS


def test_the_reasons_of_the_measures_are_marked_for_translation():
    constants = {**vars(intervals), **vars(share_intervals)}
    given = {value for value in constants.values() if isinstance(value, str) and value.endswith(".") and " " in value}
    sentences = {value for name, value in constants.items() if name.isupper() and value in given}
    assert sentences == set(REASONS)
