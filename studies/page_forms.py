"""The form of a study's draft. What it says becomes a `StudySpec`, read by the same rules as a file."""

import secrets
from collections import Counter
from collections.abc import Iterable
from typing import Any, cast

import yaml
from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from projects.models import Project
from studies.instrument_kinds import PEOPLE
from studies.models import InstrumentVersion, Study, Variant
from studies.parameter_fields import initial_parameters, parameter_fields, said
from studies.protocols import Protocol
from studies.services.creating import free_slug
from studies.services.instrument_listing import name_in, suitable
from studies.services.spec import MAX_SEED, SpecError, StudySpec, check_spec
from studies.services.study_yaml import NotYaml, load_yaml

PER_UNIT = {
    "text": _("Annotators per text"),
    "item": _("Annotators per question"),
    "pair": _("Annotators per pair"),
}


class StudyForm(forms.Form):
    """A study of one protocol in the researcher's words: what all protocols need, and the protocol's own parameters."""

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
        widget=forms.SelectMultiple(attrs={"size": 8}),
        help_text=_(
            "Choose none to take all; where the project has texts in several languages, all in the language of the"
            " pages."
        ),
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
        help_text=_("Leave empty if everybody does everything."),
    )
    groups = forms.CharField(
        label=_("Groups of annotators"),
        required=False,
        max_length=500,
        help_text=_("For example: students, teachers. Annotators are put into them in turn; reports tell them apart."),
    )
    shared_texts = forms.IntegerField(
        label=_("Texts that all annotators do"),
        min_value=0,
        max_value=10_000,
        required=False,
        help_text=_("Only together with texts of one's own; else leave both empty."),
    )
    own_texts = forms.IntegerField(
        label=_("Texts of one's own for each annotator"),
        min_value=0,
        max_value=10_000,
        required=False,
    )
    variants = forms.CharField(
        label=_("Variants"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_(
            "To try one instrument against another, as in a study file, one a line:"
            " - {name: …, instrument: …, params: {…}}. Annotators are drawn to them evenly."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        required=False,
        help_text=_("All orders and the plan are drawn from it. Left empty, one is drawn now."),
    )

    WHAT = ("title", "instrument", "texts", "generators")
    WHO = ("annotators", "per_unit", "groups")
    MORE = ("slug", "shared_texts", "own_texts", "variants", "seed")

    def __init__(self, *args: Any, project: Project, protocol: Protocol, study: Study | None = None, **kwargs: Any):
        self.project, self.protocol, self.study = project, protocol, study
        super().__init__(*args, **kwargs)
        self.fields |= parameter_fields(protocol)
        self.fields["per_unit"].label = PER_UNIT[protocol.unit]
        self.languages = dict(project.texts.current().order_by("pk").values_list("external_id", "language"))
        self.wordings = in_language_of(self.languages.values(), wordings_for(project, protocol, study))
        texts = project.texts.current().order_by("pk")
        self.offer("instrument", ((name, f"{each.content['title']} · {name}") for name, each in self.wordings.items()))
        self.offer("texts", ((text.external_id, f"{text} ({text.language})") for text in texts))
        self.offer("generators", ((name, name) for name in project.generators.values_list("name", flat=True)))
        if study is not None:
            del self.fields["slug"]
        if not protocol.needs_items:
            del self.fields["generators"]

    def offer(self, name: str, choices: Iterable[tuple[str, str]]) -> None:
        cast(forms.ChoiceField, self.fields[name]).choices = list(choices)

    def listed(self, names: tuple[str, ...]) -> list[forms.BoundField]:
        return [self[name] for name in names if name in self.fields]

    @property
    def what(self) -> list[forms.BoundField]:
        return self.listed(self.WHAT)

    @property
    def who(self) -> list[forms.BoundField]:
        return self.listed(self.WHO)

    @property
    def how(self) -> list[forms.BoundField]:
        """The parameters of the protocol."""
        return self.listed(tuple(parameter.name for parameter in self.protocol.parameters))

    @property
    def more(self) -> list[forms.BoundField]:
        """What few studies need; shown unfolded where something in it is wrong."""
        return self.listed(self.MORE)

    @property
    def more_is_wrong(self) -> bool:
        return any(field.errors for field in self.more)

    def clean_slug(self) -> str:
        slug = self.cleaned_data["slug"] or free_slug(slugify(self.cleaned_data.get("title", ""))[:60] or "study")
        return str(slug)

    def clean_variants(self) -> list[Any]:
        try:
            said = load_yaml(self.cleaned_data["variants"])
        except NotYaml as error:
            raise forms.ValidationError(str(error)) from None
        if said is not None and not isinstance(said, list):
            raise forms.ValidationError(_("This is a list: start each variant with a hyphen on a line of its own."))
        return said or []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        annotators, per_unit = cleaned.get("annotators"), cleaned.get("per_unit")
        if annotators and per_unit and per_unit > annotators:
            self.add_error("per_unit", _("There are fewer annotators than that. Take more, or leave this empty."))
        if not self.errors:
            try:
                cleaned["spec"] = self.spec(cleaned)
            except SpecError as error:
                raise forms.ValidationError(str(error)) from None
        return cleaned

    def spec(self, cleaned: dict[str, Any]) -> StudySpec:
        wording = self.wordings[cleaned["instrument"]]
        language = wording.instrument.language
        seed = cleaned["seed"]
        return check_spec(
            {
                "slug": self.study.slug if self.study else cleaned["slug"],
                "title": cleaned["title"],
                "protocol": self.protocol.name,
                "language": language,
                "instrument": cleaned["instrument"],
                "items": {
                    "texts": cleaned["texts"] or self.all_texts(language),
                    "generators": cleaned.get("generators") or "all",
                },
                "plan": {
                    "annotators": cleaned["annotators"] or "open",
                    "per_unit": cleaned["per_unit"] or "all",
                    "shared_texts": cleaned["shared_texts"] or 0,
                    "own_texts": cleaned["own_texts"] or 0,
                    "seed": secrets.randbelow(2**31) if seed is None else seed,
                },
                "params": (self.study.params if self.study else {})
                | {parameter.name: said(parameter, cleaned[parameter.name]) for parameter in self.protocol.parameters},
                "groups": [group.strip() for group in cleaned["groups"].split(",") if group.strip()],
                "variants": cleaned["variants"],
            }
        )

    def all_texts(self, language: str) -> str | list[str]:
        """All, or where the project has several languages those in this one, if there are any."""
        fitting = [text for text, its_language in self.languages.items() if its_language == language]
        return "all" if not fitting or len(fitting) == len(self.languages) else fitting


def wordings_for(project: Project, protocol: Protocol, study: Study | None) -> dict[str, InstrumentVersion]:
    """By name in a study file what people can be asked with: the newest of each, and what a draft has now."""
    versions = [*suitable(project, PEOPLE, protocol.name), *([study.instrument_version] if study else [])]
    return {name_in(version): version for version in versions}


def in_language_of(languages: Iterable[str], wordings: dict[str, InstrumentVersion]) -> dict[str, InstrumentVersion]:
    """Those in the language of most texts first: the first one is offered."""
    ((usual, _n),) = Counter(language.partition("-")[0] for language in languages).most_common(1) or [("", 0)]
    return dict(sorted(wordings.items(), key=lambda pair: pair[1].instrument.language != usual))


def initial_of(study: Study) -> dict[str, Any]:
    """What the form shows of a draft."""
    as_list = {name: [] if value == "all" else value for name, value in study.selection.items()}
    plan = {name: None if value in ("all", "open", 0) else value for name, value in study.plan.items()}
    return (
        {
            "title": study.title,
            "instrument": name_in(study.instrument_version),
            "texts": as_list["texts"],
            "generators": as_list["generators"],
            "groups": ", ".join(study.groups),
            "seed": study.seed,
            "variants": written_variants(study),
        }
        | plan
        | initial_parameters(study)
    )


def written_variants(study: Study) -> str:
    """The variants of a draft as a study file has them, a line each."""
    return "".join(
        f"- {yaml.safe_dump(said_of(study, variant), default_flow_style=True, allow_unicode=True, width=10_000)}"
        for variant in study.variants.select_related("instrument_version__instrument")
    )


def said_of(study: Study, variant: Variant) -> dict[str, Any]:
    """What the variant has otherwise than its study."""
    params = {name: value for name, value in variant.params.items() if study.params.get(name) != value}
    has_own = variant.instrument_version_id != study.instrument_version_id
    instrument = {"instrument": name_in(variant.instrument_version)} if has_own else {}
    return {"name": variant.name} | instrument | ({"params": params} if params else {})
