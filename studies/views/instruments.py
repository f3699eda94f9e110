from csp.decorators import csp_update
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from projects.access import get_project
from projects.models import Project, Role
from studies.forms.instruments import (
    CopyForm,
    SubjectForm,
    UploadForm,
    WordingForm,
    find_preview_subject,
    read_sent_draft,
)
from studies.instrument_kinds import CannotPreview
from studies.models import Instrument, InstrumentVersion
from studies.services import instrument_writing as writing
from studies.services.instruments import (
    describe_instrument,
    find_uses,
    get_newest_version,
    get_source,
    list_families,
)
from studies.strict_yaml import iter_leaves
from studies.wording_names import name_section, name_wording
from studies.wordings import compare_versions

PREVIEW = "X-Lesart-Preview"  # sent by the script, which shows the preview within the page
BY = ("fields", "yaml")


def get_instrument(request, slug, pk, role: Role = Role.VIEWER) -> tuple[Project, Instrument]:
    """The instrument if it belongs to the project or to no project."""
    project = get_project(request.user, slug, role)
    return project, get_object_or_404(Instrument, Q(project=project) | Q(project=None), pk=pk)


def get_version(instrument: Instrument, number: int) -> InstrumentVersion:
    return get_object_or_404(instrument.versions.select_related("instrument", "created_by"), version=number)


@login_required
@require_safe
def instrument_list(request, slug):
    project = get_project(request.user, slug)
    families = list_families(project, get_language() or "en")
    sections = (
        (_("For people"), [family for family in families if family.is_for_people]),
        (_("For models"), [family for family in families if not family.is_for_people]),
    )
    context = {"project": project, "sections": sections}
    return render(request, "studies/instrument_list.html", context)


@login_required
@require_safe
def instrument_page(request, slug, pk):
    """All versions of an instrument, with the uses of each."""
    project, instrument = get_instrument(request, slug, pk)
    versions = instrument.versions.select_related("instrument", "created_by")
    rows = [(version, *find_uses(version, project)) for version in versions]
    context = {
        "project": project,
        "instrument": instrument,
        "listed": describe_instrument(instrument, project),
        "rows": rows,
    }
    return render(request, "studies/instrument.html", context)


@login_required
@require_safe
def instrument_version(request, slug, pk, number):
    project, instrument = get_instrument(request, slug, pk)
    version = get_version(instrument, number)
    draft = writing.read_draft(get_source(version))
    studies, runs = find_uses(version, project)
    context = {
        "project": project,
        "instrument": instrument,
        "version": version,
        "draft": draft,
        "is_newest": get_newest_version(instrument).pk == version.pk,
        "wordings": [
            (name_wording(draft.content, path), value, isinstance(value, list))
            for path, value in iter_leaves(draft.content)
        ],
        "subject": SubjectForm(project, draft),
        "studies": studies,
        "runs": runs,
    }
    return render(request, "studies/instrument_version.html", context)


@login_required
@require_safe
def instrument_download(request, slug, pk, number):
    _project, instrument = get_instrument(request, slug, pk)
    version = get_version(instrument, number)
    response = HttpResponse(get_source(version), content_type="application/yaml; charset=utf-8")
    name = f"{instrument.name}.{instrument.language}.v{version.version}.yaml"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@login_required
@require_safe
def instrument_diff(request, slug, pk):
    """The differences of version `to` from version `from`; by default, the newest and the one before it."""
    project, instrument = get_instrument(request, slug, pk)
    versions = list(instrument.versions.select_related("created_by"))
    after = find_version(versions, request.GET.get("to"), 0)
    before = find_version(versions, request.GET.get("from"), min(versions.index(after) + 1, len(versions) - 1))
    context = {"project": project, "instrument": instrument, "versions": versions, "before": before, "after": after}
    context["rows"] = compare_versions(before.content, after.content)
    return render(request, "studies/instrument_diff.html", context)


def find_version(versions: list[InstrumentVersion], number: str | None, default: int) -> InstrumentVersion:
    if number is None:
        return versions[default]
    for version in versions:
        if str(version.version) == number:
            return version
    raise Http404


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instrument_edit(request, slug, pk):
    """The editor. Saving makes a new version; switching between fields and YAML keeps the draft."""
    project, instrument = get_instrument(request, slug, pk, Role.RESEARCHER)
    if instrument.project_id is None:
        messages.info(request, _("This instrument comes with Lesart and cannot be changed. Copy it and edit the copy."))
        return redirect("instrument_copy", project.slug, instrument.pk)
    before = get_newest_version(instrument)
    draft = read_sent_draft(request.POST) if request.method == "POST" else writing.read_draft(get_source(before))
    problems = draft.problems
    if "save" in request.POST:
        try:
            return save_draft(request, project, instrument, draft)
        except writing.InstrumentRefused as refused:
            problems = refused.problems
    return render(
        request, "studies/instrument_edit.html", build_editor_context(request, project, before, draft, problems)
    )


