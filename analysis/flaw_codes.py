"""Item-writing flaws that people saw in the items of a study, in any study of the project that asked about flaws."""

from django.db.models import QuerySet

from studies.models import Purpose, Response, Study, UnitItem


def filter_flaw_codes(study: Study) -> QuerySet[Response]:
    """What people said of flaws of the study's items, as they are now, in any study of the project."""
    from analysis.measures.item_flaws import RULES, UNDERSTOOD  # numpy takes a moment to load

    return Response.objects.filter(
        question__in=(*RULES, *UNDERSTOOD),
        item__in=UnitItem.objects.filter(unit__study=study).values("item"),
        assignment__annotator__kind="human",
        assignment__annotator__purpose=Purpose.MAIN,
        assignment__returned_at=None,
    )


def collect_flaw_codes(study: Study) -> dict[str, dict[str, bool]]:
    """The majority of yes and no; none where as many say either."""
    counts: dict[tuple[str, str], int] = {}
    for item, flaw, value in filter_flaw_codes(study).values_list("item__external_id", "question", "value"):
        if value in ("yes", "no"):
            counts[item, flaw] = counts.get((item, flaw), 0) + (1 if value == "yes" else -1)
    found: dict[str, dict[str, bool]] = {}
    for (item, flaw), lead in counts.items():
        if lead:
            found.setdefault(item, {})[flaw] = lead > 0
    return found
