"""The steps of a study's design about its questions: protocol and title, texts and items."""

from collections import Counter
from typing import Any

from django import forms
from django.db.models import Count
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from items.language import name_language
from items.models import ORIGINAL, Item, Text
from items.plain import count_words
from projects.models import Project
from studies.models import Study
from studies.protocols import PROTOCOLS, Protocol
from studies.protocols.parameters import Names, OneOf, Parameter, SomeOf, Switch, TextParameter, Whole
from studies.services.creating import create_draft, describe_study, find_free_slug
from studies.services.design import (
    choose_wording,
    count_languages,
    find_wordings,
    load_presets,
    restart_spec,
    select_texts,
    start_spec,
)
from studies.services.spec import SpecError, check_spec

# Form fields for a protocol's parameters, and for a number per group such as "experts: 4, crowd: 8".


def make_parameter_fields(protocol: Protocol) -> dict[str, forms.Field]:
    """One field for each parameter, in order."""
    return {parameter.name: make_field(parameter) for parameter in protocol.parameters}


def make_field(parameter: Parameter) -> forms.Field:
    """A field that accepts the parameter's values; an emptied field of names or words means the default."""
    words: dict[str, Any] = {
        "label": _(parameter.label) if parameter.label else parameter.name,
        "help_text": _(parameter.help) if parameter.help else "",
        "initial": write_parameter(parameter, parameter.default),
        "required": False,
    }
    if isinstance(parameter, Switch):
        return forms.BooleanField(**words)
    if isinstance(parameter, Whole):
        return forms.IntegerField(min_value=parameter.low, max_value=parameter.high, **words | {"required": True})
    if isinstance(parameter, OneOf):
        return forms.ChoiceField(choices=[(value, _(label)) for value, label in parameter.options], **words)
    if isinstance(parameter, SomeOf):
        choices = [(value, _(label)) for value, label in parameter.options]
        return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple, **words)
    return forms.CharField(max_length=parameter.most if isinstance(parameter, TextParameter) else 2000, **words)


def read_parameter(parameter: Parameter, cleaned: Any) -> Any:
    """The parameter's value from a cleaned field."""
    if isinstance(parameter, Names):
        return [name.strip() for name in cleaned.split(",") if name.strip()]
    return parameter.default if cleaned in (None, "") else cleaned


def write_parameter(parameter: Parameter, value: Any) -> Any:
    """The field's content for a value."""
    return ", ".join(value) if isinstance(parameter, Names) else value


EXAMPLE = gettext_lazy("Enter one number, or a number for each group, such as: experts: 4, crowd: 8.")


class GroupNumbersField(forms.IntegerField):
    """A whole number or a mapping from group to whole number; `words` are accepted in place of a group's number."""

    widget = forms.TextInput

    def __init__(self, *, words: tuple[str, ...] = (), **kwargs: Any):
        self.words = words
        super().__init__(**kwargs)

    def to_python(self, value: Any) -> Any:
        if not isinstance(value, str) or ":" not in value:
            return super().to_python(value)
        found: dict[str, Any] = {}
        for part in filter(None, map(str.strip, value.replace("\n", ",").split(","))):
            name, _colon, number = (piece.strip() for piece in part.rpartition(":"))
            if not name or name in found:
                raise forms.ValidationError(EXAMPLE)
            found[name] = number if number in self.words else super().to_python(number)
            if found[name] is None:
                raise forms.ValidationError(EXAMPLE)
        return found

    def run_validators(self, value: Any) -> None:
        for number in value.values() if isinstance(value, dict) else [value]:
            if number not in self.words:
                super().run_validators(number)

    def prepare_value(self, value: Any) -> Any:
        return write_numbers(value) if isinstance(value, dict) else value


def write_numbers(numbers: dict[str, Any]) -> str:
    """The numbers in the format that the field reads."""
    return ", ".join(f"{group}: {number}" for group, number in numbers.items())


SpecValues = dict[str, Any]


class StepForm(forms.Form):
    """A step of the design: its values are merged into the draft and validated like a study file."""

    def __init__(self, study: Study, data: Any = None) -> None:
        self.study, self.spec = study, describe_study(study)
        super().__init__(data, initial=self.read(self.spec))

    def read(self, spec: SpecValues) -> SpecValues:
        """The fields' contents for a draft."""
        raise NotImplementedError

    def write(self, spec: SpecValues, cleaned: SpecValues) -> SpecValues:
        """The draft updated from the fields."""
        raise NotImplementedError

    def clean(self) -> SpecValues:
        cleaned = super().clean() or {}
        if not self.errors:
            try:
                cleaned["spec"] = check_spec(self.write(self.spec, cleaned))
            except SpecError as error:
                raise forms.ValidationError(str(error)) from None
        return cleaned


