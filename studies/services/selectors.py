"""Models that chose the items of a study: none of them may report on its own choice."""

from django.utils.translation import gettext as _

from studies.models import Study, UnitItem

SELECTED = "selected"
"""Where an item's metadata says by which model it was chosen among candidates, and how."""


def models_that_selected(study: Study) -> list[str]:
    """The names of the models by whose answers items of the study were chosen, each once."""
    rows = UnitItem.objects.filter(unit__study=study, item__metadata__has_key=SELECTED)
    told = rows.values_list(f"item__metadata__{SELECTED}", flat=True).iterator()
    return sorted({str(each["by"]) for each in told if isinstance(each, dict) and each.get("by")})


def is_same_model(one: str, other: str) -> bool:
    """Also where servers name it differently: meta-llama/Llama-3.1-8B and llama-3.1-8b."""
    return bare_name(one) == bare_name(other)


def bare_name(model: str) -> str:
    return model.rpartition("/")[2].casefold()


def why_not(study: Study, model: str) -> str:
    """The sentence that says why this model cannot report on the study; empty if it can."""
    if not any(is_same_model(model, selector) for selector in models_that_selected(study)):
        return ""
    said = _(
        "Items of this study were selected by %(model)s: it guessed and answered the candidates, and those were kept "
        "on which it did best. Its answers would report its own choice, and look better than the items are. Let "
        "another model answer."
    )
    return said % {"model": model}
