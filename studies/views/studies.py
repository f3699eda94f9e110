from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from items.services.editing import EditRefused
from jobs.views import ResultPending
from projects.models import Role
from studies.access import get_study
from studies.flow_picture import draw_flow
from studies.models import PeopleTexts, Purpose, StudyState
from studies.protocols import PROTOCOLS
from studies.services import launching, written_items
from studies.services.blocks import count_texts_left, draw_more_texts
from studies.services.declarations import get_declaration
from studies.services.design import summarize_draft
from studies.services.people_texts import find_draw, write_draw
from studies.services.progress import count_guesses, count_progress
from studies.services.second_round import can_open_second_round, open_second_round
from studies.services.selection import CALIBRATION
from studies.services.spec import SpecError
from studies.services.states import WrongState, switch_effects

OPENS_ON = {
    StudyState.DRAFT: "study_design",
    StudyState.LIVE: "study_annotators",
    StudyState.PAUSED: "study_annotators",
}


@login_required
@require_safe
def open_study(request, slug):
    """A draft leads to its design, a study with people answering to People, others to Results."""
    study = get_study(request.user, slug)
    return redirect(OPENS_ON.get(StudyState(study.state), "study_results"), study.slug)


@login_required
@require_safe
def study_page(request, slug):
    """The design, read-only; who may change a draft is sent to its last step, or to its texts if it has a problem."""
    study = get_study(request.user, slug)
    if study.is_draft and study.project.my_role.rank >= Role.RESEARCHER.rank:
        return redirect("study_step", study.slug, "launch" if not summarize_draft(study).problem else "texts")
    context = {"project": study.project, "study": study, "protocol": PROTOCOLS[study.protocol]}
    context["flow"] = draw_flow(get_declaration(study))
    context["variants"] = list_variants(study)
    context |= {"summary": summarize_draft(study)} if study.is_draft else describe_running_study(study)
    return render(request, "studies/study.html", context)


def list_variants(study) -> list[dict]:
    """Each variant with its differences from the study, and how many people it was drawn for."""
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


def describe_running_study(study) -> dict:
    units = study.units.all()
    return {
        "progress": count_progress(study),
        "simulated": count_progress(study, Purpose.SIMULATED),
        "balance": count_guesses(study),
        "may_open_second": can_open_second_round(study),
        "waits_for_main": get_declaration(study).calibration and not study.main_opened_at,
        "calibrates": units.filter(part=CALIBRATION).exists(),
        "n_texts": units.order_by().values("text").distinct().count(),
        "n_items": units.filter(items__isnull=False).order_by().values("items").distinct().count(),
        "n_units": units.count(),
        "people_texts": PeopleTexts.objects.filter(study=study).select_related("made_by").first(),
        "texts_left": count_texts_left(study),
        "written": written_items.describe_written_items(study),
    }


ACTIONS: dict[str, Callable[..., object]] = {
    "launch": launching.launch_or_schedule,
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
        job = ACTIONS[action](study, *([request.user] if action == "launch" else []))
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study_design", study.slug)
    if action != "launch":
        return redirect("study_design", study.slug)
    return redirect("study_launch", study.slug) if job else tell_launched(request, study)


def tell_launched(request, study) -> HttpResponse:
    sentence = (
        _("The study is live. Pass on the open link.")
        if study.recruitment.get("open_link")
        else _("The study is live. Send each annotator their own link.")
    )
    messages.success(request, sentence)
    return redirect("study_annotators", study.slug)


@login_required
@never_cache
@require_safe
def study_launch(request, slug):
    """The progress of the launch of a large study, then its people."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    if job := launching.find_launch(study):
        raise ResultPending(job, project=study.project, study=study)
    return redirect("study_design", slug) if study.is_draft else tell_launched(request, study)


@login_required
@require_POST
def study_draw(request, slug):
    """Draw more texts for people."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    given = request.POST.get("n", "")
    try:
        draw_more_texts(study, int(given) if given.isdecimal() else 0, request.user)
        messages.success(request, _("The texts were drawn and given to the people of the study."))
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
    return redirect("study_design", study.slug)


@login_required
@require_safe
def study_draw_csv(request, slug):
    """Which texts people do, and with which probability each was drawn; for a draft, as its launch would draw them."""
    study = get_study(request.user, slug)
    draw = find_draw(study)
    if draw is None:
        raise Http404
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-people-texts.csv"'}
    return HttpResponse(write_draw(draw), content_type="text/csv; charset=utf-8", headers=headers)


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
        sentences = (
            _("Results about the generators are shown again."),
            _("Results about the generators are hidden until the study is closed."),
        )
        messages.success(request, sentences[hide])
    return redirect("study_results", study.slug)


@login_required
@require_POST
def take_rephrasal(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        item = written_items.take_rephrasal(study, pk)
        messages.success(
            request, _("The wording was added to the project as item “%(item)s”.") % {"item": item.external_id}
        )
    except EditRefused as error:
        messages.error(request, str(error))
    return redirect("study_results", study.slug)
