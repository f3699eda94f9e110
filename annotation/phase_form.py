"""The questions of a phase for a template, which gets only listed fields, and right answers only after a try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from studies.models import PhasePassed
from studies.phases import Phase, PhaseQuestion


@dataclass(frozen=True)
class PhaseRow:
    """One question. `remark`: feedback on the answer; `verdict`: "right", "wrong" or "" (not scored)."""

    name: str
    kind: str
    text: str
    help: str
    levels: list[tuple[str, str]]
    value: str
    required: bool
    error: str = ""
    verdict: str = ""
    remark: str = ""


class PhaseForm:
    """A phase with questions: empty, as `sent` with missing answers, or after a try that did not end it."""

    def __init__(self, phase: Phase, passage: PhasePassed | None, sent: Mapping[str, Any] | None):
        self.phase, self.passage = phase, passage
        self.tries = passage.tries if passage else 0
        self.explains = bool(passage) and phase.kind == "training"
        self.values = phase.read(sent) if sent is not None else dict(passage.answers) if passage else {}
        self.lacking = phase.find_missing(self.values) if sent is not None else []
        self.rows = [self.make_row(question) for question in phase.questions]

    @property
    def n_right(self) -> int:
        return (self.passage.score if self.passage else None) or 0

    @property
    def is_second_try(self) -> bool:
        return bool(self.passage) and self.phase.kind == "comprehension"

    def make_row(self, question: PhaseQuestion) -> PhaseRow:
        value = self.values.get(question.name, "")
        given = self.passage.answers.get(question.name, "") if self.passage else ""
        verdict = ("right" if given == question.answer else "wrong") if self.passage and self.phase.is_scored else ""
        return PhaseRow(
            name=question.name,
            kind=question.kind,
            text=question.text,
            help=question.help,
            levels=[(level.value, level.label) for level in question.levels],
            value=value,
            required=question.required,
            error=_("This question needs an answer.") if question in self.lacking else "",
            verdict=verdict,
            remark=self.explain(question, verdict) if self.explains else "",
        )

    def explain(self, question: PhaseQuestion, verdict: str) -> str:
        """The right answer and its reason, once somebody has answered."""
        sentence = (
            _("Right.")
            if verdict == "right"
            else _("The right answer is: %(answer)s.") % {"answer": question.label_of(question.answer)}
        )
        return f"{sentence} {question.explanation}".strip()
