import hashlib
import json
from typing import Any

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from generation.models import IncompleteItem
from generation.parsing import EMPTY, EQUAL, NO_MARK, NO_STEM, TOO_LONG, WRONG_NUMBER
from generation.parts import LONGEST_OPTION, LONGEST_STEM
from generation.services.asking import Ask, usual_instrument
from generation.services.choosing import MOST_ITEMS, N_ITEMS, N_OPTIONS, Size
from generation.services.examples import examples_called
from generation.services.keeping import EDITED
from generation.services.ruling import CLOZE
from items.forms.fields import NameField, TidyField
from items.models import MAX_OPTIONS, MAX_STEM, Text
from items.services.bank import in_order
from llm.forms import BudgetField, UnknownField
from llm.models import Endpoint, Unknown
from projects.models import Project
from studies.instrument_kinds import GENERATOR
from studies.services.instrument_listing import suitable

MOST_LISTED = 300
NOT_FOR_RULES = _("This is for models: rules take no examples and no name, and write no candidates. Leave it empty.")
FOR_MODELS = ("examples", "seed", "are_candidates", "label")
REASONS = {
    NO_STEM: _("The question is missing."),
    WRONG_NUMBER: _("It has another number of options than was asked for."),
    NO_MARK: _("Of an option it is not said whether it is correct."),
    EMPTY: _("An option is empty."),
    EQUAL: _("Two options are equal."),
    TOO_LONG: _("The question or an option is too long."),
    EDITED: _("The text was edited while the model wrote."),
}


class TextsField(forms.ModelMultipleChoiceField):
    widget = forms.CheckboxSelectMultiple

    def label_from_instance(self, obj: Text) -> str:
        return obj.title or Truncator(obj.body).words(9)


class GenerateForm(forms.Form):
    """Who is to write about which texts, how much, and what it may cost."""

    writer = forms.ChoiceField()
    n_items = forms.IntegerField(label=_("Items a text"), min_value=1, max_value=MOST_ITEMS, initial=N_ITEMS)
    n_options = forms.IntegerField(
        label=_("Options an item"),
        min_value=0,
        max_value=MAX_OPTIONS,
        initial=N_OPTIONS,
        help_text=_("2 or more; 0 for open questions: by rules, or with words that ask for the question to an answer."),
    )
    instrument = forms.ChoiceField(
        label=_("Words to ask a model with"),
        required=False,
        help_text=_("Texts are asked about in their own language. Other words make another generator."),
    )
    examples = forms.CharField(
        label=_("Examples from the bank"),
        required=False,
        max_length=2000,
        help_text=_(
            "For words with a place for examples: how many are to be drawn from what people wrote about other texts, "
            "or their ids with commas between them."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed of the examples"), required=False, help_text=_("Draws them; the same seed, the same examples.")
    )
    are_candidates = forms.BooleanField(
        label=_("Only candidates"),
        required=False,
        help_text=_(
            "Ask for more items a text than you need. Another model then guesses and answers them, and the best are "
            "kept."
        ),
    )
    label = NameField(
        label=_("Name of the generator"),
        required=False,
        help_text=_("Of a model; empty: by the model, the words and whether they are candidates."),
    )
    budget = BudgetField(
        help_text=_("The run pauses before it costs more. In the currency of the model; needs its price.")
    )
    on_unknown = UnknownField(required=False, initial=Unknown.REPEAT)
    texts = TextsField(
        label=_("Texts"), queryset=Text.objects.none(), required=False, help_text=_("None ticked: all texts.")
    )

    def __init__(self, project: Project, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        endpoints = Endpoint.objects.offered_to(project)
        named = [(str(each.pk), each.as_offered) for each in endpoints]
        writers = [(CLOZE, _("Rules, without a model: gaps in sentences of the text")), *named]
        self.fields["writer"] = forms.ChoiceField(
            label=_("Generator"), widget=forms.RadioSelect, initial=CLOZE, choices=writers
        )
        usual = ("", _("the usual ones of the model"))
        self.fields["instrument"].choices = [usual, *words_for(project)]  # type: ignore[attr-defined]
        self.endpoints = {str(each.pk): each for each in endpoints}
        self.all_texts = in_order(Text.objects.filter(project=project).current().select_related("project"))
        if self.all_texts.count() > MOST_LISTED:
            del self.fields["texts"]
        else:
            texts = self.fields["texts"]
            texts.queryset = self.all_texts  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """What means something for models only is not passed over in silence."""
        if self.cleaned_data.get("writer") == CLOZE:
            for name in FOR_MODELS:
                value = self.cleaned_data.get(name)
                if not (value is None or value is False or value == ""):
                    self.add_error(name, NOT_FOR_RULES)
        return self.cleaned_data

    @property
    def is_by_rule(self) -> bool:
        return self.cleaned_data["writer"] == CLOZE

    def size(self) -> Size:
        return Size(self.cleaned_data["n_items"], self.cleaned_data["n_options"])

    def chosen_texts(self) -> list[Text]:
        return list(self.cleaned_data.get("texts") or self.all_texts)

    def ask(self) -> Ask:
        """What is wanted of a model, of a valid form."""
        wanted = self.cleaned_data
        endpoint = self.endpoints[wanted["writer"]]
        return Ask(
            endpoint,
            self.chosen_texts(),
            self.size(),
            wanted["instrument"] or usual_instrument(endpoint),
            examples=examples_called(wanted["examples"], wanted["seed"]),
            are_candidates=wanted["are_candidates"],
            label=wanted["label"],
        )

    def mark(self) -> str:
        """The same for the same entries: whoever presses Start has seen the estimate of just these."""
        told = [str(value) for name, value in self.cleaned_data.items() if name != "texts"]
        told += [str(text.pk) for text in self.chosen_texts()]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def words_for(project: Project) -> list[tuple[str, str]]:
    """The prompts that a model can write with, by name: each has one or more languages."""
    languages: dict[str, list[str]] = {}
    for version in suitable(project, GENERATOR):
        languages.setdefault(version.instrument.name, []).append(version.instrument.language)
    return [(name, f"{name} ({', '.join(sorted(its))})") for name, its in languages.items()]


class RepairForm(forms.Form):
    stem = TidyField(label=_("Question"), max_length=MAX_STEM, widget=forms.Textarea({"rows": 3}))


def repair_initial(row: IncompleteItem) -> list[dict[str, Any]]:
    """A row for each option that was read, cut at the bounds, and one more."""
    read = [
        {
            "text": each["text"][:LONGEST_OPTION],
            "correct": each["correct"] is True,
            "explanation": each.get("explanation", ""),
        }
        for each in row.options
    ]
    return [*read, {}][:MAX_OPTIONS]


def stem_initial(row: IncompleteItem) -> dict[str, str]:
    return {"stem": row.stem[:LONGEST_STEM]}


def reasons_of(row: IncompleteItem) -> list[Any]:
    return [REASONS[name] for name in row.reasons if name in REASONS]
