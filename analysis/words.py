"""What codes of studies, tables and answers are called on pages, in figures and in TeX."""

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.codes import TAG, every_code
from studies.question_words import name_label, name_question, name_stage

MOST_OF_A_REPLY = 200  # characters
CUES: dict[str, str | Promise] = {
    "longest": gettext_lazy("is clearly the longest"),
    "copied": gettext_lazy("is the only one that occurs in the text word for word"),
    "text_overlap": gettext_lazy("has the most words from the text"),
    "stem_overlap": gettext_lazy("has the most words from the question"),
    "article": gettext_lazy("is the only one that starts with an article"),
    "number": gettext_lazy("is the only one with a number"),
    "agreement": gettext_lazy("is the only one that fits the grammar of the question"),
    "form": gettext_lazy("is the only one with different capitalization or final punctuation"),
    "absolute": gettext_lazy("is the only one with an absolute word"),
    "negation": gettext_lazy("is the only one with a negation"),
}


def word_cell(kind: str, value: object) -> str:
    """A text cell: codes of ours in words, everything else as it is."""
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return WORDS[kind](text) if kind in WORDS else text


def evaluator_word(name: str) -> str:
    """Whose answers, in words: all people, a group of people, or the name itself."""
    if name == "human":
        return _("people")
    if name.startswith("human:"):
        return _("people: %(group)s") % {"group": name.removeprefix("human:")}
    return name


def mark_word(mark: str) -> str:
    words = {"best": _("best"), "worst": _("worst"), "highest": _("highest"), "lowest": _("lowest")}
    return words.get(mark, mark)


def group_word(name: str) -> str:
    """The group of people or the model that a row is about, empty for all people."""
    return name or _("all people")


def scope_word(name: str) -> str:
    """The generator or source that a row is about, empty for all of them; or the scope of a correlation."""
    words = {"all": _("all"), "pooled": _("pooled"), "within text": _("within text"), "by generator": _("by generator")}
    words |= {"across texts": _("across texts")}
    return words.get(name, name) or _("all")


def dataset_word(name: str) -> str:
    """A source of texts, or all of them together."""
    return {"all": _("all"), "(none)": _("(none)")}.get(name, name)


def check_word(check: str) -> str:
    """Whose items a check of a metric is about."""
    return {"reference": _("the reference"), "own_family": _("its own model's family")}.get(check, check)


def view_word(view: str) -> str:
    """How agreement takes what does not apply, and on pairs how it takes ties."""
    return {
        "all": _("with “not applicable”"),
        "applicable": _("applicable only"),
        "with_ties": _("with ties"),
        "without_ties": _("without ties"),
        "ties_missing": _("ties missing"),
    }.get(view, view)


def correlation_word(name: str) -> str:
    words = {"pearson": _("Pearson's r"), "spearman": _("Spearman's ρ"), "kendall": _("Kendall's τ-b")}
    return words.get(name, name)


def bias_word(name: str) -> str:
    """A way in which a model may lean, whatever the option says."""
    words = {"yes": _("calls options correct"), "first": _("prefers the first option")}
    return (words | {"longest": _("prefers the longest option")}).get(name, name)


def cue_word(cue: str) -> str:
    """What stands out about an option, in words."""
    return str(CUES.get(cue, cue))


def verdict_word(verdict: str) -> str:
    """What was decided about a written item, empty before that."""
    return {"accepted": _("accepted"), "repaired": _("repaired"), "rejected": _("rejected")}.get(verdict, verdict)


def coefficient_word(name: str) -> str:
    """A coefficient of the agreement lab, whose names are marked there."""
    return _(name) if name else name


def weights_word(kind: str) -> str:
    """How far two categories are apart, by a coefficient's weights or by its level of measurement."""
    words = {"identity": _("identity"), "linear": _("linear"), "quadratic": _("quadratic")}
    words |= {"nominal": _("nominal"), "ordinal": _("ordinal"), "interval": _("interval"), "ratio": _("ratio")}
    return words.get(kind, kind)


def preference_word(preferred: str) -> str:
    """The id of the better item, or that none is."""
    return _("tie") if preferred == "tie" else preferred


