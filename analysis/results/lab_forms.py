"""What a reader of the agreement lab chooses; all of it stands in the address."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.agreement.questions import ALL, APPLICABLE, Asked, questions_of
from analysis.choices import Choices
from analysis.frames.responses import query_submitted
from analysis.results.forms import ResultsForm
from analysis.words import name_evaluator
from studies.models import Annotator, AnnotatorKind, Study

PEOPLE, MODELS = "human", "models"
VIEWS = [
    (APPLICABLE, gettext_lazy("only annotators who reached it")),
    (ALL, gettext_lazy("“not applicable” counts as a label")),
]


class LabForm(forms.Form):
    """A GET form. Without a choice, or with one that does not exist: the first question, and all people.

    Annotators are chosen by groups, one by one, or both.
    """

    question_asked = forms.ChoiceField(label=gettext_lazy("Question"), required=False)
    view = forms.ChoiceField(label=gettext_lazy("Questions not everyone reached"), choices=VIEWS, required=False)
    group = forms.MultipleChoiceField(label=gettext_lazy("Groups"), required=False, widget=forms.CheckboxSelectMultiple)
    annotator = forms.MultipleChoiceField(
        label=gettext_lazy("Annotators"), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, study: Study, counts: dict[str, int], data: Any = None) -> None:
        self.results = ResultsForm(study, counts, data)
        self.questions = {question.key: question for question in questions_of(study)}
        answered = query_submitted(study, self.choices.purposes).order_by().values("assignment__annotator")
        self.present = list(Annotator.objects.filter(study=study, pk__in=answered).order_by("pk"))
        self.groups = groups_of(self.present)
        ticked = {"annotator": data.getlist("annotator"), "group": data.getlist("group")}
        if not any(ticked.values()):
            ticked["group"] = [PEOPLE]
        super().__init__(
            {"question_asked": data.get("question_asked"), "view": data.get("view") or APPLICABLE} | ticked
        )
        self.fields["question_asked"].choices = [  # type: ignore[attr-defined]
            (key, question.title) for key, question in self.questions.items()
        ]
        self.fields["group"].choices = [(name, group_word(name)) for name in self.groups]  # type: ignore[attr-defined]
        self.fields["annotator"].choices = [  # type: ignore[attr-defined]
            (annotator.code, annotator.code) for annotator in sorted(self.present, key=as_read)
        ]
        if not any(question.may_be_skipped for question in self.questions.values()):
            del self.fields["view"]
        self.is_valid()

    @property
    def choices(self) -> Choices:
        return self.results.choices

    @property
    def question(self) -> Asked | None:
        """None where the protocol asks nothing that has categories."""
        asked = self.cleaned_data.get("question_asked")
        found = self.questions.get(asked or "") or next(iter(self.questions.values()), None)
        return found.seen(self.cleaned_data.get("view") or "") if found else None

    @property
    def annotators(self) -> list[str]:
        """Codes, in the order in which they came."""
        chosen = set(self.cleaned_data.get("annotator", []))
        for name in self.cleaned_data.get("group", []):
            chosen |= self.groups[name]
        return [annotator.code for annotator in self.present if annotator.code in chosen]

    @property
    def asked(self) -> dict[str, Any]:
        found = {
            "asked": 1,
            "include": self.choices.included,
            "question_asked": self.question.key if self.question else "",
            "group": self.cleaned_data.get("group", []),
            "annotator": self.cleaned_data.get("annotator", []),
        }
        return found | ({"view": self.cleaned_data["view"]} if self.cleaned_data.get("view") else {})


def as_read(annotator: Annotator) -> tuple[bool, str, list[str]]:
    """People before models, by groups, p2 before p10."""
    digits = [part.zfill(20) if part.isdecimal() else part for part in re.split(r"(\d+)", annotator.code)]
    return annotator.kind != AnnotatorKind.HUMAN, annotator.group, digits


def groups_of(present: list[Annotator]) -> dict[str, set[str]]:
    """Codes by the name of a group: all people, each group of them where there are several, all models."""
    people = [each for each in present if each.kind == AnnotatorKind.HUMAN]
    found = {PEOPLE: {each.code for each in people}}
    names = dict.fromkeys(each.group for each in people if each.group)
    if len(names) > 1:
        found |= {f"{PEOPLE}:{name}": {each.code for each in people if each.group == name} for name in names}
    found[MODELS] = {each.code for each in present} - found[PEOPLE]
    return {name: codes for name, codes in found.items() if codes}


def group_word(name: str) -> str:
    return _("all models") if name == MODELS else name_evaluator(name)
