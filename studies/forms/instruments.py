"""Forms of the instrument pages: a field for each wording, the subject of the preview, and uploads."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from items.models import Item, Text
from items.services.bank import order_by_arrival
from projects.models import Project
from studies.instrument_kinds import InstrumentKind, PreviewSubject, Problem
from studies.prompts import AS_THEY_ARE, ONE_NEWLINE
from studies.services.instrument_writing import SHORT_NAME, Draft, read_draft
from studies.strict_yaml import (
    ADD,
    DOWN,
    REMOVE,
    UP,
    ContentPath,
    apply_changes,
    get_at,
    iter_leaves,
    join_path,
    rearrange,
)
from studies.wording_names import name_group, name_part, name_section

HEAD = ("name", "language", "use", "protocol")
CHOICES = {("text", "paragraphs"): (AS_THEY_ARE, ONE_NEWLINE)}
YES_NO = (("true", _("yes")), ("false", _("no")))
# Characters that browsers change when they send a form.
NOT_IN_A_FIELD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
LINE_WIDTH = 70
MAX_LISTED = 300


MOVABLE = ("dimensions", "questions", "gates", "criteria")


@dataclass(frozen=True)
class FieldGroup:
    """The fields of an entry, each with its path and its errors, and what can be done with the entry.

    place: the path of the entry. actions: for each button the value sent, its label, and the field to show next.
    """

    place: str
    actions: list[tuple[str, Any, str]]
    fields: list[tuple[forms.BoundField, str, list[str]]]


def list_actions(content: Mapping[str, Any], path: ContentPath) -> list[tuple[str, Any, str]]:
    """The buttons that move, copy or remove this entry of a list; none for wordings that are not in such a list."""
    here = path[2] if len(path) > 2 else ""
    if not isinstance(here, int) or path[1] not in MOVABLE:
        return []
    last = len(get_at(content, path[:2])) - 1
    actions = [(ADD, _("Add a copy"), here + 1)]
    actions += [(UP, _("Move up"), here - 1)] if here else []
    actions += [(DOWN, _("Move down"), here + 1)] if here < last else []
    actions += [(REMOVE, _("Remove"), min(here, last - 1))] if last else []
    return [(f"{sent}:{join_path(path)}", word, join_path((*path[:2], to))) for sent, word, to in actions]


class WordingForm(forms.Form):
    """A field for each wording that a browser returns unchanged; everything else is edited in the YAML."""

    def __init__(self, draft: Draft, data: Mapping[str, Any] | None = None):
        super().__init__(data)
        self.draft, self.paths = draft, dict[str, ContentPath]()
        language = str(draft.content.get("language", ""))
        for path, value in iter_leaves(draft.content):
            if path and path[0] not in HEAD and (field := make_field(path, value)):
                field.label = name_part(draft.content, path)
                name = f"wording-{join_path(path)}"
                self.fields[name], self.paths[name] = field, path
                self.initial[name] = show_value(value)
                field.help_text = self.help_for(path, value)
                field.widget.attrs |= {"lang": language, "aria-describedby": f"problems-{name}"}

    def help_for(self, path: ContentPath, value: Any) -> str:
        found = [str(_("One entry per line."))] if isinstance(value, list) else []
        slots = self.draft.kind.slots(self.draft.content, join_path(path)) if self.draft.kind else []
        if slots:
            listed = ", ".join(f"{{{slot}}}" for slot in slots)
            found.append(str(_("Placeholders: %(slots)s") % {"slots": listed}))
        return " ".join(found)

    def changes(self) -> dict[ContentPath, Any]:
        """The submitted values that differ from the draft, by path."""
        found = {}
        for name, path in self.paths.items():
            if name in self.data and self.data[name].replace("\r\n", "\n") != self.initial[name]:
                found[path] = read_value(self.data[name].replace("\r\n", "\n"), self.fields[name])
        return found

    def sections(self) -> dict[str, dict[str, "FieldGroup"]]:
        """The fields by section and by the entry that they belong to."""
        found: dict[str, dict[str, FieldGroup]] = {}
        sentences = self.sentences_by_place()
        for name, path in self.paths.items():
            groups, title = found.setdefault(name_section(path), {}), name_group(self.draft.content, path)
            group = groups.setdefault(
                title, FieldGroup(join_path(path[:3]), list_actions(self.draft.content, path[:3]), [])
            )
            group.fields.append((self[name], join_path(path), sentences.get(join_path(path), [])))
        return found

    def sentences_by_place(self) -> dict[str, list[str]]:
        """The sentences of problems, by the field next to which they are shown."""
        found: dict[str, list[str]] = {}
        for problem in self.draft.problems:
            found.setdefault(self.place_of(problem), []).append(problem.sentence)
        return found

    def place_of(self, problem: Problem) -> str:
        """The field next to which a problem is shown: its own or that of its list; "" if there is none."""
        places = {join_path(path) for path in self.paths.values()}
        above = problem.place.rpartition(".")[0]
        return problem.place if problem.place in places else above if above in places else ""


def make_field(path: ContentPath, value: Any) -> forms.Field | None:
    if isinstance(value, bool):
        return forms.ChoiceField(choices=YES_NO, required=False)
    if path in CHOICES and value in CHOICES[path]:
        return forms.ChoiceField(choices=[(each, each) for each in CHOICES[path]], required=False)
    if isinstance(value, str) and not NOT_IN_A_FIELD.search(value):
        rows = sum(1 + len(line) // LINE_WIDTH for line in value.split("\n"))
        widget = forms.Textarea({"rows": rows + 1}) if rows > 1 else forms.TextInput()
        return forms.CharField(strip=False, required=False, widget=widget)
    if isinstance(value, list) and value and all(is_line(entry) for entry in value):
        rows = sum(1 + len(entry) // LINE_WIDTH for entry in value)
        return ListField(strip=False, required=False, widget=forms.Textarea({"rows": rows + 1}))
    return None


def is_line(entry: Any) -> bool:
    return isinstance(entry, str) and bool(entry.strip()) and "\n" not in entry and not NOT_IN_A_FIELD.search(entry)


class ListField(forms.CharField):
    """A list with one entry per line."""


def show_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "\n".join(value) if isinstance(value, list) else str(value)


def read_value(sent: str, field: forms.Field) -> Any:
    """The value from a field's content, the reverse of `show_value`."""
    if isinstance(field, ListField):
        return [line for line in sent.split("\n") if line.strip()]
    if isinstance(field, forms.ChoiceField) and sent in ("true", "false"):
        return sent == "true"
    return sent


