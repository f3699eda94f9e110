"""Study → unit → slot → assignment → draft → response, and the instruments that word them."""

from studies.models.answer import Draft, Response, Submission
from studies.models.effects import EffectsSwitch
from studies.models.instrument import Instrument, InstrumentVersion
from studies.models.people import Annotator, AnnotatorKind, Assignment, PhasePassed, Purpose, Slot
from studies.models.review import Review, Verdict
from studies.models.study import Study, StudyState, Unit, UnitItem, Variant

__all__ = [
    "Annotator",
    "AnnotatorKind",
    "Assignment",
    "Draft",
    "EffectsSwitch",
    "Instrument",
    "InstrumentVersion",
    "PhasePassed",
    "Purpose",
    "Response",
    "Review",
    "Slot",
    "Study",
    "StudyState",
    "Submission",
    "Unit",
    "UnitItem",
    "Variant",
    "Verdict",
]
