"""Whether a draft is large enough, for the last step of its design: studies know nothing of analysis."""

from typing import Any

from django import template

from analysis.formatting import number
from analysis.planning.forms import sizes_of
from analysis.services.planning import assume_for, outlook_of, planner_of
from analysis.tables.spec import Table
from analysis.templatetags.study_tabs import has_planner
from analysis.words import axis_word
from studies.models import Study
from studies.services.spec import SpecError

register = template.Library()


@register.inclusion_tag("analysis/parts/large_enough.html")
def large_enough(study: Study) -> dict[str, Any]:
    """What a study of this size could tell, and what twice as much of each thing would; nothing without a planner, or
    of a draft that cannot be launched or is too large to simulate here."""
    from analysis.planning.outlook import TooLarge, own_row

    if not has_planner(study):
        return {"study": study, "unplanned": True}
    try:
        form = planner_of(study).form(assume_for(study, sizes_of(study)).values)
        if not form.is_valid():
            return {"study": study}
        plan = form.assumptions()
        table = outlook_of(study, plan)
    except (SpecError, TooLarge):
        return {"study": study}
    own = own_row(table)
    if own["power"] is None:
        return {"study": study, "own": own}
    return {"study": study, "own": own, "said": plan.sentence(own), "doubled": list_doubled(table, own)}


def list_doubled(table: Table, own: dict[str, Any]) -> list[dict[str, str]]:
    """The width of the interval with twice as many of each thing."""
    return [
        {"axis": axis_word(row["axis"]), "width": number(row["width"])}
        for row in table.rows
        if row["power"] is not None and row["axis"] in own and row["size"] == 2 * own[row["axis"]]
    ]
