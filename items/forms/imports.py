"""Forms of “Add texts”: pasted texts, text files, a table or JSONL, and the meaning of a table's columns."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.paginator import Page
from django.utils.translation import gettext_lazy as _

from items.files import check_size
from items.formats import WRITERS, find_format, list_endings
from items.formats.paragraphs import Begins, Piece, begin_at_headings, cut_piece, describe_group, describe_origin
from items.formats.rows import MAX_TITLE
from items.formats.table_columns import (
    ITEM_FIELDS,
    KEEP_AS_DETAIL,
    LEAVE_OUT,
    OPTION_FIELDS,
    TEXT_FIELDS,
    find_mistakes,
)
from items.formats.text_files import Split, split_texts, take_title
from items.forms.bank import LanguageField, NameField, TextForm, TidyField
from items.models import MAX_TEXT
from items.services.naming import ImportOptions
from items.values import DETAILS, get_column_limit

FIELD_LABELS = {
    "text_id": _("Id of the text"),
    "title": _("Title of the text"),
    "text": _("The text itself"),
    "language": _("Language"),
    "markup": _("Markup (markdown, or empty)"),
    "source": _("Source"),
    "genre": _("Genre"),
    "level": _("Level"),
    "audience": _("Audience"),
    "topic": _("Topic"),
    "licence": _("Licence"),
    "shareable": _("May be redistributed (yes or no)"),
    "item_id": _("Id of the item"),
    "generator": _("Generator"),
    "question": _("Question"),
    "correct": _("Correct options"),
    "answer": _("Expected answer of an open question"),
    "reference": _("Reference item (yes or no)"),
    "tags": _("Tags"),
}


def list_column_choices() -> list[tuple[Any, Any]]:
    """For a select field: ignore or keep, then the fields of texts, items and options."""
    options = [(name, _("Option {n}").format(n=number)) for number, name in enumerate(OPTION_FIELDS, start=1)]
    return [
        (LEAVE_OUT, _("Leave out")),
        (KEEP_AS_DETAIL, _("Keep as a detail")),
        (_("Text"), [(name, FIELD_LABELS[name]) for name in TEXT_FIELDS]),
        (_("Item"), [(name, FIELD_LABELS[name]) for name in ITEM_FIELDS]),
        (_("Options of the item"), options),
    ]


class BenchmarkForm(forms.Form):
    name = NameField(label=_("Name"), help_text=_("Such as RACE. A benchmark of this name is replaced."))
    file = forms.FileField(
        label=_("File"),
        help_text=_(
            "A data set in a format that can be imported, or signatures (.minhash.jsonl). Only signatures are kept."
        ),
    )

    def clean_file(self) -> Any:
        return check_upload(self.cleaned_data["file"])


MAX_PASTED = 500_000


SEPARATOR = "---"


class PasteForm(TextForm):
    """One or several texts, which become rows of an import."""

    body = TidyField(label=_("Text"), max_length=MAX_PASTED, widget=forms.Textarea({"rows": 14, "maxlength": None}))
    split = forms.ChoiceField(
        label=_("Where does a new text begin?"),
        choices=Split.choices,
        initial=Split.LINE,
        required=False,
        widget=forms.RadioSelect,
    )
    separator = forms.CharField(
        label=_("Line between texts"),
        required=False,
        initial=SEPARATOR,
        max_length=100,
        widget=forms.TextInput({"size": 10}),
    )
    has_titles = forms.BooleanField(
        label=_("A short first line, with an empty line after it, is the title"), required=False, initial=True
    )
    has_markup = forms.BooleanField(
        label=_("The text is written in Markdown, with formulas between dollar signs"), required=False
    )
    external_id = NameField(
        label=_("Id"), required=False, help_text=_("Your own id, unique in the project. Leave empty to create one.")
    )

    def details(self) -> list[forms.BoundField]:
        return [self["external_id"], *super().details()]

    def clean_split(self) -> str:
        return self.cleaned_data["split"] or Split.LINE

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        bodies = [body for _title, body in self._texts()]
        if cleaned.get("body") and not bodies:
            self.add_error("body", _("There is no text between the separator lines. Add one."))
        is_own_line = cleaned.get("split") == Split.LINE and cleaned.get("separator") not in ("", None, SEPARATOR)
        if is_own_line and len(bodies) == 1:
            self.add_error("separator", _("The text contains no such line. Correct the separator, or leave it empty."))
        if cleaned.get("external_id") and len(bodies) > 1:
            self.add_error("external_id", _("An id belongs to a single text. Leave it empty for several texts."))
        for number, body in enumerate(bodies, start=1):
            if len(body) > MAX_TEXT:
                reason = _("Text %(number)s has %(length)s characters; the limit is %(limit)s. Shorten it.")
                params = {"number": number, "length": len(body), "limit": MAX_TEXT}
                self.add_error("body", forms.ValidationError(reason, params=params))
        if bodies and cleaned.get("language") == "":
            self._recognize(bodies)
        return cleaned

    def rows(self) -> list[dict[str, Any]]:
        """The texts in Lesart's own format, without empty fields."""
        texts, title = self._texts(), self.cleaned_data["title"]
        common = [title] if len(texts) == 1 else [title and f"{title} {n}" for n in range(1, len(texts) + 1)]
        return [self._row(own or title, body) for title, (own, body) in zip(common, texts, strict=True)]

    def _row(self, title: str, body: str) -> dict[str, Any]:
        cleaned = self.cleaned_data
        extra = {name: cleaned[name] for name in DETAILS if cleaned[name]}
        if not cleaned["shareable"]:
            extra["shareable"] = False
        row = {"id": cleaned["external_id"], "title": title, "text": body, "language": cleaned["language"]}
        row["markup"] = "markdown" if cleaned["has_markup"] else ""
        return {name: value for name, value in row.items() if value} | ({"metadata": {"extra": extra}} if extra else {})

    def _texts(self) -> list[tuple[str, str]]:
        """(title, body) of each text; a single text with a given title keeps its first line."""
        cleaned = self.cleaned_data
        line = cleaned.get("separator", "").strip()
        texts = split_texts(cleaned.get("body", ""), cleaned.get("split", Split.LINE), line)
        if not cleaned.get("has_titles") or (len(texts) == 1 and cleaned.get("title")):
            return texts
        return [(title, body) if title else take_title(body) for title, body in texts]


