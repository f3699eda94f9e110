"""Texts, items, generators, and files of them."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.shapes import ColumnSerializer, JobSerializer
from api.views.base import BOM, FileView, Filter, ProjectView, operation
from items.files import wants_bom
from items.formats import FORMATS, find_format
from items.formats.jsonl import BadLine, parse_object
from items.formats.table_columns import CHOICES
from items.forms.bank import SampleForm
from items.models import MAX_ID, Generator, GeneratorKind, ImportFile, Item, Text
from items.plain import clean_language, clean_name, clean_tags, make_printable
from items.services.editing import tag_items
from items.services.exporting import (
    ARCHIVES,
    Selection,
    build_archive,
    build_item_object,
    build_text_object,
    export_lines,
)
from items.services.import_files import (
    TEXT_FILES,
    ask_for_import,
    ask_for_preview,
    choose_columns,
    describe_import,
    is_large,
    read_import_file,
    store_text_files,
    store_upload,
    undo_or_schedule,
)
from items.services.importing import ImportRefused, import_items, read_bank_file
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from items.services.search import BankSearch, Stratum, TextFlag, count_tags, match_items, search_texts
from projects.models import Role

OWN_ID = "Your own id, unique in the project; absent: made from the content."
REQUEST = "API"  # the name in the log of corrections for a change without a file


class OptionSerializer(serializers.Serializer):
    id = serializers.CharField(required=False)
    text = serializers.CharField()
    correct = serializers.BooleanField(help_text="Whether it is a key.")
    explanation = serializers.CharField(required=False)


class ItemFieldsSerializer(serializers.Serializer):
    """An item in the format of item files (docs/formats.md)."""

    id = serializers.CharField(required=False, help_text=OWN_ID)
    generator = serializers.CharField(required=False, help_text="Who wrote it; absent: human.")
    question = serializers.CharField()
    multiple = serializers.BooleanField(required=False, allow_null=True)
    answers = OptionSerializer(many=True, required=False, help_text="The options; none: an open question.")
    answer = serializers.CharField(required=False, help_text="The expected answer of an open question.")
    reference = serializers.BooleanField(required=False)
    tags = serializers.ListField(child=serializers.CharField(), required=False)
    metadata = serializers.DictField(required=False)


class VersionSerializer(serializers.Serializer):
    """A version of a text, such as a simplified or translated one."""

    name = serializers.CharField()
    text = serializers.CharField()
    language = serializers.CharField(required=False, help_text="If it differs from the language of the text.")


class TextFieldsSerializer(serializers.Serializer):
    """A text with its items, in the format of a line of a JSONL file (docs/formats.md)."""

    id = serializers.CharField(required=False, help_text=OWN_ID)
    title = serializers.CharField(required=False, allow_blank=True)
    text = serializers.CharField(allow_null=True, help_text="null in replies where the text may not be shared.")
    language = serializers.CharField(required=False, help_text="Such as de, en or eu; absent: recognized.")
    markup = serializers.CharField(required=False, help_text="markdown; absent: plain text.")
    pictures = serializers.DictField(required=False, help_text="PNG and JPEG pictures as data URIs, by their names.")
    versions = VersionSerializer(many=True, required=False, help_text="Such as a simplified one, with the same items.")
    items = ItemFieldsSerializer(many=True, required=False)
    metadata = serializers.DictField(required=False)


class TextSerializer(TextFieldsSerializer):
    """The current version of a text with its current items."""

    version = serializers.IntegerField()
    text_sha256 = serializers.CharField(required=False, help_text="In place of a text that may not be shared.")

    def to_representation(self, text: Text) -> dict[str, Any]:
        items = Item.objects.filter(text=text).current().order_by("pk")
        return build_text_object(text, items.select_related("generator").prefetch_related("options")) | {
            "version": text.version
        }


def read_search(request: Request) -> BankSearch:
    given = request.query_params
    return BankSearch(**{each.column: each.read(given[each.name]) for each in BANK_FILTERS if given.get(each.name)})


def read_selection(request: Request) -> Selection:
    """The part of the bank in the query; refused if the sample is invalid."""
    form = SampleForm(request.query_params)
    if not form.is_valid():
        name, reasons = next(iter(form.errors.items()))
        raise Refused(f"{name}: {reasons[0]}", status=400, kind="invalid")
    return Selection(read_search(request), form.read_sample())


class TextRowSerializer(serializers.Serializer):
    id = serializers.CharField(source="external_id")
    version = serializers.IntegerField()
    title = serializers.CharField()
    language = serializers.CharField()
    n_items = serializers.SerializerMethodField()
    generators = serializers.SerializerMethodField()

    def get_n_items(self, text: Any) -> int:
        return len(text.current_items)

    def get_generators(self, text: Any) -> list[str]:
        return sorted({item.generator.name for item in text.current_items})


class ItemSerializer(ItemFieldsSerializer):
    """The current version of an item."""

    text_id = serializers.CharField()
    version = serializers.IntegerField()

    def to_representation(self, item: Item) -> dict[str, Any]:
        return build_item_object(item) | {"text_id": item.text.external_id, "version": item.version}


class NewItemSerializer(ItemFieldsSerializer):
    text_id = serializers.CharField(help_text="The text that it is about.")


class GeneratorSerializer(serializers.Serializer):
    name = serializers.CharField()
    kind = serializers.ChoiceField(GeneratorKind.choices)
    description = serializers.CharField()
    factors = serializers.DictField()


@extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "enum": list(CHOICES)}})
class MappingField(serializers.Field):
    """The field of each column by the column's name, as JSON in a form."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        try:
            mapping = parse_object(data.encode()) if isinstance(data, str) else None
        except BadLine:
            mapping = None
        if mapping is None or not all(isinstance(field, str) for field in mapping.values()):
            sentence = _("Write a JSON object with the field of each column, such as %(example)s.")
            raise serializers.ValidationError(sentence % {"example": '{"Frage": "question"}'})
        return mapping


class ImportSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True)
    format = serializers.ChoiceField(sorted(FORMATS), required=False, help_text="Absent: by the file's name.")
    generator = serializers.CharField(required=False, max_length=MAX_ID, help_text="Of items that name none.")
    language = serializers.CharField(required=False, max_length=20, help_text="Of texts that name none.")
    mapping = MappingField(
        required=False,
        help_text="For a table, as JSON: the field of each column by its name; `extra` keeps a column as a detail. "
        "Other columns are recognized by their names.",
    )
    update = serializers.BooleanField(default=False, help_text="Store other wordings as new versions.")
    dry_run = serializers.BooleanField(default=False, help_text="Check everything, store nothing.")


class ImportCountsSerializer(serializers.Serializer):
    new_texts = serializers.IntegerField()
    changed_texts = serializers.IntegerField()
    unchanged_texts = serializers.IntegerField()
    new_items = serializers.IntegerField()
    changed_items = serializers.IntegerField()
    carried_items = serializers.IntegerField()
    unchanged_items = serializers.IntegerField()
    key_corrections = serializers.IntegerField()
    new_generators = serializers.IntegerField()


class WarningSerializer(serializers.Serializer):
    line = serializers.IntegerField()
    field = serializers.CharField()
    reason = serializers.CharField()


class ImportedSerializer(serializers.Serializer):
    """What an import did, or with dry_run would do."""

    stored = serializers.BooleanField()
    counts = ImportCountsSerializer()
    columns = ColumnSerializer(many=True, help_text="Of a table, in its order; empty for other files.")
    warnings = WarningSerializer(many=True)
    number = serializers.IntegerField(allow_null=True, help_text="For undoing the import; null if nothing was stored.")


ITEM_FILTERS = (
    Filter("text_id", "text__external_id", "Only items about this text."),
    Filter("generator", "generator__name", "Only items of this generator."),
    Filter("tag", "tags__has_tag", "Only items with this tag."),
)
ITEM_WORDS = OpenApiParameter("q", str, description="Words that begin words of the item, or a part of its id.")
WORDS = "Words that begin words of the text or its items, or a part of its id."
BANK_FILTERS = (
    Filter("q", "words", WORDS),
    Filter("language", "language", "Only texts in this language, such as de."),
    Filter("source", "source", "Only texts of this source."),
    Filter("split", "split", "Only texts of this split, such as test."),
    Filter("generator", "generator", "Only items of this generator, and their texts."),
    Filter("tag", "tag", "Only items with this tag, and their texts."),
    Filter("flag", "flag", "Only texts with this flag.", tuple(TextFlag.values)),
)
SAMPLE = (
    OpenApiParameter("sample", int, description="The number of items from each stratum."),
    OpenApiParameter(
        "by", str, enum=[each for each in Stratum.values if each], description="What forms strata; absent: none."
    ),
    OpenApiParameter("seed", int, description="The same seed draws the same items; 1 if absent."),
)
SELECTION = (*(each.describe() for each in BANK_FILTERS), *SAMPLE)
TEXT_SORTS = {"id": "external_id", "title": "title", "language": "language"}


