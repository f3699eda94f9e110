"""Forms for texts, items, keys and generators, and fields with the same checks as an import."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from items.files import check_size
from items.language import name_language, recognize_languages
from items.markup import find_named_pictures
from items.models import (
    MAX_ID,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PICTURES,
    MAX_STEM,
    MAX_TEXT,
    MAX_VERSION_NAME,
    MAX_VERSIONS,
    ORIGINAL,
    Generator,
    GeneratorKind,
    Item,
    Markup,
    Text,
)
from items.pictures import PictureContent, read_picture
from items.plain import DEFAULT_GENERATOR, clean_language, clean_name, make_printable, split_tags, strip_text
from items.services.search import BankSearch, Sample, Stratum, TextFlag
from items.values import DETAILS, ItemValues, OptionValues, TextValues


class TidyField(forms.CharField):
    """A text of several lines, stored as an import would store it."""

    widget = forms.Textarea

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Arabic or Hebrew text is written from right to left."""
        return super().widget_attrs(widget) | {"dir": "auto"}

    def to_python(self, value: Any) -> str:
        return strip_text(super().to_python(value) or "")


class CheckedField(forms.CharField):
    """A line that a function normalizes or refuses with ValueError; empty if it is not required."""

    check: Callable[[str], str]

    def clean(self, value: Any) -> str:
        value = super().clean(value)
        try:
            return type(self).check(value) if value else ""
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None


class NameField(CheckedField):
    check = staticmethod(clean_name)


class LanguageField(CheckedField):
    check = staticmethod(clean_language)


class TagsField(CheckedField):
    """A list of names separated by commas."""

    widget = forms.TextInput({"list": "tags", "autocomplete": "off"})

    def clean(self, value: Any) -> Any:
        try:
            return split_tags(forms.CharField.clean(self, value))
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


class FilterForm(forms.Form):
    """The search above the list of texts."""

    q = forms.CharField(label=_("Search"), required=False, max_length=200, widget=forms.TextInput({"type": "search"}))

    ALWAYS = ("language", "generator", "flag")

    def __init__(self, *args: Any, choices: Mapping[str, list[str]], **kwargs: Any) -> None:
        """`choices`: from `list_choices`. Filters without choices are left out."""
        super().__init__(*args, **kwargs)
        named = {name: [(value, value) for value in values] for name, values in choices.items()}
        offered: dict[str, tuple[Any, list[tuple[str, Any]]]] = {
            "language": (_("Language"), [(code, name_language(code)) for code in choices["language"]]),
            "generator": (_("Generator"), named["generator"]),
            "tag": (_("Tag"), named["tag"]),
            "source": (_("Source"), named["source"]),
            "split": (_("Split"), named["split"]),
            "flag": (_("Flag"), list(TextFlag.choices)),
        }
        for name, (label, values) in offered.items():
            if values or name in self.ALWAYS:
                self.fields[name] = forms.ChoiceField(label=label, required=False, choices=[("", _("all")), *values])

    def read_search(self) -> BankSearch:
        """The search in the address; values that do not exist are ignored."""
        asked = self.cleaned_data if self.is_valid() else {}
        return BankSearch(**{"words" if name == "q" else name: value for name, value in asked.items()})


class SampleForm(forms.Form):
    """The number of items per stratum in a download."""

    sample = forms.IntegerField(label=_("Items of each group"), min_value=1, max_value=100_000, required=False)
    by = forms.ChoiceField(label=_("Group by"), choices=Stratum.choices, required=False)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31,
        required=False,
        help_text=_("The same seed draws the same items."),
    )

    def read_sample(self) -> Sample | None:
        if not (self.is_valid() and self.cleaned_data["sample"]):
            return None
        data = self.cleaned_data
        return Sample(data["sample"], data["by"], 1 if data["seed"] is None else data["seed"])


