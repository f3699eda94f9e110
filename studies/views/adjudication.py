"""Adjudication: the units on which people disagree, and one of them with its answers and decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from items.models import Item
from projects.models import Role, User
from studies.access import get_study
from studies.forms.adjudication import DecisionsForm, FlagOrExcludeForm, ReopenForm
from studies.models import Adjudication, Response, Ruling, Study, Unit
from studies.question_words import name_label, name_question, name_stage
from studies.services import adjudicating
from studies.services.adjudicating import CannotAdjudicate, Cell
from studies.services.declarations import get_wording
from studies.services.states import WrongState
from studies.stage_blocks import label_levels

UNITS_A_PAGE = 50


@login_required
@require_safe
def study_adjudication(request, slug):
    study = get_study(request.user, slug, Role.REVIEWER)
    units = adjudicating.list_units(study)
    context = {
        "project": study.project,
        "study": study,
        "page": Paginator(units, UNITS_A_PAGE).get_page(request.GET.get("page")),
        "n_open": sum(each.n_open for each in units),
        "n_waiting": sum(not each.is_complete for each in units),
    }
    return render(request, "studies/adjudication.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def unit_adjudication(request, slug, pk):
    """People's answers about a unit, without names; decisions, flagged and excluded answers, reopening."""
    study = get_study(request.user, slug, Role.REVIEWER)
    unit = get_object_or_404(study.units.select_related("study", "text"), pk=pk)
    page = UnitPage(unit, request.POST if request.method == "POST" else None)
    if request.method == "POST":
        done = page.act(request.user)
        if done:
            messages.success(request, done)
            return redirect(*find_next(study, unit))
    return render(
        request, "studies/unit_adjudication.html", {"project": study.project, "study": study} | page.context()
    )


def find_next(study: Study, unit: Unit) -> tuple[Any, ...]:
    """The unit itself while it has an open conflict, else the next one with a conflict, else the list."""
    waiting = [each.unit for each in adjudicating.list_units(study) if each.n_open]
    if not waiting:
        return "study_adjudication", study.slug
    after = [each for each in waiting if each.position >= unit.position]
    return "unit_adjudication", study.slug, (after or waiting)[0].pk


@dataclass(frozen=True)
class ShownCell:
    """A cell in words. `answers`: each with its comment and whether it is excluded."""

    title: str
    stem: str
    answers: list[tuple[str, str, bool]]
    decision: Adjudication | None
    decided: str
    is_conflict: bool
    value: Any = None
    reason: Any = None


