"""The planner of guess-then-read: what is assumed, and the power and widths that follow."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from math import nan
from typing import Any, Literal

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.measures.components import component_intervals, fit_components
from analysis.measures.power import Components, Plan, informativity_curve
from analysis.measures.prediction_powered import gain
from analysis.planning.forms import OutlookForm, Sizes, make_share_field, make_size_field, make_spread_field
from analysis.planning.outlook import (
    PEOPLE_TEXTS,
    STUDIES,
    AssumedPlan,
    Planner,
    TooLarge,
    build_component_row,
    build_outlook_row,
    format_percent,
    list_sizes_around,
    make_unfitted_row,
)
from analysis.protocols.guess_then_read.spread import code_judgments, fit_option_spread
from analysis.protocols.guess_then_read.tables import OUTLOOK
from analysis.reports.evaluators import get_people
from analysis.reports.spread import Spread, name_components
from analysis.tables.spec import Row

# Lesart's assumptions for a study without answers. READ − GUESS is near the informativity that the first published
# study found for people (Säuberli & Clematide 2024: .22 to .29).
GUESS, READ, DIFFERENCE, R = 0.58, 0.84, 0.1, 0.7
JUDGMENTS = 8_000_000  # drawn for one curve, in at most half a second
FEWEST = 50  # simulated studies; with fewer a power is too uncertain
Varied = Literal["texts", "annotators", "items"]


@dataclass(frozen=True)
class GuessPlan(AssumedPlan):
    """The assumptions about a study: its size, the shares right, and the spreads.

    texts_all: how many texts models answer; models are left out unless this exceeds the plan's texts. r: their
    correlation with people.
    """

    plan: Plan
    guess: float
    read: float
    difference: float
    components: Components
    texts_all: int = 0
    r: float = 0.0

    axes = ("texts", PEOPLE_TEXTS, "annotators", "items")
    table = OUTLOOK

    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        plan = self.plan
        axes: tuple[tuple[Varied, int], ...] = (("texts", 2), ("annotators", 1), ("items", 1))
        for axis, least in axes:
            sizes = list_sizes_around(getattr(plan, axis), least)
            yield from self.curve(axis, axis, sizes, sizes, seed)
            if axis == "texts" and self.texts_all > plan.texts:
                with_models = sorted({*(n for n in sizes if n <= self.texts_all), self.texts_all})
                effective = [round(n * gain(self.r, n, self.texts_all)) for n in with_models]
                yield from self.curve(PEOPLE_TEXTS, axis, with_models, effective, seed)

    def curve(
        self, axis: str, varied: Varied, sizes: list[int], as_good_as: list[int], seed: int
    ) -> Iterator[dict[str, Any]]:
        """The rows of an axis. as_good_as: for each size, the equivalent size with people only, which is simulated."""
        plan, read = self.plan, (self.read, self.read - self.difference)
        studies = compute_max_studies(plan, max(as_good_as) / getattr(plan, varied))
        found = informativity_curve(
            plan, (varied, as_good_as), self.guess, read, seed=seed, components=self.components, studies=studies
        )
        for n, each in zip(sizes, found, strict=True):
            about = {name: getattr(plan, name) for name in ("texts", "annotators", "items")} | {varied: n}
            about["r"] = self.r if axis == PEOPLE_TEXTS else None
            yield build_outlook_row(axis, n, n == getattr(plan, varied), about, each)

    def note(self) -> str:
        return _("Power: share of simulated studies in which the interval of the difference between two "
                 "generators' informativity excludes 0. Widths: of the interval of one generator's "
                 "informativity, and of the difference. Annotators: number per text. With models on all texts, n texts "
                 "with people are as good as n / (1 − (1 − n/N) r²) without.")  # fmt: skip

    def sentence(self, own: Row) -> str:
        return _(
            "With %(texts)s texts and %(annotators)s annotators per text, %(power)s of such studies "
            "would detect a difference of %(difference)s in informativity. The interval of one "
            "generator's informativity would be %(width)s wide."
        ) % {
            "texts": count(own["texts"]),
            "annotators": count(own["annotators"]),
            "power": format_percent(own["power"]),
            "difference": number(self.difference),
            "width": number(own["width"]),
        }


def compute_max_studies(plan: Plan, factor: float) -> int:
    """The number of studies that can be simulated at the largest size; `TooLarge` if these are too few."""
    studies = min(STUDIES, int(JUDGMENTS / (plan.judgments * factor)))
    if studies < FEWEST:
        raise TooLarge(
            _("This plan is too large to simulate while you wait. Use fewer texts, annotators, items or "
              "options; the shape of the curves stays the same.")
        )  # fmt: skip
    return studies


class GuessForm(OutlookForm):
    SIZES = ("texts", "texts_all", "annotators", "generators", "items", "options")
    EFFECTS = ("guess", "read", "difference", "r")

    texts = make_size_field(gettext_lazy("Texts with people"), 2, 2000)
    texts_all = make_size_field(gettext_lazy("Texts that models do"), 2, 1_000_000)
    annotators = make_size_field(gettext_lazy("Annotators per text"), 1, 200)
    generators = make_size_field(gettext_lazy("Generators"), 2, 50)
    items = make_size_field(gettext_lazy("Items per text and generator"), 1, 50)
    options = make_size_field(gettext_lazy("Options per item"), 1, 20)
    guess = make_share_field(gettext_lazy("Accuracy without the text"))
    read = make_share_field(gettext_lazy("Accuracy with the text"))
    difference = make_share_field(gettext_lazy("Difference between two generators to detect"), 0, 0.9)
    r = forms.TypedChoiceField(
        label=gettext_lazy("r of models and people, by text"),
        coerce=float,
        choices=[("0.0", "0"), ("0.5", "0.5"), ("0.7", "0.7"), ("0.9", "0.9")],
    )
    text = make_spread_field(gettext_lazy("between texts"))
    text_stage = make_spread_field(gettext_lazy("between a generator's items on a text, stage by stage"))
    item = make_spread_field(gettext_lazy("between items"))
    option = make_spread_field(gettext_lazy("between options"))
    annotator = make_spread_field(gettext_lazy("between annotators"))

    def clean(self) -> dict[str, Any]:
        found = super().clean() or {}
        if "read" in found and "difference" in found and found["read"] - found["difference"] < 0.01:
            self.add_error("difference", _("The difference must be smaller than the share right with the text."))
        return found

    def assumptions(self) -> GuessPlan:
        values = self.cleaned_data
        return GuessPlan(
            plan=Plan(*(values[name] for name in ("texts", "annotators", "generators", "items", "options"))),
            texts_all=values["texts_all"],
            r=values["r"],
            guess=values["guess"],
            read=values["read"],
            difference=values["difference"],
            components=Components(**{field.name: values[field.name] for field in fields(Components)}),
        )


def assume_values(sizes: Sizes, found: Spread) -> dict[str, Any]:
    """The initial values of the form."""
    names = ("texts", "texts_all", "annotators", "generators", "items", "options")
    values: dict[str, Any] = {name: getattr(sizes, name) for name in names}
    values["generators"] = max(2, sizes.generators)  # the plan compares two
    values |= {"guess": found.guess or GUESS, "read": found.read or READ, "difference": DIFFERENCE, "r": R}
    return values | asdict(found.components)


def list_components(evidence: Evidence) -> list[dict[str, Any]]:
    defaults, names = asdict(Components()), name_components()
    judgments = get_people(evidence).select_rows(evidence.judgments)
    if judgments.empty:
        return [make_unfitted_row(name, title, defaults[name]) for name, title in names.items()]
    data = code_judgments(judgments)
    fitted = fit_components(data)
    intervals = component_intervals(data, fitted)
    values = {name: nan if name in fitted.assumed else getattr(fitted.components, name) for name in names}
    return [
        build_component_row(name, title, values[name], defaults[name], intervals[name]) for name, title in names.items()
    ]


def make_planner() -> Planner:
    return Planner(GuessForm, fit_option_spread, list_components, assume_values)
