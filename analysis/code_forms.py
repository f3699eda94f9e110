"""The form in which somebody says what an item's answers show about it."""

from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.codes import kind_title
from analysis.coding_kinds import offered_codes
from items.models import Item, Option
from studies.models import Study


class CodeForm(forms.Form):
    """Codes, one or several, and where they are seen. Its cleaned data are the arguments of `set_codes`."""

    codes = forms.MultipleChoiceField(label=_("Codes"), widget=forms.CheckboxSelectMultiple)
    option = forms.ModelChoiceField(
        label=_("Option it points to"),
        queryset=Option.objects.none(),
        required=False,
        empty_label=_("the item as a whole"),
    )
    quote = forms.CharField(
        label=_("Words of the text it points to"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Copied from the text; may be left empty."),
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=1_000)

    def __init__(self, study: Study, item: Item, data: Any = None) -> None:
        super().__init__(data)
        self.fields["option"].queryset = item.options.all()  # type: ignore[attr-defined]
        self.fields["codes"].choices = [  # type: ignore[attr-defined]
            (kind_title(kind), [(code.name, code.title) for code in codes])
            for kind, codes in groupby(offered_codes(study), key=lambda code: code.kind)
        ]
        if not item.options.exists():
            del self.fields["option"]
