from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms.models import model_to_dict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django_tables2 import RequestConfig

from items.forms.filters import FilterForm
from items.forms.texts import TextForm
from items.language import language_name
from items.models import Text
from items.services.editing import EditRefused, edit_text
from items.services.listing import languages_in, texts_of
from items.services.reading import columns_of, newest_of, versions_of
from items.tables import TextTable
from projects.access import get_project
from projects.models import Role


@login_required
def text_list(request, slug):
    project = get_project(request.user, slug)
    languages = languages_in(project)
    form = FilterForm(request.GET, languages=[(code, language_name(code)) for code in languages])
    asked = form.cleaned_data if form.is_valid() else {"q": "", "language": ""}
    table = TextTable(texts_of(project, asked["q"], asked["language"]))
    RequestConfig(request, paginate={"per_page": 50}).configure(table)
    context = {
        "project": project,
        "table": table,
        "form": form,
        "filtered": any(asked.values()),
        "languages": languages,
    }
    return render(request, "items/text_list.html", context)


@login_required
def text(request, slug, pk):
    project = get_project(request.user, slug)
    shown = get_object_or_404(Text, project=project, pk=pk)
    versions = versions_of(shown)
    context = {"text": shown, "columns": columns_of(shown), "versions": versions, "newest": versions[0]}
    return render(request, "items/text.html", {"project": project, **context})


@login_required
def text_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    old = get_object_or_404(Text, project=project, pk=pk)
    if old.superseded_at and request.method != "POST":
        return redirect("text_edit", project.slug, newest_of(old).pk)
    form = TextForm(request.POST or None, initial=model_to_dict(old))
    if form.is_valid():
        try:
            new = edit_text(old, form.values(old.metadata))
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _told(old, new))
            return redirect("text", project.slug, new.pk)
    return render(request, "items/text_form.html", {"project": project, "form": form, "text": old})


def _told(old: Text, new: Text) -> str:
    if new.pk == old.pk:
        return _("Nothing was different, so no new version was made.")
    return _("Version {number} is stored, and its items were carried over.").format(number=new.version)
