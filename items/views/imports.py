from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from items.formats.tables.columns import recognised
from items.forms.adding import ColumnsForm
from items.services.exporting import bank_lines
from items.services.importing import ImportRefused, import_items
from items.services.planning import plan_import
from items.services.reading import current_text
from items.services.uploads import (
    PASTED,
    TEXT_FILES,
    ask_to_update,
    choose_columns,
    options_of,
    reading_of,
    table_of,
    uploads_of,
)
from projects.access import get_project
from projects.models import Role

# First rows of a table beside what its columns say.
SHOWN = 3
# Where what was sent comes from, if not from the page of files.
WAYS = {PASTED: "text_new", TEXT_FILES: "text_files"}


@login_required
def item_import_columns(request, slug, pk):
    """What each column of a table says: recognised by its name, chosen by hand."""
    project, file = _kept(request, slug, pk)
    if file is None:
        return _gone(request, project)
    table = table_of(file)
    if table is None:
        return redirect("item_import_preview", project.slug, file.pk)
    form = ColumnsForm(request.POST or None, header=table.header, fields=file.columns or recognised(table.header))
    if form.is_valid():
        choose_columns(file, form.chosen())
        return redirect("item_import_preview", project.slug, file.pk)
    columns = list(zip(form, zip(*(row.cells for row in table.rows[:SHOWN]), strict=True), strict=True))
    return render(
        request, "items/import_columns.html", {"project": project, "file": file, "form": form, "columns": columns}
    )


@login_required
def item_import_preview(request, slug, pk):
    """What the import would do; POST does it, if nothing forbids it now."""
    project, file = _kept(request, slug, pk)
    if file is None:
        return _gone(request, project)
    reading = reading_of(file)
    try:
        if request.method == "POST":
            plan = import_items(project, reading, options_of(file), filename=file.name, user=request.user)
            file.delete()
            return _imported(request, project, plan)
        plan = plan_import(project, reading, options_of(file))
    except ImportRefused as refusal:
        messages.error(
            request, _("Nothing was stored: the project has changed since the preview. See what stands against it.")
        )
        plan = refusal.plan
    context = {"project": project, "file": file, "plan": plan, "counts": plan.counts(), "table": table_of(file)}
    context["back"] = reverse(WAYS.get(file.format, "item_import"), args=[project.slug])
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


def _imported(request, project, plan):
    """One new text is shown, so that items can be written next; else the list."""
    messages.success(request, _("Imported: {counts}.").format(counts=", ".join(plan.sentences())))
    if len(plan.new_texts) == 1 and not plan.new_items:
        return redirect("text", project.slug, current_text(project, plan.new_texts[0].id).pk)
    return redirect("text_list", project.slug)


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
