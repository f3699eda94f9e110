"""Pages of import and export: three ways to add texts, each with a preview."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from items.files import wants_bom
from items.forms.bank import FilterForm, SampleForm
from items.forms.imports import ColumnsForm, ImportForm, PasteForm, PiecesForm, TextFilesForm
from items.models import ImportFile
from items.services.bank import get_current_text
from items.services.exporting import ARCHIVES, Selection, build_archive, export_lines
from items.services.import_files import (
    PASTED,
    STORE,
    TEXT_FILES,
    UNDO,
    CannotArrange,
    arrange_or_schedule,
    ask_for_import,
    ask_for_preview,
    can_arrange,
    choose_columns,
    get_arrangement,
    get_options,
    get_table,
    is_large,
    list_fields,
    list_import_files,
    read_import_file,
    request_update,
    store_pasted,
    store_pieces,
    store_text_files,
    store_upload,
    undo_or_schedule,
)
from items.services.importing import ImportRefused, import_items
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from items.services.search import list_choices
from items.services.undoing import CannotUndo, list_imports
from jobs.models import Job
from jobs.views import ResultPending
from projects.access import get_project
from projects.models import Role


@login_required
def text_new(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = PasteForm(request.POST or None)
    if form.is_valid():
        stored = store_pasted(project, request.user, form.rows())
        return redirect("item_import_preview", project.slug, stored.pk)
    return render(request, "items/add_paste.html", {"project": project, "form": form})


@login_required
def text_files(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = TextFilesForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        stored = store_text_files(project, request.user, form.contents(), form.options())
        return redirect("item_import_preview", project.slug, stored.pk)
    return render(request, "items/add_files.html", {"project": project, "form": form})


@login_required
def item_import(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        upload = form.cleaned_data["file"]
        chosen = form.cleaned_data["format"]
        stored = store_upload(project, request.user, upload.name, upload.read(), form.options(), chosen)
        step = "item_import_columns" if stored.format == "csv" else "item_import_preview"
        return redirect(step, project.slug, stored.pk)
    context = {"project": project, "form": form, "imports": list_imports(project)}
    return render(request, "items/import.html", context)


@login_required
@require_POST
def item_import_undo(request, slug, pk):
    """Delete everything that an import added; a worker does it for a large one."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    try:
        job = undo_or_schedule(get_object_or_404(project.bank_imports, pk=pk), request.user)
    except CannotUndo as reason:
        messages.error(request, _("Nothing was undone.") + f" {reason}")
        return redirect("item_import", project.slug)
    if job:
        return redirect("item_import_job", project.slug, job.pk)
    return _redirect_undone(request, project)


def _redirect_undone(request, project):
    messages.success(request, _("The import was undone."))
    return redirect("item_import", project.slug)


# The first rows of a table, shown beside the meaning of its columns.
SAMPLE_ROWS = 3
# The origin of an upload, if it is not the page of files.
START_PAGES = {PASTED: "text_new", TEXT_FILES: "text_files"}


@login_required
def item_import_columns(request, slug, pk):
    """The meaning of each column of a table: recognized by its name, or chosen by hand."""
    project, file = _get_import_file(request, slug, pk)
    if file is None:
        return _redirect_gone(request, project)
    table = get_table(file, SAMPLE_ROWS)
    if table is None:
        return redirect("item_import_preview", project.slug, file.pk)
    form = ColumnsForm(request.POST or None, header=table.header, fields=list_fields(file, table))
    if form.is_valid():
        choose_columns(file, form.list_choices())
        return redirect("item_import_preview", project.slug, file.pk)
    columns = list(zip(form, zip(*(row.cells for row in table.rows), strict=True), strict=True))
    return render(
        request, "items/import_columns.html", {"project": project, "file": file, "form": form, "columns": columns}
    )


PIECES_PER_PAGE = 50


@login_required
def item_import_paragraphs(request, slug, pk):
    """The paragraphs of pasted texts or text files: to cut, join and leave out, with where they came from."""
    project, file = _get_import_file(request, slug, pk)
    if file is None:
        return _redirect_gone(request, project)
    if not can_arrange(file):
        return redirect("item_import_preview", project.slug, file.pk)
    try:
        if file.paragraphs is None and (job := arrange_or_schedule(file)):
            raise ResultPending(job, project=project)
        return _edit_paragraphs(request, project, file)
    except CannotArrange as reason:
        messages.error(request, str(reason))
        return redirect("item_import_preview", project.slug, file.pk)


def _edit_paragraphs(request, project, file: ImportFile):
    """A page of the paragraphs; POST stores what was chosen on it, then shows another page or the preview."""
    arrangement = get_arrangement(file)
    page: Page = Paginator(arrangement.pieces, PIECES_PER_PAGE).get_page(request.GET.get("page"))
    is_current = request.POST.get("revision") == str(arrangement.revision)
    if request.method == "POST" and not is_current:
        messages.error(request, _("The paragraphs were changed in another window. These are the current ones."))
    form = PiecesForm(request.POST if is_current else None, page)
    if form.is_valid():
        store_pieces(file, arrangement, form.change(arrangement.pieces))
        return _redirect_from_paragraphs(request, project, file, page)
    context = {"project": project, "file": file, "forms": form.forms, "page": page, "revision": arrangement.revision}
    context["has_headings"] = any(piece.is_heading for piece in arrangement.pieces)
    return render(request, "items/import_paragraphs.html", context)


