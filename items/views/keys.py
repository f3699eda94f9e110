from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from items.forms.keys import KeyForm
from items.models import Item
from items.services.keys import set_keys
from projects.access import get_project
from projects.models import Role


@login_required
def key_correct(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    item = get_object_or_404(Item.objects.select_related("text").current(), project=project, pk=pk)
    form = KeyForm(item, request.POST or None)
    if form.is_valid():
        if set_keys(item, form.cleaned_data["keys"], form.cleaned_data["reason"], request.user):
            messages.success(request, _("The key is corrected in every version of the item."))
            return redirect("text", project.slug, item.text_id)
        form.add_error("keys", _("These are the keys already. Change at least one, or go back."))
    return render(request, "items/key_form.html", {"project": project, "item": item, "text": item.text, "form": form})
