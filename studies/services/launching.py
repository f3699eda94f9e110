"""From a draft to answers: launch, pause, resume, close. What a study asks is frozen at launch."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from items.services.bank import get_bank_version, is_unchanged
from items.services.bank import lock_bank as bank_locked
from jobs.kinds import STUDY_CLOSED, JobFailed, announce
from jobs.models import Job, JobState
from jobs.progress import Listener, report_progress
from jobs.scheduling import get_or_schedule, make_job
from projects.audit import record_act
from projects.models import User, new_token
from projects.scratch import CHUNK, Save, Writer, pause_garbage_collection
from studies.models import (
    Annotator,
    Assignment,
    Draft,
    Purpose,
    Response,
    Slot,
    Study,
    StudyState,
    Submission,
    Unit,
)
from studies.presentation_order import shuffle
from studies.services.declarations import get_declaration
from studies.services.people import CODE_PREFIXES, make_annotators
from studies.services.people_texts import TextDraw, draw_texts, is_for_people, store_draw
from studies.services.phases import plan_practice
from studies.services.planning import Cells, Who, make_slots, plan_cells, plan_who
from studies.services.quotas import count_annotators, make_quotas
from studies.services.scratch import adopt_rows, clear_rows, refuse_if_written, scratch_study
from studies.services.selection import (
    CALIBRATION,
    ChosenTexts,
    PlannedUnit,
    check_variants,
    choose_items,
    notice_short_texts,
    plan_units,
    save_units,
)
from studies.services.spec import SpecError
from studies.services.states import WrongState, lock_study, lock_study_state

KIND, ASSIGNMENTS = "launch", "assignments"  # of the job, and the unit of its progress
AT_ONCE = 5_000  # assignments that a request may create, in some seconds
PREVIEWS_LAST = timedelta(days=1)
MAX_CHANGES = 3  # changes of the bank during a launch, before it is locked


@dataclass(frozen=True)
class Outline:
    """What a draft chooses: items, the units made of them, the seats of each unit, and the texts drawn for people."""

    chosen: ChosenTexts
    units: list[PlannedUnit]
    who: Who
    draw: TextDraw | None

    def for_people(self) -> list[tuple[PlannedUnit, list[int]]]:
        """The units that people do, with their seats."""
        drawn = self.draw.drawn if self.draw else None
        rows = zip(self.units, self.who, strict=True)
        return [(unit, row) for unit, row in rows if is_for_people(unit.text, drawn)]


@dataclass(frozen=True)
class PreparedLaunch:
    """What a launch would freeze: the units in the study's order, who does what, and whose items are guessed."""

    chosen: ChosenTexts
    units: list[PlannedUnit]
    cells: Cells
    draw: TextDraw | None
    practice: list[PlannedUnit]
    made_from: dict[str, Any]


def prepare_launch(study: Study) -> PreparedLaunch:
    """What launching the draft now would create; `SpecError` if it cannot be launched. Writes nothing."""
    found = outline_launch(study)
    chosen = found.chosen
    cells = plan_cells(study, found.units, found.who)
    made_from = collect_plan_inputs(study, chosen)
    return PreparedLaunch(chosen, found.units, cells, found.draw, plan_practice(study, chosen), made_from)


def outline_launch(study: Study) -> Outline:
    """The same as `outline_draft`, with texts in the order of a launch, which decides who does which text."""
    chosen = choose_items(study, for_plan=True)
    chosen.texts = shuffle(chosen.texts, Random(f"{study.seed}/units"))
    return outline_draft(study, chosen)


def outline_draft(study: Study, chosen: ChosenTexts | None = None) -> Outline:
    """The items that the draft chooses and who would do what; `SpecError` if it cannot be launched."""
    chosen = chosen or choose_items(study)
    draw = draw_texts(study, chosen)
    units = plan_units(study, chosen)
    plan_practice(study, chosen)
    chosen.notices += notice_short_texts(chosen, units, get_declaration(study).units_per_text)
    return Outline(chosen, units, plan_who(study, units, draw.drawn if draw else None), draw)


def collect_plan_inputs(study: Study, chosen: ChosenTexts | None = None) -> dict[str, Any]:
    """Everything that a plan depends on."""
    chosen = chosen or choose_items(study, for_plan=True)
    items = sorted(item.pk for _text, items in chosen.texts for item in items)
    return {"plan": study.plan, "seed": study.seed, "protocol": study.protocol, "params": study.params, "items": items}


