"""The pages for coders who code independently: their own list, and the comparison with its decisions."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import redirect, render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from analysis.formatting import format_interval
from analysis.hiding import require_shown_effects
from analysis.items.independent_coding import (
    MAX_REASON,
    MIN_CODERS,
    Agreement,
    CannotCode,
    Cell,
    Comparison,
    continue_coding,
    decide_code,
    export_comparison,
    find_coding,
    finish_coding,
    list_values,
    reopen_codes,
    start_coding,
    take_agreed_codes,
)
from analysis.models import IndependentCoding
from analysis.results.agreement_views import write_number
from analysis.results.coding_views import show_coding
from analysis.results.file_views import send_written
from items.models import Item
from projects.models import Role
from studies.models import Study

CELLS_A_PAGE = 20


@login_required
@require_shown_effects(Role.REVIEWER)
def own_coding(request, study):
    """The items with the user's own codes, which nobody else sees yet."""
    coding = find_coding(study, request.user)
    if coding is None or coding.finished_at:
        return redirect("code_comparison" if coding else "study_coding", study.slug)
    return show_coding(request, study, coding)


@login_required
@require_POST
@require_shown_effects(Role.REVIEWER)
def own_coding_act(request, study):
    """Start one's own coding, finish it, or continue it."""
    coding = find_coding(study, request.user)
    try:
        if "finish" in request.POST and coding:
            if request.POST.get("sure") != "yes":
                raise CannotCode(gettext("Tick the box to finish. Nothing was changed."))
            finish_coding(coding)
            return redirect("code_comparison", study.slug)
        if "continue" in request.POST and coding:
            continue_coding(coding)
        start_coding(study, request.user)
    except CannotCode as error:
        messages.error(request, str(error))
    return redirect("own_coding", study.slug)


class CodeDecisionForm(forms.Form):
    """The decision on one cell, and the reason."""

    item = forms.IntegerField(widget=forms.HiddenInput)
    question = forms.CharField(max_length=130, widget=forms.HiddenInput)
    value = forms.ChoiceField(label=_("Decision"))
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON, required=False)

    def __init__(self, study: Study, cell: Cell, data: Any = None):
        super().__init__(
            data,
            initial={"item": cell.item, "question": cell.question.name},
            auto_id=f"id_{cell.item}_{cell.question.name}_%s",
        )
        choices = [("", gettext("choose")), *list_values(study, cell)]
        self.fields["value"].choices = choices  # type: ignore[attr-defined]
        if not cell.is_conflict:
            self.fields["reason"].help_text = gettext("Needed here, as the coders agree.")


class ReopenForm(forms.Form):
    """The reason for taking back the decisions about an item."""

    item = forms.IntegerField(widget=forms.HiddenInput)
    reason = forms.CharField(label=_("Why it is reopened"), max_length=MAX_REASON)


@dataclass(frozen=True)
class ShownCell:
    """A cell with its item, and the form to decide or reopen it, if it can be."""

    cell: Cell
    item: Item
    form: forms.Form

    @property
    def decision_text(self) -> str:
        made = self.cell.decision
        return self.cell.question.say(made.value) if made else ""


@login_required
@require_shown_effects(Role.REVIEWER)
def code_comparison(request, study):
    """Where coders disagree, without names; POST decides a cell, reopens an item, or accepts all codes they agree
    on."""
    coding = find_coding(study, request.user)
    comparison = Comparison(study)
    is_shown = bool(comparison.codings) and (coding is None or coding.finished_at is not None)
    form = None
    if request.method == "POST" and is_shown:
        form = apply_decision(request, study, comparison)
        if form is None:
            return redirect(request.get_full_path())
    state = request.GET.get("state", "open")
    context = {
        "project": study.project,
        "study": study,
        "coding": coding,
        "n_finished": IndependentCoding.objects.filter(study=study, finished_at__isnull=False).count(),
        "n_coders": IndependentCoding.objects.filter(study=study).count(),
        "min_coders": MIN_CODERS,
        "is_shown": is_shown,
    }
    if is_shown:
        context |= list_page(request, study, comparison, state, form)
    return render(request, "analysis/code_comparison.html", context, status=400 if form else 200)


