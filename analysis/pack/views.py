"""The replication pack of a study: asking for it, seeing how far it is, taking it."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from analysis.hiding import effects_shown
from analysis.pack.asking import ask_for_pack, find_pack, says_too_much
from analysis.pack.redaction import hidden_texts
from analysis.results.forms import ResultsForm
from analysis.results.links import build_query
from analysis.services.results import counts_by_purpose
from jobs.files import path_of
from jobs.views import describe_progress
from projects.models import Role


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@effects_shown(Role.REVIEWER)
def study_pack(request, study):
    """The choices are those of the results page, in the address."""
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
        "report": {"included": form.choices.included},
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
