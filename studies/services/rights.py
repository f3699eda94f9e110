"""What participants may do with what they gave: see it, take it along, withdraw it, with a second code beside the link.

A link may leak, by a forwarded mail or a shared computer. So it opens the task alone; the rest needs the code that the
consent and thanks pages show.
"""

import base64
import csv
import io
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from items.csv_cells import escape_formula
from items.models import Item
from studies.models import Annotator, ItemReport, Response
from studies.question_words import name_label, name_question, name_stage

CODE_LETTERS = 10  # 50 bits beside the 192 of the link
MAX_TRIES = 10  # an hour
AN_HOUR = 60 * 60


class WrongCode(Exception):
    """The second code is not this person's; the message is a sentence."""


def get_second_code(annotator: Annotator) -> str:
    """The code for pages of consent and thanks, as two groups of letters. Nothing of it is stored."""
    return _make_code(annotator, settings.SECRET_KEY)


def _make_code(annotator: Annotator, secret: str) -> str:
    digest = salted_hmac("studies.second_code", f"{annotator.pk}/{annotator.public_id}", secret=secret).digest()
    letters = base64.b32encode(digest).decode()[:CODE_LETTERS]
    return f"{letters[:5]}-{letters[5:]}"


def check_second_code(annotator: Annotator, given: str) -> None:
    """`WrongCode` unless it is this person's, or after ten wrong ones in an hour."""
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
    """An answer in words, with nothing in it that the person was not shown."""

    stage: str
    question: str
    about: str
    option: str
    value: str
    comment: str
    at: datetime | None


def list_own_answers(annotator: Annotator) -> list[OwnAnswer]:
    """Everything the person handed in, in the order in which they did; background questions come first."""
    return [*_list_background(annotator), *_list_responses(annotator), *_list_reports(annotator)]


def _list_background(annotator: Annotator) -> Iterator[OwnAnswer]:
    for passage in annotator.phases_passed.order_by("passed_at", "pk"):
        for name, value in (passage.answers or {}).items():
            yield OwnAnswer(passage.phase, name, "", "", _say(value, {}), "", passage.passed_at)


def _list_responses(annotator: Annotator) -> Iterator[OwnAnswer]:
    mine = Response.objects.filter(assignment__annotator=annotator).select_related("item", "option")
    rows = list(mine.order_by("submitted_at", "pk"))
    picked = Item.objects.filter(project=annotator.study.project_id, external_id__in={str(row.value) for row in rows})
    stems = {item.external_id: item.stem for item in picked}
    for row in rows:
        yield OwnAnswer(
            name_stage(row.stage), name_question(row.question), row.item.stem if row.item else "",
            row.option.text if row.option else "", _say(row.value, stems), row.comment, row.submitted_at,
        )  # fmt: skip


def _list_reports(annotator: Annotator) -> Iterator[OwnAnswer]:
    for report in ItemReport.objects.filter(assignment__annotator=annotator).select_related("item"):
        about = report.item.stem if report.item else ""
        yield OwnAnswer(
            name_stage(report.stage), _("problem reported"), about, "", str(report.get_problem_display()), report.words,
            report.made_at,
        )  # fmt: skip


def _say(value: Any, stems: dict[str, str]) -> str:
    """An item that was picked by its words: its id may say who wrote it."""
    if isinstance(value, bool):
        return name_label("true" if value else "false")
    if isinstance(value, list | dict):
        return ", ".join(map(str, value))
    return stems.get(str(value), str(value))


def write_own_answers(annotator: Annotator) -> str:
    """The same as CSV."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["stage", "question", "about", "option", "value", "comment", "at"])
    for answer in list_own_answers(annotator):
        writer.writerow([escape_formula(str(cell)) if cell is not None else "" for cell in astuple(answer)])
    return out.getvalue()
