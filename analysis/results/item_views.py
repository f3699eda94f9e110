"""The items of a study one by one: the list of the item analysis, and a sheet for each item."""

from dataclasses import replace
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_POST, require_safe

from analysis.choices import DEFAULT_CONVENTION
from analysis.files import attach
from analysis.hiding import require_shown_effects, show_hidden_page
from analysis.items.coding import CodeForm
from analysis.items.coding_acts import BadCode, remove_code, set_codes
from analysis.items.shortcuts import build_bank_shortcuts, read_bank
from analysis.models import ItemCode
from analysis.results.forms import ResultsForm
from analysis.results.links import (
    build_headings,
    build_query,
    keep_stage,
    list_stage_choices,
    locate_item,
    make_drill_down_link,
    map_sheet_links,
    map_stems,
    map_text_links,
    select_page_rows,
    sort_rows,
)
from analysis.results.views import get_table_or_404
from analysis.services.results import count_by_purpose, get_report
from analysis.tables.page import DrillDownLink, build_page_table
from analysis.tables.page_budget import count_rows_on_page
from analysis.tables.spec import Table
from analysis.tables.writers import as_csv
from analysis.words import CUES
from evaluation.metric_values import group_values
from items.models import Item
from projects.access import get_project
from projects.models import Role
from studies.access import get_study
from studies.services.declarations import get_declaration
from studies.services.reports import list_reports
from studies.services.states import are_effects_hidden


@login_required
@require_safe
@require_shown_effects()
def study_items(request, study):
    """The item analysis, sorted as the address says, one page at a time."""
    form = ResultsForm(study, count_by_purpose(study), request.GET)
    report = get_report(study, form.choices)
    table = get_table_or_404(report, "item_analysis")
    stage, order = request.GET.get("stage", ""), request.GET.get("sort", "")
    stage = stage if stage in dict(list_stage_choices()) else ""
    table = sort_rows(keep_stage(table, stage), order)
    page = Paginator(table.rows, count_rows_on_page(table)).get_page(request.GET.get("page"))
    query = build_query(form) | {"stage": stage}
    keep = QueryDict(urlencode(build_query(form) | {"sort": order}, doseq=True)).lists()
    rows = select_page_rows(table, page)
    links = {
        "text id": map_text_links(study),
        "item id": map_sheet_links(study, urlencode(build_query(form) | {"sort": order}, doseq=True), "item_analysis"),
        **map_stems(study, rows),
    }
    shown = build_page_table(
        rows, form.choices.convention, links, make_drill_down_link(study, form, request.path)(table)
    )
    context = {
        "project": study.project,
        "study": study,
        "report": report,
        "table": shown,
        "page": page,
        "headings": build_headings(table, order, query),
        "stages": list_stage_choices(),
        "stage": stage,
        "keep": keep,
        "page_query": urlencode(query | {"sort": order}, doseq=True),
        "asked": urlencode(build_query(form), doseq=True),
    }
    return render(request, "analysis/item_list.html", context)


@login_required
def study_item(request, slug, pk):
    """The sheet of an item. Reviewers and above also read single answers and set codes here."""
    study, item = get_study_and_item(request.user, slug, pk)
    if are_effects_hidden(study):
        return show_hidden_page(request, study)
    may_review = study.project.my_role.rank >= Role.REVIEWER.rank
    if request.method == "POST" and not may_review:
        raise Http404
    form = CodeForm(study, item, request.POST or None)
    if form.is_valid():
        try:
            set_codes(study, item, user=request.user, **form.cleaned_data)
        except BadCode as bad:
            form.add_error(None, str(bad))
        else:
            messages.success(request, _("The codes were set."))
            return redirect(request.get_full_path())
    context = build_sheet_context(request, study, item, may_review) | {"code_form": form, "may_review": may_review}
    return render(request, "analysis/item.html", context)


def get_study_and_item(user, slug, pk, role=Role.VIEWER):
    study = get_study(user, slug, role)
    items = Item.objects.select_related("text", "generator").filter(unit_items__unit__study=study)
    return study, get_object_or_404(items.distinct(), pk=pk)


