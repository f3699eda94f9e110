"""Coders who code independently: where they disagree, how far they agree, and what is decided.

Each coder's codes stay as they were set. A decision sets or removes the team's code, which results count.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.codes import SEVERAL, find_code, get_category, get_code_title, get_kind_title, is_known, list_codes
from analysis.items.coding import list_offered_codes
from analysis.items.coding_acts import (
    ActResult,
    CodePlacement,
    code_items,
    remove_codes_of_kind,
    remove_item_codes,
    undo_act,
)
from analysis.items.sheet import map_item_pks
from analysis.measures.alpha import NOMINAL, Alpha, krippendorff_alpha
from analysis.models import CodeDecision, IndependentCoding, ItemCode
from analysis.tables.writers import TextWriter
from analysis.tables.writers import write_cell as write_cell
from items.models import Item
from projects.audit import record_act
from projects.models import User
from studies.models import Study

MIN_CODERS = 2  # finished coders, before anybody sees another's codes
MAX_REASON = 500
COLUMNS = (
    "item_id", "kind", "code", "coder", "value", "adjudicated_value", "adjudicated_by", "adjudicated_at", "reason",
)  # fmt: skip


class CannotCode(Exception):
    """This is not possible with an independent coding, or not now; the message is a sentence."""


def find_coding(study: Study, user: User) -> IndependentCoding | None:
    return IndependentCoding.objects.filter(study=study, coder=user).first()


def list_finished(study: Study) -> list[IndependentCoding]:
    return list(IndependentCoding.objects.filter(study=study, finished_at__isnull=False))


def is_comparable(study: Study) -> bool:
    return len(list_finished(study)) >= MIN_CODERS


def start_coding(study: Study, user: User) -> IndependentCoding:
    """The user's own coding, created if there is none."""
    return IndependentCoding.objects.get_or_create(study=study, coder=user)[0]


@transaction.atomic
def finish_coding(coding: IndependentCoding) -> None:
    """Mark the coding as finished: from now on, an item without a code counts as one in which the coder found nothing.

    Raises `CannotCode` if the coder has not set any code.
    """
    if not ItemCode.objects.current(coding).exists():
        raise CannotCode(_("You have not set a code yet. Code the items first."))
    IndependentCoding.objects.filter(pk=coding.pk, finished_at=None).update(finished_at=timezone.now())
    record_act(coding.study.project_id, "coding_finished", coding.study)


@transaction.atomic
def continue_coding(coding: IndependentCoding) -> None:
    """Reopen a finished coding, as long as nobody can have seen another's codes."""
    Study.objects.select_for_update().get(pk=coding.study_id)
    if is_comparable(coding.study):
        raise CannotCode(_("Two coders have finished, so codes can be compared. Your coding stays as it is."))
    IndependentCoding.objects.filter(pk=coding.pk).update(finished_at=None)


@dataclass(frozen=True)
class Question:
    """What coders decide about an item: which code of a kind it has or, if it may have several, whether it has a
    certain one."""

    name: str  # of the kind, or of the code
    kind: str
    protocol: str

    @property
    def is_yes_no(self) -> bool:
        return self.name != self.kind

    @property
    def title(self) -> str:
        title = get_kind_title(self.kind)
        return f"{title}: {get_code_title(self.protocol, self.name)}" if self.is_yes_no else title

    def say(self, value: str) -> str:
        """An answer in words."""
        if self.is_yes_no:
            return _("yes") if value else _("no")
        return get_code_title(self.protocol, value) if value else _("no code")


@dataclass(frozen=True)
class Cell:
    """One question about one item. `answers`: a code or nothing for each coder, in the order of their codings."""

    item: int
    question: Question
    answers: tuple[str, ...]
    decision: CodeDecision | None

    @property
    def is_conflict(self) -> bool:
        return len(set(self.answers)) > 1

    @property
    def is_open(self) -> bool:
        return self.is_conflict and self.decision is None

    @property
    def anonymous_answers(self) -> list[str]:
        """The answers in words, sorted, so that their order does not reveal who gave which."""
        return sorted(map(self.question.say, self.answers))


