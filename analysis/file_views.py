"""Files that are taken from the results: a table, answers, the code book."""

from collections.abc import Callable
from io import TextIOWrapper
from tempfile import TemporaryFile
from typing import IO

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.codebook import codebook
from analysis.forms import ResultsForm
from analysis.hiding import hidden_page
from analysis.services.exporting import FORMATS, export_responses, write_metrics, write_unanswered
from analysis.services.kept_files import export_soon
from analysis.services.results import counts_by_purpose, report_of
from analysis.writers import as_csv
from projects.models import Role
from studies.access import get_study
from studies.services.effects import effects_hidden

FILE_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl; charset=utf-8"}


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
    if file := export_soon(study, format, choices):
        return sent(name, file)
    return streamed(name, lambda out: export_responses(study, format, out, choices.purposes))


def streamed(name: str, write: Callable[[TextIOWrapper], object]) -> FileResponse:
    return sent(name, filled(write))


def sent(name: str, file: IO[bytes]) -> FileResponse:
    file_type = FILE_TYPES[name.rpartition(".")[2]]
    return FileResponse(file, as_attachment=True, filename=name, content_type=file_type)


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