def read_sent_draft(data: Mapping[str, Any]) -> Draft:
    """The instrument as edited: the YAML, with the values of the fields if fields were sent, and with an entry moved,
    copied or removed if its button was pressed."""
    draft = read_draft(data.get("source", ""))
    if data.get("by") == "fields" and draft.content:
        source = apply_changes(draft.source, WordingForm(draft, data).changes())
        action, _colon, place = data.get("entry", "").partition(":")
        return read_draft(rearrange(source, place, action) if place else source)
    return draft


class SubjectForm(forms.Form):
    """What to preview with: a text of the project or one of its items, and which page."""

    subject = forms.ChoiceField(label=_("Preview with this text"), required=False)
    page = forms.ChoiceField(label=_("Page"), required=False)

    def __init__(self, project: Project, draft: Draft, data: Mapping[str, Any] | None = None):
        super().__init__(data)
        self.project, kind = project, draft.kind
        pages = kind.pages(draft.content) if kind and not draft.problems else []
        if not pages:
            del self.fields["page"]
        else:
            self.fields["page"] = forms.ChoiceField(label=_("Page"), choices=pages, required=False)
            self.initial["page"] = self.first_stage(pages)
        self.choices = list_preview_subjects(project, kind, str(draft.content.get("language", "")))
        self.fields["subject"].choices = self.choices  # type: ignore[attr-defined]

    @staticmethod
    def first_stage(pages: list[tuple[str, str]]) -> str:
        """The page to preview first: the one after consent and instructions."""
        names = [name for name, _title in pages]
        return next((name for name in names if name not in ("consent", "instructions")), names[0])


def list_preview_subjects(project: Project, kind: InstrumentKind | None, language: str) -> list[tuple[str, Any]]:
    """Texts, or by text the items; those in the instrument's language first."""
    texts = list(order_by_arrival(Text.objects.filter(project=project).current())[:MAX_LISTED])
    texts.sort(key=lambda text: text.language.partition("-")[0] != language.partition("-")[0])
    if kind is None or not kind.needs_item:
        return [(f"text-{text.pk}", str(text)) for text in texts]
    items = Item.objects.filter(text__in=texts, options__isnull=False).current().distinct()
    by_text: dict[int, list[tuple[str, str]]] = {}
    for item in items.order_by("pk")[:MAX_LISTED]:
        by_text.setdefault(item.text_id, []).append((f"item-{item.pk}", Truncator(item.stem).chars(60)))
    return [(str(text), by_text[text.pk]) for text in texts if text.pk in by_text]


def find_preview_subject(project: Project, data: Mapping[str, Any]) -> PreviewSubject | None:
    """The text or item chosen for the preview; None if it is not in this project."""
    kind, _dash, number = data.get("subject", "").partition("-")
    if not (number.isascii() and number.isdecimal() and len(number) < 18):
        return None
    page = data.get("page", "")
    if kind == "item":
        item = Item.objects.filter(project=project, pk=number).select_related("text").first()
        return PreviewSubject(project, item.text, item, page) if item else None
    text = Text.objects.filter(project=project, pk=number).first()
    return PreviewSubject(project, text, None, page) if text else None


class CopyForm(forms.Form):
    name = forms.RegexField(
        SHORT_NAME.pattern + r"\Z",
        label=_("Name of the new instrument"),
        max_length=100,
        help_text=_("Letters, digits, hyphens and underscores. Study files and commands use this name."),
    )


class UploadForm(forms.Form):
    file = forms.FileField(label=_("YAML file"), widget=forms.FileInput({"accept": ".yaml,.yml"}))
    note = forms.CharField(
        label=_("Note"), max_length=200, required=False, help_text=_("Describe the change in a few words.")
    )

    def clean_file(self) -> str:
        try:
            return str(self.cleaned_data["file"].read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise forms.ValidationError(
                _("The file is not encoded as UTF-8. Save it as UTF-8 and choose it again.")
            ) from None
