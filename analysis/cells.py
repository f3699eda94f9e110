"""Values as cells of a CSV file; texts that a spreadsheet would run are marked, see `studies.cells`."""

import math

from studies.cells import harmless


def cell(value: object) -> str:
    """Nothing for undefined, numbers with all their digits and never marked, texts made harmless."""
    if isinstance(value, str):  # most of an export, which has forty million cells
        return harmless(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # numpy's own repr names its type
    if isinstance(value, int):
        return str(value)
    return harmless(str(value))