@dataclass(frozen=True)
class Agreement:
    """Agreement on one question over all items: share of equal codes of two coders, and Krippendorff's α."""

    question: Question
    n_items: int
    n_conflicts: int
    same: float
    alpha: Alpha


class Comparison:
    """The finished codings of a study side by side."""

    def __init__(self, study: Study):
        self.study = study
        self.codings = list_finished(study)
        if len(self.codings) < MIN_CODERS:
            self.codings = []

    @cached_property
    def codes(self) -> dict[int, dict[int, set[str]]]:
        """The codes that each coding has set, by coding and item (primary keys)."""
        found: dict[int, dict[int, set[str]]] = {each.pk: {} for each in self.codings}
        rows = ItemCode.objects.filter(coding__in=self.codings, removed_at=None)
        for coding, item, code in rows.values_list("coding", "item", "code"):
            found[coding].setdefault(item, set()).add(code)
        return found

    @cached_property
    def questions(self) -> list[Question]:
        """The questions that any coder has answered, in the order in which codes are offered."""
        used = {code for items in self.codes.values() for codes in items.values() for code in codes}
        order = [code.name for code in list_codes(self.study.protocol)]
        names = sorted(used, key=lambda name: (order.index(name) if name in order else len(order), name))
        return list({find_question(self.study.protocol, name).name: find_question(self.study.protocol, name)
                     for name in names}.values())  # fmt: skip

    @cached_property
    def items(self) -> list[int]:
        return list(map_item_pks(self.study).values())

    @cached_property
    def decisions(self) -> dict[tuple[int, str], CodeDecision]:
        rows = CodeDecision.objects.filter(study=self.study, reopened_at=None).select_related("decided_by")
        return {(each.item_id, each.question): each for each in rows}

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells in which at least one coder has set a code, in the study's order of items."""
        every = (self.build_cell(item, question) for item in self.items for question in self.questions)
        return [cell for cell in every if any(cell.answers)]

    def build_cell(self, item: int, question: Question) -> Cell:
        answers = tuple(
            get_answer(self.study.protocol, question, self.codes[each.pk].get(item, ())) for each in self.codings
        )
        return Cell(item, question, answers, self.decisions.get((item, question.name)))

    def find(self, item: int, question: str) -> Cell | None:
        return next((cell for cell in self.cells if (cell.item, cell.question.name) == (item, question)), None)

    def measure_agreement(self) -> list[Agreement]:
        """Per question over all items of the study; no code on an item counts as an answer, too."""
        return [self.measure(question) for question in self.questions]

    def measure(self, question: Question) -> Agreement:
        rows = [self.build_cell(item, question).answers for item in self.items]
        names = {name: number for number, name in enumerate(sorted({each for row in rows for each in row}))}
        values = np.array([[names[each] for each in row] for row in rows], dtype=np.float64).T
        raters = len(values)
        pairs = [np.mean(values[one] == values[other]) for one in range(raters) for other in range(one)]
        n_conflicts = sum(len(set(row)) > 1 for row in rows)
        return Agreement(question, len(rows), n_conflicts, float(np.mean(pairs)), krippendorff_alpha(values, NOMINAL))


def find_question(protocol: str, code: str) -> Question:
    """The question to which this code is an answer."""
    kind = find_code(protocol, code).kind
    return Question(code if kind in SEVERAL else kind, kind, protocol)


def get_answer(protocol: str, question: Question, codes: Iterable[str]) -> str:
    """The answer that these codes of an item give to the question: a code, or nothing."""
    if question.is_yes_no:
        return question.name if question.name in codes else ""
    return next((each for each in codes if find_code(protocol, each).kind == question.kind), "")


def list_values(study: Study, cell: Cell) -> list[tuple[str, str]]:
    """The possible decisions on a cell, in words; the value “-” means no code."""
    if cell.question.is_yes_no:
        codes = [cell.question.name]
    else:
        known = [code.name for code in list_offered_codes(study) if code.kind == cell.question.kind]
        codes = list(dict.fromkeys([*known, *filter(None, cell.answers)]))
    return [(code, cell.question.say(code)) for code in codes] + [("-", cell.question.say(""))]


