"""What the coding page shows, and a file of codes that is sent to it."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.codes import LONGEST, OWN, is_single
from analysis.coding_kinds import Coder, Scheme
from items.uploads import check_size
from studies.models import Study

LISTING = "guess-then-read"  # the protocol whose report lists guessable and unanswerable items
STATES = [("", _("all")), ("uncoded", _("without a code")), ("coded", _("with a code"))]
LISTS = [("", _("all items")), ("guessable_items", _("guessable")), ("unanswerable_items", _("unanswerable"))]
SORTS = [
    ("", _("order of the study")),
    ("surest", _("surest first")),
    ("item", _("id of the item")),
    ("text", _("id of the text")),
    ("generator", _("generator")),
]


class CodingFilter(forms.Form):
    """A GET form; what does not exist chooses nothing."""

    kind = forms.ChoiceField(label=_("Kind of code"), required=False)
    state = forms.ChoiceField(label=_("Items"), choices=STATES, required=False)
    list = forms.ChoiceField(label=_("List"), choices=LISTS, required=False)
    generator = forms.ChoiceField(label=_("Generator"), required=False)
    by = forms.ChoiceField(label=_("Coded by"), required=False)
    q = forms.CharField(label=_("Text or words"), required=False, max_length=200, widget=forms.SearchInput)
    sort = forms.ChoiceField(label=_("Sorted by"), choices=SORTS, required=False)

    def __init__(
        self, study: Study, scheme: Scheme, generators: Iterable[str], coders: Iterable[Coder], data: Any
    ) -> None:
        super().__init__({name: value for name, value in data.items() if name in self.base_fields})
        every = ("", _("all"))
        choices = {
            "kind": [(kind.name, kind.title) for kind in scheme.kinds],
            "generator": [(name, name) for name in generators],
            "by": [(str(coder.pk), coder.name) for coder in coders if coder.pk],
        }
        for name, values in choices.items():
            self.fields[name].choices = [every, *values]  # type: ignore[attr-defined]
        if study.protocol != LISTING:
            del self.fields["list"]
            self.fields["sort"].choices = [each for each in SORTS if each[0] != "surest"]  # type: ignore[attr-defined]
        self.full_clean()

    def chosen(self, name: str) -> str:
        return str(self.cleaned_data.get(name, ""))

    @property
    def asked(self) -> dict[str, str]:
        """The choices as parameters of an address."""
        return {name: value for name, value in self.cleaned_data.items() if value}


class OwnCodeForm(forms.Form):
    """A category of the team's own, with the kind it belongs to."""

    own_kind = forms.CharField(label=_("Kind"), max_length=LONGEST)
    own_category = forms.CharField(label=_("Category"), max_length=LONGEST)

    def clean_own_kind(self) -> str:
        kind = str(self.cleaned_data["own_kind"]).strip()
        if OWN in kind or not is_single(kind):
            raise forms.ValidationError(_("Choose another name for the kind, without an equals sign."))
        return kind


class CodeFileForm(forms.Form):
    file = forms.FileField(label=_("CSV file"), help_text=_("With the columns item_id, kind and code at least."))

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        try:
            check_size(file)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return file
