"""The questions of a phase as fields. Adding and moving them on the server stores nothing and loses nothing typed."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import ValidationError

from studies.phases import PROFILE, SCORED, Phase, PhaseQuestion, name_alone
from studies.services.spec import explain_error

KINDS = {
    "choice": gettext_lazy("One of several answers"),
    "scale": gettext_lazy("Scale"),
    "tick": gettext_lazy("Tick box"),
    "text": gettext_lazy("Free text"),
}
SPARE_ROWS = 2  # empty rows of answers that a question always has
TICK_VALUES = ("true", "false")


class AnswerRows(forms.Widget):
    """Answers to choose from, a row each; each can be marked as right, or as one that ends the participation."""

    template_name = "studies/parts/answer_rows.html"
    use_fieldset = True

    def __init__(self, marks: str):
        super().__init__()
        self.marks = marks

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[dict[str, Any]]:
        labels, values = data.getlist(f"{name}-label"), data.getlist(f"{name}-value")
        marked = data.getlist(f"{name}-marked")
        rows = [
            {"label": label.strip(), "value": value, "is_marked": str(number) in marked}
            for number, (label, value) in enumerate(zip(labels, values, strict=False))
        ]
        ticks = [{"value": value, "is_marked": value in marked} for value in TICK_VALUES]
        return [row for row in rows if row["label"]] + ticks

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        levels, ticks = split_ticks(value or [])
        spare = [{"label": "", "value": "", "is_marked": False}] * SPARE_ROWS
        return super().get_context(name, value, attrs) | {
            "rows": [*levels, *spare],
            "ticks": [row | {"label": _("ticked") if row["value"] == "true" else _("not ticked")} for row in ticks],
            "marks": self.marks,
        }


def split_ticks(rows: Sequence[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The answers to choose from, and the two of a tick box."""
    ticks = [row for row in rows if "label" not in row] or [{"value": value} for value in TICK_VALUES]
    return [row for row in rows if "label" in row], ticks


