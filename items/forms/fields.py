"""Fields whose rules are those of the import."""

from collections.abc import Callable
from typing import Any

from django import forms

from items.names import clean_language, clean_name
from items.plain import tidy


class TidyField(forms.CharField):
    """A text of several lines, stored as an import would store it."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        return tidy(super().to_python(value) or "")


class CheckedField(forms.CharField):
    """A line that a function makes even or refuses by ValueError; empty where it is not required."""

    check: Callable[[str], str]

    def clean(self, value: Any) -> str:
        value = super().clean(value)
        try:
            return type(self).check(value) if value else ""
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None


class NameField(CheckedField):
    check = staticmethod(clean_name)


class LanguageField(CheckedField):
    check = staticmethod(clean_language)