@transaction.atomic
def decide_code(study: Study, item: int, question: str, value: str, reason: str, user: User) -> CodeDecision:
    """Store the decision on a cell, and set or remove the team's code; `CannotCode` says why it is not possible.

    A decision against agreeing coders needs a reason. `value`: a code, or nothing.
    """
    Study.objects.select_for_update().get(pk=study.pk)
    cell = Comparison(study).find(item, question)
    if cell is None:
        raise CannotCode(_("No coder has set a code here. Load the page again."))
    if cell.decision:
        raise CannotCode(_("This was decided already. Reopen the item first."))
    if not cell.is_conflict and not reason.strip():
        raise CannotCode(_("The coders agree here. Give a reason for another value."))
    if value and (not is_known(study.protocol, value) or find_question(study.protocol, value) != cell.question):
        raise CannotCode(_("This value is not an answer to the question. Choose one that is offered."))
    done = apply_decision(study, cell, value, reason.strip(), user)
    record_act(study.project_id, "codes_decided", study)
    return CodeDecision.objects.create(
        study=study, item_id=item, question=question, value=value, reason=reason.strip()[:MAX_REASON], act=done.act,
        decided_by=user,
    )  # fmt: skip


def apply_decision(study: Study, cell: Cell, value: str, reason: str, user: User) -> ActResult:
    if value:
        return code_items(study, [CodePlacement(cell.item, value, note=reason)], user)
    if cell.question.is_yes_no:
        return remove_item_codes(study, [cell.item], cell.question.name, user)
    return remove_codes_of_kind(study, cell.item, cell.question.kind, user)


@transaction.atomic
def take_agreed_codes(study: Study, user: User) -> ActResult:
    """Set the codes on which all coders agree for the team, as one act that can be undone on the coding page."""
    cells = [cell for cell in Comparison(study).cells if not cell.is_conflict and cell.decision is None]
    return code_items(study, [CodePlacement(cell.item, cell.answers[0]) for cell in cells], user)


@transaction.atomic
def reopen_codes(study: Study, item: int, reason: str, user: User) -> int:
    """Take back all decisions about an item's codes, with what they changed; returns how many. `CannotCode` without a
    reason, or if nothing was decided."""
    if not reason.strip():
        raise CannotCode(_("Say why you reopen the item."))
    Study.objects.select_for_update().get(pk=study.pk)
    standing = list(CodeDecision.objects.filter(study=study, item=item, reopened_at=None).select_related("act__study"))
    if not standing:
        raise CannotCode(_("Nothing was decided about this item."))
    for each in reversed(standing):
        if each.act and each.act.undone_at is None:
            undo_act(each.act, user)
    CodeDecision.objects.filter(pk__in=[each.pk for each in standing]).update(
        reopened_by=user, reopened_at=timezone.now(), reopened_because=reason.strip()[:MAX_REASON]
    )
    record_act(study.project_id, "codes_reopened", study)
    return len(standing)


def export_comparison(study: Study, out: TextWriter) -> int:
    """Write what each coder, named by a number, answered in each cell, and the decision; returns the number of rows."""
    rows, n = csv.writer(out), 0
    rows.writerow(COLUMNS)
    comparison = Comparison(study)
    names = Item.objects.in_bulk(comparison.items)
    for cell in comparison.cells:
        made = cell.decision
        code = get_category(cell.question.name) if cell.question.is_yes_no else ""
        decided = [
            say_plainly(cell.question, made.value),
            made.decided_by.username if made.decided_by else "",
            made.decided_at.isoformat(timespec="seconds"),
            made.reason,
        ] if made else [""] * 4  # fmt: skip
        for number, answer in enumerate(cell.answers, 1):
            about = [names[cell.item].external_id, cell.question.kind, code, number, say_plainly(cell.question, answer)]
            rows.writerow(map(write_cell, [*about, *decided]))
            n += 1
    return n


def say_plainly(question: Question, value: str) -> str:
    """An answer for a file: yes or no, or a category, `none` if there is none."""
    if question.is_yes_no:
        return "yes" if value else "no"
    return get_category(value) if value else "none"
