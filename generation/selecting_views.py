"""Pages on which the best of a generator's candidates are kept."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from generation.models import Selection
from generation.services import selecting
from generation.services.choosing import MOST_ITEMS, N_ITEMS
from generation.services.writing import CannotGenerate
from items.models import Generator
from projects.access import get_project
from projects.models import Role
from studies.models import Annotator


class SelectForm(forms.Form):
    """By whose answers, and how many items of each text."""

    selector = forms.ModelChoiceField(
        label=gettext_lazy("Selecting model"), queryset=Annotator.objects.none(), empty_label=None
    )
    n = forms.IntegerField(
        label=gettext_lazy("Items to keep a text"), min_value=1, max_value=MOST_ITEMS, initial=N_ITEMS
    )

    def __init__(self, selection: Selection, *args, **kwargs):
        super().__init__(*args, **kwargs)
        selectors = selecting.selectors_in(selection.study)
        rows = Annotator.objects.filter(pk__in=[each.pk for each in selectors])
        self.fields["selector"].queryset = rows  # type: ignore[attr-defined]
        self.fields["selector"].label_from_instance = lambda each: each.code  # type: ignore[attr-defined]
        self.has_selectors = bool(selectors)


@login_required
@require_POST
def selection_begin(request, slug, pk):
    """Makes the study in which a model answers the candidates."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    generator = get_object_or_404(Generator, project=project, pk=pk)
    try:
        selections = selecting.selections_for(generator)
    except CannotGenerate as refused:
        messages.error(request, str(refused))
        return redirect("generation_written", project.slug, generator.pk)
    return redirect("selection", project.slug, selections[0].pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def selection_page(request, slug, pk):
    """All candidates with what the model made of them, and which are kept; before that, what is to be done."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    rows = Selection.objects.select_related("study", "candidates", "selected")
    selection = get_object_or_404(rows, pk=pk, candidates__project=project)
    form = SelectForm(selection, request.POST or None)
    if form.is_valid():
        try:
            selecting.select(selection, form.cleaned_data["selector"], form.cleaned_data["n"])
        except CannotGenerate as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("The best candidates are kept. All of them stay in the bank."))
            return redirect("selection", project.slug, selection.pk)
    context = {"project": project, "selection": selection, "form": form, "candidates": shown(selection)}
    return render(request, "generation/selection.html", context)


def shown(selection: Selection) -> list[selecting.Candidate]:
    """What was selected, by whom; empty before that."""
    if selection.selected is None:
        return []
    selector = next(
        (each for each in selecting.selectors_in(selection.study) if each.model == selection.selector), None
    )
    return selecting.judged_by(selection, selector, selection.n_kept or 0) if selector else []
