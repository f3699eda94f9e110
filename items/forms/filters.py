from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class FilterForm(forms.Form):
    """The search above the list of texts."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200, widget=forms.TextInput({"type": "search"}))
    language = forms.ChoiceField(label=_("Language"), required=False)

    def __init__(self, *args: Any, languages: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["language"] = forms.ChoiceField(
            label=_("Language"), required=False, choices=[("", _("all")), *languages]
        )
