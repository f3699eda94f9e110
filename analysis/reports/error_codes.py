"""Which errors were found in the items of each generator."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.codes import ERROR, codes_of, title_of
from analysis.frames.evidence import Evidence
from analysis.reports.tables import ERROR_CODES
from analysis.tables.spec import Table

ALL = "all"


def error_codes(evidence: Evidence) -> Table:
    """One row per generator and code, found or not; before them those of all generators together."""
    coded = coded_items(evidence)
    rows = [row for name in (ALL, *evidence.generators) if coded for row in generator_rows(evidence, name, coded)]
    return ERROR_CODES.build(rows, notes=notes(evidence, coded))


def list_error_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table where some were found, for protocols whose publication has no such table; else nothing."""
    return (error_codes(evidence),) if coded_items(evidence) else ()


def coded_items(evidence: Evidence) -> dict[str, set[str]]:
    """By item the errors that stand; an item without any is not in it."""
    errors = {code.name for code in codes_of(evidence.study.protocol) if code.kind == ERROR}
    found = {item: codes & errors for item, codes in evidence.codes.items()}
    return {item: codes for item, codes in found.items() if codes}


def generator_rows(evidence: Evidence, name: str, coded: dict[str, set[str]]) -> list[dict[str, Any]]:
    """An item may have several codes, so shares of erroneous items may add up to more than 1."""
    items = evidence.items if name == ALL else evidence.items[evidence.items["generator"] == name]
    erroneous = [coded[item] for item in items["item_id"] if item in coded]
    counts = {code.name: sum(code.name in codes for codes in erroneous) for code in codes_of(evidence.study.protocol)}
    return [
        {
            "generator": name,
            "code": code,
            "code_said": title_of(evidence.study.protocol, code),
            "n": n,
            "share_of_all": n / len(items),
            "share_of_erroneous": n / len(erroneous) if erroneous else None,
        }
        for code, n in counts.items()
    ]


def notes(evidence: Evidence, coded: dict[str, set[str]]) -> tuple[str, ...]:
    if not coded:
        return (_("Empty, because no error codes were set for the items of this study. Set them on the items' pages."),)
    return (
        _("%(n)d of %(all)d items have an error; an item may have several. One without a code counts as having none.")
        % {"n": len(coded), "all": len(evidence.items)},
    )