def build_sheet_context(request, study, item, may_review):
    """The context of the sheet; single answers of people only for those who may read them."""
    from analysis.items.sheet import (  # scipy takes a second to load
        asks_options,
        build_choice_rows,
        count_answers,
        count_preferences,
        group_by_levels,
        read_item_judgments,
    )
    from analysis.items.shortcuts import list_item_signs

    choosing = ResultsForm(study, count_by_purpose(study), request.GET)
    report, options = get_report(study, choosing.choices), list(item.options.all())
    judgments = read_item_judgments(study, item, choosing.choices)
    name, order = request.GET.get("from", ""), request.GET.get("sort", "")
    analysed = [table for table in report.tables if table.name == "item_analysis"]
    codes = ItemCode.objects.filter(study=study, item=item, coding=None).select_related(
        "option", "set_by", "removed_by", "study"
    )
    return {
        "reports": list_reports(study).filter(item=item) if may_review else [],
        "project": study.project,
        "study": study,
        "item": item,
        "text": item.text,
        "options": options,
        "report": report,
        "list_place": locate_item(study, report, name, item.pk, order),
        "query": request.GET.urlencode(),
        "asked": urlencode(build_query(choosing), doseq=True),
        "lines": build_choice_rows(study, judgments, options),
        "asks_options": options and any(asks_options(stage) for stage in get_declaration(study).stages),
        "spreads": group_by_levels(count_answers(study, judgments)),
        "comparisons": count_preferences(item, judgments),
        "is_compared": any(judgment.compared_with for judgment in judgments),
        "signs": list_item_signs(item) if options else [],
        "judgments": [judgment for judgment in judgments if may_review or not judgment.is_human],
        "n_hidden": 0 if may_review else sum(judgment.is_human for judgment in judgments),
        "analysis": {
            row["option_id"]: row
            for table in analysed
            for row in table.rows
            if row["item_id"] == item.external_id and row["stage"] == "read"
        },
        "metrics": group_values([item]).get(item.pk, []),
        "codes": [code for code in codes if code.removed_at is None],
        "codes_taken_back": [code for code in codes if code.removed_at is not None],
    }


@login_required
@require_POST
def study_item_code_remove(request, slug, pk, code):
    study, item = get_study_and_item(request.user, slug, pk, Role.REVIEWER)
    found = get_object_or_404(ItemCode, study=study, item=item, pk=code)
    if remove_code(found, request.user):
        messages.success(request, _("The code was removed. The log below still shows it."))
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    response = redirect("study_item", study.slug, item.pk)
    response["Location"] += query
    return response


# Shortcuts over the whole bank of a project: how often a cue leads to the key, and in which items.

PER_PAGE = 100


@login_required
@require_safe
def bank_shortcuts(request, slug):
    from analysis.items.shortcuts import ALL, flag_items  # scipy takes a second to load

    project = get_project(request.user, slug)
    table = build_bank_shortcuts(project)
    cue, generator = request.GET.get("cue", ""), request.GET.get("generator") or ALL
    found = flag_items(read_bank(project), cue, generator) if cue in CUES else []
    shown = replace(table, rows=tuple(row for row in table.rows if row["generator"] == generator))
    context = {
        "project": project,
        "has_options": read_bank(project).filter(options__isnull=False).exists(),
        "table": build_page_table(shown, DEFAULT_CONVENTION, behind=make_items_link(shown)),
        "cues": CUES.items(),
        "cue": cue,
        "generators": list(dict.fromkeys(row["generator"] for row in table.rows)),
        "generator": generator,
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "analysis/shortcuts.html", context)


def make_items_link(table: Table) -> DrillDownLink:
    """From a number to the list of the items that it counts, on the same page."""
    return lambda row, column: f"?{urlencode(table.names(row))}#counted"


@login_required
@require_safe
def bank_shortcuts_csv(request, slug):
    project = get_project(request.user, slug)
    with override("en"):  # files are the same for every reader
        content = as_csv(build_bank_shortcuts(project))
    return attach(content.encode(), f"{project.slug}-shortcuts.csv")
