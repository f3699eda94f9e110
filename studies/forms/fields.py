"""Form fields for a protocol's parameters, and for a number per group such as \"experts: 4, crowd: 8\"."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.protocols import Protocol
from studies.protocols.parameters import Names, OneOf, Parameter, SomeOf, Switch, Whole, Words


def make_parameter_fields(protocol: Protocol) -> dict[str, forms.Field]:
    """One field for each parameter, in their order."""
    return {parameter.name: make_field(parameter) for parameter in protocol.parameters}


def make_field(parameter: Parameter) -> forms.Field:
    """A field that takes what the parameter takes; an emptied one of names or words goes back to the default."""
    words: dict[str, Any] = {
        "label": _(parameter.label) if parameter.label else parameter.name,
        "help_text": _(parameter.help) if parameter.help else "",
        "initial": write_parameter(parameter, parameter.default),
        "required": False,
    }
    if isinstance(parameter, Switch):
        return forms.BooleanField(**words)
    if isinstance(parameter, Whole):
        return forms.IntegerField(min_value=parameter.low, max_value=parameter.high, **words | {"required": True})
    if isinstance(parameter, OneOf):
        return forms.ChoiceField(choices=[(value, _(label)) for value, label in parameter.options], **words)
    if isinstance(parameter, SomeOf):
        choices = [(value, _(label)) for value, label in parameter.options]
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **words)
    return forms.CharField(max_length=parameter.most if isinstance(parameter, Words) else 2000, **words)


def read_parameter(parameter: Parameter, cleaned: Any) -> Any:
    """The value of a parameter that a cleaned field means."""
    if isinstance(parameter, Names):
        return [name.strip() for name in cleaned.split(",") if name.strip()]
    return parameter.default if cleaned in (None, "") else cleaned


def write_parameter(parameter: Parameter, value: Any) -> Any:
    """A value as it stands in the field."""
    return ", ".join(value) if isinstance(parameter, Names) else value


EXAMPLE = gettext_lazy("Enter one number, or a number for each group, such as: experts: 4, crowd: 8.")


class GroupNumbersField(forms.IntegerField):
    """A whole number or a mapping from group to whole number; `words` may stand in place of a group's number."""

    widget = forms.TextInput

    def __init__(self, *, words: tuple[str, ...] = (), **kwargs: Any):
        self.words = words
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or ":" not in value:
            return super().to_python(value)
        found: dict[str, Any] = {}
        for part in filter(None, map(str.strip, value.replace("\n", ",").split(","))):
            name, _colon, number = (piece.strip() for piece in part.rpartition(":"))
            if not name or name in found:
                raise forms.ValidationError(EXAMPLE)
            found[name] = number if number in self.words else super().to_python(number)
            if found[name] is None:
                raise forms.ValidationError(EXAMPLE)
        return found

    def run_validators(self, value: Any) -> None:
        for number in value.values() if isinstance(value, dict) else [value]:
            if number not in self.words:
                super().run_validators(number)

    def prepare_value(self, value: Any) -> Any:
        return write_numbers(value) if isinstance(value, dict) else value


def write_numbers(numbers: dict[str, Any]) -> str:
    """As the field reads them."""
    return ", ".join(f"{group}: {number}" for group, number in numbers.items())
