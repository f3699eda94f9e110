"""Downloads of the results: tables, answers, the code book, figures."""

from collections.abc import Callable
from contextlib import nullcontext
from io import TextIOWrapper
from tempfile import TemporaryFile

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.exports.codebook import build_codebook
from analysis.exports.writing import FORMATS, export_responses, name_export, write_metrics, write_unanswered
from analysis.files import attach, mark_encoding, send_file
from analysis.hiding import show_hidden_page
from analysis.results.forms import ResultsForm
from analysis.results.planner_views import get_outlook_or_404
from analysis.services.figures import draw_figure
from analysis.services.planning import draw_outlook
from analysis.services.results import count_by_purpose, get_report, open_export
from analysis.tables.writers import TABLE_FILES, as_csv
from items.formats.sheet_writing import TooLarge
from projects.models import Role
from studies.access import get_study
from studies.services.states import are_effects_hidden


@login_required
@require_safe
def study_table(request, slug, name, ending="csv"):
    """A table of the report in one of the forms of `TABLE_FILES`."""
    if ending not in TABLE_FILES:
        raise Http404
    study = get_study(request.user, slug)
    choices = ResultsForm(study, count_by_purpose(study), request.GET).choices
    with override("en"):  # files are the same for every reader
        report = get_report(study, choices, only_current=True)
        try:
            content = TABLE_FILES[ending](report.table(name))
        except KeyError:
            raise Http404 from None
    return mark_encoding(request, attach(content, f"{study.slug}-{name}.{ending}"))


@login_required
@require_safe
def study_export(request, slug, format):
    study = get_study(request.user, slug, Role.REVIEWER)
    if format == "codebook":
        return mark_encoding(request, attach(as_csv(build_codebook(study)).encode(), f"{study.slug}-codebook.csv"))
    if are_effects_hidden(study):
        return show_hidden_page(request, study)
    choices = ResultsForm(study, count_by_purpose(study), request.GET).choices
    if format == "unanswered":
        name = f"{study.slug}-unanswered.csv"
        return mark_encoding(request, send_written(name, lambda out: write_unanswered(study, out, choices.purposes)))
    if format == "metrics":
        name = f"{study.slug}-metrics.csv"
        return mark_encoding(request, send_written(name, lambda out: write_metrics(study, out)))
    if format not in FORMATS:
        raise Http404
    name = name_export(study, format)
    if file := open_export(study, format, choices):
        return mark_encoding(request, send_file(name, file))
    try:
        written = send_written(name, lambda out: export_responses(study, format, out, choices.purposes))
        return mark_encoding(request, written)
    except TooLarge as bad:
        messages.error(request, str(bad))
        return redirect("study_results", study.slug)


def send_written(name: str, write: Callable[[TextIOWrapper], object]) -> FileResponse:
    return send_file(name, fill_file(write))


def fill_file(write: Callable[[TextIOWrapper], object]):
    """A temporary file with everything that `write` writes: a reader gets all of it or an error, never a part."""
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    words = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    write(words)  # a workbook is written to the binary buffer
    words.detach()
    file.seek(0)
    return file


FILE_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "vl.json": "application/json"}


@login_required
@require_safe
def study_figure(request, slug, name, ending):
    study = get_study(request.user, slug)
    choices = ResultsForm(study, count_by_purpose(study), request.GET).choices
    return respond_with(
        request,
        f"{study.slug}-{name}.{ending}",
        lambda: draw_figure(study, choices, name, ending, only_current="download" in request.GET),
    )


@login_required
@require_safe
def study_planner_figure(request, slug, ending):
    study = get_study(request.user, slug)
    return respond_with(
        request,
        f"{study.slug}-outlook.{ending}",
        lambda: draw_outlook(study, get_outlook_or_404(study, request.GET), ending),
    )


def respond_with(request, name, make):
    """The result of `make` as a response; if the address has `download`, as a file, in English for every reader."""
    is_file = "download" in request.GET
    try:
        with override("en") if is_file else nullcontext():
            content = make()
    except KeyError:
        raise Http404 from None
    headers = {"Cache-Control": "private, no-cache"}
    if is_file:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return HttpResponse(content, content_type=FILE_TYPES[name.partition(".")[2]], headers=headers)
