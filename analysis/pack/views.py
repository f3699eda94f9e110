"""Pages of a study's replication pack and of its methods paragraph, and of the archive of a whole project."""

import re
from urllib.parse import urlencode

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, override
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from analysis.hiding import require_shown_effects
from analysis.pack.archiving import (
    IMPORT,
    CannotArchive,
    find_archive,
    list_withheld,
    may_download,
    refuse_hidden_effects,
    request_archive,
    request_import,
)
from analysis.pack.building import find_pack, has_withheld_text, request_pack
from analysis.pack.methods import LANGUAGES, collect_facts, describe_conduct, iter_sentences
from analysis.pack.redaction import find_hidden_texts
from analysis.plugins import find_plugin
from analysis.results.forms import ResultsForm
from analysis.results.links import build_query
from analysis.services.cached_evidence import load_evidence
from analysis.services.reporting import list_software_versions
from analysis.services.results import count_by_purpose, get_report
from items.forms.imports import check_upload
from jobs.files import make_path
from jobs.models import Job
from jobs.views import describe_progress, get_job
from projects.access import get_project
from projects.models import Project, Role
from projects.services import SLUG_LENGTH

# The replication pack of a study: request it, see its progress, download it.


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@require_shown_effects(Role.REVIEWER)
def study_pack(request, study):
    """The pack of a study; POST requests a new one. The choices are in the address, as on the results page."""
    if study.is_draft:
        raise Http404
    form = ResultsForm(study, count_by_purpose(study), request.GET)
    query = urlencode(build_query(form), doseq=True)
    if request.method == "POST":
        request_pack(study, form.choices, request.user)
        response = redirect("study_pack", study.slug)
        response["Location"] += f"?{query}"
        return response
    pack = find_pack(study)
    done = pack if pack and pack.is_done else None
    context = {
        "project": study.project,
        "study": study,
        "report": {"included": form.choices.extra_purposes},
        "pack": pack,
        "n_bytes": make_path(done.file).stat().st_size if done else 0,
        "asked": query,
        "hidden": len(find_hidden_texts(study)),
        "says_too_much": done is not None and has_withheld_text(done),
    }
    context |= describe_progress(request, pack) if pack else {}
    return render(request, "analysis/pack.html", context)


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def study_pack_file(request, study, pk):
    pack = find_pack(study)
    if pack is None or pack.pk != pk or not pack.is_done:
        raise Http404
    if has_withheld_text(pack):
        return redirect("study_pack", study.slug)
    file = pack.open_file()
    return FileResponse(file, as_attachment=True, filename=f"{study.slug}-pack.zip", content_type="application/zip")


# The methods paragraph of a study as a page: drafted from its numbers, ready to copy.

SOFTWARE = """@software{lesart,
  author = {{The Lesart developers}},
  title = {Lesart: a workbench for evaluating reading-comprehension questions},
  version = {%s}
}
"""
SOURCE = re.compile(r"(?P<authors>.+?) \((?P<year>\d{4})\), (?P<title>.+)")


@login_required
@require_safe
@require_shown_effects()
def results_methods(request, study):
    form = ResultsForm(study, count_by_purpose(study), request.GET)
    language = request.GET.get("language") or (get_language() or "").partition("-")[0]
    language = language if language in LANGUAGES else LANGUAGES[0]
    with override(language):
        report = get_report(study, form.choices, only_current=True)
        evidence = load_evidence(study, form.choices)
        text = " ".join(filter(None, iter_sentences(collect_facts(evidence, report, describe_conduct(evidence)))))
    published = find_plugin(study.protocol).published
    context = {
        "project": study.project,
        "study": study,
        "text": text,
        "language": language,
        "languages": [code for code in LANGUAGES if code != language],
        "bibtex": write_bibtex(published.source if published else ""),
        "asked": urlencode(build_query(form), doseq=True),
    }
    return render(request, "analysis/methods.html", context)


def write_bibtex(source: str) -> str:
    """What to cite, as BibTeX: this software, and the study that the protocol comes from."""
    return "\n".join(filter(None, (SOFTWARE % list_software_versions()["lesart"], write_bibtex_entry(source))))


def write_bibtex_entry(source: str) -> str:
    """A source like “A & B (2024), Title” as an entry; nothing for other forms."""
    found = SOURCE.fullmatch(source)
    if found is None:
        return ""
    authors = found["authors"].replace(" et al.", " and others").replace(" & ", " and ").replace(", ", " and ")
    key = re.sub(r"\W", "", found["authors"].split()[0].lower()) + found["year"]
    return (
        f"@misc{{{key},\n  author = {{{authors}}},\n  title = {{{found['title']}}},\n  year = {{{found['year']}}}\n}}\n"
    )


class ArchiveForm(forms.Form):
    """An archive to import, and a short name for the project."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("A ZIP file that “Export project” or the command export_project wrote."),
        widget=forms.FileInput(attrs={"accept": ".zip"}),
    )
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=SLUG_LENGTH,
        required=False,
        help_text=_("Leave empty to keep the project's own. It must not be taken on this server."),
    )

    def clean_file(self):
        return check_upload(self.cleaned_data["file"])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_export(request, slug):
    """Whether the archive is ready, its progress, and a button that requests it."""
    project = get_project(request.user, slug, Role.OWNER)
    refusal = explain_refusal(project)
    if request.method == "POST" and not refusal:
        request_archive(project, request.user)
        return redirect("project_export", project.slug)
    job = None if refusal else find_archive(project)
    is_there = may_download(job)
    context = {
        "project": project,
        "refusal": refusal,
        "job": job,
        "is_there": is_there,
        "n_bytes": make_path(job.file).stat().st_size if job and is_there else 0,
        "left_out": job.about.get("left_out", []) if job and is_there else [],
        "n_withheld": len(list_withheld(project)),
    }
    context |= describe_progress(request, job) if job else {}
    return render(request, "analysis/project_export.html", context)


def explain_refusal(project: Project) -> str:
    """Why the project cannot be exported now; empty if it can."""
    try:
        refuse_hidden_effects(project)
    except CannotArchive as refused:
        return str(refused)
    return ""


@login_required
@require_safe
def project_export_file(request, slug, pk):
    project = get_project(request.user, slug, Role.OWNER)
    job = find_archive(project)
    if job is None or job.pk != pk or not may_download(job) or explain_refusal(project):
        raise Http404
    name = f"{project.slug}-project.zip"
    return FileResponse(job.open_file(), as_attachment=True, filename=name, content_type="application/zip")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_import(request):
    """A form for an archive; a worker imports it."""
    form = ArchiveForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        job = request_import(form.cleaned_data["file"].chunks(), form.cleaned_data["slug"], request.user)
        return redirect("project_imported", job.pk)
    return render(request, "analysis/project_import.html", {"form": form})


@login_required
@require_safe
def project_imported(request, pk):
    """The progress of the import; redirects to the project when it exists."""
    job: Job = get_job(request, pk)
    if job.kind != IMPORT or job.owner_id != request.user.pk:
        raise Http404
    if job.is_done and job.project:
        return redirect(job.project)
    address = reverse("project_imported", args=[job.pk])
    return render(request, "analysis/project_import.html", describe_progress(request, job, address=address))
