from django import forms
from django.utils.translation import gettext_lazy as _

from api.models import Scope
from api.services.tokens import MAX_DAYS
from jobs.kinds import EVENT_LABELS

DAYS = [(7, _("7 days")), (30, _("30 days")), (90, _("90 days")), (MAX_DAYS, _("one year"))]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("What the token is for, such as the name of a script.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("Allowed"),
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("A token never allows more than your own role in a project."),
    )
    days = forms.TypedChoiceField(label=_("Valid for"), choices=DAYS, coerce=int, initial=30)


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        widget=forms.URLInput({"placeholder": "https://hooks.example.org/lesart"}),
        help_text=_("It receives a signed POST and must not be inside the server's network."),
    )
    events = forms.MultipleChoiceField(
        label=_("Tell it when"), choices=list(EVENT_LABELS.items()), widget=forms.CheckboxSelectMultiple
    )
