import hashlib
import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from generation.models import IncompleteItem, Selection
from generation.parsing import CONTRADICTION, EMPTY, EQUAL, NO_ANSWER, NO_MARK, NO_STEM, TOO_LONG, WRONG_NUMBER
from generation.parts import LONGEST_OPTION, LONGEST_STEM
from generation.services import selecting
from generation.services.asking import GenerationSpec, choose_instrument
from generation.services.choosing import MAX_ITEMS, N_ITEMS, N_OPTIONS, Size, parse_examples
from generation.services.ruling import CLOZE
from generation.services.storing import EDITED
from items.forms.bank import NameField, TidyField
from items.models import MAX_OPTION, MAX_OPTIONS, MAX_STEM, Text
from items.services.bank import order_by_arrival
from llm.forms import OPTION_FIELDS, BudgetField, RequestOptionsForm, UnknownField
from llm.models import Endpoint, Unknown
from projects.models import Project
from studies.instrument_kinds import GENERATOR
from studies.models import Annotator
from studies.services.instruments import list_suitable_versions

MOST_LISTED = 300
NOT_FOR_RULES = _("This field applies to models only. Leave it empty for rules.")
FOR_MODELS = ("examples", "are_candidates", "label", *OPTION_FIELDS)
REASONS = {
    NO_STEM: _("The question is missing."),
    WRONG_NUMBER: _("It does not have the requested number of options."),
    NO_MARK: _("The reply does not say for every option whether it is correct."),
    CONTRADICTION: _("The reply gives two different keys, so neither is used."),
    NO_ANSWER: _("The question has no expected answer."),
    EMPTY: _("An option is empty."),
    EQUAL: _("Two options are equal."),
    TOO_LONG: _("The question or an option is too long."),
    EDITED: _("The text was edited while the model wrote."),
}


class TextsField(forms.ModelMultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Text) -> str:
        return str(obj)


