"""Pages of texts, items, keys and generators."""

from collections import Counter
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlencode

import django_tables2 as tables
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Sum
from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe
from django_tables2 import RequestConfig

from items.formats import WRITERS
from items.forms.bank import (
    EditItemForm,
    EditTextForm,
    FilterForm,
    GeneratorForm,
    ItemForm,
    KeyForm,
    NewItemForm,
    OptionFormSet,
    SampleForm,
    VersionFormSet,
    add_option_rows,
    build_option_rows,
    choose_generator,
)
from items.language import name_language
from items.models import BankImport, Generator, Item, Picture, Text
from items.plain import count_words
from items.services.bank import (
    build_sheets,
    find_chosen,
    find_next_text,
    get_newest,
    group_by_generator,
    list_versions,
)
from items.services.editing import EditRefused, create_item, edit_generator, edit_item, edit_text
from items.services.search import flag_texts, list_choices, search_texts
from items.services.versions import set_keys
from items.values import OptionValues, find_equal_options
from projects.access import get_project
from projects.models import Role

WIDE_ONLY = {"th": {"class": "wide-only"}, "td": {"class": "wide-only"}}
NUMBER = {"th": {"class": "num"}, "td": {"class": "num", "data-name": gettext_lazy("Words")}}


class TextTable(tables.Table):
    title = tables.Column(verbose_name=gettext_lazy("Text"), empty_values=(), order_by=("title", "body"))
    external_id = tables.Column(verbose_name=gettext_lazy("Id"), attrs=WIDE_ONLY)
    language = tables.Column(verbose_name=gettext_lazy("Language"), attrs=WIDE_ONLY)
    items = tables.Column(
        verbose_name=gettext_lazy("Items by generator"),
        empty_values=(),
        orderable=False,
        attrs={"td": {"class": "full"}},
    )
    words = tables.Column(verbose_name=gettext_lazy("Words"), empty_values=(), orderable=False, attrs=NUMBER)

    class Meta:
        model = Text
        fields = ["title", "external_id", "language", "items", "words"]

    def render_title(self, record: Text) -> SafeString:
        url = reverse("text", args=[record.project.slug, record.pk])
        return format_html('<a href="{}" lang="{}" dir="auto" translate="no">{}</a>', url, record.language, record)

    def render_external_id(self, value: str) -> SafeString:
        return format_html('<code class="id" title="{0}">{0}</code>', value)

    def render_language(self, value: str) -> str:
        return name_language(value)

    def render_items(self, record: Any) -> str:
        counts = Counter(item.generator.name for item in record.current_items)
        return ", ".join(f"{name}:\N{NO-BREAK SPACE}{count}" for name, count in sorted(counts.items())) or "–"

    def render_words(self, record: Text) -> int:
        return count_words(record.body)


@login_required
def text_list(request, slug):
    project = get_project(request.user, slug)
    choices = list_choices(project)
    form = FilterForm(request.GET, choices=choices)
    search = form.read_search()
    table = TextTable(search_texts(project, search))
    RequestConfig(request, paginate={"per_page": 50}).configure(table)
    context = {
        "project": project,
        "table": table,
        "page_texts": [row.record for row in table.paginated_rows],
        "form": form,
        "filtered": bool(search),
        "languages": choices["language"],
        "tags": choices["tag"],
        "sample_form": SampleForm(initial={"sample": 10, "seed": 1}),
        "query": f"?{request.GET.urlencode()}" if search else "",
        "kept": [(name, value) for name, value in request.GET.items() if name in form.fields],
        "n_repair": count_to_repair(project),
        "question_formats": WRITERS,
        "asked": request.GET.urlencode(),
        "imported": find_import(project, request.GET.get("imported", "")),
        "archived": list_archived(project, request.GET.getlist("archived")),
    }
    return render(request, "items/text_list.html", context)


MAX_PRINTED = 100  # texts


@login_required
@require_safe
def text_print(request, slug):
    """The texts of a search with their items for printing, and the keys on a separate page."""
    project = get_project(request.user, slug)
    search = FilterForm(request.GET, choices=list_choices(project)).read_search()
    found = search_texts(project, search)
    sheets = build_sheets(found[:MAX_PRINTED], search.item_condition)
    context = {"project": project, "sheets": sheets, "limit": MAX_PRINTED, "is_cut": found.count() > MAX_PRINTED}
    return render(request, "items/print.html", context)


def find_import(project, chosen: str) -> BankImport | None:
    """The import just made, if it can still be undone."""
    done = project.bank_imports.first()
    return done if done and str(done.pk) == chosen and not done.undone_at else None


def list_archived(project, chosen: list[str]) -> list[Text]:
    """Which of the texts just archived still are, so that they can be restored at once."""
    return [text for text in find_chosen(project, chosen) if text.archived_at]


def count_to_repair(project) -> int:
    found = flag_texts(project.texts.available()).aggregate(n=Sum("n_repair"))
    return found["n"] or 0


def find_alike(project, items: list[Item]) -> dict[str, list[dict[str, Any]]]:
    from items.services import duplicates  # needs numpy

    return duplicates.find_alike(project, items)


@login_required
def text(request, slug, pk):
    project = get_project(request.user, slug)
    shown = get_object_or_404(Text, project=project, pk=pk)
    versions = list_versions(shown)
    columns = group_by_generator(shown)
    context = {"text": shown, "columns": columns, "versions": versions, "newest": versions[0]}
    context["alike"] = find_alike(project, [view.item for column in columns for view in column.items])
    return render(request, "items/text.html", {"project": project, **context})


