"""Study → unit → slot → assignment → draft → response, and the instruments that word them."""

from studies.models.answer import (
    Adjudication,
    Draft,
    ItemReport,
    Problem,
    Response,
    Review,
    Settled,
    Submission,
    Verdict,
)
from studies.models.instrument import Instrument, InstrumentVersion
from studies.models.people import (
    Annotator,
    AnnotatorKind,
    Apart,
    Assignment,
    Contact,
    Ended,
    PhasePassed,
    Purpose,
    Slot,
)
from studies.models.study import EffectsSwitch, PeopleTexts, Study, StudyState, StudyTemplate, Unit, UnitItem, Variant

__all__ = [
    "Adjudication",
    "Annotator",
    "AnnotatorKind",
    "Apart",
    "Assignment",
    "Contact",
    "Draft",
    "EffectsSwitch",
    "Ended",
    "Instrument",
    "InstrumentVersion",
    "ItemReport",
    "PeopleTexts",
    "PhasePassed",
    "Problem",
    "Purpose",
    "Response",
    "Review",
    "Settled",
    "Slot",
    "Study",
    "StudyState",
    "StudyTemplate",
    "Submission",
    "Unit",
    "UnitItem",
    "Variant",
    "Verdict",
]
