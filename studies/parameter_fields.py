"""A protocol's declared parameters as form fields, and back."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from studies.models import Study
from studies.protocols import PROTOCOLS, Protocol
from studies.protocols.parameters import Names, OneOf, Parameter, SomeOf, Switch, Whole, Words


def parameter_fields(protocol: Protocol) -> dict[str, forms.Field]:
    """One field for each parameter, in their order."""
    return {parameter.name: field_of(parameter) for parameter in protocol.parameters}


def field_of(parameter: Parameter) -> forms.Field:
    """A field that takes what the parameter takes; what was left empty means the default."""
    words: dict[str, Any] = {
        "label": _(parameter.label) if parameter.label else parameter.name,
        "help_text": _(parameter.help) if parameter.help else "",
        "initial": written(parameter, parameter.default),
        "required": False,
    }
    if isinstance(parameter, Switch):
        return forms.BooleanField(**words)
    if isinstance(parameter, Whole):
        return forms.IntegerField(min_value=parameter.low, max_value=parameter.high, **words)
    if isinstance(parameter, OneOf):
        return forms.ChoiceField(choices=[(value, _(label)) for value, label in parameter.options], **words)
    if isinstance(parameter, SomeOf):
        choices = [(value, _(label)) for value, label in parameter.options]
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **words)
    return forms.CharField(max_length=parameter.most if isinstance(parameter, Words) else 2000, **words)


def said(parameter: Parameter, cleaned: Any) -> Any:
    """The value of a parameter that a cleaned field means."""
    if isinstance(parameter, Names):
        return [name.strip() for name in cleaned.split(",") if name.strip()]
    return parameter.default if cleaned in (None, "") else cleaned


def written(parameter: Parameter, value: Any) -> Any:
    """A value as it stands in the field."""
    return ", ".join(value) if isinstance(parameter, Names) else value


def initial_parameters(study: Study) -> dict[str, Any]:
    """What the fields show of a draft."""
    protocol = PROTOCOLS[study.protocol]
    return {each.name: written(each, study.params.get(each.name, each.default)) for each in protocol.parameters}