class PieceForm(forms.Form):
    """What is done with a paragraph or sentence, and the fields of the text that it begins."""

    begins = forms.ChoiceField(label=_("Begins"), choices=Begins.choices)
    is_out = forms.BooleanField(label=_("Leave out"), required=False)
    title = forms.CharField(label=_("Title"), required=False, max_length=MAX_TITLE)
    source = forms.CharField(label=_("Source"), required=False, max_length=get_column_limit("source"))
    licence = forms.CharField(label=_("Licence"), required=False, max_length=get_column_limit("licence"))

    def __init__(self, data: Any, *, number: int, piece: Piece) -> None:
        names = ("begins", "is_out", "title", "source", "licence")
        super().__init__(data, prefix=str(number), initial={name: getattr(piece, name) for name in names})
        self.number, self.piece = number, piece

    def fields_of_text(self) -> list[forms.BoundField]:
        return [self[name] for name in ("title", "source", "licence")]

    @property
    def is_cuttable(self) -> bool:
        return len(cut_piece(self.piece)) > 1

    def origin(self) -> str:
        return describe_origin(describe_group(self.piece, self.piece))

    def changed_piece(self) -> Piece:
        return replace(self.piece, **self.cleaned_data)


class PiecesForm:
    """The pieces on a page of an arrangement, each with a form of its own."""

    def __init__(self, data: Any, page: Page) -> None:
        self.data, self.first = data, max(page.start_index() - 1, 0)
        numbered = enumerate(page.object_list, start=self.first)
        self.forms = [PieceForm(data, number=number, piece=piece) for number, piece in numbered]

    def is_valid(self) -> bool:
        return self.data is not None and all(form.is_valid() for form in self.forms)

    def change(self, pieces: Sequence[Piece]) -> list[Piece]:
        """All pieces, with the choices made on the page; cuts one or begins texts at headings if that was requested."""
        changed = [part for form in self.forms for part in self._cut_or_keep(form)]
        found = [*pieces[: self.first], *changed, *pieces[self.first + len(self.forms) :]]
        return begin_at_headings(found) if "headings" in self.data else found

    def _cut_or_keep(self, form: PieceForm) -> list[Piece]:
        piece = form.changed_piece()
        return cut_piece(piece) if self.data.get("cut") == str(form.number) else [piece]


