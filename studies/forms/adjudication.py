"""The forms of a unit's adjudication: decide where people disagree, flag or exclude one answer, reopen the unit."""

from collections.abc import Callable, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from items.models import Item
from studies.models import Ruling
from studies.question_words import name_label
from studies.services.adjudicating import MAX_REASON, Cell, Decision

Say = Callable[[Cell, Any], str]  # a value in words


class DecisionsForm(forms.Form):
    """A value and a reason for each cell; a cell without a value stays undecided."""

    def __init__(self, cells: Sequence[Cell], items: Sequence[Item], say: Say, data: Any = None):
        super().__init__(data)
        self.cells = {name_cell(cell): cell for cell in cells}
        for name, cell in self.cells.items():
            self.fields[f"value-{name}"] = forms.ChoiceField(
                label=_("Decision"),
                choices=[("", _("leave open")), *list_values(cell, items, say)],
                required=False,
            )
            self.fields[f"reason-{name}"] = forms.CharField(
                label=_("Reason"),
                max_length=MAX_REASON,
                required=False,
                help_text="" if cell.is_conflict else _("Needed here, as people agree."),
            )

    @property
    def rows(self) -> list[tuple[Cell, Any, Any]]:
        return [(cell, self[f"value-{name}"], self[f"reason-{name}"]) for name, cell in self.cells.items()]

    @property
    def decisions(self) -> list[Decision]:
        return [
            Decision(
                cell.stage,
                cell.question.name,
                cell.item.pk if cell.item else None,
                cell.question.read(self.cleaned_data[f"value-{name}"]),
                self.cleaned_data[f"reason-{name}"],
            )
            for name, cell in self.cells.items()
            if self.cleaned_data[f"value-{name}"]
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name, cell in self.cells.items():
            if cleaned.get(f"value-{name}") and not cell.is_conflict and not cleaned.get(f"reason-{name}"):
                self.add_error(f"reason-{name}", _("People agree here. Give a reason for another value."))
        if not self.errors and not any(cleaned.get(f"value-{name}") for name in self.cells):
            raise forms.ValidationError(_("Choose a value for at least one question."))
        return cleaned


def name_cell(cell: Cell) -> str:
    """A name that stays the same while others decide cells, so that a form sent late decides only what it showed."""
    return f"{cell.stage}-{cell.question.name}-{cell.item.pk if cell.item else ''}"


def list_values(cell: Cell, items: Sequence[Item], say: Say) -> list[tuple[str, str]]:
    """The possible decisions on a cell, in words."""
    if cell.question.kind == "tick":
        return [(value, name_label(value)) for value in ("true", "false")]
    picks = [(item.external_id, item.stem) for item in items] if cell.question.kind == "pick" else []
    return [*picks, *((str(level), say(cell, level)) for level in cell.question.levels)]


class FlagOrExcludeForm(forms.Form):
    """Flag one person's answers about an item in one stage, or exclude them from adjudicated results."""

    answer = forms.TypedChoiceField(label=_("Answer"), coerce=int)
    settled = forms.ChoiceField(
        label=_("What to do"),
        choices=[
            (Ruling.FLAGGED, _("Flag it: exports say so, figures are unchanged")),
            (Ruling.EXCLUDED, _("Exclude it from adjudicated figures")),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON)

    def __init__(self, answers: Sequence[tuple[int, str]], data: Any = None):
        super().__init__(data)
        self.fields["answer"].choices = [("", gettext("choose an answer")), *answers]  # type: ignore[attr-defined]


class ReopenForm(forms.Form):
    """The reason for taking back a unit's decisions."""

    reason = forms.CharField(label=_("Why it is reopened"), max_length=MAX_REASON)
