from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from items.language import name_language
from items.models import Text
from projects.models import Role
from studies.access import get_study
from studies.forms.phases import KINDS, PhaseForm, RecruitmentForm
from studies.phases import AFTER_UNITS, ONCE
from studies.services import phase_editing, recruiting
from studies.services.declarations import get_wording
from studies.services.durations import get_shown_minutes
from studies.services.phases import get_usual_words, list_practice_choices
from studies.services.spec import SpecError
from studies.services.states import WrongState


@login_required
@require_safe
def study_phases(request, slug):
    """What people go through, in order."""
    study = get_study(request.user, slug, Role.VIEWER)
    return render_phases(request, study, RecruitmentForm(initial=RecruitmentForm.read(study.recruitment)))


def render_phases(request, study, recruitment: RecruitmentForm) -> HttpResponse:
    phases = phase_editing.list_phase_specs(study)
    rows = [
        (phase, KINDS[phase["kind"]], [] if study.is_draft else phase_editing.list_wordings(study, phase["name"]))
        for phase in phases
    ]
    kinds = [phase["kind"] for phase in phases]
    addable = [(kind, label) for kind, label in KINDS.items() if kind not in ONCE or kind not in kinds]
    context = {"study": study, "project": study.project, "tab": "phases", "rows": rows, "kinds": addable}
    context["main_at"] = next((place for place, kind in enumerate(kinds) if kind in AFTER_UNITS), len(kinds))
    context["has_thanks"] = "thanks" in kinds
    context |= {"recruitment": recruitment}
    return render(request, "studies/phases.html", context | describe(request, study))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_phase(request, slug, name):
    """Word one phase and its questions. A button that adds or moves a question stores nothing."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    phase = next((phase for phase in phase_editing.list_phase_specs(study) if phase["name"] == name), None)
    if phase is None:
        raise Http404
    form = PhaseForm(
        *((request.POST, request.FILES) if request.method == "POST" else (None,)),
        phase=phase,
        usual=get_usual_words(phase["kind"], study.language, get_wording(study)),
        language=study.language,
        words_only=not study.is_draft,
        practice=offer_practice_texts(study) if study.is_draft and phase["kind"] == "practice" else (),
    )
    if "act" in request.POST:
        form.rearrange(request.POST["act"])
    elif form.is_valid() and not form.has_problems and save(request, study, name, form):
        return redirect(f"{reverse('study_phases', args=[slug])}#phase-{name}")
    context = {"study": study, "project": study.project, "tab": "phases", "phase": phase, "form": form}
    context |= {"kind": KINDS[phase["kind"]], "language_name": name_language(study.language)}
    return render(request, "studies/phase.html", context | {"is_changed": request.method == "POST"})


def offer_practice_texts(study) -> list[Text]:
    """The texts to choose from; none while the study selects nothing."""
    try:
        return list_practice_choices(study)
    except SpecError:
        return []


def describe(request, study) -> dict:
    """What is shown besides the phases: the open link, the minutes, and who may change what."""
    mine = study.project.my_role.rank >= Role.RESEARCHER.rank
    link = request.build_absolute_uri(reverse("open_link", args=[study.open_token])) if study.open_token else ""
    return {
        "may_edit": mine and study.is_draft,
        "may_reword": mine and study.state in ("live", "paused"),
        "may_recruit": mine and study.state in ("draft", "live", "paused"),
        "open_link": link if mine else "",
        "id_secret": recruiting.get_id_secret(study) if mine and link and study.recruitment.get("signed_ids") else "",
        "minutes": get_shown_minutes(study) if study.launched_at else None,
    }


def save(request, study, name: str, form: PhaseForm) -> bool:
    try:
        change = phase_editing.replace_phase if study.is_draft else phase_editing.reword_phase
        change(study, name, form.as_spec())
    except (SpecError, WrongState) as error:
        form.add_error(getattr(error, "field", None) or None, str(error))
        return False
    messages.success(request, _("The phase was saved."))
    return True


@login_required
@require_POST
def phase_act(request, slug):
    """Add, move or remove a phase."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    name, act = request.POST.get("name", ""), request.POST.get("act", "")
    try:
        if act == "add" and name in KINDS:
            name = phase_editing.add_phase(study, name)
        elif act in ("up", "down"):
            phase_editing.move_phase(study, name, -1 if act == "up" else 1)
        elif act == "remove":
            phase_editing.remove_phase(study, name)
    except (SpecError, WrongState) as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('study_phases', args=[slug])}#phase-{name}")


@login_required
@never_cache
@require_POST
def signed_links(request, slug):
    """A table with the signed link of each id in a list."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    address = request.build_absolute_uri(reverse("open_link", args=[study.open_token])) if study.open_token else ""
    try:
        table = recruiting.write_signed_links(study, request.POST.get("ids", ""), address)
    except SpecError as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('study_phases', args=[slug])}#signed")
    response = HttpResponse(table, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-links.csv"'
    return response


@login_required
@require_POST
def study_recruitment(request, slug):
    """Save how people take part; what is refused stays in the form, with the reason."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = RecruitmentForm(request.POST)
    if form.is_valid():
        try:
            phase_editing.save_recruitment(study, form.as_study_file())
            messages.success(request, _("How people take part was saved."))
        except WrongState as error:
            messages.error(request, str(error))
        except SpecError as error:
            form.add_error(None, str(error))
        if not form.errors:
            return redirect(f"{reverse('study_phases', args=[slug])}#recruitment")
    return render_phases(request, study, form)
