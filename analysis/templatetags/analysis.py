"""Template tags for results: calibration, clues in items, the planner, footnotes, words of item sheets."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from analysis import formatting, plugins, words
from analysis.choices import Choices, parse_purposes
from analysis.formatting import UNDEFINED, format_figure, format_interval, number
from analysis.items.shortcuts import make_wording
from analysis.measures.shortcuts import find_cues
from analysis.planning.forms import read_sizes
from analysis.results.summary import find_outcome, find_verdict
from analysis.services.planning import compute_outlook, get_planner, make_assumptions
from analysis.services.results import find_calibration, read_known_report
from analysis.tables.page import Footnotes
from analysis.tables.spec import Table
from analysis.tables.writers import write_snippet
from analysis.words import name_code
from items.models import Item, Text
from jobs.views import describe_progress
from studies import question_words
from studies.models import Study, StudyState, UnitItem
from studies.protocols import PROTOCOLS
from studies.services.progress import StudyProgress
from studies.services.spec import SpecError

# Which pages a study has, for its tabs and buttons.

register = template.Library()
INTERVAL = re.compile(r"\[[^\[\]]*\]")
LINE_ENDS = re.compile(
    r"\s*\n\s*(</?(?:t[dhr]|tbody|thead|li|dt|dd|div|details|section)\b)?"
)  # before a block: nothing


@register.filter
def keep_intervals(sentence: str) -> str:
    """The sentence with no break inside an interval."""
    return INTERVAL.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), sentence)


@register.filter
def has_planner(study: Study) -> bool:
    """Whether the planner can simulate studies of its protocol."""
    return plugins.has_planner(study.protocol)


@register.filter
def is_writing(study: Study) -> bool:
    """Whether people write items in this study, so that there are none to answer."""
    return not PROTOCOLS[study.protocol].needs_items


# The agreement of a calibration, for the page of a study: `studies` may not import `analysis`.


@register.inclusion_tag("analysis/parts/calibration.html", takes_context=True)
def calibration_table(context: dict[str, Any], study: Study) -> dict[str, Any]:
    """Percent agreement and Conger's κ of the calibration, in words; for pairwise studies."""
    if PROTOCOLS[study.protocol].unit != "pair":
        return {"is_known": True, "rows": []}
    found = find_calibration(study)
    known = {
        "study": study,
        "csrf_token": context.get("csrf_token"),
        "is_known": found.cached is not None,
        "rows": [word_row(row) for row in found.cached.result] if found.cached else [],
    }
    if found.pending is None:
        return known
    return known | describe_progress(context["request"], found.pending, shows=found.cached is not None)


def word_row(row: dict) -> dict:
    percent, kappa = (
        row[name] if row[name] is None else format_figure(row[name]) for name in ("percent", "conger_kappa")
    )
    return row | {
        "view": name_code("view", row["view"]),
        "percent": percent or UNDEFINED,
        "kappa": kappa or UNDEFINED,
        "interval": format_interval(row["low"], row["high"]),
    }


# Clues in the wording of the items on a list of texts.


@register.simple_tag
def count_clues(texts: Iterable[Text]) -> Counter[int]:
    """By primary key of the text: the number of its items whose key can be guessed from the wording alone."""
    items = Item.objects.filter(text__in=[text.pk for text in texts]).available()
    items = items.select_related("text").prefetch_related("options")
    return Counter(item.text_id for item in items if any(found.is_key for found in find_cues(make_wording(item))))


register.filter("count_of", lambda counts, key: counts[key])


# Whether a draft is large enough, for the last step of its design: `studies` may not import `analysis`.


@register.inclusion_tag("analysis/parts/large_enough.html")
def large_enough(study: Study) -> dict[str, Any]:
    """What a study of this size could show, and what twice as much of each size would; nothing without a planner, or
    for a draft that cannot be launched or is too large to simulate here."""
    from analysis.planning.outlook import TooLarge, find_own_row

    if not has_planner(study):
        return {"study": study, "unplanned": True}
    try:
        form = get_planner(study).form(make_assumptions(study, read_sizes(study)).values)
        if not form.is_valid():
            return {"study": study}
        plan = form.assumptions()
        table = compute_outlook(study, plan)
    except (SpecError, TooLarge):
        return {"study": study}
    own = find_own_row(table)
    if own["power"] is None:
        return {"study": study, "own": own}
    return {"study": study, "own": own, "sentence": plan.sentence(own), "doubled": list_doubled(table, own)}


