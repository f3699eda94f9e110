"""Forms about a study's people, about files of responses, and for repairing an item that an annotator wrote."""

from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from items.forms.bank import TidyField
from items.forms.imports import SeveralFilesField, SeveralFilesInput
from items.models import MAX_OPTIONS, MAX_STEM
from items.plain import count_words, has_control
from items.values import ItemValues, OptionValues
from studies.models import Study
from studies.services.expert_check import EXPERTS, ITEMS, MAX_EXPERTS, MAX_ITEMS
from studies.services.quotas import has_group_quotas
from studies.services.responses.mapping import BadMapping, TableMapping, parse_mapping
from studies.services.selection import ChosenTexts

MAX_ADDED = 200  # people added at once, as each needs a search of the plan


class AddAnnotatorsForm(forms.Form):
    """More people for a running study."""

    count = forms.IntegerField(
        label=_("Number of annotators (codes are assigned)"),
        min_value=1,
        max_value=MAX_ADDED,
        required=False,
    )
    people = forms.CharField(
        label=_("Participant codes"),
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "One code per line; use no real names. The same code in two studies means the same person, "
            "who is then not asked to guess about a text they have already read. Leave empty if you only "
            "need links."
        ),
    )
    group = forms.ChoiceField(label=_("Group"), required=False)

    def __init__(self, *args: Any, study: Study, **kwargs: Any):
        super().__init__(*args, **kwargs)
        groups = [(group, group) for group in study.groups]
        choices = groups if has_group_quotas(study) else [("", _("assign in turn")), *groups]
        cast(forms.ChoiceField, self.fields["group"]).choices = choices
        if not study.groups:
            del self.fields["group"]

    def clean_people(self) -> list[str]:
        codes = [line.strip() for line in self.cleaned_data["people"].split("\n") if line.strip()]
        if any(len(code) > 200 or has_control(code) for code in codes):
            raise forms.ValidationError(_("A code may have up to 200 visible characters."))
        return codes

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        number = len(cleaned.get("people") or []) + (cleaned.get("count") or 0)
        if not self.errors and not number:
            raise forms.ValidationError(_("Say how many annotators to add, or list the codes of people."))
        if number > MAX_ADDED:
            raise forms.ValidationError(_("Add at most %(n)d annotators at once.") % {"n": MAX_ADDED})
        return cleaned


class WageForm(forms.Form):
    """The value of an hour of a participant's work, in any currency."""

    wage = forms.DecimalField(label=_("Hourly wage"), min_value=0, max_value=10_000, decimal_places=2)


class RosterForm(forms.Form):
    """A list of people, pasted or as a file."""

    people = forms.CharField(
        label=_("People, one per line: name, e-mail"),
        required=False,
        max_length=1_000_000,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text=_("A third cell may name the group. Names and addresses are kept apart from the answers."),
    )
    file = forms.FileField(label=_("Or a CSV file"), required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and not cleaned.get("people") and not cleaned.get("file"):
            raise forms.ValidationError(_("Paste a list or choose a file."))
        return cleaned


class MailForm(forms.Form):
    """A message to people of the roster."""

    subject = forms.CharField(label=_("Subject"), max_length=200)
    body = forms.CharField(
        label=_("Message"),
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 9}),
        help_text=_("{name}, {link}, {title} and {deadline} are filled in for each person."),
    )

    def clean_body(self) -> str:
        body = str(self.cleaned_data["body"])
        if "{link}" not in body:
            raise forms.ValidationError(_("The message has no {link}. Without it nobody can take part."))
        return body


class ManageStudyForm(forms.Form):
    """The fields that may change after a launch."""

    title = forms.CharField(label=_("Title"), max_length=200)
    deadline = forms.DateTimeField(
        label=_("Deadline"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("The study closes by itself then."),
    )
    max_finished = forms.IntegerField(
        label=_("Close when so many people have finished"), required=False, min_value=1, max_value=100_000
    )
    per_unit = forms.IntegerField(label=_("People per text"), required=False, min_value=1, max_value=10_000)


class AddTextsForm(forms.Form):
    """Texts to add to a running study."""

    texts = forms.MultipleChoiceField(label=_("Texts"), widget=forms.CheckboxSelectMultiple)
    finished_too = forms.BooleanField(label=_("Also give them to people who have finished"), required=False)

    def __init__(self, offered: ChosenTexts, data: Any = None) -> None:
        if data and "every" in data:
            data = data.copy()
            data.setlist("texts", [text.external_id for text, _items in offered.texts])
        super().__init__(data)
        self.offered = offered
        field = cast(forms.MultipleChoiceField, self.fields["texts"])
        field.choices = [(text.external_id, str(text)) for text, _items in offered.texts]

    def rows(self) -> list[dict[str, Any]]:
        """Each text with its box, its words and its items."""
        return [
            {"box": box, "words": count_words(text.body), "n": len(items), "of": len(items)}
            for (text, items), box in zip(self.offered.texts, self["texts"].subwidgets, strict=True)
        ]


class ExpertCheckForm(forms.Form):
    """The size of an expert check."""

    items = forms.IntegerField(
        label=_("Number of randomly drawn items"), min_value=1, max_value=MAX_ITEMS, initial=ITEMS
    )
    experts = forms.IntegerField(label=_("Experts"), min_value=1, max_value=MAX_EXPERTS, initial=EXPERTS)


class ResponsesForm(forms.Form):
    """Files of finished judgments, and the names of their columns."""

    file = SeveralFilesField(
        label=_("File or files"),
        help_text=_(
            "CSV, JSONL, Excel (XLSX) or Parquet with one row per judgment, as the long export has them. Annotator "
            "workbooks of QGEval and logs of Inspect AI and lm-evaluation-harness are recognized; several files at "
            "once are one import."
        ),
        widget=SeveralFilesInput(attrs={"accept": ".csv,.tsv,.txt,.jsonl,.xlsx,.parquet,.json,.eval"}),
    )
    mapping = forms.CharField(
        label=_("Other column names"),
        required=False,
        max_length=20_000,
        help_text=_(
            "Only if your columns have other names, one per line: “annotator = Rater” names a column, "
            "“stage: rate” is the same in all rows, “question clarity = Clear?” is a column with the answers to one "
            "question, “item_id = {id}-{model}” joins columns."
        ),
        widget=forms.Textarea({"rows": 4, "placeholder": "annotator = Rater\nstage: rate\nquestion clarity = Clear?"}),
    )
    partial = forms.BooleanField(label=_("Accept guesses from people who did not finish reading"), required=False)

    def clean_mapping(self) -> TableMapping:
        try:
            return parse_mapping(self.cleaned_data["mapping"])
        except BadMapping as bad:
            raise forms.ValidationError(str(bad)) from None


class WrittenForm(forms.Form):
    """Stem and expected answer; the options are in rows of their own."""

    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))
    expected_answer = TidyField(
        label=_("Expected answer"), required=False, max_length=MAX_STEM, widget=forms.Textarea({"rows": 2})
    )

    def values(self, generator: str, options: list[OptionValues]) -> ItemValues:
        """The item in the form."""
        data = self.cleaned_data
        return ItemValues(data["stem"], generator, tuple(options), data["expected_answer"])


def make_option_rows(values: ItemValues) -> list[dict[str, Any]]:
    """A row for each option, and an empty one."""
    rows: list[dict[str, Any]] = [{"text": option.text, "correct": option.correct} for option in values.options]
    return [*rows, {}][:MAX_OPTIONS]
