"""What datasheet and methods paragraph say of a study, in numbers."""

from dataclasses import dataclass
from datetime import datetime

from django.conf.locale import LANG_INFO
from django.db.models import Max, Min

from analysis.evidence import Evidence
from analysis.handed_in import handed_in
from analysis.report import Report
from studies.models import Assignment, Response, Study, StudyState
from studies.services.units import CALIBRATION


@dataclass(frozen=True)
class Course:
    """How far a study is, and what else only its rows say.

    `first`, `last`: when the first and the last answer of people were handed in, if that is known. `n_assigned`,
    `n_finished`: assignments of people of the chosen purposes. `n_calibration`: units that all did first.
    `languages`: names of those of the texts. `given_here`: whether answers were given on Lesart's pages, not imported.
    """

    first: datetime | None
    last: datetime | None
    n_assigned: int
    n_finished: int
    n_calibration: int
    languages: tuple[str, ...]
    given_here: bool


@dataclass(frozen=True)
class Facts:
    """Counts of what is in the figures. `items`: number of items by generator. `groups`: people by group. `rounds`:
    those that anybody answered. `left_out`: answers of other purposes, which are not in the figures."""

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
    course: Course
    rounds: int
    left_out: dict[str, int]
    seed: int
    convention: str

    @property
    def is_unfinished(self) -> bool:
        return self.study.state in (StudyState.LIVE, StudyState.PAUSED)

    @property
    def n_items(self) -> int:
        return sum(self.items.values())


def facts_of(evidence: Evidence, report: Report, course: Course) -> Facts:
    """`course`: see `course_of`, which reads the database while this does not."""
    annotators = evidence.annotators
    people = annotators[annotators["kind"] == "human"]
    simulated = people["purpose"] == "simulated"
    counts = evidence.items["generator"].value_counts()
    minutes = evidence.minutes[evidence.minutes["annotator"].isin(people["annotator"])]["minutes"]
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
        course=course,
        rounds=int(evidence.every_round["round"].max()) if len(evidence.every_round) else 1,
        left_out=evidence.left_out,
        seed=evidence.choices.seed,
        convention=evidence.choices.convention,
    )


def course_of(evidence: Evidence) -> Course:
    study, purposes = evidence.study, evidence.choices.purposes
    answers = handed_in(study, purposes).filter(assignment__annotator__kind="human")
    found = Response.objects.filter(pk__in=answers).aggregate(first=Min("submitted_at"), last=Max("submitted_at"))
    assigned = Assignment.objects.active().filter(
        annotator__study=study, annotator__kind="human", annotator__purpose__in=purposes, round=1
    )
    codes = study.units.order_by("text__language").values_list("text__language", flat=True).distinct()
    return Course(
        first=found["first"],
        last=found["last"],
        n_assigned=assigned.count(),
        n_finished=assigned.filter(finished_at__isnull=False).count(),
        n_calibration=study.units.filter(part=CALIBRATION).count(),
        languages=tuple(language_name(code) for code in codes),
        given_here=assigned.filter(submissions__opened_at__isnull=False).exists(),
    )


def language_name(code: str) -> str:
    """In English, as ISO 639-1 names it; the code itself where it is not known."""
    return str(LANG_INFO.get(code.partition("-")[0], {}).get("name") or code)
