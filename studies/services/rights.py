"""What participants may do with their answers: see, download or withdraw them; and how answers are erased."""

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from items.markup import render_wording
from items.models import Item, Text
from items.plain import write_csv
from jobs.deleting import delete_results
from projects.audit import record_act
from projects.deletion import collect_rows, delete_collected, wipe_storage
from projects.models import new_token
from studies.models import (
    Annotator,
    AnnotatorKind,
    Assignment,
    Contact,
    Draft,
    EndReason,
    ItemReport,
    Response,
    Review,
    Study,
    Submission,
    UnitItem,
)
from studies.models.people import new_public_id
from studies.question_words import name_label, name_question, name_stage
from studies.services.phases import get_phase, get_phase_words
from studies.services.states import hold_state
from studies.services.written_items import find_rewording_questions, make_item_id

# A second code, besides the link, opens a person's answers: a link may leak, by a forwarded mail or a shared
# computer, so it opens only the task. The code is shown on the consent and thanks pages.

CODE_LETTERS = 10  # 50 bits, in addition to the 192 of the link
MAX_TRIES = 10  # an hour
AN_HOUR = 60 * 60


class WrongCode(Exception):
    """The second code is not this person's; the message is a sentence."""


def get_second_code(annotator: Annotator) -> str:
    """The code shown on the consent and thanks pages, as two groups of letters. It is derived, not stored."""
    return _make_code(annotator, settings.SECRET_KEY)


def _make_code(annotator: Annotator, secret: str) -> str:
    digest = salted_hmac("studies.second_code", f"{annotator.pk}/{annotator.public_id}", secret=secret).digest()
    letters = base64.b32encode(digest).decode()[:CODE_LETTERS]
    return f"{letters[:5]}-{letters[5:]}"


def check_second_code(annotator: Annotator, given: str) -> None:
    """Raises `WrongCode` for another person's code, or after ten wrong ones in an hour."""
    key = f"second-code:{annotator.pk}"
    if cache.get(key, 0) >= MAX_TRIES:
        raise WrongCode(_("Too many wrong codes. Try again in an hour, or ask whoever sent you the link."))
    plain = "".join(given.upper().split()).replace("-", "").encode("ascii", "replace").decode()
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    if not any(constant_time_compare(plain, _make_code(annotator, each).replace("-", "")) for each in secrets):
        cache.set(key, cache.get(key, 0) + 1, AN_HOUR)
        raise WrongCode(_("This is not your second code. It was shown with the consent and at the end."))


@dataclass(frozen=True)
class OwnAnswer:
    """An answer in words, without anything that the person was not shown."""

    stage: str
    question: str
    about: str
    option: str
    value: str
    comment: str
    at: datetime | None
    text: Text | None = None  # the text that the item is about
    is_item: bool = False  # whether the value is the wording of an item

    @cached_property
    def html(self) -> dict[str, str]:
        """Words about the text, with its markup rendered."""
        names = ("about", "option", *(["value"] if self.is_item else []))
        values = {"about": self.about, "option": self.option, "value": self.value}
        return values | ({name: render_wording(values[name], self.text, None) for name in names} if self.text else {})


def list_own_answers(annotator: Annotator) -> list[OwnAnswer]:
    """Everything the person handed in, in chronological order; background questions come first."""
    return [*_list_background(annotator), *_list_responses(annotator), *_list_reports(annotator)]


def _list_background(annotator: Annotator) -> Iterator[OwnAnswer]:
    for passage in annotator.phases_passed.order_by("passed_at", "pk"):
        phase = get_phase(annotator, passage.phase)
        title = get_phase_words(annotator, passage.phase).get("title") or passage.phase
        asked = {question.name: question for question in phase.questions} if phase else {}
        for name, value in (passage.answers or {}).items():
            question = asked.get(name)
            is_chosen = question is not None and question.kind in ("choice", "scale")
            answer = question.label_of(value) if question and is_chosen else name_label(str(value))
            yield OwnAnswer(title, question.text if question else name, "", "", answer, "", passage.passed_at)


def _list_responses(annotator: Annotator) -> Iterator[OwnAnswer]:
    mine = Response.objects.filter(assignment__annotator=annotator).select_related(
        "item__text", "option", "assignment__unit__text"
    )
    rows = list(mine.order_by("submitted_at", "pk"))
    picked = Item.objects.filter(project=annotator.study.project_id, external_id__in={str(row.value) for row in rows})
    stems = {item.external_id: item.stem for item in picked}
    for row in rows:
        yield OwnAnswer(
            name_stage(row.stage), name_question(row.question), row.item.stem if row.item else "",
            row.option.text if row.option else "", _describe_value(row.value, stems), row.comment, row.submitted_at,
            row.assignment.unit.text, str(row.value) in stems,
        )  # fmt: skip


def _list_reports(annotator: Annotator) -> Iterator[OwnAnswer]:
    for report in ItemReport.objects.filter(assignment__annotator=annotator).select_related("item__text"):
        about = report.item.stem if report.item else ""
        yield OwnAnswer(
            name_stage(report.stage), _("problem reported"), about, "", str(report.get_problem_display()), report.words,
            report.made_at, report.item.text if report.item else None,
        )  # fmt: skip


def _describe_value(value: Any, stems: dict[str, str]) -> str:
    """The value in words; a picked item is named by its stem, as its id may reveal who wrote it."""
    if isinstance(value, bool):
        return name_label("true" if value else "false")
    if isinstance(value, list | dict):
        return ", ".join(map(str, value))
    return stems.get(str(value), str(value))


