"""What a reader of the agreement lab chooses; all of it stands in the address."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.choices import Choices
from analysis.forms import ResultsForm
from analysis.handed_in import handed_in
from analysis.lab_questions import Asked, questions_of
from studies.models import Annotator, AnnotatorKind, Study


class LabForm(forms.Form):
    """A GET form. Without a choice, or with one that does not exist: the first question, and all people."""

    question_asked = forms.ChoiceField(label=_("Question"), required=False)
    annotator = forms.MultipleChoiceField(label=_("Annotators"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, study: Study, counts: dict[str, int], data: Any = None) -> None:
        self.results = ResultsForm(study, counts, data)
        self.questions = {question.key: question for question in questions_of(study)}
        answered = handed_in(study, self.choices.purposes).order_by().values("assignment__annotator")
        self.present = list(Annotator.objects.filter(study=study, pk__in=answered).order_by("pk"))
        people = [annotator.code for annotator in self.present if annotator.kind == AnnotatorKind.HUMAN]
        chosen = {"question_asked": data.get("question_asked"), "annotator": data.getlist("annotator") or people}
        super().__init__(chosen)
        self.fields["question_asked"].choices = [  # type: ignore[attr-defined]
            (key, question.title) for key, question in self.questions.items()
        ]
        self.fields["annotator"].choices = [  # type: ignore[attr-defined]
            (annotator.code, annotator.code) for annotator in self.present
        ]
        self.is_valid()

    @property
    def choices(self) -> Choices:
        return self.results.choices

    @property
    def question(self) -> Asked | None:
        """None where the protocol asks nothing that has categories."""
        asked = self.cleaned_data.get("question_asked")
        return self.questions.get(asked or "") or next(iter(self.questions.values()), None)

    @property
    def annotators(self) -> list[str]:
        """Codes, in the order in which they came."""
        return [
            annotator.code for annotator in self.present if annotator.code in self.cleaned_data.get("annotator", [])
        ]

    @property
    def asked(self) -> dict[str, Any]:
        key = self.question.key if self.question else ""
        return {
            "asked": 1,
            "include": self.choices.included,
            "question_asked": key,
            "annotator": self.annotators,
        }
