"""The form in which a researcher repairs an item that an annotator wrote."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.forms.fields import TidyField
from items.models import MAX_OPTIONS, MAX_STEM
from items.values import ItemValues, OptionValues


class WrittenForm(forms.Form):
    """Stem and expected answer; the options stand in rows of their own."""

    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))
    expected_answer = TidyField(
        label=_("Expected answer"), required=False, max_length=MAX_STEM, widget=forms.Textarea({"rows": 2})
    )

    def values(self, generator: str, options: list[OptionValues]) -> ItemValues:
        """The item that the form says."""
        told = self.cleaned_data
        return ItemValues(told["stem"], generator, tuple(options), told["expected_answer"])


def option_rows(values: ItemValues) -> list[dict[str, Any]]:
    """A row for each option, and one more."""
    rows: list[dict[str, Any]] = [{"text": option.text, "correct": option.correct} for option in values.options]
    return [*rows, {}][:MAX_OPTIONS]
