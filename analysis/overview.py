"""The overview of a project: its contents, and the most useful next step."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from generation.models import IncompleteItem, IncompleteState
from items.language import name_language
from items.services.bank import list_languages
from llm.models import Run
from llm.run_numbers import Progress as RunProgress
from projects.access import get_project
from projects.models import Project, Role
from projects.services import Stage, describe_stages
from studies.models import Study, StudyState
from studies.services.progress import StudyProgress, list_progress, say_done

ENDED = (StudyState.CLOSED, StudyState.IMPORTED)
STUDIES_SHOWN, EVENTS_SHOWN = 6, 4


@dataclass(frozen=True)
class Step:
    """The next step: a title, a sentence and, for those who may do it, a labeled link."""

    title: str
    sentence: str
    label: str = ""
    url: str = ""


@login_required
def project_overview(request, slug):
    project = get_project(request.user, slug)
    counts = Project.objects.with_counts().get(pk=project.pk)
    rows = list_progress(project.studies.filter(archived_at=None).order_by("-created_at", "-pk"))
    context = {
        "project": project,
        "counts": counts,
        "languages": [name_language(code) for code in list_languages(project)],
        "n_repair": IncompleteItem.objects.filter(generator__project=project, state=IncompleteState.OPEN).count(),
        "rows": rows[:STUDIES_SHOWN],
        "n_more": max(0, len(rows) - STUDIES_SHOWN),
        "step": suggest_step(project, counts, rows),
        "stages": list_stages(counts, rows),
        "events": list_events(project, rows),
    }
    return render(request, "projects/project.html", context)


def suggest_step(project: Project, counts, rows: list[StudyProgress]) -> Step:
    """Chosen by what exists; `project` carries the reader's role."""
    can_edit = project.my_role.rank >= Role.RESEARCHER.rank
    if row := find_relevant_row(rows):
        return suggest_for_study(row, can_edit)
    if not can_edit:
        return Step(_("Nothing to read yet."), _("A researcher of the project adds texts, questions and a study."))
    if not counts.n_texts:
        sentence = _("Paste them, or upload files. A file can hold questions too.")
        return Step(_("Add your texts."), sentence, _("Add texts"), reverse("text_new", args=[project.slug]))
    if not counts.n_items:
        sentence = _("Let a model or a rule write them, or write them yourself on the page of a text.")
        return Step(_("Add questions."), sentence, _("Generate items"), reverse("generation_new", args=[project.slug]))
    sentence = _("Choose what people do with each question. Defaults come from published studies.")
    return Step(_("Design a study."), sentence, _("New study"), reverse("study_new", args=[project.slug]))


def find_relevant_row(rows: list[StudyProgress]) -> StudyProgress | None:
    """The newest study that is not over, else the newest."""
    return next((row for row in rows if row.study.state not in ENDED), rows[0] if rows else None)


def suggest_for_study(row: StudyProgress, can_edit: bool) -> Step:
    study, progress = row.study, row.progress
    address = reverse("study", args=[study.slug])
    if study.state == StudyState.DRAFT:
        title = _("Check and launch “%(title)s”.") % {"title": study.title}
        sentence = _("Preview it as an annotator first. At launch, wording and plan are fixed.")
        return Step(title, sentence, _("Open the design"), address)
    if study.state in ENDED or row.is_finished:
        title = _("Look at the results of “%(title)s”.") % {"title": study.title}
        label, address = _("Open the results"), reverse("study_results", args=[study.slug])
        return Step(title, describe_progress(row), label, address)
    if study.state == StudyState.PAUSED:
        title = _("Resume “%(title)s”.") % {"title": study.title}
        return Step(title, _("The study is paused. Nobody can answer until you resume it."), _("Open People"), address)
    title = _("Send the links of “%(title)s”.") if not progress.finished else _("“%(title)s” is under way.")
    return Step(title % {"title": study.title}, describe_progress(row), _("Open People"), address)


def describe_progress(row: StudyProgress) -> str:
    progress = row.progress
    if not progress.total:
        return _("Nobody has been asked yet.") if row.study.state not in ENDED else ""
    sentence = say_done(row.study, progress.finished, progress.total)
    return sentence + " " + _("The answers are simulated.") if row.is_simulated else sentence


def list_stages(counts, rows: list[StudyProgress]) -> list[Stage]:
    """The five steps of a first study; empty once one has answers."""
    launched = [row for row in rows if row.study.state != StudyState.DRAFT]
    if any(row.progress.finished for row in launched) or any(row.study.state in ENDED for row in launched):
        return []
    return describe_stages(bool(counts.n_texts), bool(counts.n_items), bool(launched))


def list_events(project: Project, rows: list[StudyProgress]) -> list[str]:
    """The latest events, newest first."""
    events = [(run.created_at, describe_run(run)) for run in query_newest_runs(project)]
    for row in rows[:EVENTS_SHOWN]:
        events += list(find_dates(row.study))
    events.sort(key=lambda event: event[0], reverse=True)
    return [f"{event}, {date_format(when, 'DATE_FORMAT')}" for when, event in events[:EVENTS_SHOWN]]


def query_newest_runs(project: Project) -> Iterable[Run]:
    return project.runs.select_related("endpoint").order_by("-created_at")[:EVENTS_SHOWN]


def describe_run(run: Run) -> str:
    progress = RunProgress(run)
    sentence = ngettext("%(run)s: %(n)d answer", "%(run)s: %(n)d answers", progress.n_good)
    text = sentence % {"run": run.label, "n": progress.n_good}
    if progress.n_missing:
        text += ngettext(", %(n)d missing", ", %(n)d missing", progress.n_missing) % {"n": progress.n_missing}
    return text


def find_dates(study: Study):
    """(time, sentence) for each event in the study's life."""
    title = {"title": study.title}
    yield study.created_at, _("“%(title)s” was created") % title
    if study.launched_at:
        imported = study.state == StudyState.IMPORTED
        yield study.launched_at, (_("“%(title)s” was imported") if imported else _("“%(title)s” was launched")) % title
    if study.closed_at:
        yield study.closed_at, _("“%(title)s” was closed") % title