def list_doubled(table: Table, own: dict[str, Any]) -> list[dict[str, str]]:
    """The width of the interval with twice as many of each thing."""
    return [
        {"axis": name_code("axis", row["axis"]), "width": number(row["width"])}
        for row in table.rows
        if row["power"] is not None and row["axis"] in own and row["size"] == 2 * own[row["axis"]]
    ]


# `{% remarks %} … {% endremarks %}` around tables: the footnotes of their numbers are listed once, at the end.


class RemarksNode(template.Node):
    def __init__(self, nodelist):
        self.nodelist = nodelist

    def render(self, context):
        with context.push(remarks=Footnotes()):
            tables = self.nodelist.render(context)
            if not context["remarks"]:
                return tables
            return tables + context.template.engine.get_template("analysis/parts/remarks.html").render(context)


@register.tag
def remarks(parser, token):
    nodelist = parser.parse(("endremarks",))
    parser.delete_first_token()
    return RemarksNode(nodelist)


class UnindentedNode(template.Node):
    def __init__(self, nodelist: template.NodeList):
        self.nodelist = nodelist

    def render(self, context):
        return mark_safe(LINE_ENDS.sub(lambda end: end[1] or "\n", self.nodelist.render(context)))  # noqa: S308 - rendered by templates


@register.tag
def strip_indentation(parser, token):
    """Everything up to its end tag, without indentation and empty lines: a page of tables weighs a tenth less."""
    nodelist = parser.parse(("endstrip_indentation",))
    parser.delete_first_token()
    return UnindentedNode(nodelist)


@register.simple_tag(takes_context=True)
def refer_to_footnotes(context, cell):
    """The references of a cell to its footnotes; the tables are between `remarks` and `endremarks`."""
    return context["remarks"].refer(cell.remarks)


@register.filter
def at(mapping, key):
    return mapping.get(key, {})


@register.filter
def format_number(value):
    """A number formatted as in tables, or the word for undefined."""
    return _(formatting.UNDEFINED) if value is None else formatting.number(value)


@register.filter
def stage_word(stage):
    return question_words.name_stage(stage)


@register.filter
def evaluator_word(name):
    return words.name_evaluator(name)


@register.filter
def marks(judgment, options):
    return judgment.marks(options)


@register.simple_tag
def sheets_of(columns):
    """By item, the launched studies that ask about the items on a text's page, in one query for the page."""
    found: dict[int, list[Study]] = {}
    keys = [row.item.pk for column in columns for row in column.items]
    asked = UnitItem.objects.filter(item__in=keys).exclude(unit__study__state=StudyState.DRAFT)
    for unit_item in asked.select_related("unit__study").order_by("unit__study"):
        found.setdefault(unit_item.item_id, []).append(unit_item.unit.study)
    return found


# The result of a study so far, for lists of studies: `studies` may not import `analysis`.


@register.simple_tag
def result_so_far(row: StudyProgress) -> str:
    """The verdict when somebody last looked at the results; empty if nobody has. Nothing is computed."""
    included = ["simulated"] if row.is_simulated else []
    report = read_known_report(row.study, Choices(purposes=parse_purposes(included), seed=abs(row.study.seed)))
    if report is None or not report.n_responses:
        return ""
    finished = {"main": row.progress.finished} if row.progress.finished else {}
    return find_verdict(row.study, find_outcome(row.study, report, "pooled"), finished).sentence


@register.inclusion_tag("analysis/parts/snippets.html")
def reading_snippets(study: Study, *endings: str, table: str = "") -> dict[str, list[str]]:
    """Code that reads the exported answers, or a table, in each of these forms."""
    name = f"{study.slug}-{table}" if table else study.slug
    return {"snippets": [write_snippet(f"{name}.{ending}") for ending in endings]}
