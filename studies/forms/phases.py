"""Forms of one phase and its questions, and of recruitment."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError

from items.forms.bank import PicturesField
from items.models import Markup, Text
from items.pictures import write_data_uri
from studies.phases import ASKING, ENDING, PROFILE, SCORED, Phase, PhaseQuestion, expand_level, explain_mark
from studies.services.phase_editing import WORDS, add_usual_words, drop_usual_words
from studies.services.spec import explain_error

KINDS = {
    "consent": _("Consent"),
    "background": _("Background questions"),
    "instructions": _("Instructions"),
    "comprehension": _("Comprehension check (two tries)"),
    "training": _("Training with explained answers"),
    "test": _("Test with a pass mark"),
    "practice": _("Practice"),
    "attention": _("Attention check"),
    "survey": _("Exit survey"),
    "thanks": _("Thanks"),
}


class PhaseForm(forms.Form):
    """The words of a phase, and the fields that its kind needs."""

    title = forms.CharField(label=_("Title"), max_length=300, required=False)
    paragraphs = forms.CharField(
        label=_("Text"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=_("An empty line begins a new paragraph."),
    )
    markup = forms.BooleanField(
        label=_("The text is Markdown, with pictures and formulas"),
        required=False,
        help_text=_(
            "*emphasis*, lists and tables are shown as such; a picture is shown where the text says "
            "![description](name.png)."
        ),
    )
    new_pictures = PicturesField(label=_("Add pictures"), required=False, help_text=_("PNG or JPEG."))
    without = forms.MultipleChoiceField(label=_("Remove pictures"), required=False, widget=forms.CheckboxSelectMultiple)
    points = forms.CharField(
        label=_("Points"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One point per line, shown as a list."),
    )
    button = forms.CharField(label=_("Button"), max_length=300, required=False)
    version = forms.CharField(
        label=_("Version"),
        max_length=80,
        required=False,
        help_text=_("Stored with each consent, with its time. Leave empty to use a hash of the wording."),
    )
    pass_mark = forms.IntegerField(
        label=_("Pass mark"),
        min_value=1,
        required=False,
        help_text=_("How many questions must be answered right. Leave empty for all."),
    )
    after = forms.IntegerField(label=_("After how many units"), min_value=1, required=False)
    texts = forms.MultipleChoiceField(
        label=_("Texts to practise on"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Texts that the study leaves out. Untick a text on the step “Texts & items” to practise on it."),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        files: Any = None,
        *,
        phase: Mapping[str, Any],
        usual: Mapping[str, Any],
        language: str,
        words_only: bool = False,
        practice: Iterable[Text] = (),
    ):
        self.phase, self.pictures, self.usual = phase, dict(phase.get("pictures", {})), usual
        words = add_usual_words(phase, usual)
        initial = words | {
            "paragraphs": "\n\n".join(words["paragraphs"]),
            "points": "\n".join(words["points"]),
            "texts": phase.get("texts", []),
        }
        super().__init__(data, files, initial=initial)
        cast(forms.MultipleChoiceField, self.fields["without"]).choices = [(name, name) for name in self.pictures]
        offered = {text.external_id: str(text) for text in practice}
        offered = {name: offered.get(name, name) for name in (*phase.get("texts", []), *offered)}
        cast(forms.MultipleChoiceField, self.fields["texts"]).choices = list(offered.items())
        if files:  # a form that is shown again has lost them
            self.fields["new_pictures"].help_text = _("Choose the pictures again: they were not kept. PNG or JPEG.")
        kind = phase["kind"]
        unused = {
            "version": kind != "consent",
            "pass_mark": kind not in ENDING,
            "after": kind != "attention",
            "texts": kind != "practice",
            "button": kind in ("practice", "thanks"),
            "without": not self.pictures,
        }
        for name, is_unused in unused.items():
            if is_unused or (words_only and name not in (*WORDS, "without")):
                del self.fields[name]
        asks = kind in ASKING and not words_only
        self.questions = QuestionList(data, phase, language) if asks else None
        for name in {"title", "paragraphs", "points", "button"} & self.fields.keys():
            self.fields[name].widget.attrs["lang"] = language

    @property
    def rarely_changed(self) -> list[forms.BoundField]:
        """The fields that most people leave alone."""
        return [field for field in self if field.name in ("markup", "new_pictures", "without", "points", "button")]

    @property
    def is_unfolded(self) -> bool:
        return any(field.errors or (field.name != "button" and field.value()) for field in self.rarely_changed)

    def rearrange(self, act: str) -> None:
        """Show the submitted values again, with questions added, moved or removed; nothing is checked."""
        if self.questions:
            self.questions.rearrange(act)
        self.initial = {
            name: field.widget.value_from_datadict(self.data, self.files, name) for name, field in self.fields.items()
        }
        self.is_bound = False

    @property
    def has_problems(self) -> bool:
        return bool(self.errors or (self.questions and self.questions.has_errors))

    def as_spec(self) -> dict[str, Any]:
        """The phase in the format of a study file."""
        values = dict(self.cleaned_data)
        new, without = values.pop("new_pictures", None) or {}, values.pop("without", [])
        kept = {name: digest for name, digest in self.pictures.items() if name not in without}
        values["pictures"] = kept | {name: write_data_uri(picture) for name, picture in new.items()}
        values["markup"] = Markup.MARKDOWN if values.get("markup") else ""
        return drop_usual_words(values, self.usual)

    def clean(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        if self.questions is None:
            return values
        words = {name: values.get(name, []) for name in ("paragraphs", "points")}
        values["questions"] = self.questions.check(Phase.model_construct(kind=self.phase["kind"], **words))
        mark, n = values.get("pass_mark"), len(values["questions"])
        if mark and mark > n:
            self.add_error("pass_mark", capfirst(explain_mark(mark, n)))
        return values

    def clean_paragraphs(self) -> list[str]:
        written = self.cleaned_data["paragraphs"].replace("\r\n", "\n")
        parts = [part.strip() for part in re.split(r"\n\s*\n", written) if part.strip()]
        return parts if self["markup"].data else [" ".join(part.split()) for part in parts]

    def clean_points(self) -> list[str]:
        return [line.strip() for line in self.cleaned_data["points"].splitlines() if line.strip()]


class RecruitmentForm(forms.Form):
    """How people join a study, and what they get back."""

    open_link = forms.BooleanField(
        label=_("Open link: whoever opens it can take part"),
        required=False,
        help_text=_("The places of the plan are given to people as they come, instead of personal links at launch."),
    )
    platform = forms.ChoiceField(
        label=_("Platform"),
        required=False,
        choices=[("", _("none")), ("prolific", "Prolific"), ("mturk", "Mechanical Turk"), ("other", _("another one"))],
    )
    id_parameter = forms.CharField(
        label=_("Address parameter with the participant id"),
        max_length=60,
        required=False,
        help_text=_("Of another platform. Prolific and Mechanical Turk have their own."),
    )
    signed_ids = forms.BooleanField(
        label=_("Accept signed ids only"),
        required=False,
        help_text=_(
            "Each id comes with a signature by the secret of this study, so that nobody can make one up. Make the "
            "links of known people below, or let your own system sign ids. Prolific and Mechanical Turk cannot sign "
            "the ids that they put into a link themselves."
        ),
    )
    read_aloud = forms.BooleanField(
        label=_("Offer to read aloud"),
        required=False,
        help_text=_(
            "The browser reads text, questions and options with voices of the person's own device; nothing is sent "
            "anywhere. Devices without a voice for the language say so."
        ),
    )
    comments = forms.BooleanField(
        label=_("Let people comment on each question"),
        required=False,
        help_text=_("Comments are shown on the pages People and Items, and are in the column “comment” of exports."),
    )
    cap = forms.IntegerField(label=_("At most so many people"), min_value=1, required=False)
    units_per_person = forms.IntegerField(label=_("At most so many units per person"), min_value=1, required=False)
    minutes = forms.IntegerField(
        label=_("Minutes that people are told"),
        min_value=1,
        required=False,
        help_text=_("Leave empty for the estimate. Once five people have finished, their median is shown instead."),
    )
    time_out = forms.IntegerField(
        label=_("Time-out in minutes"),
        min_value=1,
        required=False,
        help_text=_(
            "Unfinished work of people who stay away for longer is offered to others. Leave empty for three times the "
            "minutes, at least 30; with personal links, for never."
        ),
    )
    finished = forms.CharField(label=_("Code of people who have finished"), max_length=60, required=False)
    screened_out = forms.CharField(label=_("Code of people who are screened out"), max_length=60, required=False)
    failed_check = forms.CharField(label=_("Code of people who fail a check"), max_length=60, required=False)
    return_to = forms.CharField(
        label=_("Address to return to"),
        max_length=500,
        required=False,
        help_text=_("With {code} where the code belongs. Leave empty for that of Prolific, or to show the code only."),
    )
    CODES = ("finished", "screened_out", "failed_check")

    def as_study_file(self) -> dict[str, Any]:
        """The recruitment in the format of a study file."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None, False)}
        codes = {name: given.pop(name) for name in self.CODES if name in given}
        return given | ({"codes": codes} if codes else {})

    @staticmethod
    def read(recruitment: Mapping[str, Any]) -> dict[str, Any]:
        """The form's values for a study."""
        return {**recruitment, **recruitment.get("codes", {})}


