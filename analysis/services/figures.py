"""The figures of a study: their Vega-Lite specification, and the file formats in which they are served."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.cache import cache
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.reports.report import Report
from analysis.services.cached_results import A_DAY, make_pending
from analysis.services.results import find_report
from studies.models import Study
from studies.services.states import are_effects_hidden


def draw_figure(study: Study, choices: Choices, name: str, ending: str, *, only_current: bool = False) -> bytes:
    """A figure of the report that pages show, in a form of `figures.registry.FORMS`; `KeyError` for an unknown figure.

    `only_current`: do not use an earlier report, which pages may show for a while (see `get_report`).
    """
    from analysis.figures.registry import list_figures

    report, found = find_report(study, choices)
    if found.pending and only_current:
        raise make_pending(study, found)
    report.table(list_figures()[name][0])
    key = f"figure:{name}:{are_effects_hidden(study)}:{found.cached and found.cached.version}:{report.as_of is None}"
    return render_specification(ending, key, lambda: specify_figure(study, report, name))


def render_specification(ending: str, key: str, specify: Callable[[], Mapping[str, Any]]) -> bytes:
    """A specification in one of its forms, cached under the key; `KeyError` for an unknown form."""
    from analysis.figures.registry import FORMS

    write = FORMS[ending]
    content: bytes | None = cache.get(f"{key}.{ending}")
    if content is None:
        content = write(specify())
        cache.set(f"{key}.{ending}", content, A_DAY)
    return content


def specify_figure(study: Study, report: Report, name: str) -> dict[str, Any]:
    """A figure of the report; its title says what it shows, of which study, and whose answers are included."""
    from analysis.figures.registry import build_specification, list_figures

    table = report.table(list_figures()[name][0])
    headings = {
        "dumbbell": _("Guessability and answerability"),
        "dumbbell_matched": _("Guessability and answerability, matched"),
        "labels_by_group_and_source": _("Labels by group and source"),
        "applicable_labels_by_group_and_source": _("Labels by group and source, where applicable"),
    }
    return build_specification(
        name, table, headings.get(name, table.title), [study.title, *report.scope, *say_computed_at(report)]
    )


def say_computed_at(report: Report) -> list[str]:
    """A line with the time of an earlier report; empty for a current one."""
    if report.as_of is None:
        return []
    return [_("Computed at %(time)s.") % {"time": date_format(localtime(report.as_of), "TIME_FORMAT")}]
