from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from items.services.editing import EditRefused
from projects.models import Role
from studies.access import get_study
from studies.flow_picture import picture_of
from studies.models import Purpose
from studies.progress import guess_balance, progress_of
from studies.protocols import PROTOCOLS
from studies.services import launching, rephrasals, written
from studies.services.declaring import declaration_of
from studies.services.effects import switch_effects
from studies.services.locking import WrongState
from studies.services.second_round import may_open, open_second_round
from studies.services.spec import SpecError
from studies.services.units import CALIBRATION
from studies.workload import workload


@login_required
@require_safe
def study_page(request, slug):
    study = get_study(request.user, slug)
    context = {"project": study.project, "study": study, "tab": "study", "protocol": PROTOCOLS[study.protocol]}
    context["flow"] = picture_of(declaration_of(study))
    context["variants"] = variants_of(study)
    context |= draft_context(study) if study.is_draft else running_context(study)
    return render(request, "studies/study.html", context)


def variants_of(study) -> list[dict]:
    """Each variant with what it has otherwise than the study, and how many people it was drawn for."""
    variants = study.variants.select_related("instrument_version__instrument")
    joined = Count("annotators", filter=Q(annotators__purpose=Purpose.MAIN))
    return [
        {
            "variant": variant,
            "params": {name: value for name, value in variant.params.items() if study.params.get(name) != value},
            "n_joined": variant.n_joined,
        }
        for variant in variants.annotate(n_joined=joined).order_by("position")
    ]


def draft_context(study) -> dict:
    """What a draft would ask if it were launched now, or why it cannot be."""
    try:
        outline = launching.outline(study)
    except SpecError as error:
        return {"problem": str(error)}
    declaration = declaration_of(study)
    return {
        "chosen": outline.chosen,
        "workload": workload(outline, declaration),
        "declaration": declaration,
        "by_generator": by_generator(outline.chosen),
    }


def by_generator(chosen) -> list[tuple[str, int]]:
    """Items of each generator, in the order of the bank."""
    items = sorted((item for _text, items in chosen.texts for item in items), key=lambda item: item.generator_id)
    counts: dict[str, int] = {}
    for item in items:
        counts[item.generator.name] = counts.get(item.generator.name, 0) + 1
    return list(counts.items())


def running_context(study) -> dict:
    units = study.units.all()
    return {
        "progress": progress_of(study),
        "simulated": progress_of(study, Purpose.SIMULATED),
        "balance": guess_balance(study),
        "may_open_second": may_open(study),
        "waits_for_main": declaration_of(study).calibration and not study.main_opened_at,
        "calibrates": units.filter(part=CALIBRATION).exists(),
        "n_texts": units.order_by().values("text").distinct().count(),
        "n_items": units.filter(items__isnull=False).order_by().values("items").distinct().count(),
        "n_units": units.count(),
        "written": written_context(study),
    }


def written_context(study) -> dict | None:
    """How much of what annotators wrote waits for a look; None where nothing is written, or it is not yours to take."""
    if study.project.my_role.rank < Role.RESEARCHER.rank or not written.writing_questions(study):
        return None
    return {"waiting": written.n_waiting(study)}


ACTIONS = {
    "launch": launching.launch_study,
    "pause": launching.pause_study,
    "resume": launching.resume_study,
    "open_main": launching.open_main_part,
    "second_round": open_second_round,
    "close": launching.close_study,
    "reopen": launching.reopen_study,
}


@login_required
@require_POST
def study_act(request, slug, action):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        ACTIONS[action](study)
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study", study.slug)
    if action != "launch":
        return redirect("study", study.slug)
    messages.success(request, _("The study is live. Send each annotator their own link."))
    return redirect("study_annotators", study.slug)


@login_required
@require_POST
def study_effects(request, slug):
    """Hide effects by generator from the team, or show them again: for owners."""
    study = get_study(request.user, slug, Role.OWNER)
    hide = request.POST.get("hide") == "yes"
    try:
        switch_effects(study, request.user, hidden=hide)
    except WrongState as error:
        messages.error(request, str(error))
    else:
        said = (_("Shown again: what the answers say of the generators."), _("Hidden until the study is closed."))
        messages.success(request, said[hide])
    return redirect("study_results", study.slug)


@login_required
@require_POST
def study_preview(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        annotator = launching.start_preview(study, request.POST.get("variant", ""))
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study", study.slug)
    return redirect("join", annotator.token)


@login_required
@require_POST
def take_rephrasal(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        item = rephrasals.take_rephrasal(study, pk)
        messages.success(request, _("The wording is in the bank as item “%(item)s”.") % {"item": item.external_id})
    except EditRefused as error:
        messages.error(request, str(error))
    return redirect("study_results", study.slug)