class TitleForm(StepForm):
    """The title of the study: a field of the last step."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)

    def read(self, spec: SpecValues) -> SpecValues:
        return {"title": spec["title"]}

    def write(self, spec: SpecValues, cleaned: SpecValues) -> SpecValues:
        return spec | {"title": cleaned["title"]}


class ProtocolFields(forms.Form):
    """The first step. `preset`: the short name of a published study whose settings are used."""

    title = forms.CharField(label=gettext_lazy("Title"), max_length=200)
    protocol = forms.ChoiceField(
        label=gettext_lazy("Protocol"),
        choices=lambda: [(each.name, _(each.title)) for each in PROTOCOLS.values()],
        widget=forms.RadioSelect,
        initial=next(iter(PROTOCOLS)),
    )
    preset = forms.ChoiceField(required=False, choices=lambda: [(name, name) for name in load_presets()])

    def clean(self) -> SpecValues:
        cleaned = super().clean() or {}
        preset = load_presets().get(cleaned.get("preset", ""))
        if preset is not None:
            cleaned["protocol"] = preset.protocol
        return cleaned


class NewStudyForm(ProtocolFields):
    """The first step before there is a draft."""

    def __init__(self, project: Project, data: Any = None, initial: SpecValues | None = None) -> None:
        self.project = project
        number = project.studies.count() + 1
        title = _("%(project)s: study %(number)d") % {"project": project.title[:180], "number": number}
        super().__init__(data, initial={"title": title} | (initial or {}))

    def save(self) -> Study:
        """Create the draft from a valid form."""
        spec = self.cleaned_data
        begun = start_spec(self.project, PROTOCOLS[spec["protocol"]], load_presets().get(spec["preset"]))
        slug = find_free_slug(slugify(spec["title"])[:60] or "study")
        return create_draft(self.project, check_spec(begun | {"title": spec["title"], "slug": slug}))


class ProtocolForm(StepForm, ProtocolFields):
    """The first step of a draft. Another protocol starts with its own settings; title, texts and items stay."""

    def read(self, spec: SpecValues) -> SpecValues:
        return {"title": spec["title"], "protocol": spec["protocol"]}

    def write(self, spec: SpecValues, cleaned: SpecValues) -> SpecValues:
        preset = load_presets().get(cleaned["preset"])
        spec = spec | {"title": cleaned["title"]}
        if preset is None and cleaned["protocol"] == spec["protocol"]:
            return spec
        return restart_spec(spec, self.study.project, PROTOCOLS[cleaned["protocol"]], preset)


class TextsForm(StepForm):
    """The second step. Everything is ticked at first; ticking all includes texts and generators added later."""

    language = forms.ChoiceField(label=gettext_lazy("Language of the texts"), widget=forms.RadioSelect, required=False)
    generators = forms.MultipleChoiceField(
        label=gettext_lazy("Items by"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Select at least one generator.")},
    )
    texts = forms.MultipleChoiceField(
        label=gettext_lazy("Texts"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Select at least one text.")},
    )

    versions = forms.MultipleChoiceField(
        label=gettext_lazy("Compare versions of the texts"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        help_text=gettext_lazy(
            "Each person reads each text in one of these versions; who reads which rotates. Texts that lack one of "
            "them are left out. Select none to show all texts as they are."
        ),
    )

    def __init__(self, study: Study, data: Any = None) -> None:
        self.languages = count_languages(study.project)
        self.here = find_text_language(study, self.languages)
        self.bank = list(study.project.texts.current().filter(language=self.here).order_by("pk"))
        self.counts = count_items(study.project, self.here) if PROTOCOLS[study.protocol].needs_items else Counter()
        super().__init__(study, data)
        self.offer("language", [(code, _("%(language)s (%(n)d texts)") % {"language": name_language(code), "n": n})
                                for code, n in self.languages.items()])  # fmt: skip
        self.offer("texts", [(text.external_id, str(text)) for text in self.bank])
        names = Counter[str]()
        for (_text, name), n in self.counts.items():
            names[name] += n
        self.offer("generators", [(name, f"{name} ({n})") for name, n in names.items()])
        known = dict.fromkeys(name for text in self.bank for name in text.version_names)
        self.offer("versions", [(name, _("original") if name == ORIGINAL else name) for name in known])
        for name, is_needed in (
            ("language", len(self.languages) > 1), ("generators", names), ("texts", self.bank),
            ("versions", len(known) > 1),
        ):  # fmt: skip
            if not is_needed:
                del self.fields[name]

    def offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def read(self, spec: SpecValues) -> SpecValues:
        chosen = spec["items"]
        texts = [text.external_id for text in self.bank]
        generators = sorted({name for _text, name in self.counts})
        return {
            "language": self.here,
            "texts": texts if chosen["texts"] == "all" else chosen["texts"],
            "generators": generators if chosen["generators"] == "all" else chosen["generators"],
            "versions": spec["plan"].get("text_versions", []),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Each text with its check box, its words, and how many of its items are used."""
        ticked = set(self["generators"].value() or []) if "generators" in self.fields else set()
        own: dict[int, Counter[bool]] = {}
        for (text, name), n in self.counts.items():
            own.setdefault(text, Counter())[name in ticked] += n
        boxes = self["texts"].subwidgets if "texts" in self.fields else []
        return [
            {
                "box": box,
                "words": count_words(text.body),
                "n": own.get(text.pk, Counter())[True],
                "of": own.get(text.pk, Counter()).total(),
            }
            for text, box in zip(self.bank, boxes, strict=True)
        ]

    @property
    def has_other_language(self) -> bool:
        """Whether another language was chosen than that of the texts on the page."""
        return self.is_bound and self.data.get("language", self.here) != self.here

    def clean(self) -> SpecValues:
        if self.has_other_language and "language" not in self.errors:
            for name in ("texts", "generators"):  # the submitted ones belong to the previous language
                self.errors.pop(name, None)
        return super().clean()

    def write(self, spec: SpecValues, cleaned: SpecValues) -> SpecValues:
        if self.has_other_language:
            return self.switch_language(cleaned["language"], spec)
        texts, generators = spec["items"]["texts"], spec["items"]["generators"]
        if "texts" in self.fields:
            ticked = cleaned["texts"]
            texts = select_texts(self.study.project, self.here) if len(ticked) == len(self.bank) else ticked
        if "generators" in self.fields:
            every = {name for _text, name in self.counts}
            generators = "all" if set(cleaned["generators"]) == every else cleaned["generators"]
        plan = spec["plan"] | {"text_versions": cleaned.get("versions", [])}
        return spec | {"items": {"texts": texts, "generators": generators}, "plan": plan}

    def clean_versions(self) -> list[str]:
        chosen = self.cleaned_data["versions"]
        if len(chosen) == 1:
            raise forms.ValidationError(_("Select at least two versions to compare, or none."))
        return list(chosen)

    def switch_language(self, language: str, spec: SpecValues) -> SpecValues:
        """The draft with all texts in that language, and a wording in it if there is one."""
        project = self.study.project
        wordings = find_wordings(project, PROTOCOLS[self.study.protocol])
        name = choose_wording(wordings, language) or spec["instrument"]
        items = {"texts": select_texts(project, language), "generators": "all"}
        pages = wordings[name].instrument.language if name in wordings else spec["language"]
        plan = spec["plan"] | {"text_versions": []}
        return spec | {"items": items, "plan": plan, "instrument": name, "language": pages, "variants": []}


def find_text_language(study: Study, languages: Counter[str]) -> str:
    """The language of the draft's texts; without texts, the language of most texts of the project."""
    chosen = study.selection.get("texts", "all")
    if chosen != "all":
        texts = study.project.texts.current().filter(external_id__in=chosen[:1])
        if found := texts.values_list("language", flat=True).first():
            return str(found)
    usual = [code for code in languages if code.partition("-")[0] == study.language]
    return usual[0] if usual else max(languages, key=lambda code: languages[code], default="")


def count_items(project: Project, language: str) -> "Counter[tuple[int, str]]":
    """The number of current items by text and generator name, for texts in that language; in bank order."""
    texts = Text.objects.current().filter(project=project, language=language)
    rows = Item.objects.current().filter(project=project, text__in=texts).order_by("generator")
    counted = rows.values_list("text", "generator__name").annotate(n=Count("pk"))
    return Counter({(text, name): n for text, name, n in counted})
