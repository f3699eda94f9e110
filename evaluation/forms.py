from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY
from evaluation.services.evaluators import LONGEST

METHODS = [
    (MAJORITY, _("Majority: says of every option what is true of most options on the other texts")),
    (EXACT, _("Exact match: ticks an option that stands in the text, word for word")),
    (FUZZY, _("Fuzzy match: ticks an option that nearly stands in the text")),
]


class BaselineForm(forms.Form):
    """Which baseline is to answer, and what tables call it."""

    method = forms.ChoiceField(label=_("Baseline"), choices=METHODS, widget=forms.RadioSelect, initial=MAJORITY)
    label = forms.CharField(
        label=_("Label"),
        max_length=LONGEST,
        required=False,
        help_text=_("What tables and exports call it; empty: majority, exact or fuzzy."),
    )
