"""The forms of the researcher's study pages. What they say becomes a `StudySpec`, read by the same rules as a file."""

import secrets

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from projects.models import Project
from studies.models import Study
from studies.protocols import PROTOCOLS
from studies.services.instruments import shipped
from studies.services.spec import SpecError, StudySpec, check_spec


class StudyForm(forms.Form):
    """A guess-then-read study in the researcher's words."""

    title = forms.CharField(label=_("Title"), max_length=200)
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        required=False,
        help_text=_("For addresses, files and commands. Made from the title if left empty. It cannot change later."),
    )
    instrument = forms.ChoiceField(
        label=_("Wording and language of the pages"),
        help_text=_("Annotators see their pages in this language. The texts keep their own."),
    )
    texts = forms.MultipleChoiceField(
        label=_("Texts"),
        required=False,
        help_text=_("Choose none to take all that have items."),
        widget=forms.SelectMultiple(attrs={"size": 8}),
    )
    generators = forms.MultipleChoiceField(
        label=_("Items by"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Choose none to take all generators."),
    )
    annotators = forms.IntegerField(
        label=_("Annotators"),
        min_value=1,
        max_value=1000,
        required=False,
        initial=6,
        help_text=_("Each gets a personal link at launch. Leave empty to add people one by one later."),
    )
    per_unit = forms.IntegerField(
        label=_("Annotators per text"),
        min_value=1,
        max_value=1000,
        required=False,
        help_text=_("Leave empty if everybody does every text."),
    )
    groups = forms.CharField(
        label=_("Groups of annotators"),
        required=False,
        max_length=500,
        help_text=_("For example: students, teachers. Annotators are put into them in turn; reports tell them apart."),
    )
    prefill = forms.BooleanField(
        label=_("The reading stage starts from the guesses"),
        required=False,
        help_text=_("Otherwise it starts blank."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**62,
        required=False,
        help_text=_("All orders and the plan are drawn from it. Left empty, one is drawn now."),
    )

    def __init__(self, *args, project: Project, study: Study | None = None, **kwargs):
        self.project, self.study = project, study
        super().__init__(*args, **kwargs)
        names = [name for name in shipped() if name.partition("/")[0] in PROTOCOLS]
        self.fields["instrument"].choices = [(name, f"{shipped()[name]['title']} · {name}") for name in names]
        texts = project.texts.current().order_by("pk")
        self.fields["texts"].choices = [(text.external_id, f"{text} ({text.language})") for text in texts]
        self.fields["generators"].choices = [(name, name) for name in project.generators.values_list("name", flat=True)]
        if study is not None:
            del self.fields["slug"]

    def clean_slug(self):
        slug = self.cleaned_data["slug"] or slugify(self.cleaned_data.get("title", ""))[:60]
        if not slug:
            raise forms.ValidationError(_("Write a short name of letters, digits and hyphens."))
        return slug

    def clean(self):
        cleaned = super().clean()
        if not self.errors:
            try:
                cleaned["spec"] = self.spec(cleaned)
            except SpecError as error:
                raise forms.ValidationError(str(error)) from None
        return cleaned

    def spec(self, cleaned: dict) -> StudySpec:
        protocol, _slash, language = cleaned["instrument"].partition("/")
        seed = cleaned["seed"]
        return check_spec(
            {
                "slug": self.study.slug if self.study else cleaned["slug"],
                "title": cleaned["title"],
                "protocol": protocol,
                "language": language,
                "instrument": cleaned["instrument"],
                "items": {"texts": cleaned["texts"] or "all", "generators": cleaned["generators"] or "all"},
                "plan": {
                    "annotators": cleaned["annotators"] or "open",
                    "per_unit": cleaned["per_unit"] or "all",
                    "seed": secrets.randbelow(2**31) if seed is None else seed,
                },
                "params": {"prefill": cleaned["prefill"]},
                "groups": [group.strip() for group in cleaned["groups"].split(",") if group.strip()],
            }
        )


def initial_of(study: Study) -> dict:
    """What the form shows of a draft."""
    as_list = {name: [] if value == "all" else value for name, value in study.selection.items()}
    plan = {name: None if value in ("all", "open") else value for name, value in study.plan.items()}
    return {
        "title": study.title,
        "instrument": str(study.instrument_version.instrument),
        "texts": as_list["texts"],
        "generators": as_list["generators"],
        "annotators": plan["annotators"],
        "per_unit": plan["per_unit"],
        "groups": ", ".join(study.groups),
        "prefill": study.params.get("prefill", False),
        "seed": study.seed,
    }


class AddAnnotatorsForm(forms.Form):
    """More people for a running study."""

    people = forms.CharField(
        label=_("Codes of people"),
        required=False,
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "One a line, no names. The same code in two studies means the same person: nobody guesses about a text they"
            " have read. Leave empty if you only need links."
        ),
    )
    count = forms.IntegerField(label=_("How many, without codes"), min_value=1, max_value=500, required=False)
    group = forms.ChoiceField(label=_("Group"), required=False)

    def __init__(self, *args, study: Study, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["group"].choices = [("", _("in turn")), *((group, group) for group in study.groups)]
        if not study.groups:
            del self.fields["group"]

    def clean_people(self):
        return [line.strip()[:200] for line in self.cleaned_data["people"].split("\n") if line.strip()]

    def clean(self):
        cleaned = super().clean()
        if not self.errors and not cleaned.get("people") and not cleaned.get("count"):
            raise forms.ValidationError(_("Say how many annotators to add, or list the codes of people."))
        return cleaned


class ResponsesForm(forms.Form):
    """A file of finished judgments."""

    file = forms.FileField(label=_("CSV or JSONL file"), help_text=_("One row per judgment, as in the long export."))
    partial = forms.BooleanField(label=_("Take people's guesses without a read"), required=False)