# The questions of a phase as fields. Adding and moving them on the server stores nothing and loses nothing typed.


QUESTION_KINDS = {
    "choice": _("One of several answers"),
    "scale": _("Scale"),
    "tick": _("Tick box"),
    "text": _("Free text"),
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
            "ticks": [
                row | {"label": gettext("ticked") if row["value"] == "true" else gettext("not ticked")} for row in ticks
            ],
            "marks": self.marks,
        }


def split_ticks(rows: Sequence[Mapping[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The answers to choose from, and the two of a tick box."""
    ticks = [row for row in rows if "label" not in row] or [{"value": value} for value in TICK_VALUES]
    return [row for row in rows if "label" in row], ticks


class QuestionForm(forms.Form):
    """One question. Nothing is required here: `check` says what is missing, and only when the phase is saved."""

    text = forms.CharField(label=_("Question"), required=False, widget=forms.Textarea(attrs={"rows": 2}))
    kind = forms.ChoiceField(label=_("Kind of question"), choices=list(QUESTION_KINDS.items()))
    answers = forms.Field(label=_("Answers"), required=False)
    explanation = forms.CharField(
        label=_("Explanation"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Shown in training, after the answer."),
    )
    required = forms.BooleanField(label=_("People must answer it"), required=False)
    help = forms.CharField(label=_("Note below the question"), required=False, widget=forms.Textarea(attrs={"rows": 2}))
    name = forms.CharField(
        label=_("Column in exports"),
        required=False,
        help_text=_("Lowercase letters, digits and underscores. Leave empty for an automatic name."),
    )
    remove = forms.BooleanField(label=_("Remove this question when saving"), required=False)

    def __init__(self, data: Any = None, *, key: str, kind: str, language: str, initial: Any = None):
        super().__init__(data, initial=initial, prefix=f"q{key}")
        self.key, self.phase_kind = key, kind
        self.fields["answers"].widget = AnswerRows("right" if kind in SCORED else "out" if kind == "background" else "")
        if kind == "background":
            self.fields["answers"].help_text = gettext(
                "Whoever chooses an answer that screens out takes no further part."
            )
        if kind not in SCORED:
            del self.fields["explanation"]
        elif kind != "training":
            self.fields["explanation"].widget = forms.HiddenInput()
        if kind not in PROFILE:
            self.fields["name"].widget = forms.HiddenInput()
        for name in {"text", "answers", "explanation", "help"} & self.fields.keys():
            self.fields[name].widget.attrs["lang"] = language

    def read_typed(self) -> dict[str, Any]:
        """The typed values, to be shown again in a form that is not validated yet."""
        return {
            name: field.widget.value_from_datadict(self.data, {}, self.add_prefix(name))
            for name, field in self.fields.items()
        }

    @property
    def has_more(self) -> bool:
        """Whether a collapsed field has content or an error."""
        return bool(self["help"].value() or self["name"].errors or self["help"].errors)

    def as_spec(self) -> dict[str, Any]:
        """The question in the format of a study file, without fields that its kind does not have."""
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
        """The question in the format of a study file, with this name unless it has its own; problems become errors."""
        self.full_clean()
        spec = {"name": name} | self.as_spec()
        if not spec.get("text"):
            self.add_error("text", gettext("Write the question."))
        values = [level["value"] for level in spec.get("levels", [])]
        if spec.get("kind") in ("choice", "scale") and (len(values) < 2 or len(set(values)) < len(values)):
            self.add_error("answers", gettext("Give at least two answers, each different."))
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
                label = str(self.fields[field].label) if field else gettext("Question")
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
        """The empty form that the script adds for another question."""
        return self.make("KEY", initial=show_question({}))

    def rearrange(self, act: str) -> str:
        """Add or move a question; any other action only adds empty rows. Returns the key of the question."""
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
        """The questions in the format of a study file, without those to be removed."""
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
    """The form's content for a question of a study file; a value equal to its label is left empty."""
    marked = [question.get("answer"), *question.get("screen_out", [])]
    levels = [expand_level(level) for level in question.get("levels", [])]
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
