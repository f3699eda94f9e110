"""What a reader of the planner assumes; all of it stands in the address."""

from dataclasses import fields
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.measures.components import MOST
from analysis.measures.power import Components, Plan
from analysis.reports.outlook import GuessPlan, PairPlan


def size(label: Any, least: int, most: int) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most)


def share(label: Any, least: float = 0.01, most: float = 0.99) -> forms.FloatField:
    return forms.FloatField(label=label, min_value=least, max_value=most, widget=forms.NumberInput({"step": "any"}))


def spread(label: Any) -> forms.FloatField:
    return share(label, 0, MOST**0.5)


class OutlookForm(forms.Form):
    """A GET form, filled with `assumed` where the address says nothing."""

    SIZES: tuple[str, ...] = ()
    EFFECTS: tuple[str, ...] = ()

    def __init__(self, assumed: dict[str, Any], data: Any = None) -> None:
        given = {name: data.get(name) for name in self.base_fields if data and data.get(name)}
        super().__init__(assumed | given)
        self.is_changed = any(str(assumed[name]) != value for name, value in given.items())

    @property
    def parts(self) -> list[tuple[str, Any, list[forms.BoundField]]]:
        """The fields in their three groups, each with its name and title."""
        others = tuple(name for name in self.fields if name not in (*self.SIZES, *self.EFFECTS))
        named = (("sizes", _("Size"), self.SIZES), ("effects", _("Effects"), self.EFFECTS),
                 ("components", _("Standard deviations, in logits"), others))  # fmt: skip
        return [(name, title, [self[field] for field in names]) for name, title, names in named]


class GuessForm(OutlookForm):
    SIZES = ("texts", "annotators", "generators", "items", "options")
    EFFECTS = ("guess", "read", "difference")

    texts = size(_("Texts"), 2, 2000)
    annotators = size(_("Annotators of a text"), 1, 200)
    generators = size(_("Generators"), 2, 50)
    items = size(_("Items a text and generator"), 1, 50)
    options = size(_("Options an item"), 1, 20)
    guess = share(_("Share right without the text"))
    read = share(_("Share right with the text"))
    difference = share(_("Difference of two generators that should be seen"), 0, 0.9)
    text = spread(_("between texts"))
    text_stage = spread(_("between a generator's items on a text, stage by stage"))
    item = spread(_("between items"))
    option = spread(_("between options"))
    annotator = spread(_("between annotators"))

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if "read" in found and "difference" in found and found["read"] - found["difference"] < 0.01:
            self.add_error("difference", _("The difference must be smaller than the share right with the text."))
        return found

    def assumptions(self) -> GuessPlan:
        said = self.cleaned_data
        return GuessPlan(
            plan=Plan(*(said[name] for name in ("texts", "annotators", "generators", "items", "options"))),
            guess=said["guess"],
            read=said["read"],
            difference=said["difference"],
            components=Components(**{field.name: said[field.name] for field in fields(Components)}),
        )


class PairForm(OutlookForm):
    SIZES = ("texts", "judgments")
    EFFECTS = ("share",)

    texts = size(_("Texts"), 2, 2000)
    judgments = size(_("Untied judgments of a pair of generators, a text"), 1, 500)
    share = share(_("Share that prefers the better generator"), 0.5)
    text_spread = spread(_("between texts"))

    def assumptions(self) -> PairPlan:
        return PairPlan(**self.cleaned_data)


FORMS: dict[str, type[GuessForm | PairForm]] = {"guess-then-read": GuessForm, "pairwise": PairForm}