def launch_or_schedule(study: Study, made_by: User) -> Job | None:
    """Launch the draft: immediately if that takes seconds, else by the job that is returned.

    `SpecError` and `WrongState` as in `launch_study`: a draft that cannot be launched becomes no job.
    """
    if study.is_draft:
        if (job := find_launch(study)) and job.is_open:
            return job
        refuse_if_written(study)
        if sum(map(len, outline_draft(study, choose_items(study, for_plan=True)).who)) > AT_ONCE:
            job = make_job(KIND, study.job_subject, {}, study.project)
            return get_or_schedule(job, timezone.now().isoformat(), made_by)
    launch_study(study, made_by)
    return None


def find_launch(study: Study) -> Job | None:
    """The job that is launching the draft, or that failed to."""
    jobs = Job.objects.filter(kind=KIND, subject=study.job_subject).exclude(state=JobState.DONE)
    return jobs.first() if study.is_draft else None


def launch_by_job(job: Job, on_progress: Listener) -> Path | None:
    """Launch the study of the job; does nothing if it was deleted or launched meanwhile."""
    study = Study.objects.select_related("project").filter(pk=job.subject.partition(":")[2]).first()
    if study is not None and study.is_draft:
        try:
            launch_study(study, job.owner)
        except (SpecError, WrongState) as error:
            raise JobFailed(str(error)) from None
    return None


def launch_study(study: Study, made_by: User | None = None) -> tuple[Study, ChosenTexts]:
    """Freeze a draft: units, people's texts, plan, annotators and their orders are drawn and stored; links open.

    The rows are written in short transactions, so that annotators of other studies are not blocked; the last
    transaction makes them the study's: all or none.
    """
    if study.variants.exists():
        check_variants(study, choose_items(study))
    with pause_garbage_collection(), scratch_study(study) as (scratch, writer):
        prepared = None
        for attempt in count():
            with bank_locked(study.project) if attempt > MAX_CHANGES else nullcontext():
                version = get_bank_version(study.project)
                if prepared is None or prepared.made_from != collect_plan_inputs(scratch):
                    clear_rows(scratch)
                    prepared = prepare_launch(scratch)
                    write_rows(scratch, prepared, writer, made_by)
                if launched := go_live(study, scratch, version):
                    return launched, prepared.chosen
    raise AssertionError("not reached")


def write_rows(scratch: Study, prepared: PreparedLaunch, writer: Writer, made_by: User | None) -> None:
    save = report_assignments(writer.save, sum(map(len, prepared.cells)))
    store_draw(scratch, prepared.draw, made_by)
    units = save_units(scratch, prepared.units, save)
    save_units(scratch, prepared.practice, save, first=len(units))
    make_slots(scratch, units, Purpose.MAIN, prepared.cells, make_quotas(scratch), save)
    if not scratch.recruitment.get("open_link"):  # with an open link, visitors claim the cells
        make_annotators(scratch, count_annotators(scratch), Purpose.MAIN, save=save)


def report_assignments(save: Save, total: int) -> Save:
    """A `save` that also reports how many of the assignments it has stored."""
    number = count(1)

    def report(rows: Iterable[Any]) -> Iterable[Any]:
        for row in rows:
            yield row
            if (done := next(number)) % CHUNK == 0:
                report_progress(ASSIGNMENTS, min(done, total), total)

    def save_and_report(model: type[Model], rows: Iterable[Any], columns: Sequence[str] = ()) -> None:
        save(model, report(rows) if model is Assignment else rows, columns)

    return save_and_report


def go_live(study: Study, scratch: Study, version: int) -> Study | None:
    """Move the rows of the scratch study to the study, and open it; None if the bank has changed."""
    clear_rows(study)  # the slow part, before the lock
    with transaction.atomic():
        if not is_unchanged(study.project, version):
            return None
        study = lock_study(study, StudyState.DRAFT)
        clear_rows(study)
        adopt_rows(study, scratch)
        study.state, study.launched_at, study.writer = StudyState.LIVE, timezone.now(), ""
        study.open_token = new_token() if study.recruitment.get("open_link") else None
        study.save(update_fields=["state", "launched_at", "open_token", "writer"])
        record_act(study.project_id, "study_launched", study)
    return study


