"""The report of a study and its other results for pages: computed anew when its answers or keys have changed."""

from collections.abc import Callable
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

from django.db.models import Count, Exists, OuterRef

from analysis.agreement.questions import LabQuestion
from analysis.choices import Choices, parse_purposes
from analysis.hiding import hide_effects
from analysis.reports.report import Report
from analysis.services.cached_results import (
    ResultKey,
    ResultState,
    count_state,
    find_result,
    get_result,
    is_large,
    make_pending,
    open_file,
)
from analysis.tables.spec import Table
from jobs.models import Job
from studies.models import Annotator, AnnotatorKind, Response, Study
from studies.services.states import are_effects_hidden

if TYPE_CHECKING:
    from analysis.agreement.lab import Lab
from django.db.models import QuerySet

from studies.models import StudyState, UnitItem

STAND_IN = ("stand_in", "stand_in_calibration", "stand_in_biases")  # tables that have a page of their own
LABEL_MASS = "label_mass"  # also on that page, computed from the calls


def get_report(study: Study, choices: Choices, *, only_current: bool = False) -> Report:
    """The report under these choices, in the active language, without what is hidden from the team.

    For a large study it may be an earlier report, which says so (`as_of`), while a worker computes the next, unless
    `only_current`. `ResultPending` if there is none to show.
    """
    report, found = find_report(study, choices)
    if found.pending and only_current:
        raise make_pending(study, found)
    return report


def find_report(study: Study, choices: Choices) -> tuple[Report, ResultState]:
    """The report as in `get_report`, and its state with the job that computes the next."""
    found = find_result(ResultKey("report", study, choices))
    if found.cached is None:
        raise make_pending(study, found)
    report: Report = found.cached.result
    if found.pending:
        report = replace(report, as_of=found.cached.made_at, n_since=found.n - found.cached.n)
    return (hide_effects(report) if are_effects_hidden(study) else report), found


def read_known_report(study: Study, choices: Choices) -> Report | None:
    """The report as last computed, without what is hidden; nothing is computed."""
    key = ResultKey("report", study, choices).make_job().key
    job = Job.objects.filter(key=key).first()
    if job is None or not job.has_result:
        return None
    report: Report = job.read_value()
    return hide_effects(report) if are_effects_hidden(study) else report


def find_table(
    study: Study, choices: Choices, name: str, kind: str, result_of: Callable[[ResultKey], Any] = get_result
) -> Table:
    """A current table of the results, or of those about models that replace people; `KeyError` if there is none.

    Complete, including what is hidden from the team. `result_of` loads the results that contain it.
    """
    from analysis.reports.labels import build_label_mass

    if name == LABEL_MASS:
        return build_label_mass(study, choices.purposes)
    key = ResultKey("stand-in", study, choices, (kind,)) if name in STAND_IN else ResultKey("report", study, choices)
    report: Report = result_of(key)
    return report.table(name)


def get_lab(study: Study, choices: Choices, question: LabQuestion, annotators: list[str]) -> "Lab | None":
    """All coefficients of these annotators on the question; None if fewer than two of them answered it."""
    found: Lab | None = get_result(ResultKey("lab", study, choices, (question.key, question.view, *annotators)))
    return found


def get_lab_overview(study: Study, choices: Choices, annotators: list[str]) -> Table:
    """All questions for these annotators; see `analysis.agreement.lab`."""
    found: Table = get_result(ResultKey("lab-overview", study, choices, tuple(annotators)))
    return found


def get_stand_in(study: Study, choices: Choices, kind: str) -> Report:
    """The tables about models that replace people of a kind (a name of `stand_in.EPSILONS`); none without models."""
    report: Report = get_result(ResultKey("stand-in", study, choices, (kind,)))
    return report


def open_export(study: Study, format: str, choices: Choices) -> IO[bytes] | None:
    """The answers of a large study as a file; `ResultPending` while a worker writes it. None: the caller writes it
    itself."""
    asked = Choices(purposes=choices.purposes)
    now = count_state(study, asked)
    return open_file(ResultKey("export", study, asked, (format,)), now) if is_large(now[1]) else None


def find_calibration(study: Study) -> ResultState:
    """The rows of the agreement table over the calibration's pairs; none without a calibration or before its first
    answer.

    For a large study it may be an earlier result, or none yet, while a worker computes the next.
    """
    return find_result(ResultKey("calibration", study, Choices(seed=abs(study.seed))))


def count_by_purpose(study: Study) -> dict[str, int]:
    """How many answers of people of each purpose the study has."""
    people = Annotator.objects.filter(study=study, kind=AnnotatorKind.HUMAN)
    counted = Response.objects.filter(assignment__annotator__in=people, assignment__returned_at=None)
    named = counted.order_by().values_list("assignment__annotator__purpose").annotate(n=Count("pk"))
    return dict(named.order_by("assignment__annotator__purpose"))


def find_answered_purposes(study: Study) -> dict[str, int]:
    """The purposes with answers of people, each with 1: a hidden form needs no counts, which are slow."""
    people = Annotator.objects.filter(study=study, kind=AnnotatorKind.HUMAN)
    answers = Response.objects.filter(assignment__returned_at=None)
    has_answered = Exists(answers.filter(assignment__annotator=OuterRef("pk")))
    named = people.filter(has_answered).order_by("purpose").values_list("purpose", flat=True).distinct()
    return dict.fromkeys(named, 1)


def choose_extra_purposes(counts: dict[str, int]) -> list[str]:
    """The purposes included by default besides main: simulated answers if there are no main ones."""
    return ["simulated"] if counts.get("simulated") and not counts.get("main") else []


def make_default_choices(study: Study) -> Choices:
    """The default choices of a results page."""
    purposes = parse_purposes(choose_extra_purposes(count_by_purpose(study)))
    return Choices(purposes=purposes, seed=abs(study.seed))


# Two studies of a project that ask about the same items: which studies there are, and how they compare.


def list_comparable(study: Study) -> list[Study]:
    """Other studies of the project with some of the same items, other protocols first; none whose effects are
    hidden."""
    items = UnitItem.objects.filter(unit__study=study).values("item__external_id")
    shared = UnitItem.objects.filter(unit__study=OuterRef("pk"), item__external_id__in=items)
    others: QuerySet[Study] = study.project.studies.exclude(pk=study.pk).exclude(state=StudyState.DRAFT)
    found = [each for each in others.filter(Exists(shared)) if not are_effects_hidden(each)]
    return sorted(found, key=lambda each: each.protocol == study.protocol)


def compare_with(study: Study, other: Study) -> tuple[Table, Table]:
    """The tables of `analysis.science.scores`, in the active language; `ResultPending` while a worker computes
    them."""
    from analysis.science.scores import compare_studies  # pandas takes a second to load

    scores = [get_result(ResultKey("scores", each, make_default_choices(each))) for each in (study, other)]
    return compare_studies(*scores)
