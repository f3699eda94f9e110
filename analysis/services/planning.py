"""The planner's assumptions about a study with their sources, and its results; cached."""

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.core.cache import cache
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from analysis.choices import Choices
from analysis.planning.forms import Sizes
from analysis.plugins import find_plugin
from analysis.services.cached_results import A_DAY, ResultKey, get_result, hash_software
from analysis.services.figures import render_specification
from analysis.tables.spec import Table
from studies.models import Study

if TYPE_CHECKING:
    from analysis.planning.outlook import AssumedPlan, Planner
    from analysis.reports.spread import Spread


@dataclass(frozen=True)
class Assumptions:
    """The initial values of the form, and for each of its groups a sentence about their source."""

    values: dict[str, Any]
    sources: dict[str, str]


def make_assumptions(study: Study, sizes: Sizes) -> Assumptions:
    """Estimates from people's answers in the study if there are enough, else the defaults."""
    found = get_spread(study)
    values = get_planner(study).assume(sizes, found)
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in values.items()}
    return Assumptions(
        rounded,
        {"sizes": describe_size_source(sizes), "effects": describe_effect_source(found), "components": found.sentence},
    )


def get_planner(study: Study) -> "Planner":
    """The planner of the study's protocol."""
    make_planner = find_plugin(study.protocol).planner
    assert make_planner is not None
    planner: Planner = make_planner()
    return planner


def describe_size_source(sizes: Sizes) -> str:
    if sizes.generators < 2:
        return _("From the study's plan (means over its texts). The study has one generator; two are "
                 "assumed, because a difference needs two.")  # fmt: skip
    if sizes.open:
        return _("From the study; no annotators are planned yet, so their number is an assumption.")
    return _("From the study's plan (means over its texts).")


def describe_effect_source(found: "Spread") -> str:
    if found.guess and found.read:
        return _("The shares come from the people of this study so far, over all generators. Choose the "
                 "difference you want to be able to detect; do not use the observed one.")  # fmt: skip
    return _("Lesart's assumptions, not measured values. Change them to what you expect.")


def get_spread(study: Study) -> "Spread":
    """The components estimated from people's answers; never by generator."""
    found: Spread = get_result(ResultKey("planner", study, Choices()))[0]
    return found


def get_components(study: Study) -> Table:
    """The fitted components with their intervals; see `analysis.planning.outlook`."""
    table: Table = get_result(ResultKey("planner", study, Choices()))[1]
    return table


def compute_outlook(study: Study, assumed: "AssumedPlan") -> Table:
    """The planner's table; `TooLarge` if the plan cannot be simulated in a second or two."""
    from analysis.planning.outlook import build_outlook

    key = f"outlook:{hashlib.sha256(repr((assumed, study.seed, get_language())).encode()).hexdigest()}"
    table: Table | None = cache.get(key)
    if table is None:
        table = build_outlook(assumed, abs(study.seed))
        cache.set(key, table, A_DAY)
    return table


def draw_outlook(study: Study, table: Table, ending: str) -> bytes:
    """The planner's curves in a form of `analysis.figures.registry.FORMS`; `KeyError` for another."""
    from analysis.figures.registry import build_specification

    content = (hash_software(), table.rows, study.title, get_language())
    key = f"outlook-figure:{hashlib.sha256(repr(content).encode()).hexdigest()}"
    return render_specification(ending, key, lambda: build_specification("outlook", table, table.title, [study.title]))