class Texts(ProjectView):
    @operation(
        "List texts",
        gives=TextRowSerializer,
        paged=True,
        sorts=TEXT_SORTS,
        query=tuple(each.describe() for each in BANK_FILTERS),
    )
    def get(self, request: Request, project: str) -> Any:
        """The current version of each text."""
        return self.page(search_texts(self.project, read_search(request)))

    @operation(
        "Add a text with its items",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=TextFieldsSerializer,
        gives=TextSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        """An existing text with the same words is left unchanged."""
        plan = self.store(self.read(TextFieldsSerializer) and request.data)
        wanted = plan.new_texts[0].id if plan.new_texts else request.data.get("id")
        rows = Text.objects.filter(project=self.project).current()
        known = rows.filter(external_id=wanted).first() or rows.get(body=request.data["text"])
        return self.show(known, status=201)

    def store(self, line: Mapping[str, Any], *, update: bool = False) -> ImportPlan:
        return store_line(self.project, line, self.request.user, update=update)


def store_line(project, line: Mapping[str, Any], user, *, update: bool = False) -> ImportPlan:
    """Store one text with its items, through the import of files."""
    reading = read_bank_file(json.dumps(line).encode())
    return import_items(project, reading, ImportOptions(update=update), filename=REQUEST, user=user)


class OneText(ProjectView):
    def find(self, role: Role, **where: Any) -> None:
        super().find(role, **where)
        rows = Text.objects.filter(project=self.project).current()
        self.text = get_object_or_404(rows, external_id=where["text"])

    @operation("Show a text with its items", gives=TextSerializer)
    def get(self, request: Request, project: str, text: str) -> Any:
        return self.show(self.text)

    @operation(
        "Change a text and its items",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=TextFieldsSerializer,
        gives=TextSerializer,
    )
    def put(self, request: Request, project: str, text: str) -> Any:
        """Changed words become a new version; items that are not named stay unchanged."""
        self.require_match(self.text, TextSerializer)
        self.read(TextFieldsSerializer)
        store_line(self.project, dict(request.data) | {"id": text}, request.user, update=True)
        return self.show(Text.objects.filter(project=self.project).current().get(external_id=text))


class Items(ProjectView):
    @operation(
        "List items",
        gives=ItemSerializer,
        paged=True,
        filters=ITEM_FILTERS,
        sorts={"id": "external_id"},
        query=(ITEM_WORDS,),
    )
    def get(self, request: Request, project: str) -> Any:
        """The current version of each item, with its keys."""
        words = Filter("q", "", "").read(request.query_params.get("q", ""))
        rows = query_items(self.project)
        return self.page(rows.filter(match_items(words)) if words else rows)

    @operation(
        "Add an item",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes=NewItemSerializer,
        gives=ItemSerializer,
        status=201,
    )
    def post(self, request: Request, project: str) -> Any:
        self.read(NewItemSerializer)
        given = dict(request.data)
        text = Text.objects.filter(project=self.project, external_id=given.pop("text_id")).current().first()
        if text is None:
            raise Refused(_("The project has no text of this id. The list of texts shows all ids."))
        plan = store_line(self.project, build_line(text, given), request.user)
        found = plan.new_items[0].id if plan.new_items else given.get("id")
        return self.show(get_object_or_404(query_items(self.project), external_id=found), status=201)


def query_items(project):
    rows = Item.objects.filter(project=project).current()
    return rows.select_related("text", "generator").prefetch_related("options")


def build_line(text: Text, item: Mapping[str, Any]) -> dict[str, Any]:
    """The present text with one item, in the format of a file."""
    return build_text_object(text, []) | {"text": text.body, "items": [item]}


class OneItem(ProjectView):
    def find(self, role: Role, **where: Any) -> None:
        super().find(role, **where)
        self.item = get_object_or_404(query_items(self.project), external_id=where["item"])

    @operation("Show an item", gives=ItemSerializer)
    def get(self, request: Request, project: str, item: str) -> Any:
        return self.show(self.item)

    @operation(
        "Change an item", scope=Scope.WRITE, role=Role.RESEARCHER, takes=ItemFieldsSerializer, gives=ItemSerializer
    )
    def put(self, request: Request, project: str, item: str) -> Any:
        """Changed words become a new version; a changed key alone is a correction, which is logged."""
        self.require_match(self.item, ItemSerializer)
        self.read(ItemFieldsSerializer)
        given = {"generator": self.item.generator.name} | dict(request.data) | {"id": item}
        store_line(self.project, build_line(self.item.text, given), request.user, update=True)
        return self.show(query_items(self.project).get(external_id=item))


class Generators(ProjectView):
    @operation("List generators", gives=GeneratorSerializer, paged=True, sorts={"name": "name"})
    def get(self, request: Request, project: str) -> Any:
        """The generators of items: people, data sets, models, rules."""
        return self.page(Generator.objects.filter(project=self.project))


class Imports(FileView, ProjectView):
    @operation(
        "Import a file of texts and items",
        scope=Scope.WRITE,
        role=Role.RESEARCHER,
        takes={"multipart/form-data": ImportSerializer},
        gives=ImportedSerializer,
        status=201,
        may_wait=True,
    )
    def post(self, request: Request, project: str) -> Any:
        """The whole file is imported, or nothing if anything is wrong with it. A large file is a job with this
        `result`."""
        given = self.read(ImportSerializer)
        file = given["file"]
        try:
            options = ImportOptions(
                generator=(given.get("generator") and clean_name(given["generator"])) or "",
                language=(given.get("language") and clean_language(given["language"])) or "",
                update=given["update"],
            )
        except ValueError as error:
            raise Refused(str(error)) from None
        format_name = given.get("format") or find_format(file.name)
        if format_name is None:
            raise Refused(_("The file name does not show the format. Give it in the field “format”."))
        stored = self.keep(file.name, file.read(), options, format_name)
        if mapping := given.get("mapping"):
            choose_columns(stored, mapping)
        if is_large(stored):
            job = ask_for_preview(stored, refuses=True) if given["dry_run"] else ask_for_import(stored)
            return self.show(job, JobSerializer, status=202)
        stored.delete()
        reading = read_import_file(stored)
        if given["dry_run"]:
            plan = plan_import(self.project, reading, options)
            if plan.problems:
                raise ImportRefused(plan)
        else:
            plan = import_items(self.project, reading, options, filename=file.name, user=request.user)
        writes = not given["dry_run"] and plan.writes
        done = self.project.bank_imports.first() if writes else None
        return self.show(describe_import(plan, done.pk if done else None), status=201)

    def keep(self, name: str, content: bytes, options: ImportOptions, format_name: str) -> ImportFile:
        if format_name == TEXT_FILES:
            return store_text_files(self.project, self.request.user, [(name, content)], options)
        return store_upload(self.project, self.request.user, name, content, options, format_name)


class OneImport(ProjectView):
    @operation("Undo an import", scope=Scope.WRITE, role=Role.RESEARCHER, status=204, may_wait=True)
    def delete(self, request: Request, project: str, number: int) -> Any:
        """Everything that the file added is deleted; refused if a study uses it or somebody has built on it.

        A job undoes a large import.
        """
        job = undo_or_schedule(get_object_or_404(self.project.bank_imports, pk=number), request.user)
        return self.show(job, JobSerializer, status=202) if job else HttpResponse(status=204)


class Bank(ProjectView):
    @operation("Export texts and items", media=("application/jsonl",), query=SELECTION)
    def get(self, request: Request, project: str) -> HttpResponse:
        """JSON lines that can be imported again: everything, the results of a search, or a stratified sample of
        them."""
        content = "".join(export_lines(self.project, read_selection(request))).encode()
        return self.give_file(content, "application/jsonl; charset=utf-8", f"{self.project.slug}.jsonl")


class QuestionBank(ProjectView):
    @operation("Export items for another tool", media=("application/zip",), query=(*SELECTION, BOM))
    def get(self, request: Request, project: str, format: str) -> HttpResponse:
        """As gift, aiken, moodle (XML), qti (3.0), csv, xlsx or parquet, with left-out.csv: what the format cannot
        hold.

        `hub`: a data set for the Hugging Face Hub, with its card and Croissant metadata.
        """
        if format not in ARCHIVES:
            raise Http404
        name = f"{self.project.slug}-items-{format}.zip"
        content = build_archive(self.project, format, read_selection(request), bom=wants_bom(request.query_params))
        return self.give_file(content, "application/zip", name)


class TagSerializer(serializers.Serializer):
    name = serializers.CharField()
    n_items = serializers.IntegerField()


class TagsSerializer(serializers.Serializer):
    """The tags of a project, in alphabetical order."""

    tags = TagSerializer(many=True)


class TaggingSerializer(serializers.Serializer):
    items = serializers.ListField(child=serializers.CharField(), help_text="Ids of items.", max_length=10_000)
    add = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    remove = serializers.ListField(child=serializers.CharField(), required=False, default=list)


class Tags(ProjectView):
    @operation("List tags", gives=TagsSerializer)
    def get(self, request: Request, project: str) -> Any:
        """With the number of current items that have each tag."""
        return self.show(self.list_tags())

    @operation("Tag items", scope=Scope.WRITE, role=Role.RESEARCHER, takes=TaggingSerializer, gives=TagsSerializer)
    def post(self, request: Request, project: str) -> Any:
        """Add and remove tags of items; tags are not part of the wording, so this makes no new version."""
        given = self.read(TaggingSerializer)
        items = list(Item.objects.filter(project=self.project, external_id__in=given["items"]).current())
        if missing := set(given["items"]) - {item.external_id for item in items}:
            raise Refused(_("The project has no item “%(id)s”.") % {"id": make_printable(min(missing))})
        try:
            tag_items(self.project, items, clean_tags(given["add"]), given["remove"])
        except ValueError as error:
            raise Refused(str(error)) from None
        return self.show(self.list_tags())

    def list_tags(self) -> Any:
        return {"tags": [{"name": name, "n_items": n} for name, n in sorted(count_tags(self.project).items())]}
