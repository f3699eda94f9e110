"""The figures of a study: what is drawn, as a Vega-Lite specification, and the forms in which it is given out."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.report import Report
from analysis.services.results import A_DAY, report_of, state_of
from studies.models import Study
from studies.services.effects import effects_hidden


def figure_of(study: Study, choices: Choices, name: str, ending: str) -> bytes:
    """A figure of the report that pages show, in a form of `analysis.figures.FORMS`; `KeyError` if there is none."""
    from analysis.figures import FIGURES

    report = report_of(study, choices)
    report.table(FIGURES[name][0])
    key = f"figure:{name}:{effects_hidden(study)}:{state_of(study, choices)}"
    return in_form(ending, key, lambda: figure_specification(study, report, name))


def in_form(ending: str, key: str, specify: Callable[[], Mapping[str, Any]]) -> bytes:
    """A specification in one of its forms, kept in the cache under the key; `KeyError` for an unknown form."""
    from analysis.figures import FORMS

    write = FORMS[ending]
    content: bytes | None = cache.get(f"{key}.{ending}")
    if content is None:
        content = write(specify())
        cache.set(f"{key}.{ending}", content, A_DAY)
    return content


def figure_specification(study: Study, report: Report, name: str) -> dict[str, Any]:
    """A figure of the report, titled with what it shows, of which study, and whose answers are in."""
    from analysis.figures import FIGURES, specification

    table = report.table(FIGURES[name][0])
    headings = {
        "dumbbell": _("Guessability and answerability"),
        "dumbbell_matched": _("Guessability and answerability, matched"),
    }
    return specification(name, table, headings.get(name, table.title), [study.title, *report.said])
