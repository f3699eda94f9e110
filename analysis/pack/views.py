"""The replication pack of a study: asking for it, seeing how far it is, taking it."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from analysis.models import Pack, PackState
from analysis.pack.redaction import hidden_texts
from analysis.results.forms import ResultsForm
from analysis.results.hiding import effects_shown
from analysis.results.links import asked
from analysis.services.packs import ask_for_pack, content_of, says_too_much
from analysis.services.results import counts_by_purpose
from llm.models import Worker
from projects.models import Role

STEPS = 5


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@effects_shown(Role.REVIEWER)
def study_pack(request, study):
    """The choices are those of the results page, in the address."""
    if study.is_draft:
        raise Http404
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    query = urlencode(asked(form), doseq=True)
    if request.method == "POST":
        ask_for_pack(study, form.choices, request.user)
        response = redirect("study_pack", study.slug)
        response["Location"] += f"?{query}"
        return response
    pack = study.packs.first()
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "report": {"included": form.choices.included},
        "pack": pack,
        "steps": STEPS,
        "step": step_word(pack),
        "asked": query,
        "hidden": len(hidden_texts(study)),
        "says_too_much": pack is not None and says_too_much(pack),
        "has_no_worker": bool(pack and pack.is_under_way) and not Worker.objects.alive().exists(),
    }
    return render(request, "analysis/pack.html", context)


def step_word(pack: Pack | None) -> str:
    """What a worker does now."""
    words = (
        _("texts, items and answers"),
        _("texts, items and answers"),
        _("tables"),
        _("figures"),
        _("datasheet and manifest"),
        "",
    )
    return words[pack.steps_done] if pack and pack.state == PackState.BUILDING else ""


@login_required
@require_safe
@effects_shown(Role.REVIEWER)
def study_pack_file(request, study, pk):
    pack = get_object_or_404(Pack, study=study, pk=pk, state=PackState.DONE)
    if says_too_much(pack):
        return redirect("study_pack", study.slug)
    headers = {
        "Content-Disposition": f'attachment; filename="{study.slug}-pack.zip"',
        "Content-Length": str(pack.n_bytes),
    }
    return StreamingHttpResponse(content_of(pack), content_type="application/zip", headers=headers)
