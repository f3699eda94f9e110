"""Reports of broken items, sent by annotators from the page where they are and closed by researchers; comments."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from items.plain import has_control
from projects.models import User
from studies.models import Annotator, AnnotatorKind, ItemReport, Problem, Purpose, Response, Study
from studies.services.answering import lock_place
from studies.services.stage_form import StageForm

MOST_REPORTS = 50  # reports per assignment
MAX_WORDS = 1000


def report_item(annotator: Annotator, token: str, data: Mapping[str, Any]) -> str:
    """Store a report with what was entered on the page so far; returns a message to the annotator.

    The same report sent twice is stored once. `StaleStage` if the page is outdated.
    """
    with transaction.atomic():
        place = lock_place(annotator, token)
        form = StageForm.for_place(place)
        form.take(data)
        form.drafts.save()
        subjects = {subject.handle: subject for subject in form.subjects}
        subject, problem = subjects.get(data.get("report_item", "")), data.get("report_problem", "")
        if subject is None or problem not in Problem.values:
            return _("The report was not stored. Choose the question and what is wrong, and send it again.")
        assignment = place.assignment_and_stage[0]
        if assignment.reports.count() >= MOST_REPORTS:
            return _("You have already sent many reports about this page. Thank you, they are being read.")
        assignment.reports.get_or_create(
            stage=place.assignment_and_stage[1].name,
            item=form.shown_items.items.get(subject.item_id or 0),
            problem=problem,
            words=clean_words(data.get("report_words", "")),
            defaults={"made_at": timezone.now()},
        )
    return _("Thank you, your report is stored.")


def clean_words(words: str) -> str:
    """The text without control characters, shortened to the maximum length."""
    plain = "".join(" " if has_control(letter) else letter for letter in words)
    return " ".join(plain.split())[:MAX_WORDS]


def list_reports(study: Study) -> QuerySet[ItemReport]:
    """Open reports first, each part with the newest first."""
    mine = ItemReport.objects.filter(assignment__annotator__study=study, assignment__annotator__purpose=Purpose.MAIN)
    return mine.select_related("item__text", "assignment__annotator", "assignment__unit__text", "seen_by").order_by(
        "seen_at", "-pk"
    )


def list_comments(study: Study) -> QuerySet[Response]:
    """People's answers with a comment, the newest first."""
    mine = Response.objects.filter(assignment__annotator__study=study, assignment__annotator__purpose=Purpose.MAIN)
    with_comment = mine.filter(assignment__annotator__kind=AnnotatorKind.HUMAN).exclude(comment="")
    return with_comment.select_related("item__text", "assignment__annotator", "assignment__unit__text").order_by("-pk")


def close_report(report: ItemReport, user: User) -> None:
    """Mark as seen; repeating it changes nothing."""
    ItemReport.objects.filter(pk=report.pk, seen_at=None).update(seen_by=user, seen_at=timezone.now())
