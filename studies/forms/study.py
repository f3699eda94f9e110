"""The form of a study's draft, which is read as a `StudySpec`; and the presets a researcher can start from."""

import secrets
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, cast

import yaml
from django import forms
from django.utils.text import slugify
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from items.language import name_language
from projects.models import Project
from studies.forms.fields import (
    GroupNumbersField,
    get_initial_parameters,
    make_parameter_fields,
    read_parameter,
    write_parameter,
)
from studies.instrument_kinds import PEOPLE
from studies.models import InstrumentVersion, Study, Variant
from studies.protocols import PROTOCOLS, Protocol
from studies.services.creating import find_free_slug
from studies.services.instruments import describe_wording, list_suitable_versions, name_version
from studies.services.spec import DOUBT, EQUAL_CHANCE, MAX_SEED, SpecError, StudySpec, check_spec, read_spec
from studies.strict_yaml import NotYaml, load_yaml

PER_UNIT = {
    "text": _("Annotators per text"),
    "item": _("Annotators per question"),
    "pair": _("Annotators per pair"),
    "tuple": _("Annotators per set of items"),
}


class StudyForm(forms.Form):
    """A study of one protocol in the researcher's words: what all protocols need, and the protocol's own parameters."""

    title = forms.CharField(label=_("Title"), max_length=200)
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        required=False,
        help_text=_(
            "Used in addresses, files and commands. Leave empty to create it from the title. It "
            "cannot be changed later."
        ),
    )
    instrument = forms.ChoiceField(
        label=_("Wording and language"),
        help_text=_("The language of the annotators' pages. Texts are always shown in their own language."),
    )
    texts = forms.MultipleChoiceField(
        label=_("Texts"),
        required=False,
        widget=forms.SelectMultiple(attrs={"size": 8}),
        help_text=_(
            "Select none to include all texts. If the project has texts in several languages, all texts "
            "in the language of the pages are included."
        ),
    )
    generators = forms.MultipleChoiceField(
        label=_("Generators"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Select none to include all generators."),
    )
    annotators = GroupNumbersField(
        label=_("Annotators"),
        min_value=1,
        max_value=1000,
        required=False,
        initial=6,
        help_text=_(
            "Each annotator gets a personal link at launch. Leave empty to add people later. To set a "
            "number per group, write for example: experts: 4, crowd: 8."
        ),
    )
    per_unit = GroupNumbersField(
        label=_("Annotators per text"),
        words=("all",),
        min_value=1,
        max_value=1000,
        required=False,
        help_text=_(
            "Leave empty if every annotator does everything. To set a number per group, write "
            "for example: experts: 2, crowd: 2."
        ),
    )
    groups = forms.CharField(
        label=_("Groups of annotators"),
        required=False,
        max_length=500,
        help_text=_(
            "For example: students, teachers. Annotators are assigned to the groups in turn, and reports "
            "show each group separately. Leave empty if the groups are named above."
        ),
    )
    shared_texts = forms.IntegerField(
        label=_("Texts shared by all annotators"),
        min_value=0,
        max_value=10_000,
        required=False,
        help_text=_("Fill in this field and the next one, or leave both empty."),
    )
    own_texts = forms.IntegerField(
        label=_("Further texts for each annotator alone"),
        min_value=0,
        max_value=10_000,
        required=False,
    )
    people_texts = forms.IntegerField(
        label=_("Texts annotated by people"),
        min_value=1,
        max_value=10_000,
        required=False,
        help_text=_(
            "These texts are drawn at random at launch; models answer all texts. Leave empty if "
            "people annotate all texts too."
        ),
    )
    people_texts_by = forms.ChoiceField(
        label=_("Sampling of these texts"),
        required=False,
        choices=[
            (EQUAL_CHANCE, _("every text with the same probability")),
            (DOUBT, _("texts on which models are uncertain more often (needs model answers to the same items)")),
        ],
    )
    variants = forms.CharField(
        label=_("Variants"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_(
            "To compare instruments, write one variant per line as in a study file: - {name: …, "
            "instrument: …, params: {…}}. Annotators are assigned to the variants at random, in equal "
            "numbers."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=MAX_SEED,
        required=False,
        help_text=_("All random orders and the assignment plan are derived from it. Leave empty to draw a new seed."),
    )

    WHAT = ("title", "instrument", "texts", "generators")
    WHO = ("annotators", "per_unit", "groups")
    MORE = ("slug", "people_texts", "people_texts_by", "shared_texts", "own_texts", "variants", "seed")

    def __init__(self, *args: Any, project: Project, protocol: Protocol, study: Study | None = None, **kwargs: Any):
        self.project, self.protocol, self.study = project, protocol, study
        super().__init__(*args, **kwargs)
        self.fields |= make_parameter_fields(protocol)
        self.fields["per_unit"].label = PER_UNIT[protocol.unit]
        self.languages = dict(project.texts.current().order_by("pk").values_list("external_id", "language"))
        self.wordings = sort_by_language(self.languages.values(), find_wordings(project, protocol, study))
        texts = project.texts.current().order_by("pk")
        self.offer("instrument", ((name, describe_choice(name, each)) for name, each in self.wordings.items()))
        self.offer("texts", ((text.external_id, f"{text} ({name_language(text.language)})") for text in texts))
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
        slug = self.cleaned_data["slug"] or find_free_slug(slugify(self.cleaned_data.get("title", ""))[:60] or "study")
        return str(slug)

    def clean_variants(self) -> list[Any]:
        try:
            said = load_yaml(self.cleaned_data["variants"])
        except NotYaml as error:
            raise forms.ValidationError(str(error)) from None
        if said is not None and not isinstance(said, list):
            raise forms.ValidationError(_("Write a list: each variant on its own line, starting with a hyphen."))
        return said or []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        annotators, per_unit = cleaned.get("annotators"), cleaned.get("per_unit")
        if isinstance(annotators, int) and isinstance(per_unit, int) and per_unit > annotators:
            self.add_error(
                "per_unit",
                _(
                    "The study has fewer annotators than that. Increase the number "
                    "of annotators, or leave this field empty."
                ),
            )
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
                    "people_texts": cleaned["people_texts"] or 0,
                    "people_texts_by": cleaned["people_texts_by"] or EQUAL_CHANCE,
                    "seed": secrets.randbelow(2**31) if seed is None else seed,
                },
                "params": (self.study.params if self.study else {})
                | {
                    parameter.name: read_parameter(parameter, cleaned[parameter.name])
                    for parameter in self.protocol.parameters
                },
                "groups": [group.strip() for group in cleaned["groups"].split(",") if group.strip()],
                "variants": cleaned["variants"],
            }
        )

    def all_texts(self, language: str) -> str | list[str]:
        """All, or where the project has several languages those in this one, if there are any."""
        fitting = [text for text, its_language in self.languages.items() if its_language == language]
        return "all" if not fitting or len(fitting) == len(self.languages) else fitting


