from collections.abc import Callable, Collection
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms.models import model_to_dict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from items.forms.items import (
    EditItemForm,
    ItemForm,
    NewItemForm,
    OptionFormSet,
    default_generator,
    option_initial,
    with_more_rows,
)
from items.models import Item, Text
from items.services.editing import EditRefused, create_item, edit_item
from items.services.reading import newest_of
from items.values import OptionValues, equal_options
from projects.access import get_project
from projects.models import Role

Store = Callable[[ItemForm, list[OptionValues]], Item]


@login_required
def item_new(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    text = get_object_or_404(Text.objects.current(), project=project, pk=pk)
    form = NewItemForm(request.POST or None, initial={"generator": default_generator(list(project.generators.all()))})
    rows = OptionFormSet(request.POST or None, prefix="options", initial=option_initial(None))

    def store(form: ItemForm, options: list[OptionValues]) -> Item:
        return create_item(text, form.values(options), form.cleaned_data["external_id"])

    return _item_page(request, project, form, rows, store, text=text)


@login_required
def item_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    item = get_object_or_404(Item.objects.select_related("text", "generator"), project=project, pk=pk)
    if item.superseded_at and request.method != "POST":
        return redirect("item_edit", project.slug, newest_of(item).pk)
    form = EditItemForm(request.POST or None, initial=model_to_dict(item) | {"generator": item.generator.name})
    rows = OptionFormSet(request.POST or None, prefix="options", initial=option_initial(item))

    def store(form: ItemForm, options: list[OptionValues]) -> Item:
        return edit_item(item, form.values(options, item), request.user, form.cleaned_data["reason"])

    known = {option.external_id for option in item.options.all()}
    return _item_page(request, project, form, rows, store, known, text=item.text, item=item)


def _item_page(request, project, form: ItemForm, rows: Any, store: Store, known: Collection[str] = (), **context):
    """The form of an item with its rows of options: shown, given more rows, or stored."""
    if "more" in request.POST:
        form = type(form)(initial=request.POST.dict())
        rows = OptionFormSet(prefix="options", initial=with_more_rows(rows))
    elif form.is_valid() and rows.is_valid():
        try:
            item = store(form, rows.values(known))
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            _tell(request, item)
            return redirect("text", project.slug, item.text_id)
    context |= {"project": project, "form": form, "rows": rows, "generators": project.generators.all()}
    return render(request, "items/item_form.html", context)


def _tell(request, item: Item) -> None:
    messages.success(request, _("The item is stored as version {number}.").format(number=item.version))
    for wording in equal_options(option.text for option in item.options.all()):
        messages.warning(request, _("Two of its options are equal: “{wording}”.").format(wording=wording))
