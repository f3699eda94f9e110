"""What datasheet and methods paragraph say of a study, in numbers."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, Min

from analysis.evidence import Evidence
from analysis.handed_in import handed_in
from analysis.report import Report
from studies.models import Response, Study
from studies.services.declaring import declaration_of

Period = tuple[datetime | None, datetime | None]


@dataclass(frozen=True)
class Facts:
    """Counts of what is in the figures. `items`: number of items by generator. `groups`: people by group."""

    study: Study
    report: Report
    n_texts: int
    items: dict[str, int]
    n_people: int
    n_simulated: int
    groups: dict[str, int]
    evaluators: tuple[str, ...]
    n_responses: int
    minutes: float | None
    first: datetime | None
    last: datetime | None
    seed: int
    convention: str

    @property
    def n_items(self) -> int:
        return sum(self.items.values())


def facts_of(evidence: Evidence, report: Report, asked: Period) -> Facts:
    """`asked`: see `period`, which reads the database while this does not."""
    annotators = evidence.annotators
    people = annotators[annotators["kind"] == "human"]
    simulated = people["purpose"] == "simulated"
    counts = evidence.items["generator"].value_counts()
    minutes = evidence.minutes[evidence.minutes["annotator"].isin(people["annotator"])]["minutes"]
    first, last = asked
    return Facts(
        study=evidence.study,
        report=report,
        n_texts=len(evidence.texts),
        items={name: int(counts.get(name, 0)) for name in evidence.generators},
        n_people=int((~simulated).sum()),
        n_simulated=int(simulated.sum()),
        groups={str(name): int(n) for name, n in people["group"].value_counts(sort=False).items() if name},
        evaluators=tuple(annotators[annotators["kind"] != "human"]["annotator"]),
        n_responses=report.n_responses,
        minutes=float(minutes.median()) if len(minutes) else None,
        first=first,
        last=last,
        seed=evidence.choices.seed,
        convention=evidence.choices.convention,
    )


def period(evidence: Evidence) -> Period:
    """When the first and the last answer of people were handed in, if that is known."""
    answers = handed_in(evidence.study, evidence.choices.purposes).filter(assignment__annotator__kind="human")
    found = Response.objects.filter(pk__in=answers).aggregate(first=Min("submitted_at"), last=Max("submitted_at"))
    return found["first"], found["last"]


def questions_asked(study: Study) -> list[tuple[str, str, tuple[str, ...]]]:
    """Stage, name and values of each question that the study asks."""
    return [
        (stage.name, question.name, tuple(map(str, question.levels)) or (question.kind,))
        for stage in declaration_of(study).stages
        for question in stage.questions
    ]