def make_units(study: Study, planned: list[PlannedUnit]) -> list[Unit]:
    """The units as now planned, replacing any that a preview of the draft had made."""
    clear_rows(study)
    return save_units(study, planned)


def delete_annotators(annotators: QuerySet[Annotator]) -> None:
    """Delete annotators with everything they answered; for previews and simulations only."""
    gone = list(annotators.values_list("pk", flat=True))
    for answers in (Response, Submission, Draft):
        answers.objects.filter(assignment__annotator__in=gone).delete()
    Assignment.objects.filter(annotator__in=gone).delete()
    Annotator.objects.filter(pk__in=gone).delete()


@transaction.atomic
def pause_study(study: Study) -> Study:
    return set_state(lock_study_state(study, StudyState.LIVE), StudyState.PAUSED, "study_paused")


@transaction.atomic
def resume_study(study: Study) -> Study:
    return set_state(lock_study(study, StudyState.PAUSED), StudyState.LIVE, "study_resumed")


@transaction.atomic
def close_study(study: Study) -> Study:
    study = lock_study_state(study, StudyState.LIVE, StudyState.PAUSED)
    study.closed_at = timezone.now()
    announce(STUDY_CLOSED, study.project_id, study.slug)
    return set_state(study, StudyState.CLOSED, "study_closed")


@transaction.atomic
def reopen_study(study: Study) -> Study:
    """Open a closed study again, with its links. A deadline that has passed is removed."""
    study = lock_study(study, StudyState.CLOSED)
    study.closed_at, study.deadline = None, None
    study.save(update_fields=["deadline"])
    return set_state(study, StudyState.LIVE, "study_reopened")


@transaction.atomic
def open_main_part(study: Study) -> Study:
    """Let the annotators continue from the calibration to their own texts; `SpecError` if nobody waits for it."""
    study = lock_study(study, StudyState.LIVE, StudyState.PAUSED)
    if not study.units.filter(part=CALIBRATION).exists():
        raise SpecError(_("This study has no calibration, so its main part is already open."))
    if study.main_opened_at is not None:
        raise SpecError(_("The main part of this study is already open."))
    study.main_opened_at = timezone.now()
    study.save(update_fields=["main_opened_at"])
    return study


def set_state(study: Study, state: StudyState, act: str) -> Study:
    study.state = state
    study.save(update_fields=["state", "closed_at"])
    record_act(study.project_id, act, study)
    return study


@transaction.atomic
def delete_draft(study: Study) -> None:
    """Remove a draft with its previews; a launched study is closed, not deleted."""
    study = lock_study(study, StudyState.DRAFT)
    refuse_if_written(study)
    clear_rows(study)
    study.delete()


@transaction.atomic
def start_preview(study: Study, variant: str = "") -> Annotator:
    """An annotator for looking at the pages; for a draft, with its present items. None of its answers count.

    `variant`: the name of the variant to preview; without it, one is drawn as for everybody.
    """
    study = lock_study(study, StudyState.DRAFT, StudyState.LIVE)
    if study.is_draft:
        chosen = choose_items(study)
        make_units(study, [*plan_units(study, chosen), *plan_practice(study, chosen)])
    else:
        yesterday = timezone.now() - PREVIEWS_LAST
        delete_annotators(study.annotators.filter(purpose=Purpose.PREVIEW, created_at__lt=yesterday))
    annotator = make_annotators(study, 1, Purpose.PREVIEW)[0]
    if variant:
        annotator.variant = study.variants.filter(name=variant).first()
        annotator.save(update_fields=["variant"])
    return annotator


def start_phase_preview(study: Study) -> Annotator:
    """An annotator for previewing phases, which need no items: also for a draft without any, and for a closed study."""
    try:
        return start_preview(study)
    except (SpecError, WrongState):
        code = CODE_PREFIXES[Purpose.PREVIEW]
        return Annotator.objects.create(study=study, code=code, purpose=Purpose.PREVIEW)


@transaction.atomic
def remove_simulated(study: Study) -> int:
    """Delete all simulated annotators of the study with their answers; returns how many there were."""
    study = lock_study(study, *StudyState)
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED)
    number = simulated.count()
    delete_annotators(simulated)
    delete_annotators(
        study.annotators.filter(purpose=Purpose.EXPERT, code__startswith=CODE_PREFIXES[Purpose.SIMULATED])
    )
    Slot.objects.filter(unit__study=study, purpose=Purpose.SIMULATED).delete()
    return number