class TextForm(forms.ModelForm):
    """A new text, or its next version. The form fills values; the service creates the row."""

    body = TidyField(label=_("Text"), max_length=MAX_TEXT, widget=forms.Textarea({"rows": 16}))
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("A code such as de, en or eu. Leave empty to detect it from the text."),
        widget=forms.TextInput({"size": 6}),
    )

    class Meta:
        model = Text
        fields = ["title", "body", "language", *DETAILS, "shareable"]

    def details(self) -> list[forms.BoundField]:
        """The rarely used fields, which are folded."""
        return [self[name] for name in (*DETAILS, "shareable")]

    def has_folded_errors(self) -> bool:
        return any(field.errors for field in self.details())

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("body") and cleaned.get("language") == "":
            cleaned["language"] = self._recognize([cleaned["body"]])[0] or ""
        return cleaned

    def _recognize(self, bodies: Sequence[str]) -> list[str | None]:
        codes = recognize_languages(bodies)
        if None in codes:
            self.add_error("language", _("The language could not be detected. Enter its code."))
        return codes

    def values(self, metadata: Mapping[str, Any] | None = None) -> TextValues:
        return TextValues(**{name: self.cleaned_data[name] for name in self.Meta.fields}, metadata=metadata or {})


class VersionForm(forms.Form):
    """One version of a text besides the original; a row without words is ignored."""

    name = NameField(
        label=_("Name of the version"),
        required=False,
        max_length=MAX_VERSION_NAME,
        help_text=_("The same name in all texts, such as “simple”."),
    )
    text = TidyField(label=_("Text"), required=False, max_length=MAX_TEXT, widget=forms.Textarea({"rows": 10}))
    language = LanguageField(
        label=_("Language"),
        required=False,
        max_length=20,
        help_text=_("Only if it is another one than that of the original."),
        widget=forms.TextInput({"size": 6}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if cleaned.get("text") and "name" in cleaned and not cleaned["name"]:
            self.add_error("name", _("Give the version a name."))
        return cleaned


class EveryRow(forms.BaseFormSet):
    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Read every row, even an unchanged one, which Django would skip."""
        return super().get_form_kwargs(index) | {"empty_permitted": False}


class VersionRows(EveryRow):
    def clean(self) -> None:
        names = [ORIGINAL, *(each["name"] for each in self.values())]
        if len(set(names)) < len(names):
            raise forms.ValidationError(
                _("Give each version its own name; “original” is the text itself. Change one of them.")
            )

    def values(self) -> list[dict[str, str]]:
        """The versions with words, as a text stores them."""
        rows = [getattr(row, "cleaned_data", {}) for row in self.forms]
        return [
            {name: row[name] for name in ("name", "text", "language") if row.get(name)}
            for row in rows
            if row.get("text") and row.get("name")
        ]


VersionFormSet: type[VersionRows] = forms.formset_factory(  # type: ignore[assignment]
    VersionForm, formset=VersionRows, extra=1, max_num=MAX_VERSIONS, validate_max=True, absolute_max=2 * MAX_VERSIONS
)


class PicturesField(forms.FileField):
    """Several files, each read as a picture, by name."""

    widget = forms.ClearableFileInput

    class SeveralFiles(forms.ClearableFileInput):
        allow_multiple_selected = True

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(widget=self.SeveralFiles({"accept": "image/png,image/jpeg"}), **kwargs)

    def clean(self, data: Any, initial: Any = None) -> dict[str, PictureContent]:
        read: dict[str, PictureContent] = {}
        for upload in data or []:
            name = make_picture_name(upload.name)
            try:
                check_size(upload)
                read[name] = read_picture(upload.read())
            except ValueError as error:
                raise forms.ValidationError(f"{name}: {error}") from None
        return read


class EditTextForm(TextForm):
    """A text with its pictures."""

    pictures = PicturesField(
        label=_("Add pictures"),
        required=False,
        help_text=_("PNG or JPEG. Show one in the text, a question or an option by ![description](name.png)."),
    )
    without = forms.MultipleChoiceField(label=_("Remove pictures"), required=False, widget=forms.CheckboxSelectMultiple)

    class Meta(TextForm.Meta):
        fields = [*TextForm.Meta.fields, "markup"]

    def __init__(self, *args: Any, text: Text, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.text = text
        self.fields["markup"].help_text = _(
            "With Markdown, *emphasis*, lists and tables are shown as such, and formulas are written between dollar "
            "signs: $x^2$. It applies to the text's items, too."
        )
        names = self.fields["without"]
        assert isinstance(names, forms.MultipleChoiceField)
        names.choices = [(name, name) for name in sorted(text.pictures)]
        if not text.pictures:
            del self.fields["without"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if len(self.list_pictures()) > MAX_PICTURES:
            self.add_error("pictures", _("A text has at most %(limit)d pictures.") % {"limit": MAX_PICTURES})
        if cleaned.get("markup") == Markup.MARKDOWN:
            self.check_pictures(cleaned.get("body") or "")
        return cleaned

    def check_pictures(self, body: str) -> None:
        for name in find_named_pictures(body):
            if name not in self.list_pictures():
                reason = _("The text shows the picture “%(name)s”, which is not among its pictures. Add it below.")
                self.add_error("body", reason % {"name": make_printable(name)})

    def list_pictures(self) -> dict[str, str]:
        """The digests by name after the edit."""
        left_out = self.cleaned_data.get("without") or []
        kept = {name: digest for name, digest in self.text.pictures.items() if name not in left_out}
        return kept | {name: each.digest for name, each in (self.cleaned_data.get("pictures") or {}).items()}

    def values(
        self, metadata: Mapping[str, Any] | None = None, versions: Sequence[Mapping[str, str]] = ()
    ) -> TextValues:
        fields = {name: self.cleaned_data[name] for name in self.Meta.fields}
        fields |= {"pictures": self.list_pictures(), "versions": [dict(each) for each in versions]}
        return TextValues(**fields, metadata=metadata or {})


def make_picture_name(filename: str) -> str:
    """The name by which the words of a text refer to an uploaded picture."""
    return re.sub(r"[^\w.-]+", "-", filename)[-MAX_ID:] or "picture"


class GeneratorForm(forms.Form):
    name = NameField(label=_("Name"))
    kind = forms.ChoiceField(label=_("Kind"), choices=GeneratorKind.choices)
    description = TidyField(
        label=_("Description"), required=False, max_length=10_000, widget=forms.Textarea({"rows": 5})
    )
    factors = TidyField(
        label=_("Factors"),
        required=False,
        max_length=10_000,
        help_text=_("Properties that reports can compare. One name and value per line, such as “size: 70B”."),
        widget=forms.Textarea({"rows": 4, "placeholder": "family: …\nsize: …\nsetting: …"}),
    )

    def clean_factors(self) -> dict[str, str]:
        factors: dict[str, str] = {}
        for line in self.cleaned_data["factors"].split("\n"):
            name, colon, value = (part.strip() for part in line.partition(":"))
            if not line.strip():
                continue
            if not (name and colon and value):
                raise forms.ValidationError(_("Write each factor as “name: value” on its own line."))
            if name in factors:
                raise forms.ValidationError(_("The factor “%(name)s” occurs twice. Keep one."), params={"name": name})
            factors[name] = value
        return factors

    @staticmethod
    def build_initial(generator: Generator) -> dict[str, Any]:
        factors = "\n".join(f"{name}: {value}" for name, value in generator.factors.items())
        values = {name: getattr(generator, name) for name in ("name", "kind", "description")}
        return {**values, "factors": factors}


# The number of option rows of a new item, and of those that “More options” adds.
ROWS = 4


class ItemForm(forms.Form):
    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))
    generator = NameField(
        label=_("Generator"),
        help_text=_("Who wrote the item: a person, a data set or a model. A new name creates a new generator."),
        widget=forms.TextInput({"list": "generators", "autocomplete": "off"}),
    )
    expected_answer = TidyField(
        label=_("Expected answer"),
        required=False,
        max_length=MAX_STEM,
        help_text=_("For open questions, which have no options."),
        widget=forms.Textarea({"rows": 2}),
    )
    tags = TagsField(label=_("Tags"), required=False, max_length=2_000, help_text=_("Separate several by commas."))
    reference = forms.BooleanField(
        label=_("Reference item"), required=False, help_text=_("Other items about the text are compared with it.")
    )

    def values(self, options: list[OptionValues], item: Item | None = None) -> ItemValues:
        """The item's values; those that the form does not ask for stay unchanged."""
        fields = {name: self.cleaned_data[name] for name in ("stem", "generator", "expected_answer", "reference")}
        fields["tags"] = tuple(self.cleaned_data["tags"])
        if item:
            fields |= {"metadata": item.metadata, "multiple": item.multiple}
        return ItemValues(**fields, options=tuple(options))


class NewItemForm(ItemForm):
    external_id = NameField(
        label=_("Id"), required=False, help_text=_("Your own id, unique in the project. Leave empty to create one.")
    )


class EditItemForm(ItemForm):
    reason = forms.CharField(
        label=_("Reason (if you change a key)"),
        required=False,
        max_length=1_000,
        help_text=_(
            "If the option's wording stays the same, its key is corrected in every version, including running studies."
        ),
    )


class OptionForm(forms.Form):
    """One row; a row without words is no option."""

    external_id = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)
    text = TidyField(label=_("Option"), required=False, max_length=MAX_OPTION, widget=forms.Textarea({"rows": 1}))
    correct = forms.BooleanField(label=_("key"), required=False)
    explanation = TidyField(
        label=_("Explanation"), required=False, max_length=MAX_STEM, widget=forms.Textarea({"rows": 2})
    )

    def clean(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        if "text" in cleaned and not cleaned["text"] and (cleaned.get("correct") or cleaned.get("explanation")):
            self.add_error("text", _("Enter the option, or clear its key and explanation too."))
        return cleaned


class OptionRows(EveryRow):
    def values(self, known: Collection[str]) -> list[OptionValues]:
        """The options with words. Ids that the item does not have are ignored."""
        rows = [row.cleaned_data for row in self.forms if row.cleaned_data.get("text")]
        return [
            OptionValues(
                external_id=row["external_id"] if row["external_id"] in known else "",
                text=row["text"],
                correct=row["correct"],
                explanation=row["explanation"],
            )
            for row in rows
        ]


OptionFormSet = forms.formset_factory(
    OptionForm, formset=OptionRows, extra=0, max_num=MAX_OPTIONS, validate_max=True, absolute_max=2 * MAX_OPTIONS
)


def build_option_rows(item: Item | None) -> list[dict[str, Any]]:
    """A row for each option, and some empty ones."""
    rows: list[dict[str, Any]] = []
    if item:
        rows = [
            {"external_id": o.external_id, "text": o.text, "correct": o.correct, "explanation": o.explanation}
            for o in item.options.all()
        ]
    empty = max(ROWS - len(rows), 1 if rows else ROWS)
    return [*rows, *({} for _row in range(empty))][:MAX_OPTIONS]


def add_option_rows(formset: OptionRows) -> list[dict[str, Any]]:
    """The unchecked input so far, and more empty rows."""
    rows = [{name: row[name].value() for name in row.fields} for row in formset.forms]
    return [*rows, *({} for _row in range(ROWS))][:MAX_OPTIONS]


def choose_generator(generators: Iterable[Generator]) -> str:
    """The initial generator of a new item: the only human one if there is one, else the default name."""
    people = [generator.name for generator in generators if generator.kind == GeneratorKind.HUMAN]
    return people[0] if len(people) == 1 else DEFAULT_GENERATOR


class KeyForm(forms.Form):
    """Which options are keys from now on, and the reason."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=1_000,
        help_text=_("Stored with your name and the time, and shown in every report."),
    )

    def __init__(self, item: Item, data: Any = None) -> None:
        options = item.options.all()
        super().__init__(data, initial={"keys": [option.external_id for option in options if option.correct]})
        self.fields["keys"] = forms.MultipleChoiceField(
            label=_("Answer keys"),
            required=False,
            choices=[(option.external_id, option.text) for option in options],
            widget=forms.CheckboxSelectMultiple,
        )
        self.order_fields(["keys", "reason"])
