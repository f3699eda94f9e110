"""Variants of a study ask about the same units with another instrument: the plan is shared by all of them."""

from copy import copy
from typing import Any

from django.utils.translation import gettext as _

from items.plain import make_printable
from studies.models import Study, Variant
from studies.services.declarations import get_declaration
from studies.services.selection import ChosenTexts, plan_units
from studies.services.spec import SpecError


def check_variants(study: Study, chosen: ChosenTexts) -> None:
    """`SpecError` if a variant has other units or stages than its study."""
    for variant in study.variants.select_related("instrument_version"):
        refuse_other_plan(study, variant, chosen)


def refuse_other_plan(study: Study, variant: Variant, chosen: ChosenTexts) -> None:
    asked = copy(study)
    asked.instrument_version, asked.params = variant.instrument_version, variant.params
    if collect_plan_shape(study) != collect_plan_shape(asked) or plan_units(study, chosen) != plan_units(asked, chosen):
        raise SpecError(
            _(
                "The variant “%(name)s” has other units or stages than the study. Variants may differ in "
                "wording, questions and what is shown; for other units create a separate study."
            )
            % {"name": make_printable(variant.name)}
        )


def collect_plan_shape(study: Study) -> tuple[Any, ...]:
    """What a plan depends on, besides the units."""
    declaration = get_declaration(study)
    return (
        [(stage.name, stage.items) for stage in declaration.stages],
        declaration.phases,
        declaration.needs_options,
        declaration.min_generators,
        declaration.calibration,
        declaration.rounds,
        declaration.rules,
    )
