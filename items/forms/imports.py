from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.formats import ENDINGS, format_of
from items.forms.fields import LanguageField, NameField
from items.services.naming import ImportOptions
from items.uploads import check_size


class ImportForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,
        help_text=_("JSONL: one text with its items on each line, in Lesart's shape or that of item-evaluation."),
        widget=forms.FileInput(attrs={"accept": ",".join(ENDINGS)}),
    )
    generator = NameField(
        label=_("Generator"),
        required=False,
        help_text=_("Who wrote the items that do not say it. Left empty: their data set, else “human”."),
    )
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("Of texts that do not say it, such as de, en or eu. Left empty: recognised from each text."),
    )

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        try:
            check_size(upload)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        if format_of(upload.name) is None:
            raise forms.ValidationError(_("Lesart reads files whose name ends in .jsonl. Choose one of those."))
        return upload

    def options(self) -> ImportOptions:
        return ImportOptions(self.cleaned_data["generator"], self.cleaned_data["language"])


class FilterForm(forms.Form):
    """The search above the list of texts."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200, widget=forms.TextInput({"type": "search"}))
    language = forms.ChoiceField(label=_("Language"), required=False)

    def __init__(self, *args: Any, languages: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"] = forms.ChoiceField(
            label=_("Language"), required=False, choices=[("", _("all")), *languages]
        )