class GenerateForm(RequestOptionsForm):
    """Who writes about which texts, how many items, and what it may cost."""

    field_order = (
        *("writer", "n_items", "n_options", "instrument", "examples", "seed", "are_candidates", "label", "budget"),
        *(*OPTION_FIELDS, "on_unknown", "texts"),
    )

    writer = forms.ChoiceField()
    n_items = forms.IntegerField(label=_("Items per text"), min_value=1, max_value=MAX_ITEMS, initial=N_ITEMS)
    n_options = forms.IntegerField(
        label=_("Options per item"),
        min_value=0,
        max_value=MAX_OPTIONS,
        initial=N_OPTIONS,
        help_text=_("2 or more; 0 for open questions."),
    )
    instrument = forms.ChoiceField(
        label=_("Prompt"),
        required=False,
        help_text=_("Texts are asked about in their own language. A different prompt counts as a new generator."),
    )
    examples = forms.CharField(
        label=_("Examples from the bank"),
        required=False,
        max_length=2000,
        help_text=_(
            "For prompts with examples: how many to draw at random from items that people wrote about "
            "other texts, or a list of item ids separated by commas."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        help_text=_(
            "Determines the random choice of examples, or of the rules' open questions. The same "
            "seed gives the same choice."
        ),
    )
    are_candidates = forms.BooleanField(
        label=_("Candidates only"),
        required=False,
        help_text=_(
            "Request more items per text than you need. Another model then answers them with and without "
            "the text, and the best are kept."
        ),
    )
    label = NameField(
        label=_("Name of the generator"),
        required=False,
        help_text=_("Leave empty for an automatic name."),
    )
    budget = BudgetField(
        help_text=_(
            "The run pauses before it costs more than this. In the currency of the model; the model needs a price."
        )
    )
    on_unknown = UnknownField(required=False, initial=Unknown.REPEAT)
    texts = TextsField(
        label=_("Texts"), queryset=Text.objects.none(), required=False, help_text=_("Select none for all texts.")
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        endpoints = Endpoint.objects.available_to(project)
        named = [(str(each.pk), each.as_offered) for each in endpoints]
        writers = [(CLOZE, _("Rules, without a model: gap sentences or open questions")), *named]
        self.fields["writer"] = forms.ChoiceField(
            label=_("Generator"), widget=forms.RadioSelect, initial=CLOZE, choices=writers
        )
        usual = ("", _("model default"))
        self.fields["instrument"].choices = [usual, *list_prompts(project)]  # type: ignore[attr-defined]
        self.endpoints = {str(each.pk): each for each in endpoints}
        self.all_texts = order_by_arrival(Text.objects.filter(project=project).current().select_related("project"))
        if self.all_texts.count() > MOST_LISTED:
            del self.fields["texts"]
        else:
            texts = self.fields["texts"]
            texts.queryset = self.all_texts  # type: ignore[attr-defined]

    MAIN = ("writer", "n_items")

    @property
    def main(self) -> list[forms.BoundField]:
        """The fields of the main choices, without the texts, which the page shows separately."""
        return [self[name] for name in self.MAIN]

    @property
    def texts_field(self) -> forms.BoundField | None:
        return self["texts"] if "texts" in self.fields else None

    @property
    def advanced_fields(self) -> list[forms.BoundField]:
        """The fields whose defaults usually work."""
        return [self[name] for name in self.fields if name not in (*self.MAIN, "texts")]

    @property
    def has_advanced_errors(self) -> bool:
        return any(field.errors for field in self.advanced_fields)

    def clean(self) -> dict[str, Any]:
        """Refuse, rather than ignore, fields that only apply to models."""
        if self.cleaned_data.get("writer") == CLOZE:
            for name in FOR_MODELS:
                value = self.cleaned_data.get(name)
                if not (value is None or value is False or value in ("", {})):
                    self.add_error(name, NOT_FOR_RULES)
        return self.cleaned_data

    @property
    def is_by_rule(self) -> bool:
        return self.cleaned_data["writer"] == CLOZE

    def size(self) -> Size:
        return Size(self.cleaned_data["n_items"], self.cleaned_data["n_options"])

    def chosen_texts(self) -> list[Text]:
        return list(self.cleaned_data.get("texts") or self.all_texts)

    def spec(self) -> GenerationSpec:
        """The request to a model, from a valid form."""
        wanted = self.cleaned_data
        endpoint = self.endpoints[wanted["writer"]]
        return GenerationSpec(
            endpoint,
            self.chosen_texts(),
            self.size(),
            wanted["instrument"] or choose_instrument(endpoint, self.size()),
            examples=parse_examples(wanted["examples"], wanted["seed"]),
            are_candidates=wanted["are_candidates"],
            label=wanted["label"],
            options=self.options(),
        )

    def mark(self) -> str:
        """A hash of the entries: the Start button then belongs to the estimate of exactly these entries."""
        values = [str(value) for name, value in self.cleaned_data.items() if name != "texts"]
        values += [str(text.pk) for text in self.chosen_texts()]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:16]


def list_prompts(project: Project) -> list[tuple[str, str]]:
    """The prompts with which a model can write: each name, and a label with its languages."""
    languages: dict[str, list[str]] = {}
    for version in list_suitable_versions(project, GENERATOR):
        languages.setdefault(version.instrument.name, []).append(version.instrument.language)
    return [(name, f"{name} ({', '.join(sorted(its))})") for name, its in languages.items()]


class SelectForm(forms.Form):
    """Whose answers decide, and how many items of each text are kept."""

    selector = forms.ModelChoiceField(label=_("Selecting model"), queryset=Annotator.objects.none(), empty_label=None)
    n = forms.IntegerField(label=_("Items to keep per text"), min_value=1, max_value=MAX_ITEMS, initial=N_ITEMS)

    def __init__(self, selection: Selection, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        selectors = selecting.list_selectors(selection.study)
        rows = Annotator.objects.filter(pk__in=[each.pk for each in selectors])
        self.fields["selector"].queryset = rows  # type: ignore[attr-defined]
        self.fields["selector"].label_from_instance = lambda each: each.code  # type: ignore[attr-defined]
        self.has_selectors = bool(selectors)


class RepairForm(forms.Form):
    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))
    expected_answer = TidyField(
        label=_("Expected answer"), max_length=MAX_OPTION, required=False, widget=forms.Textarea({"rows": 2})
    )

    def __init__(self, *args: Any, is_open: bool, **kwargs: Any):
        super().__init__(*args, **kwargs)
        if not is_open:
            del self.fields["expected_answer"]


def make_option_rows(row: IncompleteItem) -> list[dict[str, Any]]:
    """A row for each option that was read, up to the limits, and an empty one."""
    read = [
        {
            "text": each["text"][:LONGEST_OPTION],
            "correct": each["correct"] is True,
            "explanation": each.get("explanation", ""),
        }
        for each in row.options
    ]
    return [*read, {}][:MAX_OPTIONS]


def make_stem_initial(row: IncompleteItem) -> dict[str, str]:
    return {"stem": row.stem[:LONGEST_STEM], "expected_answer": row.expected_answer}


def list_reasons(row: IncompleteItem) -> list[Any]:
    return [REASONS[name] for name in row.reasons if name in REASONS]
