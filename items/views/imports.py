from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from items.formats import format_of
from items.forms.imports import ImportForm
from items.services.exporting import bank_lines
from items.services.importing import ImportRefused, import_items, read
from items.services.planning import plan_import
from items.services.uploads import ask_to_update, keep_upload, options_of, uploads_of
from projects.access import get_project
from projects.models import Role


@login_required
def item_import(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        upload = form.cleaned_data["file"]
        kept = keep_upload(project, request.user, upload.name, upload.read(), form.options())
        return redirect("item_import_preview", project.slug, kept.pk)
    return render(request, "items/import.html", {"project": project, "form": form})


@login_required
def item_import_preview(request, slug, pk):
    """What the import would do; POST does it, if nothing forbids it now."""
    project, file = _kept(request, slug, pk)
    if file is None:
        return _gone(request, project)
    reading = read(bytes(file.content), format_of(file.name) or "lesart")
    try:
        if request.method == "POST":
            plan = import_items(project, reading, options_of(file), filename=file.name, user=request.user)
            file.delete()
            messages.success(request, _("Imported: {counts}.").format(counts=", ".join(plan.sentences())))
            return redirect("text_list", project.slug)
        plan = plan_import(project, reading, options_of(file))
    except ImportRefused as refusal:
        messages.error(
            request, _("Nothing was stored: the project has changed since the preview. See what stands against it.")
        )
        plan = refusal.plan
    context = {"project": project, "file": file, "plan": plan, "counts": plan.counts()}
    return render(request, "items/import_preview.html", context)


@login_required
@require_POST
def item_import_update(request, slug, pk):
    """Preview again, now taking other wordings as new versions."""
    project, file = _kept(request, slug, pk)
    if file is None:
        return _gone(request, project)
    ask_to_update(file)
    return redirect("item_import_preview", project.slug, file.pk)


@login_required
@require_safe
def item_export(request, slug):
    project = get_project(request.user, slug)
    response = HttpResponse(bank_lines(project), content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-items.jsonl"'
    return response


def _kept(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    return project, uploads_of(project, request.user).filter(pk=pk).first()


def _gone(request, project):
    """Imported before (perhaps by a double click), or a day old; another's file looks the same."""
    messages.error(
        request,
        _("The file is gone: it was imported, or waited for a day. If it is still needed, send it again."),
    )
    return redirect("item_import", project.slug)