@login_required
@require_safe
def text_picture(request, slug, digest):
    project = get_project(request.user, slug)
    picture = get_object_or_404(Picture, project=project, digest=digest)
    response = HttpResponse(bytes(picture.content), content_type=picture.media_type)
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response


@login_required
def text_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    old = get_object_or_404(Text, project=project, pk=pk)
    if old.superseded_at and request.method != "POST":
        return redirect("text_edit", project.slug, get_newest(old).pk)
    form = EditTextForm(request.POST or None, request.FILES or None, initial=model_to_dict(old), text=old)
    sent = "versions-TOTAL_FORMS" in request.POST  # a request without versions leaves them unchanged
    rows = VersionFormSet(request.POST if sent else None, prefix="versions", initial=old.versions)
    if form.is_valid() and (not sent or rows.is_valid()):
        values = form.values(old.metadata, rows.values() if sent else old.versions)
        try:
            new = edit_text(old, values, form.cleaned_data["pictures"].values())
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(request, _describe_edit(old, new))
            return redirect("text", project.slug, new.pk)
    return render(request, "items/text_form.html", {"project": project, "form": form, "rows": rows, "text": old})


def _describe_edit(old: Text, new: Text) -> str:
    if new.pk == old.pk:
        return _("Nothing changed, so no new version was created.")
    return _("Version {number} was saved, and the items were carried over.").format(number=new.version)


Store = Callable[[ItemForm, list[OptionValues]], Item]


@login_required
def item_new(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    text = get_object_or_404(Text.objects.current(), project=project, pk=pk)
    generator = request.GET.get("generator") or choose_generator(project.generators.all())
    form = NewItemForm(request.POST or None, initial={"generator": generator})
    rows = OptionFormSet(request.POST or None, prefix="options", initial=build_option_rows(None))

    def store(form: ItemForm, options: list[OptionValues]) -> Item:
        return create_item(text, form.values(options), form.cleaned_data["external_id"])

    next_text = find_next_text(text, form["generator"].value() or generator)
    return _render_item_form(request, project, form, rows, store, text=text, next_text=next_text)


@login_required
def item_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    item = get_object_or_404(Item.objects.select_related("text", "generator"), project=project, pk=pk)
    if item.superseded_at and request.method != "POST":
        return redirect("item_edit", project.slug, get_newest(item).pk)
    form = EditItemForm(request.POST or None, initial=model_to_dict(item) | {"generator": item.generator.name})
    rows = OptionFormSet(request.POST or None, prefix="options", initial=build_option_rows(item))

    def store(form: ItemForm, options: list[OptionValues]) -> Item:
        return edit_item(item, form.values(options, item), request.user, form.cleaned_data["reason"])

    known = {option.external_id for option in item.options.all()}
    return _render_item_form(request, project, form, rows, store, known, text=item.text, item=item)


def _render_item_form(
    request, project, form: ItemForm, rows: Any, store: Store, known: Collection[str] = (), **context
):
    """The form of an item with its rows of options: shown, extended by rows, or stored."""
    if "more" in request.POST:
        form = type(form)(initial=request.POST.dict())
        rows = OptionFormSet(prefix="options", initial=add_option_rows(rows))
    elif form.is_valid() and rows.is_valid():
        try:
            item = store(form, rows.values(known))
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            _report_stored(request, item)
            return redirect(_choose_next_page(request, item))
    context |= {"project": project, "form": form, "rows": rows, "generators": project.generators.all()}
    return render(request, "items/item_form.html", context)


def _choose_next_page(request, item: Item) -> str:
    """The text of the item, or the form for another item of its generator, about the same text or the next one."""
    slug, generator = item.project.slug, item.generator.name
    pk = item.text_id if "another" in request.POST else None
    if "next" in request.POST:
        pk = find_next_text(item.text, generator)
    if pk is None:
        return reverse("text", args=[slug, item.text_id])
    return f"{reverse('item_new', args=[slug, pk])}?{urlencode({'generator': generator})}"


def _report_stored(request, item: Item) -> None:
    messages.success(request, _("The item was saved as version {number}.").format(number=item.version))
    options = list(item.options.all())
    if options and not any(option.correct for option in options):
        messages.warning(
            request, _("No option of this item is marked as its key. Selecting none then counts as right.")
        )
    for wording in find_equal_options(option.text for option in options):
        messages.warning(request, _("Two options of this item are equal: “{wording}”.").format(wording=wording))


@login_required
def key_correct(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    item = get_object_or_404(Item.objects.select_related("text").current(), project=project, pk=pk)
    form = KeyForm(item, request.POST or None)
    if form.is_valid():
        if set_keys(item, form.cleaned_data["keys"], form.cleaned_data["reason"], request.user):
            messages.success(request, _("The key was corrected in every version of the item."))
            return redirect("text", project.slug, item.text_id)
        form.add_error("keys", _("The keys have not changed. Change at least one, or go back."))
    return render(request, "items/key_form.html", {"project": project, "item": item, "text": item.text, "form": form})


@login_required
def generator_edit(request, slug, pk):
    project = get_project(request.user, slug, Role.RESEARCHER)
    generator = get_object_or_404(Generator, project=project, pk=pk)
    form = GeneratorForm(request.POST or None, initial=GeneratorForm.build_initial(generator))
    if form.is_valid():
        try:
            edit_generator(generator, **form.cleaned_data)
        except EditRefused as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("The generator was saved."))
            return redirect("text_list", project.slug)
    count = Item.objects.filter(generator=generator).current().count()
    context = {"project": project, "generator": generator, "form": form, "count": count}
    return render(request, "items/generator_form.html", context)
