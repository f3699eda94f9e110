"""Template tags for stages, questions, reasons of missing answers, and metric values of items."""

from collections.abc import Iterable, Iterator

from django import template
from django.utils.translation import gettext as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY, RULES
from evaluation.metric_values import group_values
from evaluation.services.asking import DraftCost, estimate_draft
from evaluation.services.progress import EvaluatorRow, StageProgress
from studies import question_words
from studies.models import AnnotatorKind, Study
from studies.protocols import PROTOCOLS
from studies.services.declarations import get_declaration
from studies.services.design import DraftSummary

register = template.Library()


@register.simple_tag
def estimate_models(study: Study, summary: DraftSummary) -> list[DraftCost]:
    """The approximate cost of a draft for each model that the project may use, if it can be launched."""
    if summary.outline is None or not PROTOCOLS[study.protocol].needs_items:
        return []
    return estimate_draft(study.project, summary.outline.units, get_declaration(study))


@register.filter
def stage_word(stage: str) -> str:
    return question_words.name_stage(stage)


@register.filter
def question_word(question: str) -> str:
    return question_words.name_question(question)


@register.filter
def name_stages(shares: Iterable[StageProgress], names: Iterable[str]) -> Iterator[tuple[str, StageProgress]]:
    """The progress of each stage with the heading of its column."""
    return zip(names, shares, strict=False)


@register.filter
def describe_method(row: EvaluatorRow) -> str:
    """What a baseline does, or which model answers."""
    methods = {
        MAJORITY: _("Gives every option the label that most options of the other texts have"),
        EXACT: _("Selects an option that occurs in the text word for word"),
        FUZZY: _("Selects an option that occurs in the text with small differences"),
        RULES: _("Answer by the wording of an item alone, without understanding it"),
    }
    if row.annotator.kind == AnnotatorKind.BASELINE and row.evaluator:
        return methods.get(row.evaluator.method, row.evaluator.method)
    return _("Model %(name)s") % {"name": row.annotator.model or row.annotator.code}


@register.filter
def status_word(status: str) -> str:
    """Why an answer is missing; failures of the service by their names, with spaces between words."""
    words = {
        "unparsed": _("no answer in the reply"),
        "empty": _("an empty reply"),
        "cut": _("the reply was cut off"),
        "refused": _("the service refused to answer"),
        "not_asked": _("not asked"),
        "open": _("not yet answered"),
        "key": _("the key was not accepted"),
        "quota": _("the quota is used up"),
        "limit": _("too many requests"),
        "too_long": _("the prompt is too long"),
    }
    return words.get(status, status.replace("_", " "))


@register.simple_tag
def metrics_of(columns):
    """The metric values of all items on a text's page, by item, with one query."""
    return group_values(row.item for column in columns for row in column.items)


@register.filter
def of_item(values, item):
    return values.get(item.pk, [])
