"""Forms of one phase, and of recruitment."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from items.forms.bank import PicturesField
from items.models import Markup, Text
from items.pictures import write_data_uri
from studies.forms.phase_questions import QuestionList
from studies.phases import ASKING, ENDING, Phase, explain_mark
from studies.services.phase_editing import WORDS, add_usual_words, drop_usual_words

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
            "*emphasis*, lists and tables are shown as such; a picture stands where the text says "
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
        help_text=_("Comments are shown on the pages People and Items, and stand in the column “comment” of exports."),
    )
    cap = forms.IntegerField(label=_("At most so many people"), min_value=1, required=False)
    units_per_person = forms.IntegerField(label=_("At most so many units per person"), min_value=1, required=False)
    minutes = forms.IntegerField(
        label=_("Minutes that people are told"),
        min_value=1,
        required=False,
        help_text=_("Leave empty for the estimate. Once five people have finished, their median is told instead."),
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
        """In the format of a study file."""
        given = {name: value for name, value in self.cleaned_data.items() if value not in ("", None, False)}
        codes = {name: given.pop(name) for name in self.CODES if name in given}
        return given | ({"codes": codes} if codes else {})

    @staticmethod
    def read(recruitment: Mapping[str, Any]) -> dict[str, Any]:
        """The form's values for a study."""
        return {**recruitment, **recruitment.get("codes", {})}
