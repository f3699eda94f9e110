from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.forms.fields import NameField, TidyField
from items.models import MAX_OPTION, MAX_OPTIONS, MAX_STEM, Generator, Item
from items.names import UNSAID
from items.values import ItemValues, OptionValues

# Rows of options that a new item shows, and how many “More options” adds.
ROWS = 4


class ItemForm(forms.Form):
    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))
    generator = NameField(
        label=_("Generator"),
        help_text=_("Who wrote the item: a person, a data set, a model. A new name makes a new generator."),
        widget=forms.TextInput({"list": "generators", "autocomplete": "off"}),
    )
    expected_answer = TidyField(
        label=_("Expected answer"),
        required=False,
        max_length=MAX_STEM,
        help_text=_("For open questions, which have no options."),
        widget=forms.Textarea({"rows": 2}),
    )
    reference = forms.BooleanField(
        label=_("Reference item"), required=False, help_text=_("Other items about the text are compared with it.")
    )

    def values(self, options: list[OptionValues], item: Item | None = None) -> ItemValues:
        """What the item says; what the form does not ask stays as it is in the item."""
        told = {name: self.cleaned_data[name] for name in ("stem", "generator", "expected_answer", "reference")}
        if item:
            told |= {"metadata": item.metadata, "multiple": item.multiple}
        return ItemValues(**told, options=tuple(options))


class NewItemForm(ItemForm):
    external_id = NameField(
        label=_("Id"), required=False, help_text=_("Your own id, unique in the project. Left empty, it gets one.")
    )


class EditItemForm(ItemForm):
    reason = forms.CharField(
        label=_("Reason, if you change a key"),
        required=False,
        max_length=1_000,
        help_text=_("A key of an option that keeps its words is corrected in every version, running studies included."),
    )


class OptionForm(forms.Form):
    """One row; a row without words is no option."""

    external_id = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    text = TidyField(label=_("Option"), required=False, max_length=MAX_OPTION, widget=forms.Textarea({"rows": 1}))
    correct = forms.BooleanField(label=_("key"), required=False)
    explanation = TidyField(
        label=_("Explanation"), required=False, max_length=MAX_STEM, widget=forms.Textarea({"rows": 2})
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "text" in cleaned and not cleaned["text"] and (cleaned.get("correct") or cleaned.get("explanation")):
            self.add_error("text", _("Write the option, or clear its key and explanation too."))
        return cleaned


class OptionRows(forms.BaseFormSet):
    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Read every row, also one that shows what it showed before: Django would skip it as an untouched extra."""
        return super().get_form_kwargs(index) | {"empty_permitted": False}

    def values(self, known: Collection[str]) -> list[OptionValues]:
        """The options that have words. An id that the item does not have is not believed."""
        rows = [row.cleaned_data for row in self.forms if row.cleaned_data.get("text")]
        return [
            OptionValues(
                external_id=row["external_id"] if row["external_id"] in known else "",
                text=row["text"],
                correct=row["correct"],
                explanation=row["explanation"],
            )
            for row in rows
        ]


OptionFormSet = forms.formset_factory(
    OptionForm, formset=OptionRows, extra=0, max_num=MAX_OPTIONS, validate_max=True, absolute_max=2 * MAX_OPTIONS
)


def option_initial(item: Item | None) -> list[dict[str, Any]]:
    """A row for each option and some more to fill."""
    rows: list[dict[str, Any]] = []
    if item:
        rows = [
            {"external_id": o.external_id, "text": o.text, "correct": o.correct, "explanation": o.explanation}
            for o in item.options.all()
        ]
    empty = max(ROWS - len(rows), 1 if rows else ROWS)
    return [*rows, *({} for _row in range(empty))][:MAX_OPTIONS]


def with_more_rows(formset: OptionRows) -> list[dict[str, Any]]:
    """What was typed so far, unchecked, and more rows to fill."""
    rows = [{name: row[name].value() for name in row.fields} for row in formset.forms]
    return [*rows, *({} for _row in range(ROWS))][:MAX_OPTIONS]


def default_generator(generators: list[Generator]) -> str:
    """The generator that a new item starts with: the only one there is, else whoever edits."""
    return generators[0].name if len(generators) == 1 else UNSAID
