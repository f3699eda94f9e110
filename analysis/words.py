"""Display names of codes in studies, tables and answers, for pages, figures and TeX."""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analysis.codes import TAG, list_all_codes
from studies.question_words import name_label, name_question, name_stage

MOST_OF_A_REPLY = 200  # characters
CUES: dict[str, str | Promise] = {
    "longest": _("is clearly the longest"),
    "copied": _("is the only one that occurs in the text word for word"),
    "text_overlap": _("has the most words from the text"),
    "stem_overlap": _("has the most words from the question"),
    "article": _("is the only one that starts with an article"),
    "number": _("is the only one with a number"),
    "agreement": _("is the only one that fits the grammar of the question"),
    "form": _("is the only one with different capitalization or final punctuation"),
    "absolute": _("is the only one with an absolute word"),
    "negation": _("is the only one with a negation"),
}
NAMES: Mapping[str, Mapping[str, str | Promise]] = {
    "about": {"texts": _("Texts"), "items": _("Items"), "evaluators": _("Who answered")},
    "axis": {
        "texts": _("texts"),
        "people_texts": _("texts with people, models on all"),
        "annotators": _("annotators per text"),
        "items": _("items per text and generator"),
        "judgments": _("judgments per text"),
    },
    "bias": {
        "yes": _("calls options correct"),
        "first": _("prefers the first option"),
        "longest": _("prefers the longest option"),
    },
    "check": {"reference": _("the reference"), "own_family": _("its own model's family")},
    "convention": {
        "readers": _("readers and texts"),
        "annotators": _("these annotators only"),
        "published": _("as published"),
    },
    "correlation": {
        "pearson": _("Pearson's r"),
        "spearman": _("Spearman's ρ"),
        "kendall": _("Kendall's τ-b"),
    },
    "cue": CUES,
    "dataset": {"all": _("all"), "(none)": _("(none)")},
    "group": {"": _("all people")},
    "mark": {"best": _("best"), "worst": _("worst"), "highest": _("highest"), "lowest": _("lowest")},
    "method": {
        "two-way-t": _("one t per variance component"),
        "jackknife-t": _("jackknife, t"),
        "bootstrap-percentile": _("percentiles of draws"),
        "fitted slope": _("people and models"),
        "people only": _("people only"),
        "models at face value": _("people and models, slope 1"),
    },
    "preference": {"tie": _("tie")},
    "quantity": {
        "n_texts": _("texts"),
        "n_blocks": _("blocks of texts"),
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
    },
    "scope": {
        "": _("all"),
        "all": _("all"),
        "pooled": _("pooled"),
        "within item": _("options of one item"),
        "within text": _("within text"),
        "by generator": _("by generator"),
        "across texts": _("across texts"),
    },
    "truth": {"true": _("yes"), "false": _("no")},
    "unit": {
        "text": _("texts"),
        "annotator": _("annotators"),
        "text × annotator": _("texts and annotators"),
        "judgment": _("single judgments"),
        "item": _("items"),
        "generator": _("generators"),
        "reader": _("readers"),
    },
    "verdict": {"accepted": _("accepted"), "repaired": _("repaired"), "rejected": _("rejected")},
    "view": {
        "all": _("with “not applicable”"),
        "applicable": _("applicable only"),
        "with_ties": _("with ties"),
        "without_ties": _("without ties"),
        "ties_missing": _("ties missing"),
    },
    "weights": {
        "identity": _("identity"),
        "linear": _("linear"),
        "quadratic": _("quadratic"),
        "nominal": _("nominal"),
        "ordinal": _("ordinal"),
        "interval": _("interval"),
        "ratio": _("ratio"),
    },
}
"""Kind of a column -> code -> its display name. A code that is not listed, such as a generator's, is its own name."""


def name_evaluator(name: str) -> str:
    """Whose answers, in words: all people, a group of people, rules, or the name itself."""
    if name == "human":
        return gettext("people")
    if name == "rules":
        return gettext("rules")
    if name.startswith("human:"):
        return gettext("people: %(group)s") % {"group": name.removeprefix("human:")}
    return name


def name_coefficient(name: str) -> str:
    """The display name of a coefficient of the agreement lab, where the names are marked for translation."""
    return gettext(name) if name else name


def name_tag(category: str) -> str:
    """The display name of a category of items: of a question type, or a researcher's own word."""
    return str({code.name: code.title for code in list_all_codes() if code.kind == TAG}.get(category, category))


def shorten_reply(reply: str) -> str:
    """The beginning of a model's reply; the whole reply is in files and on the page of its call."""
    return Truncator(reply).chars(MOST_OF_A_REPLY)


def name_call(call: str) -> str:
    """The display name of a call that is given as RUN/NUMBER."""
    run, _slash, number = call.partition("/")
    return gettext("call %(number)s of run %(run)s") % {"number": number, "run": run}


NAMED_BY: Mapping[str, Callable[[str], str]] = {
    "call": name_call,
    "coefficient": name_coefficient,
    "evaluator": name_evaluator,
    "label": name_label,
    "question": name_question,
    "reply": shorten_reply,
    "stage": name_stage,
    "tag": name_tag,
}
KINDS = NAMES.keys() | NAMED_BY.keys()


def name_code(kind: str, value: object) -> str:
    """The display name of a code, by the kind of its column; text of other kinds is unchanged."""
    code = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return NAMED_BY[kind](code) if kind in NAMED_BY else str(NAMES.get(kind, {}).get(code, code))


def strip_quotes(name: object) -> str:
    """The name without quotation marks around it, for a sentence that puts it in quotes."""
    return str(name).strip("“”„")