def list_page(
    request: Any, study: Study, comparison: Comparison, state: str, form: forms.Form | None
) -> dict[str, Any]:
    kinds = {
        "open": [cell for cell in comparison.cells if cell.is_open],
        "decided": [cell for cell in comparison.cells if cell.decision],
        "agreed": [cell for cell in comparison.cells if not cell.is_conflict and not cell.decision],
    }
    state = state if state in kinds else "open"
    page = Paginator(kinds[state], CELLS_A_PAGE).get_page(request.GET.get("page"))
    items = Item.objects.select_related("text").in_bulk([cell.item for cell in page.object_list])
    return {
        "rows": [ShownCell(cell, items[cell.item], choose_form(study, cell, form)) for cell in page.object_list],
        "page": page,
        "page_query": f"state={state}",
        "state": state,
        "states": [("open", _("Undecided"), len(kinds["open"])), ("decided", _("Decided"), len(kinds["decided"])),
                   ("agreed", _("Agreed"), len(kinds["agreed"]))],
        "agreement": list(map(show_agreement, comparison.measure_agreement())),
    }  # fmt: skip


def choose_form(study: Study, cell: Cell, sent: forms.Form | None) -> forms.Form:
    """The form of a cell; if the form that was sent is this cell's, that one with its errors."""
    place = (str(cell.item), cell.question.name)
    if sent and (sent["item"].value(), sent.data.get("question", cell.question.name)) == place:
        return sent
    if cell.decision:
        return ReopenForm(initial={"item": cell.item}, auto_id=f"id_{cell.item}_{cell.question.name}_%s")
    return CodeDecisionForm(study, cell)


def show_agreement(each: Agreement) -> dict[str, Any]:
    found = each.alpha.interval()
    return {
        "title": each.question.title,
        "n_items": each.n_items,
        "n_conflicts": each.n_conflicts,
        "same": write_number(each.same),
        "alpha": write_number(None if each.alpha.reason else each.alpha.value),
        "interval": format_interval(found.low, found.high),
        "reason": gettext(each.alpha.reason) if each.alpha.reason else "",
    }


def apply_decision(request: Any, study: Study, comparison: Comparison) -> forms.Form | None:
    """Do what was sent; returns the form with its errors if that is not possible."""
    if "agreed" in request.POST:
        n = take_agreed_codes(study, request.user).n_set
        messages.success(request, ngettext("%(n)d code was set.", "%(n)d codes were set.", n) % {"n": n})
        return None
    form: forms.Form = ReopenForm(request.POST)
    cell = None
    if "decide" in request.POST:
        item = request.POST.get("item", "")
        cell = comparison.find(int(item) if item.isdecimal() else 0, request.POST.get("question", ""))
        if cell is None:
            messages.error(request, gettext("No coder has set a code here. Load the page again."))
            return None
        form = CodeDecisionForm(study, cell, request.POST)
    if not form.is_valid():
        return form
    given = form.cleaned_data
    try:
        if cell:
            value = "" if given["value"] == "-" else given["value"]
            decide_code(study, cell.item, cell.question.name, value, given["reason"], request.user)
            messages.success(request, gettext("The decision is stored."))
        else:
            reopen_codes(study, given["item"], given["reason"], request.user)
            messages.success(request, gettext("The item is open again."))
    except CannotCode as error:
        if cell and not cell.decision:
            form.add_error(None, str(error))
            return form
        messages.error(request, str(error))  # the page no longer has this form: somebody else was faster
    return None


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def code_comparison_csv(request, study):
    return send_written(f"{study.slug}-coders.csv", lambda out: export_comparison(study, out))
