"""The pages of the results: Summary, Agreement, Items, Compare, Details; each answers a question in its first line."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.figures.paper import FORMS, MILLIMETRES, TYPES, Drawing
from analysis.hiding import require_shown_effects
from analysis.items.coding import list_kinds
from analysis.plugins import find_plugin
from analysis.reports.outcome import AgreementSummary
from analysis.reports.report import Report
from analysis.results.agreement_views import draw_agreement, list_agreement, say_agreement
from analysis.results.compare_views import find_stand_in, say_compared
from analysis.results.forms import LabForm, ResultsForm, StandInForm, remove_idle_fields
from analysis.results.item_rows import FLAGS, list_items, say_first, select_rows
from analysis.results.links import build_query
from analysis.results.sections import build_sections, list_named, list_sections, make_published_part
from analysis.results.summary import (
    count_unfolded_findings,
    describe_counting,
    find_outcome,
    find_verdict,
    list_differences,
    list_findings,
    list_notes,
    place_figure,
    say_adjusted,
)
from analysis.results.views import make_expert_form, make_match_form
from analysis.services.results import count_by_purpose, find_report, get_report
from jobs.views import ResultPending, describe_progress
from projects.models import Role
from studies.access import get_study
from studies.models import Purpose, Study
from studies.services.adjudicating import find_conflicts
from studies.services.progress import count_progress, say_done
from studies.services.second_round import can_open_second_round
from studies.services.selection import CALIBRATION
from studies.services.states import RUNNING, are_effects_hidden
from studies.services.written_items import describe_written_items, list_rephrasals

ITEMS_A_PAGE = 14


class Page:
    """What all pages of the results share: the study, the choices, the report, and the job that computes a newer
    one."""

    def __init__(self, request, study: Study):
        self.request, self.study = request, study
        self.counts = count_by_purpose(study)
        self.form = ResultsForm(study, self.counts, request.GET)
        self.report: Report | None = None
        self.pending = None
        try:
            self.report, found = find_report(study, self.form.choices)
            self.pending = found.pending
        except ResultPending as error:
            self.pending = error.job
        self.query = urlencode(build_query(self.form), doseq=True)
        self.plugin = find_plugin(study.protocol)

    @property
    def is_filled(self) -> bool:
        return self.report is not None and self.report.n_responses > 0

    @property
    def filled_report(self) -> Report:
        """The report, on pages that have one."""
        assert self.report is not None
        return self.report

    def context(self, name: str, **more: Any) -> dict[str, Any]:
        """The context of the page `name`; the buttons offer its figure and tables."""
        study, report = self.study, self.report
        hidden, role = are_effects_hidden(study), study.project.my_role
        job = describe_progress(self.request, self.pending, shows=report is not None) if self.pending else {}
        return {
            "project": study.project,
            "study": study,
            "report": report or {"included": self.form.choices.extra_purposes},
            "is_waiting": report is None,
            "is_filled": self.is_filled,
            "form": remove_idle_fields(self.form, report) if report else self.form,
            "counting": describe_counting(self.study, self.form, self.counts),
            "asked": self.query,
            "effects_hidden": hidden,
            "effects_log": study.effects_switches.select_related("made_by"),
            "may_hide": role.rank >= Role.OWNER.rank and study.state in RUNNING,
            "may_export": is_reviewer(study),
            "is_simulated": "simulated" in self.form.choices.extra_purposes,
            "page_tables": list_named(report, list_button_tables(self, name)) if report else [],
            **job,
            **more,
        }

    def draw(self, name: str) -> tuple[str, Drawing] | None:
        """The title and the drawing of a page; None if it has none."""
        if not self.is_filled:
            return None
        if name == "summary":
            outcome = find_outcome(self.study, self.filled_report, self.form.estimand)
            return (outcome.title, outcome.figure) if outcome and outcome.figure else None
        if name == "agreement":
            drawing = draw_agreement(self.plugin.agreed(self.filled_report), _(self.plugin.pages.coefficient))
            return (_("Agreement between people"), drawing) if drawing else None
        if name == "compare" and not are_effects_hidden(self.study):
            drawing = self.plugin.beside(self.filled_report)
            return (_("People and models beside each other"), drawing) if drawing else None
        return None

    def figure(self, name: str):
        found = self.draw(name)
        return place_figure(self.study, name, *found, self.query) if found else None


def list_button_tables(page: Page, name: str) -> tuple[str, ...]:
    """The tables that the button offers, the page's main table first."""
    pages = page.plugin.pages
    if name == "summary" and page.is_filled:
        outcome = find_outcome(page.study, page.filled_report, page.form.estimand)
        return outcome.tables if outcome else ()
    return {"agreement": pages.agreement, "items": pages.items, "compare": pages.compare}.get(name, ())


@login_required
@require_safe
def study_results(request, slug):
    study = get_study(request.user, slug)
    page = Page(request, study)
    outcome = find_outcome(study, page.filled_report, page.form.estimand) if page.is_filled else None
    verdict = find_verdict(study, outcome, page.counts) if page.is_filled else None
    progress = count_progress(study, choose_purpose(page)) if study.state in RUNNING else None
    findings = list_findings(study, page.filled_report, page.form) if page.is_filled else []
    more = {
        "figure": page.figure("summary"),
        "outcome": outcome,
        "verdict": verdict,
        "differences": list_differences(outcome) if outcome else [],
        "adjusted": say_adjusted(outcome) if outcome else "",
        "notes": list_notes(study, page.filled_report, page.form, outcome, verdict) if verdict else [],
        "findings": findings[: count_unfolded_findings(outcome)],
        "more_findings": findings[count_unfolded_findings(outcome) :],
        "progress": progress,
        "said_done": say_done(study, progress.finished, progress.total) if progress else "",
    }
    return render(request, "analysis/summary.html", page.context("summary", **more))


