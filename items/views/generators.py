from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from items.forms.generators import GeneratorForm
from items.models import Generator, Item
from items.services.editing import EditRefused, edit_generator
from projects.access import get_project
from projects.models import Role


@login_required
def generator_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    generator = get_object_or_404(Generator, project=project, pk=pk)
    form = GeneratorForm(request.POST or None, initial=GeneratorForm.initial_of(generator))
    if form.is_valid():
        try:
            edit_generator(generator, **form.cleaned_data)
        except EditRefused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("The generator is stored."))
            return redirect("text_list", project.slug)
    count = Item.objects.filter(generator=generator).current().count()
    context = {"project": project, "generator": generator, "form": form, "count": count}
    return render(request, "items/generator_form.html", context)