class QuestionForm(forms.Form):
    """One question. Nothing is required here: `check` says what is missing, and only when the phase is saved."""

    text = forms.CharField(label=gettext_lazy("Question"), required=False, widget=forms.Textarea(attrs={"rows": 2}))
    kind = forms.ChoiceField(label=gettext_lazy("Kind of question"), choices=list(KINDS.items()))
    answers = forms.Field(label=gettext_lazy("Answers"), required=False)
    explanation = forms.CharField(
        label=gettext_lazy("Explanation"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Shown in training, after the answer."),
    )
    required = forms.BooleanField(label=gettext_lazy("People must answer it"), required=False)
    help = forms.CharField(
        label=gettext_lazy("Note below the question"), required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    name = forms.CharField(
        label=gettext_lazy("Column in exports"),
        required=False,
        help_text=gettext_lazy("Lowercase letters, digits and underscores. Leave empty for an automatic name."),
    )
    remove = forms.BooleanField(label=gettext_lazy("Remove this question when saving"), required=False)

    def __init__(self, data: Any = None, *, key: str, kind: str, language: str, initial: Any = None):
        super().__init__(data, initial=initial, prefix=f"q{key}")
        self.key, self.phase_kind = key, kind
        self.fields["answers"].widget = AnswerRows("right" if kind in SCORED else "out" if kind == "background" else "")
        if kind == "background":
            self.fields["answers"].help_text = _("Whoever chooses an answer that screens out takes no further part.")
        if kind not in SCORED:
            del self.fields["explanation"]
        elif kind != "training":
            self.fields["explanation"].widget = forms.HiddenInput()
        if kind not in PROFILE:
            self.fields["name"].widget = forms.HiddenInput()
        for name in {"text", "answers", "explanation", "help"} & self.fields.keys():
            self.fields[name].widget.attrs["lang"] = language

    def read_typed(self) -> dict[str, Any]:
        """What was typed, to be shown again in a form that says nothing about it yet."""
        return {
            name: field.widget.value_from_datadict(self.data, {}, self.add_prefix(name))
            for name, field in self.fields.items()
        }

    @property
    def has_more(self) -> bool:
        """Whether something is said in the fields that are folded away."""
        return bool(self["help"].value() or self["name"].errors or self["help"].errors)

    def as_spec(self) -> dict[str, Any]:
        """The question as a study file says it; what its kind does not have is left out."""
        given = {name: self.cleaned_data.get(name) for name in ("name", "text", "kind", "help", "explanation")}
        levels, ticks = split_ticks(self.cleaned_data.get("answers") or [])
        has_levels = given["kind"] in ("choice", "scale")
        levels = [row | {"value": row["value"] or row["label"]} for row in levels if has_levels]
        rows = levels if has_levels else ticks if given["kind"] == "tick" else []
        marked = [row["value"] for row in rows if row.get("is_marked")]
        spec = {name: value for name, value in given.items() if value} | {"required": self.cleaned_data["required"]}
        spec |= {"levels": [{"value": row["value"], "label": row["label"]} for row in levels]} if levels else {}
        spec |= {"answer": marked[0]} if self.phase_kind in SCORED and marked else {}
        return spec | ({"screen_out": marked} if self.phase_kind == "background" and marked else {})

    def check(self, phase: Phase, name: str) -> dict[str, Any]:
        """The question as a study file says it, under this name unless it has its own; problems become errors."""
        self.full_clean()
        spec = {"name": name} | self.as_spec()
        if not spec.get("text"):
            self.add_error("text", _("Write the question."))
        values = [level["value"] for level in spec.get("levels", [])]
        if spec.get("kind") in ("choice", "scale") and (len(values) < 2 or len(set(values)) < len(values)):
            self.add_error("answers", _("Give at least two answers, each different."))
        if not self.errors:
            self.add_problems(spec, phase)
        return spec

    def add_problems(self, spec: Mapping[str, Any], phase: Phase) -> None:
        try:
            problems = phase.question_problems(PhaseQuestion.model_validate(spec))
        except ValidationError as error:
            for problem in error.errors():
                place = str((*problem["loc"], "")[0]).replace("levels", "answers")
                field = place if place in self.fields else None
                label = str(self.fields[field].label) if field else _("Question")
                self.add_error(field, explain_error(dict(problem) | {"loc": (label,)}))
        else:
            for sentence in problems:
                self.add_error(None, capfirst(sentence))


class QuestionList:
    """The questions of a phase in the order of the page: as stored, or as they were sent."""

    def __init__(self, data: Any, phase: Mapping[str, Any], language: str):
        self.phase, self.language = phase, language
        stored = phase.get("questions", [])
        if data is None:
            self.forms = [self.make(str(n), initial=show_question(each)) for n, each in enumerate(stored)]
        else:
            self.forms = [self.make(key, data) for key in read_keys(data)]

    def make(self, key: str, data: Any = None, initial: Any = None) -> QuestionForm:
        return QuestionForm(data, key=key, kind=self.phase["kind"], language=self.language, initial=initial)

    @property
    def empty(self) -> QuestionForm:
        """What a script adds for another question."""
        return self.make("KEY", initial=show_question({}))

    def rearrange(self, act: str) -> str:
        """Add or move a question as the button says, or only give more rows; returns the key of the one in question."""
        self.forms = [self.make(form.key, initial=form.read_typed()) for form in self.forms]
        what, _colon, key = act.partition(":")
        keys = [form.key for form in self.forms]
        if what == "add":
            key = str(max(map(int, keys), default=-1) + 1)
            self.forms.append(self.make(key, initial=show_question({})))
        elif what in ("up", "down") and key in keys:
            place = keys.index(key)
            to = max(place - 1, 0) if what == "up" else place + 1
            self.forms.insert(to, self.forms.pop(place))
        return key

    def check(self, phase: Phase) -> list[dict[str, Any]]:
        """The questions as a study file says them, without those to be removed."""
        kept = [form for form in self.forms if not form["remove"].data]
        taken = {form["name"].data for form in kept}
        free = (f"{self.phase['name'][:34]}_{n}" for n in range(1, 1_000))
        free_names = (name for name in free if name not in taken)
        return [form.check(phase, form["name"].data or next(free_names)) for form in kept]

    @property
    def has_errors(self) -> bool:
        return any(form.errors for form in self.forms if form.is_bound and not form["remove"].data)


def read_keys(data: Any) -> list[str]:
    """The keys of the questions that were sent, in their order."""
    return list(dict.fromkeys(key for key in data.getlist("question") if key.isascii() and key.isdecimal()))


def show_question(question: Mapping[str, Any]) -> dict[str, Any]:
    """A question of a study file as its form shows it. A value equal to its label changes with the label."""
    marked = [question.get("answer"), *question.get("screen_out", [])]
    levels = [name_alone(level) for level in question.get("levels", [])]
    rows = [
        {
            "label": level["label"],
            "value": level["value"] if level["value"] != level["label"] else "",
            "is_marked": level["value"] in marked,
        }
        for level in levels
    ]
    ticks = [{"value": value, "is_marked": not levels and value in marked} for value in TICK_VALUES]
    return {"kind": "choice", "required": True} | dict(question) | {"answers": [*rows, *ticks]}