def _redirect_from_paragraphs(request, project, file: ImportFile, page: Page):
    if "preview" in request.POST:
        return redirect("item_import_preview", project.slug, file.pk)
    address = reverse("item_import_paragraphs", args=[project.slug, file.pk])
    cut, other = (request.POST.get(name, "") for name in ("cut", "page"))
    place = f"#piece-{cut}" if cut.isdecimal() else ""
    return redirect(f"{address}?page={other if other.isdecimal() else page.number}{place}")


@login_required
def item_import_preview(request, slug, pk):
    """What the import would do; POST does it, if nothing prevents it now."""
    project, file = _get_import_file(request, slug, pk)
    if file is None:
        return _redirect_gone(request, project)
    if is_large(file):
        if request.method == "POST":
            return redirect("item_import_job", project.slug, ask_for_import(file).pk)
        job = ask_for_preview(file)
        if not job.is_current(job.version):
            raise ResultPending(job, project=project)
        return _render_preview(request, project, file, job.read_value())
    reading = read_import_file(file)
    try:
        if request.method == "POST":
            plan = import_items(project, reading, get_options(file), filename=file.name, user=request.user)
            file.delete()
            return _redirect_imported(request, project, plan)
        plan = plan_import(project, reading, get_options(file))
    except ImportRefused as refusal:
        messages.error(
            request, _("Nothing was stored: the project has changed since the preview. See the new problems below.")
        )
        plan = refusal.plan
    return _render_preview(request, project, file, plan)


def _render_preview(request, project, file: ImportFile, plan: ImportPlan) -> HttpResponse:
    context = {"project": project, "file": file, "plan": plan, "counts": plan.counts()}
    context["is_table"] = file.format == "csv" and get_table(file, 1) is not None
    context["can_arrange"] = can_arrange(file)
    context["back"] = reverse(START_PAGES.get(file.format, "item_import"), args=[project.slug])
    return render(request, "items/import_preview.html", context)


@login_required
@require_safe
def item_import_job(request, slug, pk):
    """The progress of a large file's import, or of its undoing; then the list, as after any import."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    job = get_object_or_404(Job, kind__in=(STORE, UNDO), project=project, owner=request.user, pk=pk)
    if not job.is_done:
        raise ResultPending(job, project=project)
    if job.kind == UNDO:
        return _redirect_undone(request, project)
    messages.success(request, _("Imported: {counts}.").format(counts=", ".join(job.about["sentences"])))
    number = job.about["result"]["number"]
    return redirect(reverse("text_list", args=[project.slug]) + (f"?imported={number}" if number else ""))


@login_required
@require_POST
def item_import_update(request, slug, pk):
    """Preview again, now with changed wordings as new versions."""
    project, file = _get_import_file(request, slug, pk)
    if file is None:
        return _redirect_gone(request, project)
    request_update(file)
    return redirect("item_import_preview", project.slug, file.pk)


@login_required
@require_safe
def item_export(request, slug):
    project = get_project(request.user, slug)
    response = HttpResponse(
        export_lines(project, read_selection(request, project)), content_type="application/jsonl; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-items.jsonl"'
    return response


@login_required
@require_safe
def question_export(request, slug, format):
    """The bank in a question format, with the list of what that cannot hold."""
    project = get_project(request.user, slug)
    if format not in ARCHIVES:
        raise Http404
    content = build_archive(project, format, read_selection(request, project), bom=wants_bom(request.GET))
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-items-{format}.zip"'
    return response


def read_selection(request, project) -> Selection:
    """The part of the bank given in the address: the filters of the list, and a sample."""
    form = FilterForm(request.GET, choices=list_choices(project))
    return Selection(form.read_search(), SampleForm(request.GET).read_sample())


def _redirect_imported(request, project, plan):
    """Shows a single new text, so that items can be written next; else the list."""
    messages.success(request, _("Imported: {counts}.").format(counts=", ".join(plan.sentences())))
    if len(plan.new_texts) == 1 and not plan.new_items:
        return redirect("text", project.slug, get_current_text(project, plan.new_texts[0].id).pk)
    done = project.bank_imports.filter(user=request.user, undone_at=None).first()
    asked = f"?imported={done.pk}" if done and plan.writes else ""
    return redirect(reverse("text_list", args=[project.slug]) + asked)


def _get_import_file(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    return project, list_import_files(project, request.user).filter(pk=pk).first()


def _redirect_gone(request, project):
    """The upload was imported already (perhaps by a double click), or is a day old, or somebody else's."""
    messages.error(
        request,
        _(
            "The uploaded file is no longer here: it was imported, or is more than a day old. If you still "
            "need it, upload it again."
        ),
    )
    return redirect("item_import", project.slug)
