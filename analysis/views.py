from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from io import TextIOWrapper
from tempfile import TemporaryFile
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.codebook import codebook
from analysis.crossing import crossed, side_by_side
from analysis.figure_places import FigurePlace, place_in_results
from analysis.forms import ResultsForm, without_idle
from analysis.grids import grids_of
from analysis.hiding import hidden_page
from analysis.item_lists import STUDY, alarms, kinds_of, sheet_links
from analysis.pages import BehindLink, PageTable, description, page_table
from analysis.report import Report
from analysis.services.exporting import FORMATS, export_responses, write_metrics, write_unanswered
from analysis.services.results import counts_by_purpose, report_and_ticket, report_of
from analysis.services.working import BeingWorkedOut
from analysis.tables import Row, Shown, Table
from analysis.working_views import panel
from analysis.writers import as_csv
from projects.models import Role
from studies.access import get_study
from studies.models import Study
from studies.people_forms import ExpertCheckForm
from studies.services.effects import RUNNING, effects_hidden
from studies.services.expert_check import may_check
from studies.services.rephrasals import rephrasals_of
from studies.services.second_round import may_open

OPEN_GRIDS = 2  # such as one for each round; others stand on the table's own page
OPEN_CELLS = 100  # of them together, beyond the first grid
SHORT = 24  # rows of a table that stands on the results page
SHORT_CLOSED = 12  # rows of one that is closed at first
CLOSED = (
    "informativity_standardised", "beside_accuracy", "informativity_intervals", "informativity_probability",
)  # fmt: skip
FILE_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


@login_required
@require_safe
def study_results(request, slug):
    study = get_study(request.user, slug)
    counts = counts_by_purpose(study)
    form = ResultsForm(study, counts, request.GET)
    hidden, role = effects_hidden(study), study.project.my_role
    try:
        report, found = report_and_ticket(study, form.choices)
        ticket = found.ticket
    except BeingWorkedOut as working:
        report, ticket = None, working.ticket
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "choices": form.choices,
        "report": report or {"included": form.choices.included},
        "is_waiting": report is None,
        "asked": urlencode(asked(form), doseq=True),
        "rephrasals": rephrasals_of(study) if role.rank >= Role.RESEARCHER.rank and not hidden else [],
        "may_open_second": may_open(study) and "main" in counts,
        "expert_form": expert_form(study),
        "may_export": role.rank >= Role.REVIEWER.rank,
        "effects_hidden": hidden,
        "effects_log": study.effects_switches.select_related("made_by"),
        "may_hide": role.rank >= Role.OWNER.rank and study.state in RUNNING,
    }
    context |= panel(request, ticket, shows=report is not None) if ticket else {}
    context |= {"form": without_idle(form, report)} | sections(study, form, report) if report else {"form": form}
    return render(request, "analysis/results.html", context)


def expert_form(study: Study) -> ExpertCheckForm | None:
    """What a researcher fills in to open an expert check, where there can be one."""
    may_open = study.project.my_role.rank >= Role.RESEARCHER.rank and may_check(study)
    return ExpertCheckForm() if may_open else None


def asked(form: ResultsForm) -> dict:
    """The choices as parameters of an address, for figures and downloads; none where nothing was chosen."""
    choices = form.choices
    if form.is_untouched:
        return {}
    asked = {"asked": 1, "include": choices.included, "convention": choices.convention, "estimate": form.estimand}
    asked |= {"texts": "shared"} if choices.shared_texts else {}
    return asked | {"drop": choices.dropped} | ({} if choices.calibration else {"calibration": "without"})


def sections(study: Study, form: ResultsForm, report: Report) -> dict:
    """The tables and figures in the order of the page."""
    behind, convention = behind_link(study, form), form.choices.convention
    elsewhere, of_several = long_tables(report), notes_of_several(report)
    tables = {}
    for table in report.tables:
        here = replace(table, notes=tuple(note for note in table.notes if note not in of_several))
        here = replace(here, rows=()) if table.name in elsewhere else here
        shown = page_table(here, convention, links_of(study, form, table), behind(table))
        tables[table.name] = replace(shown, more=len(table.rows)) if table.name in elsewhere else shown
    described = report.table("description")
    common = {
        "tables": tables,
        "notes_of_several": of_several,
        "description": description(described, behind(described)),
    }
    place = partial(place_in_results, study, report, urlencode(asked(form), doseq=True))
    if report.template == Report.template:
        first = next(iter(sheet_links(study, urlencode(asked(form), doseq=True), STUDY).values()), "")
        grids = {table.name: crossed(table, convention, behind(table), open_grids(table)) for table in report.tables}
        return common | {"listed": listed(report, tables, grids, place), "first_sheet": first}
    first, second = ("informativity", "informativity_matched")
    if form.estimand == "matched":
        first, second = second, first
    table = report.table(first)
    return common | {
        "beside": side_by_side(table, form.choices.convention, behind(table)),
        "first": tables[first],
        "second": tables[second],
        "dumbbell": place("dumbbell" if form.estimand == "pooled" else "dumbbell_matched", table),
        "figures": {name: place(name, report.table(name)) for name in ("ratings", "accuracy_by_rating")},
        "kinds": kinds_of(study),
        "alarms": alarms_of(study, form, report.table("item_analysis")),
    }


def long_tables(report: Report) -> set[str]:
    """Those whose rows stand on pages of their own, so that the results page stays one that is read."""
    if report.template != Report.template:
        closed = (report.table(name) for name in CLOSED if any(table.name == name for table in report.tables))
        return {"item_analysis", *(table.name for table in closed if len(table.rows) > SHORT_CLOSED)}
    return {table.name for table in report.tables if len(table.rows) > SHORT or grids_of(table)}