def find_wordings(project: Project, protocol: Protocol, study: Study | None) -> dict[str, InstrumentVersion]:
    """By name in a study file what people can be asked with: the newest of each, and what a draft has now."""
    versions = [*list_suitable_versions(project, PEOPLE, protocol.name), *([study.instrument_version] if study else [])]
    return {name_version(version): version for version in versions}


def describe_choice(name: str, version: InstrumentVersion) -> str:
    """A wording as the form offers it; of a version that is not the newest also its number."""
    wording = describe_wording(version)
    said = {"wording": wording, "number": version.version}
    return gettext("%(wording)s, version %(number)s") % said if "@" in name else wording


def sort_by_language(languages: Iterable[str], wordings: dict[str, InstrumentVersion]) -> dict[str, InstrumentVersion]:
    """Those in the language of most texts first, or of the page where as many texts have it: the first is offered."""
    n_texts = Counter(language.partition("-")[0] for language in languages)
    usual = max(n_texts, key=lambda language: (n_texts[language], language == get_language()), default="")
    return dict(sorted(wordings.items(), key=lambda pair: pair[1].instrument.language != usual))


def get_initial(study: Study) -> dict[str, Any]:
    """What the form shows of a draft."""
    as_list = {name: [] if value == "all" else value for name, value in study.selection.items()}
    plan = {name: None if value in ("all", "open", 0) else value for name, value in study.plan.items()}
    for name, numbers in plan.items():
        if isinstance(numbers, dict):
            plan[name] = {group: numbers[group] for group in study.groups}
    return (
        {
            "title": study.title,
            "instrument": name_version(study.instrument_version),
            "texts": as_list["texts"],
            "generators": as_list["generators"],
            "groups": ", ".join(study.groups),
            "seed": study.seed,
            "variants": write_variants(study),
        }
        | plan
        | get_initial_parameters(study)
    )


def write_variants(study: Study) -> str:
    """The variants of a draft as a study file has them, a line each."""
    variants = study.variants.select_related("instrument_version__instrument")
    said = [describe_variant(study, variant) for variant in variants]
    return "".join(
        f"- {yaml.safe_dump(each, default_flow_style=True, allow_unicode=True, width=10_000)}" for each in said
    )


def describe_variant(study: Study, variant: Variant) -> dict[str, Any]:
    """What the variant has otherwise than its study."""
    params = {name: value for name, value in variant.params.items() if study.params.get(name) != value}
    has_own = variant.instrument_version_id != study.instrument_version_id
    instrument = {"instrument": name_version(variant.instrument_version)} if has_own else {}
    return {"name": variant.name} | instrument | ({"params": params} if params else {})


FOLDER = Path(__file__).resolve().parent.parent / "presets"


@cache
def load_presets() -> dict[str, StudySpec]:
    """The study files in the folder `studies/presets`, by their short name."""
    specs = [read_spec(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))]
    return {spec.slug: spec for spec in specs}


def list_presets(protocol: str) -> list[StudySpec]:
    return [spec for spec in load_presets().values() if spec.protocol == protocol]


def get_preset_initial(spec: StudySpec) -> dict[str, Any]:
    """What the form of a new study shows: title, plan, groups and parameters; texts and items are the project's own."""
    plan = {name: None if value in ("all", "open", 0) else value for name, value in spec.plan.numbers().items()}
    params = {each.name: write_parameter(each, spec.params[each.name]) for each in PROTOCOLS[spec.protocol].parameters
              if each.name in spec.params}  # fmt: skip
    return {"title": spec.title, "groups": ", ".join(spec.groups)} | plan | params