def choose_purpose(page: Page) -> Purpose:
    """Whose progress is shown: simulated people's only if nobody else has answered."""
    return Purpose.SIMULATED if page.counts.get("simulated") and not page.counts.get("main") else Purpose.MAIN


@login_required
@require_safe
def results_agreement(request, slug):
    study = get_study(request.user, slug)
    page = Page(request, study)
    agreed: list[AgreementSummary] = page.plugin.agreed(page.filled_report) if page.is_filled else []
    coefficient = _(page.plugin.pages.coefficient)
    more = {
        "figure": page.figure("agreement"),
        "verdict": say_agreement(agreed, coefficient),
        "rows": list_agreement(agreed),
        "coefficient": coefficient,
        "lab": LabForm(study, page.counts, request.GET),
        "expert_form": make_expert_form(study),
        "n_conflicts": len(find_conflicts(study)) if page.is_filled and is_reviewer(study) else 0,
        "may_adjudicate": page.is_filled and is_reviewer(study),
        "has_calibration": study.units.filter(part=CALIBRATION).exists(),
        "may_open_second": can_open_second_round(study) and "main" in page.counts,
        "listed": list_sections(study, page.form, page.filled_report, request.path, page.plugin.pages.agreement)
        if page.is_filled
        else [],
    }
    return render(request, "analysis/agreement.html", page.context("agreement", **more))


@login_required
@require_safe
@require_shown_effects()
def results_items(request, study):
    page = Page(request, study)
    rows = list_items(study, page.report) if page.report else []
    chosen = select_rows(rows, request.GET)
    shown = Paginator(chosen, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    rest = request.GET.copy()
    rest.pop("page", None)
    flags = [(flag, word) for flag, word in FLAGS.items() if any(flag in row.flags for row in rows)]
    may_take = study.project.my_role.rank >= Role.RESEARCHER.rank
    more = {
        "verdict": say_first(rows),
        "rows": shown.object_list,
        "page": shown,
        "page_query": rest.urlencode(),
        "n_chosen": len(chosen),
        "generators": sorted({row.item.generator.name for row in rows}),
        "flags": flags,
        "has_shares": any(row.gain is not None for row in rows),
        "has_scores": any(row.score is not None for row in rows),
        "keep": [(name, values) for name, values in list_choices(page)],
        "rephrasals": list_rephrasals(study) if may_take else [],
        "written": describe_written_items(study),
        "listed": list_sections(study, page.form, page.filled_report, request.path, page.plugin.pages.items)
        if page.is_filled and not rows
        else [],
        "has_item_analysis": any(table.name == "item_analysis" for table in page.report.tables)
        if page.report
        else False,
        **list_kinds(study),
    }
    return render(request, "analysis/items.html", page.context("items", **more))


def is_reviewer(study: Study) -> bool:
    return study.project.my_role.rank >= Role.REVIEWER.rank


def list_choices(page: Page) -> list[tuple[str, list[Any]]]:
    """The choices in the address as lists of values, for hidden fields."""
    found = build_query(page.form).items()
    return [(name, list(value) if isinstance(value, list | tuple) else [value]) for name, value in found]


@login_required
@require_safe
@require_shown_effects()
def results_compare(request, study):
    page = Page(request, study)
    kinds = StandInForm(request.GET)
    stand_in = find_stand_in(study, page.form.choices, kinds.kind) if page.is_filled else None
    more = {
        "figure": page.figure("compare"),
        "stand_in": stand_in,
        "verdict": say_compared(stand_in),
        "kinds": kinds,
        "listed": list_sections(study, page.form, page.filled_report, request.path, page.plugin.pages.compare)
        if page.is_filled
        else [],
        "published": make_published_part(study, page.form, page.filled_report, request.path)
        if page.is_filled
        else None,
        "match_form": make_match_form(study),
    }
    return render(request, "analysis/compare.html", page.context("compare", **more))


@login_required
@require_safe
def results_details(request, slug):

    study = get_study(request.user, slug)
    page = Page(request, study)
    more = build_sections(study, page.form, page.filled_report, request.path) if page.is_filled else {}
    if page.is_filled and not are_effects_hidden(study):
        more |= {"match_form": make_match_form(study)}
    return render(request, "analysis/details.html", page.context("details", **more))


@login_required
@require_safe
def results_paper(request, slug, name, width, ending):
    """A figure of a page as a file for a paper."""
    if width not in MILLIMETRES or ending not in FORMS:
        raise Http404
    study = get_study(request.user, slug)
    page = Page(request, study)
    if page.report is None:
        get_report(study, page.form.choices)  # raises the exception that shows the progress
    with override("en"):
        found = Page(request, study).draw(name)
    if found is None:
        raise Http404
    content = FORMS[ending](found[1], width)
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-{name}-{width}mm.{ending}"'}
    return HttpResponse(content, content_type=TYPES[ending], headers=headers)