class UnitPage:
    """The page of a unit, and the actions of its three forms."""

    def __init__(self, unit: Unit, data: Any):
        self.unit, self.act_name = unit, (data or {}).get("act", "")
        self.answers = adjudicating.list_answers(unit)
        self.cells = adjudicating.list_cells(unit, self.answers)
        self.items = list(unit.items.order_by("unit_items__position").prefetch_related("options"))
        self.stems = {item.external_id: item.stem for item in self.items}
        wording = get_wording(unit.study)
        self.levels = {
            (cell.stage, cell.question.name): label_levels(cell.question, wording.get(cell.stage, {}))
            for cell in self.cells
        }
        open_cells = [cell for cell in self.cells if cell.is_open or not (cell.is_conflict or cell.decision)]
        self.decisions = DecisionsForm(open_cells, self.items, self.say, data if self.act_name == "decide" else None)
        self.apart = FlagOrExcludeForm(self.list_sheets(), data if self.act_name == "apart" else None)
        self.reopening = ReopenForm(data if self.act_name == "reopen" else None)

    def act(self, user: User) -> str:
        """Do what the form asks, and return a sentence about it; empty if that is impossible."""
        acts = {
            "decide": (self.decisions, self.decide),
            "apart": (self.apart, self.set_apart),
            "reopen": (self.reopening, self.reopen),
        }
        form, act = acts.get(self.act_name, (self.decisions, self.decide))
        if not form.is_valid():
            return ""
        try:
            return act(user)
        except (CannotAdjudicate, WrongState) as refused:
            form.add_error(None, str(refused))
            return ""

    def decide(self, user: User) -> str:
        n = adjudicating.decide_cells(self.unit, self.decisions.decisions, user)
        return ngettext("%(n)d decision is stored.", "%(n)d decisions are stored.", n) % {"n": n}

    def set_apart(self, user: User) -> str:
        given = self.apart.cleaned_data
        settled = Ruling(given["settled"])
        adjudicating.flag_or_exclude_answer(self.unit, given["answer"], settled, given["reason"], user)
        return _("The answer is excluded.") if settled == Ruling.EXCLUDED else _("The answer is flagged.")

    def reopen(self, user: User) -> str:
        adjudicating.reopen_unit(self.unit, self.reopening.cleaned_data["reason"], user)
        return _("The unit is open again.")

    def list_sheets(self) -> list[tuple[int, str]]:
        """Each person's answers about each item in each stage, in one line; sorted, so that the order does not reveal
        names."""
        found: dict[tuple[Any, ...], list[Response]] = {}
        for each in self.answers:
            found.setdefault(adjudicating.get_sheet(each), []).append(each)
        return sorted(((rows[0].pk, self.say_sheet(rows)) for rows in found.values()), key=lambda row: row[1])

    def say_sheet(self, rows: Sequence[Response]) -> str:
        item: Item | None = rows[0].item
        ticked = [each.option.text for each in rows if each.option and each.value is True]
        sentences = [f"{name_question(each.question)} {self.say(each, each.value)}" for each in rows if not each.option]
        if any(each.option for each in rows):
            sentences.insert(0, ", ".join(ticked) or _("nothing ticked"))
        return " · ".join(filter(None, (name_stage(rows[0].stage), item.stem if item else "", "; ".join(sentences))))

    def say(self, place: Response | Cell, value: Any) -> str:
        """A value in words, those of the study for a level of a scale."""
        if isinstance(value, bool):
            return name_label("true" if value else "false")
        name = place.question.name if isinstance(place, Cell) else place.question
        level = self.levels.get((place.stage, name), {}).get(value)
        return level or self.stems.get(str(value)) or name_label(str(value))

    def show(self, cell: Cell, value: Any = None, reason: Any = None) -> ShownCell:
        counted = set(cell.counted_responses)
        return ShownCell(
            title=name_question(cell.question.name),
            stem=cell.item.stem if cell.item and len(self.items) > 1 and not self.is_compared else "",
            answers=[(self.say(cell, each.value), each.comment, each not in counted) for each in cell.responses],
            decision=cell.decision,
            decided=self.say(cell, cell.decision.value) if cell.decision else "",
            is_conflict=cell.is_conflict,
            value=value,
            reason=reason,
        )

    @property
    def is_compared(self) -> bool:
        return adjudicating.is_compared(self.unit.study)

    def context(self) -> dict[str, Any]:
        rows = [self.show(*row) for row in self.decisions.rows]
        standing = adjudicating.filter_valid_decisions(self.unit.study).filter(response__assignment__unit=self.unit)
        return {
            "unit": self.unit,
            "text": self.unit.text,
            "items": self.items,
            "conflicts": [row for row in rows if row.is_conflict],
            "agreed": [row for row in rows if not row.is_conflict],
            "decided": [self.show(cell) for cell in self.cells if cell.decision],
            "set_apart": standing.exclude(settled=Ruling.DECIDED)
            .order_by("reason")
            .values("settled", "reason")
            .distinct(),
            "is_complete": adjudicating.filter_complete_units(self.unit.study).filter(pk=self.unit.pk).exists(),
            "decisions": self.decisions,
            "apart": self.apart,
            "reopening": self.reopening,
            "can_reopen": standing.exists(),
        }
