from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.forms.fields import NameField, TidyField
from items.models import Generator, GeneratorKind


class GeneratorForm(forms.Form):
    name = NameField(label=_("Name"))
    kind = forms.ChoiceField(label=_("Kind"), choices=GeneratorKind.choices)
    description = TidyField(
        label=_("Description"), required=False, max_length=10_000, widget=forms.Textarea({"rows": 5})
    )
    factors = TidyField(
        label=_("Factors"),
        required=False,
        max_length=10_000,
        help_text=_("What reports may contrast: a name and a value on each line, such as “size: 70B”."),
        widget=forms.Textarea({"rows": 4, "placeholder": "family: …\nsize: …\nsetting: …"}),
    )

    def clean_factors(self) -> dict[str, str]:
        factors: dict[str, str] = {}
        for line in self.cleaned_data["factors"].split("\n"):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if not (name and colon and value):
                raise forms.ValidationError(_("Write each factor as “name: value” on a line of its own."))
            if name in factors:
                raise forms.ValidationError(_("The factor “%(name)s” stands twice. Keep one."), params={"name": name})
            factors[name] = value
        return factors

    @staticmethod
    def initial_of(generator: Generator) -> dict[str, Any]:
        factors = "\n".join(f"{name}: {value}" for name, value in generator.factors.items())
        told = {name: getattr(generator, name) for name in ("name", "kind", "description")}
        return {**told, "factors": factors}