def write_own_answers(annotator: Annotator) -> str:
    """Everything the person handed in, as CSV."""
    columns = ("stage", "question", "about", "option", "value", "comment", "at")
    answers = ([getattr(answer, column) for column in columns] for answer in list_own_answers(annotator))
    return write_csv(columns, ([None if cell is None else str(cell) for cell in cells] for cells in answers))


# Erase what a person gave a study: answers, drafts, contact, background. The code stays, so that the plan stays whole.
#
# Used when a participant withdraws and when a researcher removes somebody.

ACTS = {EndReason.WITHDRAWN: "person_withdrew", EndReason.REMOVED: "person_removed"}


class CannotErase(Exception):
    """There is nothing to erase, or nobody; the message is a sentence."""


@dataclass(frozen=True)
class ErasureResult:
    """What was deleted, and the ids of the person's items in the bank that others have answered, which stay."""

    answers: int
    drafts: int
    kept_items: tuple[str, ...]


def erase_person(annotator: Annotator, ended_as: EndReason) -> ErasureResult:
    """Delete everything the person gave the study, and end their link; `CannotErase` if that was done before.

    Their open and finished cells go back to the plan. Stored results, exports and packs are deleted too, so that all
    later ones are without the person.
    """
    with transaction.atomic():
        hold_state(annotator.study_id, annotator.pk)
        current = Annotator.objects.select_related("study").get(pk=annotator.pk)
        refuse_erasing(current)
        kept = delete_written_items(current)
        erased = delete_answers(current, kept)
        end_person(current, ended_as)
        delete_results(current.study.project)
        record_act(current.study.project_id, ACTS[ended_as], current)
    wipe_storage()
    return erased


def refuse_erasing(annotator: Annotator) -> None:
    if annotator.kind != AnnotatorKind.HUMAN:
        raise CannotErase(_("%(code)s is a model. Remove it on the page of models.") % {"code": annotator.code})
    if annotator.ended_as in ACTS:
        raise CannotErase(_("The answers of %(code)s are already deleted.") % {"code": annotator.code})


def delete_answers(annotator: Annotator, kept_items: tuple[str, ...]) -> ErasureResult:
    """Delete their answers, drafts and hand-ins; assignments keep only their annotator and that they were returned."""
    mine = Assignment.objects.filter(annotator=annotator)
    Review.objects.filter(stem__assignment__in=mine).delete()
    answers, _each = Response.objects.filter(assignment__in=mine).delete()
    drafts, _each = Draft.objects.filter(assignment__in=mine).delete()
    Submission.objects.filter(assignment__in=mine).delete()
    ItemReport.objects.filter(assignment__in=mine).delete()
    hide_from_experts(annotator)
    mine.update(returned_at=timezone.now(), return_reason=str(EndReason.WITHDRAWN), shown={}, reopened=None)
    return ErasureResult(answers, drafts, kept_items)


def end_person(annotator: Annotator, ended_as: EndReason) -> None:
    """Delete what the row says about the person, except code, group and seat; the link no longer works."""
    Contact.objects.filter(annotator=annotator).delete()
    annotator.phases_passed.all().delete()
    now = timezone.now()
    Annotator.objects.filter(pk=annotator.pk).update(
        person="", profile={}, variant=None, token=new_token(), public_id=new_public_id(), revoked_at=now,
        paused_at=None, joined_at=None, last_seen=None, ended_as=ended_as, ended_at=now,
    )  # fmt: skip


def hide_from_experts(annotator: Annotator) -> None:
    """Delete the person's scores, and the verdicts on them, from what experts check."""
    theirs = Assignment.objects.filter(annotator__study=annotator.study, annotator__purpose="expert")
    for assignment in theirs.exclude(reopened=None):
        cells, stays = assignment.reopened or {}, {}
        for item, questions in cells.items():
            left = {name: cell for name, cell in questions.items() if cell.get("annotator") != annotator.code}
            if left:
                stays[item] = left
            gone = [name for name in questions if name not in left]
            Response.objects.filter(assignment=assignment, item=int(item), question__in=gone).delete()
        if stays != cells:
            shown = {name: [row for row in rows if str(row[1]) in stays] for name, rows in assignment.shown.items()}
            returned = None if stays else timezone.now()
            Assignment.objects.filter(pk=assignment.pk).update(reopened=stays, shown=shown, returned_at=returned)


def delete_written_items(annotator: Annotator) -> tuple[str, ...]:
    """Delete the items that the person wrote and nobody was asked about; returns the ids of the others."""
    written = find_written_items(annotator)
    used = set(UnitItem.objects.filter(item__in=written).values_list("item", flat=True))
    delete_collected(collect_rows([item for item in written if item.pk not in used]))
    return tuple(item.external_id for item in written if item.pk in used)


def find_written_items(annotator: Annotator) -> list[Item]:
    """All versions of the bank's items that were made from this person's answers."""
    mine = Response.objects.filter(assignment__annotator=annotator)
    taken = Review.objects.filter(stem__in=mine, item__isnull=False).values_list("item__external_id", flat=True)
    names = set(taken) | set(list_rephrased(annotator.study, mine))
    return list(Item.objects.filter(project=annotator.study.project_id, external_id__in=names))


def list_rephrased(study: Study, responses: Any) -> Iterable[str]:
    questions = find_rewording_questions(study)
    return [make_item_id(each) for each in responses.filter(question__in=questions).select_related("item")]