class SeveralFilesInput(forms.FileInput):
    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """One or several files, as a list."""

    widget = SeveralFilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data]
        return [super(SeveralFilesField, self).clean(file, initial) for file in files or [None]]


class TextFilesForm(forms.Form):
    uploads = SeveralFilesField(
        label=_("Text files"),
        allow_empty_file=True,
        help_text=_(
            "Up to 100 files (.txt, .docx, .pdf, .html). The file name becomes the title and the id of the text."
        ),
        widget=SeveralFilesInput(attrs={"accept": ",".join(list_endings("text"))}),
    )
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("The language of all these texts, such as de, en or eu. Leave empty to detect it for each text."),
        widget=forms.TextInput({"size": 6}),
    )

    def clean_uploads(self) -> list[Any]:
        uploads = self.cleaned_data["uploads"]
        check_upload(*uploads)
        for upload in uploads:
            if find_format(upload.name) != "text":
                reason = _("“%(name)s” is not a text file (.txt, .docx, .pdf or .html). Save it as plain text.")
                raise forms.ValidationError(reason, params={"name": upload.name})
        return uploads

    def contents(self) -> list[tuple[str, bytes]]:
        return [(upload.name, upload.read()) for upload in self.cleaned_data["uploads"]]

    def options(self) -> ImportOptions:
        return ImportOptions(language=self.cleaned_data["language"])


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_(
            "CSV, Excel (XLSX) or Parquet: one text or one item per row. JSONL: one text with its items per line, in "
            "the format of Lesart or of item-evaluation; also RACE, SQuAD, HotpotQA and Belebele. GIFT, Aiken and "
            "Moodle XML: each question with its text in front of it. QTI: one item (XML) or a package (ZIP). "
            "Texts with pictures: a ZIP file with one CSV or JSONL file and the pictures."
        ),
        widget=forms.FileInput(attrs={"accept": ",".join(list_endings("csv", "lesart", *WRITERS, "text"))}),
    )
    format = forms.ChoiceField(
        label=_("Format"),
        required=False,
        choices=[("", _("By the file name")), *((name, each.title) for name, each in WRITERS.items())],
        help_text=_("Choose it for GIFT and Aiken files that end in .txt."),
    )
    generator = NameField(
        label=_("Generator"),
        required=False,
        help_text=_("For items without a generator. Leave empty to use their data set, otherwise “human”."),
    )
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("For texts without a language, such as de, en or eu. Leave empty to detect it for each text."),
    )

    def clean_file(self) -> Any:
        return check_upload(self.cleaned_data["file"])

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "file" in cleaned and not cleaned.get("format"):
            kind = find_format(cleaned["file"].name)
            if kind == "text":
                self.add_error(
                    "file", _("This file holds a text without items. Use “Text files” above, or choose its format.")
                )
            elif kind is None:
                reason = _(
                    "Supported files: .csv, .tsv, .xlsx, .parquet, .jsonl, .gift, .aiken, .xml and .zip. Save others "
                    "as CSV (UTF-8)."
                )
                self.add_error("file", reason)
        return cleaned

    def options(self) -> ImportOptions:
        return ImportOptions(self.cleaned_data["generator"], self.cleaned_data["language"])


class ColumnsForm(forms.Form):
    """One field for each column of a table, with the column's meaning."""

    def __init__(self, *args: Any, header: Sequence[str], fields: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = list_column_choices()
        for place, (name, field) in enumerate(zip(header, fields, strict=True)):
            self.fields[f"column_{place}"] = forms.ChoiceField(label=name, choices=choices, initial=field)

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            for reason in find_mistakes(self.list_choices()):
                self.add_error(None, reason)
        return self.cleaned_data

    def list_choices(self) -> list[str]:
        return [self.cleaned_data[name] for name in self.fields]


def check_upload(*uploads: Any) -> Any:
    """The first of the uploads, if all together are within the limit."""
    try:
        check_size(*uploads)
    except ValueError as error:
        raise forms.ValidationError(str(error)) from None
    return uploads[0]