def open_grids(table: Table) -> int:
    """How many grids of a table stand on the results page: two where both are small."""
    cells = [len(grid.down) * len(grid.across) for grid in grids_of(table)[:OPEN_GRIDS]]
    return len(cells) if sum(cells) <= OPEN_CELLS else 1


def notes_of_several(report: Report) -> list[str]:
    """What holds of more than one table: the page says it once, as files say it of each."""
    found = Counter(note for table in report.tables if table.rows for note in dict.fromkeys(table.notes))
    return [note for note, n in found.items() if n > 1]


@dataclass(frozen=True)
class Listed:
    """A table with its figures and its first grids; `n_elsewhere`: how many rows it has on a page of its own."""

    table: PageTable
    n_elsewhere: int
    figures: list[FigurePlace]
    grids: list[PageTable]


def listed(
    report: Report,
    tables: dict[str, PageTable],
    grids: dict[str, list[PageTable]],
    place: Callable[[str, Table], FigurePlace],
) -> list[Listed]:
    """Each table but the description, in the order of the report."""
    from analysis.figures import FIGURES

    drawn = [(name, FIGURES[name][0]) for name in report.figures]
    elsewhere = long_tables(report)
    return [
        Listed(
            tables[table.name],
            len(table.rows) if table.name in elsewhere else 0,
            [place(name, table) for name, shown in drawn if shown == table.name],
            grids[table.name],
        )
        for table in report.tables
        if table.name != "description"
    ]


def alarms_of(study: Study, form: ResultsForm, table: Table) -> list[dict]:
    """The options whose key is probably wrong, each with the address of its item's sheet."""
    links = sheet_links(study, urlencode(asked(form), doseq=True), table.name)
    return [{"row": row, "href": links.get(row["item_id"], "")} for row in alarms(table.rows)]


def links_of(study: Study, form: ResultsForm, table: Table) -> dict[str, dict[str, str]]:
    """From ids of texts to their pages, from ids of items to their sheets."""
    if not any(column.kind == "item id" for column in table.shown):
        return {}
    return {
        "text id": text_links(study),
        "item id": sheet_links(study, urlencode(asked(form), doseq=True), table.name),
    }


def behind_link(study: Study, form: ResultsForm, **more: str) -> Callable[[Table], BehindLink | None]:
    """Of a table, a function from its numbers to the pages of their answers; None for who may not see answers now.

    `more`: what the page was asked besides what the form holds.
    """
    chosen = urlencode(asked(form) | more, doseq=True)
    address = f"{reverse('study_behind', args=[study.slug])}?{chosen}{'&' if chosen else ''}"
    may_see = study.project.my_role.rank >= Role.REVIEWER.rank and not effects_hidden(study)

    def of_table(table: Table) -> BehindLink | None:
        if not may_see:
            return None
        rows = {id(row): row for row in table.rows}
        named = cache(lambda place: urlencode(table.names(rows[place])))  # thousands of numbers, a few in each row

        def link(row: Row, column: Shown) -> str:
            if column.cell:
                return f"{address}{urlencode(row[column.cell])}"
            return f"{address}table={table.name}&number={column.value}&{named(id(row))}"

        return link

    return of_table


def text_links(study: Study) -> dict[str, str]:
    texts = study.units.values_list("text__external_id", "text_id")
    return {external_id: reverse("text", args=[study.project.slug, pk]) for external_id, pk in texts}


@login_required
@require_safe
def study_table(request, slug, name):
    study = get_study(request.user, slug)
    choices = ResultsForm(study, counts_by_purpose(study), request.GET).choices
    with override("en"):  # files are the same for every reader
        report = report_of(study, choices, only_current=True)
        try:
            content = as_csv(report.table(name))
        except KeyError:
            raise Http404 from None
    return attached(content.encode(), f"{study.slug}-{name}.csv")


@login_required
@require_safe
def study_export(request, slug, format):
    study = get_study(request.user, slug, Role.REVIEWER)
    if format == "codebook":
        return attached(as_csv(codebook(study)).encode(), f"{study.slug}-codebook.csv")
    if effects_hidden(study):
        return hidden_page(request, study)
    choices = ResultsForm(study, counts_by_purpose(study), request.GET).choices
    if format == "unanswered":
        return streamed(f"{study.slug}-unanswered.csv", lambda out: write_unanswered(study, out, choices.purposes))
    if format == "metrics":
        return streamed(f"{study.slug}-metrics.csv", lambda out: write_metrics(study, out))
    if format not in FORMATS:
        raise Http404
    ending = "jsonl" if format == "jsonl" else "csv"
    name = f"{study.slug}-{format}.{ending}" if format == "wide" else f"{study.slug}.{ending}"
    return streamed(name, lambda out: export_responses(study, format, out, choices.purposes))


def streamed(name: str, write: Callable[[TextIOWrapper], object]) -> FileResponse:
    file_type = FILE_TYPES[name.rpartition(".")[2]]
    return FileResponse(filled(write), as_attachment=True, filename=name, content_type=file_type)


def filled(write: Callable[[TextIOWrapper], object]):
    """A file without a name that holds all that is written: a reader gets all of it or an error, never a part."""
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    words = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    write(words)
    words.detach()
    file.seek(0)
    return file


def attached(content: bytes, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=FILE_TYPES["csv"], headers=headers)