def save_draft(request, project: Project, instrument: Instrument, draft: writing.Draft):
    seen = request.POST.get("seen", "")
    version, is_new = writing.save_version(
        instrument,
        draft.source,
        user=request.user,
        note=request.POST.get("note", "")[:200],
        seen=int(seen) if seen.isascii() and seen.isdecimal() and len(seen) < 7 else None,
    )
    report_save(request, version, is_new)
    return redirect("instrument_version", project.slug, instrument.pk, version.version)


def report_save(request, version: InstrumentVersion, is_new: bool) -> None:
    sentence = _("Version %(number)d is stored.")
    if not is_new:
        sentence = _("Nothing was stored: the file is identical to version %(number)d.")
    (messages.success if is_new else messages.info)(request, sentence % {"number": version.version})


def build_editor_context(
    request, project: Project, before: InstrumentVersion, draft: writing.Draft, problems: list
) -> dict:
    wanted = request.POST.get("show", request.POST.get("by", request.GET.get("by", "fields")))
    draft = writing.Draft(draft.source, draft.content, draft.kind, problems)
    fields = WordingForm(draft)
    return {
        "project": project,
        "instrument": before.instrument,
        "before": before,
        "draft": draft,
        "by": wanted if wanted in BY and draft.content else "yaml",
        "fields": fields,
        "opened": find_rearranged_section(request.POST.get("entry", "")),
        "other_problems": [problem for problem in problems if not fields.place_of(problem)],
        "is_changed": draft.source != writing.read_draft(get_source(before)).source,
        "note": request.POST.get("note", ""),
        "subject": SubjectForm(project, writing.read_draft(get_source(before)), request.POST or None),
    }


def find_rearranged_section(sent: str) -> str:
    """The title of the section whose entry was moved, copied or removed."""
    place = sent.partition(":")[2]
    return name_section(tuple(place.split("."))) if place else ""


# Also in a window of their own, the shown pages must not run or send anything.
@csp_update({"sandbox": ["allow-same-origin"]})  # type: ignore[arg-type]
@login_required
@require_POST
def instrument_preview(request, slug):
    """The submitted draft as people or models would get it; the script gets JSON, with the errors."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    draft = read_sent_draft(request.POST)
    message, shown = "", None
    if draft.kind and not draft.problems:
        try:
            shown = render_preview(request, project, draft)
        except CannotPreview as cannot:
            message = str(cannot)
    if PREVIEW not in request.headers:
        return shown or render(
            request, "studies/instrument_unready.html", {"problems": draft.problems, "message": message}
        )
    places = WordingForm(draft) if draft.content else None
    return JsonResponse(
        {
            "page": shown.content.decode() if shown else "",
            "message": message,
            "notices": draft.notices,
            "problems": [
                {"place": places.place_of(problem) if places else "", "sentence": problem.sentence}
                for problem in draft.problems
            ],
        }
    )


def render_preview(request, project: Project, draft: writing.Draft) -> HttpResponse:
    subject = find_preview_subject(project, request.POST)
    if draft.kind is None or subject is None:
        raise CannotPreview(_("The preview needs a text with items. Add one to the project, then select it."))
    return draft.kind.preview(request, draft.content, subject)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instrument_copy(request, slug, pk):
    project, instrument = get_instrument(request, slug, pk, Role.RESEARCHER)
    form = CopyForm(request.POST or None, initial={"name": f"{instrument.name}-{project.slug}"[:100]})
    if form.is_valid():
        try:
            copy = writing.copy_instrument(
                get_newest_version(instrument), project, form.cleaned_data["name"], user=request.user
            )
        except writing.InstrumentRefused as refused:
            form.add_error("name", str(refused))
        else:
            sentence = _("“%(name)s” now belongs to the project, and you can edit it.")
            messages.success(request, sentence % {"name": copy.instrument})
            return redirect("instrument_edit", project.slug, copy.instrument_id)
    context = {"project": project, "instrument": instrument, "version": get_newest_version(instrument), "form": form}
    return render(request, "studies/instrument_copy.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def instrument_upload(request, slug):
    """Import a file as a new instrument, or as the next version of the one that it names."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = UploadForm(request.POST or None, request.FILES or None)
    problems = []
    if form.is_valid():
        try:
            version, is_new = writing.import_instrument(
                form.cleaned_data["file"], project, user=request.user, note=form.cleaned_data["note"]
            )
        except writing.InstrumentRefused as refused:
            problems = refused.problems
        else:
            report_save(request, version, is_new)
            return redirect("instrument_version", project.slug, version.instrument_id, version.version)
    context = {"project": project, "form": form, "problems": problems}
    return render(request, "studies/instrument_upload.html", context)