def convention_word(convention: str) -> str:
    """What intervals stand for."""
    words = {
        "readers": _("readers and texts"),
        "annotators": _("these annotators only"),
        "published": _("as published"),
    }
    return words.get(convention, convention)


def unit_word(unit: str) -> str:
    """What is left out or drawn for an interval."""
    words = {
        "text": _("texts"),
        "annotator": _("annotators"),
        "text × annotator": _("texts and annotators"),
        "judgment": _("single judgments"),
        "item": _("items"),
        "generator": _("generators"),
        "reader": _("readers"),
    }
    return words.get(unit, unit)


def method_word(method: str) -> str:
    """How an interval comes from what is left out or drawn."""
    words = {
        "two-way-t": _("one t per variance component"),
        "jackknife-t": _("jackknife, t"),
        "bootstrap-percentile": _("percentiles of draws"),
        "fitted slope": _("people and models"),
        "people only": _("people only"),
        "models at face value": _("people and models, slope 1"),
    }
    return words.get(method, method)


def about_word(part: str) -> str:
    """What a row of the description is about."""
    return {"texts": _("Texts"), "items": _("Items"), "evaluators": _("Who answered")}.get(part, part)


def tag_word(category: str) -> str:
    """A category of items: a code that says what they ask about, or a researcher's own word."""
    return str({code.name: code.title for code in every_code() if code.kind == TAG}.get(category, category))


def reply_word(reply: str) -> str:
    """The beginning of what a model wrote; the whole stands in files and on the page of its call."""
    return Truncator(reply).chars(MOST_OF_A_REPLY)


def call_word(call: str) -> str:
    """A call by the numbers of its run and its own."""
    run, _slash, number = call.partition("/")
    return _("call %(number)s of run %(run)s") % {"number": number, "run": run}


def truth_word(truth: str) -> str:
    return {"true": _("yes"), "false": _("no")}.get(truth, truth)


def axis_word(axis: str) -> str:
    """What varies along a curve of the planner."""
    return {
        "texts": _("texts"),
        "people_texts": _("texts with people, models on all"),
        "annotators": _("annotators per text"),
        "items": _("items per text and generator"),
        "judgments": _("judgments per text"),
    }.get(axis, axis)


def quantity_word(quantity: str) -> str:
    """A quantity of the description in words."""
    words = {
        "n_texts": _("texts"),
        "tokens_mean": _("tokens per text, mean"),
        "tokens_min": _("tokens, shortest text"),
        "tokens_max": _("tokens, longest text"),
        "n_items": _("items"),
        "options_mean": _("options per item, mean"),
        "options_min": _("options, fewest"),
        "options_max": _("options, most"),
        "share_several_keys": _("share of items with several keys"),
        "share_no_key": _("share of items without a key"),
        "n_annotators": _("annotators"),
        "n_judgments": _("judgments"),
        "annotators_per_unit_mean": _("annotators per unit, mean"),
        "minutes_median": _("minutes per person, median"),
        "minutes_unit_median": _("minutes per unit, median"),
        "percent": _("percent agreement"),
        "kappa": _("Cohen's κ"),
        "ac1": "AC1",
        "conger_kappa": _("Conger's κ"),
        "alpha": _("Krippendorff's α"),
    }
    return words.get(quantity, quantity)


WORDS: dict[str, Callable[[str], str]] = {
    "evaluator": evaluator_word,
    "stage": name_stage,
    "quantity": quantity_word,
    "mark": mark_word,
    "cue": cue_word,
    "scope": scope_word,
    "group": group_word,
    "label": name_label,
    "question": name_question,
    "correlation": correlation_word,
    "bias": bias_word,
    "about": about_word,
    "tag": tag_word,
    "reply": reply_word,
    "call": call_word,
    "view": view_word,
    "truth": truth_word,
    "preference": preference_word,
    "check": check_word,
    "axis": axis_word,
    "verdict": verdict_word,
    "coefficient": coefficient_word,
    "weights": weights_word,
    "unit": unit_word,
    "method": method_word,
    "dataset": dataset_word,
}
