"""Pages of a study's replication pack and of its methods paragraph."""

import re
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404
from django.shortcuts import redirect, render
from django.utils.translation import get_language, override
from django.views.decorators.http import require_http_methods, require_safe

from analysis.hiding import effects_shown
from analysis.pack.building import ask_for_pack, find_pack, says_too_much
from analysis.pack.methods import LANGUAGES, describe_conduct, facts_of, sentences
from analysis.pack.redaction import hidden_texts
from analysis.plugins import find_plugin
from analysis.results.forms import ResultsForm
from analysis.results.links import build_query
from analysis.services.cached_evidence import load_evidence
from analysis.services.reporting import versions
from analysis.services.results import counts_by_purpose, report_of
from jobs.files import path_of
from jobs.views import describe_progress
from projects.models import Role

# The replication pack of a study: request it, see its progress, download it.


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@effects_shown(Role.REVIEWER)
def study_pack(request, study):
    """The choices are those of the results page, from the address."""
    if study.is_draft:
        raise Http404
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    query = urlencode(build_query(form), doseq=True)
    if request.method == "POST":
        ask_for_pack(study, form.choices, request.user)
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
        "n_bytes": path_of(done.file).stat().st_size if done else 0,
        "asked": query,
        "hidden": len(hidden_texts(study)),
        "says_too_much": done is not None and says_too_much(done),
    }
    context |= describe_progress(request, pack) if pack else {}
    return render(request, "analysis/pack.html", context)


@login_required
@require_safe
@effects_shown(Role.REVIEWER)
def study_pack_file(request, study, pk):
    pack = find_pack(study)
    if pack is None or pack.pk != pk or not pack.is_done:
        raise Http404
    if says_too_much(pack):
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
@effects_shown()
def results_methods(request, study):
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    language = request.GET.get("language") or (get_language() or "").partition("-")[0]
    language = language if language in LANGUAGES else LANGUAGES[0]
    with override(language):
        report = report_of(study, form.choices, only_current=True)
        evidence = load_evidence(study, form.choices)
        text = " ".join(filter(None, sentences(facts_of(evidence, report, describe_conduct(evidence)))))
    published = find_plugin(study.protocol).published
    context = {
        "project": study.project,
        "study": study,
        "text": text,
        "language": language,
        "languages": [code for code in LANGUAGES if code != language],
        "bibtex": list_entries(published.source if published else ""),
        "asked": urlencode(build_query(form), doseq=True),
    }
    return render(request, "analysis/methods.html", context)


def list_entries(source: str) -> str:
    """What to cite, as BibTeX: this software, and the study that the protocol comes from."""
    return "\n".join(filter(None, (SOFTWARE % versions()["lesart"], write_entry(source))))


def write_entry(source: str) -> str:
    """A source like “A & B (2024), Title” as an entry; nothing for other forms."""
    found = SOURCE.fullmatch(source)
    if found is None:
        return ""
    authors = found["authors"].replace(" et al.", " and others").replace(" & ", " and ").replace(", ", " and ")
    key = re.sub(r"\W", "", found["authors"].split()[0].lower()) + found["year"]
    return (
        f"@misc{{{key},\n  author = {{{authors}}},\n  title = {{{found['title']}}},\n  year = {{{found['year']}}}\n}}\n"
    )
