"""“Add texts”: three ways that all lead to the preview of an import."""

from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render

from items.forms.adding import ImportForm, PasteForm, TextFilesForm
from items.services.uploads import keep_pasted, keep_text_files, keep_upload
from projects.access import get_project
from projects.models import Role


@login_required
def text_new(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = PasteForm(request.POST or None)
    if form.is_valid():
        kept = keep_pasted(project, request.user, form.rows())
        return redirect("item_import_preview", project.slug, kept.pk)
    return render(request, "items/add_paste.html", {"project": project, "form": form})


@login_required
def text_files(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = TextFilesForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        kept = keep_text_files(project, request.user, form.contents(), form.options())
        return redirect("item_import_preview", project.slug, kept.pk)
    return render(request, "items/add_files.html", {"project": project, "form": form})


@login_required
def item_import(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = ImportForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        upload = form.cleaned_data["file"]
        kept = keep_upload(project, request.user, upload.name, upload.read(), form.options())
        step = "item_import_columns" if kept.format == "csv" else "item_import_preview"
        return redirect(step, project.slug, kept.pk)
    return render(request, "items/import.html", {"project": project, "form": form})
