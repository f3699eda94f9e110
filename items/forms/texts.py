from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.forms.fields import LanguageField, TidyField
from items.language import recognise
from items.models import MAX_TEXT, Text
from items.values import DETAILS, TextValues


class TextForm(forms.ModelForm):
    """A text, new or its next version. It fills values; the service makes the row."""

    body = TidyField(label=_("Text"), max_length=MAX_TEXT, widget=forms.Textarea({"rows": 16}))
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("A code such as de, en or eu. Left empty, it is recognised from the text."),
        widget=forms.TextInput({"size": 6}),
    )

    class Meta:
        model = Text
        fields = ["title", "body", "language", *DETAILS, "shareable"]

    def details(self) -> list[forms.BoundField]:
        """What is folded: rarely needed."""
        return [self[name] for name in (*DETAILS, "shareable")]

    def has_folded_errors(self) -> bool:
        return any(field.errors for field in self.details())

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("body") and cleaned.get("language") == "":
            cleaned["language"] = self._recognised([cleaned["body"]])[0] or ""
        return cleaned

    def _recognised(self, bodies: Sequence[str]) -> list[str | None]:
        codes = recognise(bodies)
        if None in codes:
            self.add_error("language", _("The language could not be recognised. Write its code."))
        return codes

    def values(self, metadata: Mapping[str, Any] | None = None) -> TextValues:
        return TextValues(**{name: self.cleaned_data[name] for name in self.Meta.fields}, metadata=metadata or {})
