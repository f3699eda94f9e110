from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.models import Item


class KeyForm(forms.Form):
    """Which options are keys, and why they are so from now on."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=1_000,
        help_text=_("Kept with your name and the time, and printed with every report."),
    )

    def __init__(self, item: Item, data: Any = None) -> None:
        options = item.options.all()
        super().__init__(data, initial={"keys": [option.external_id for option in options if option.correct]})
        self.fields["keys"] = forms.MultipleChoiceField(
            label=_("Keys"),
            required=False,
            choices=[(option.external_id, option.text) for option in options],
            widget=forms.CheckboxSelectMultiple,
        )
        self.order_fields(["keys", "reason"])
