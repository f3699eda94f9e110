"""Numbers as papers print them: .53, −.11, [.41, .65]. The one place where a number becomes words."""

from collections.abc import Callable
from math import copysign

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, npgettext

from analysis.codes import TAG, codes_of
from studies.question_words import label_word, question_word, stage_word

MINUS = "−"
EXACT = 1e-9  # nearer to 0 or 1 than this is what computers add up to, not what was found
MOST_DIGITS = 3
LEAST = 0.001
MOST_OF_A_REPLY = 200  # characters
GUESSES = "guess-then-read"
GROUPED = 10_000  # from here on the thousands of a count stand apart: shorter ones look like decimals in some languages
UNDEFINED = gettext_noop("undefined")
CUES: dict[str, str | Promise] = {
    "longest": gettext_lazy("is clearly the longest"),
    "copied": gettext_lazy("is the only one that stands in the text word for word"),
    "text_overlap": gettext_lazy("has the most words from the text"),
    "stem_overlap": gettext_lazy("has the most words from the question"),
    "article": gettext_lazy("is the only one that starts with an article"),
    "number": gettext_lazy("is the only one with a number"),
    "agreement": gettext_lazy("is the only one that fits the grammar of the question"),
    "form": gettext_lazy("is the only one written in another form (capital, full stop)"),
    "absolute": gettext_lazy("is the only one with an absolute word"),
    "negation": gettext_lazy("is the only one with a negation"),
}


def number(value: float, digits: int = 2) -> str:
    """Rounded, with a real minus, and without the zero before the point: `-0.105` as `−.11`, `3.5` as `3.50`.

    `.00` and `1.00` say exactly none and all: what is only near them has a third digit (`.003`), and what is nearer
    than that is said to be on this side of it (`<.001`, `>.999`).
    """
    if not keeps_meaning(value, digits):
        digits = MOST_DIGITS
    if keeps_meaning(value, digits):
        return written(value, digits)
    is_small = abs(value) < 0.5
    bound = copysign(LEAST if is_small else 1 - LEAST, value)
    return ("<" if is_small == (value > 0) else ">") + written(bound, digits)


def keeps_meaning(value: float, digits: int) -> bool:
    """Whether a number that is neither 0 nor 1 does not look like that once it is rounded."""
    rounded = round(abs(value), digits)
    return rounded not in (0, 1) or abs(value) > 1 or abs(abs(value) - rounded) < EXACT


def written(value: float, digits: int) -> str:
    rounded = f"{abs(value):.{digits}f}"
    sign = MINUS if value < 0 and float(rounded) else ""
    return sign + (rounded[1:] if rounded.startswith("0.") else rounded)


def p_value(value: float) -> str:
    """Three digits, as papers print it: `.032`, and `<.001` below that, as no p is 0."""
    return f"<{written(LEAST, MOST_DIGITS)}" if value < LEAST else number(value, MOST_DIGITS)


def digits_of(low: float | None, high: float | None) -> int:
    """How many digits an interval and its number need: two, or three where its ends would read alike."""
    if low is None or high is None or abs(high - low) < EXACT:
        return 2
    return MOST_DIGITS if number(low) == number(high) else 2


def interval(low: float | None, high: float | None) -> str:
    """Both ends in brackets; nothing where they are undefined."""
    if low is None or high is None:
        return ""
    digits = digits_of(low, high)
    return f"[{number(low, digits)}, {number(high, digits)}]"


def with_interval(value: float, low: float | None, high: float | None) -> str:
    """A number before its interval, with as many digits: `.53 [.41, .65]`; alone where there is no interval."""
    return f"{figure(value, digits_of(low, high))} {interval(low, high)}".rstrip()


def count(value: int) -> str:
    """A whole number, from five digits on with its thousands apart, as the active language writes them."""
    return number_format(value, force_grouping=True) if abs(value) >= GROUPED else str(value)


def figure(value: int | float, digits: int = 2) -> str:
    """A count as it is, a small number with so many digits after the point, one of ten and more with one."""
    if isinstance(value, int):
        return count(value)
    return number(value, digits if abs(value) < 10 else 1)


def said_as(kind: str, value: int | float, digits: int = 2) -> str:
    """A number of a column of this kind: a p-value, or a `figure`."""
    return p_value(value) if kind == "p" else figure(value, digits)


def texts_counted(n: int) -> str:
    return ngettext("%(n)s text", "%(n)s texts", n) % {"n": count(n)}


def judgments_counted(n: int) -> str:
    return ngettext("%(n)s judgment", "%(n)s judgments", n) % {"n": count(n)}


def part_of(n: int, total: int) -> str:
    """A part as counts and as a share: `3 of 8, .38`."""
    said = _("%(n)s of %(total)s") % {"n": count(n), "total": count(total)}
    return f"{said}, {number(n / total)}" if total else said


def scores_counted(n: int) -> str:
    return ngettext("%(n)s score", "%(n)s scores", n) % {"n": count(n)}


def ratings_counted(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": count(n)}


def items_counted(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": count(n)}


def generators_counted(n: int) -> str:
    return ngettext("%(n)s generator", "%(n)s generators", n) % {"n": count(n)}


def of_texts(n: int) -> str:
    """`texts_counted` behind a preposition, where some languages decline it: on 20 texts."""
    return npgettext("after a preposition", "%(n)s text", "%(n)s texts", n) % {"n": count(n)}


def of_judgments(n: int) -> str:
    """`judgments_counted` behind a preposition: of 12 judgments."""
    return npgettext("after a preposition", "%(n)s judgment", "%(n)s judgments", n) % {"n": count(n)}


def of_people(n: int) -> str:
    """People counted, behind a preposition: by 6 people."""
    return npgettext("after a preposition", "%(n)s person", "%(n)s people", n) % {"n": count(n)}


def worded(kind: str, value: object) -> str:
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


def unit_word(unit: str) -> str:
    """What is left out or drawn for an interval."""
    words = {"text": _("texts"), "text × annotator": _("texts and annotators"), "judgment": _("single judgments")}
    return words.get(unit, unit)


def method_word(method: str) -> str:
    """How an interval comes from what is left out or drawn."""
    words = {"jackknife-t": _("each left out in turn, t"), "bootstrap-percentile": _("percentiles of draws")}
    return words.get(method, method)


def about_word(part: str) -> str:
    """What a row of the description is about."""
    return {"texts": _("Texts"), "items": _("Items"), "evaluators": _("Who answered")}.get(part, part)


def tag_word(category: str) -> str:
    """A category of items: a code that says what they ask about, or a researcher's own word."""
    return str({code.name: code.title for code in codes_of(GUESSES) if code.kind == TAG}.get(category, category))


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
        "annotators": _("annotators a text"),
        "items": _("items a text and generator"),
        "judgments": _("judgments a text"),
    }.get(axis, axis)


def quantity_word(quantity: str) -> str:
    """A quantity of the description in words."""
    words = {
        "n_texts": _("texts"),
        "tokens_mean": _("tokens a text, mean"),
        "tokens_min": _("tokens, shortest text"),
        "tokens_max": _("tokens, longest text"),
        "n_items": _("items"),
        "options_mean": _("options an item, mean"),
        "options_min": _("options, fewest"),
        "options_max": _("options, most"),
        "share_several_keys": _("share of items with several keys"),
        "share_no_key": _("share of items without a key"),
        "n_annotators": _("annotators"),
        "n_judgments": _("judgments"),
        "minutes_median": _("minutes a person, median"),
        "minutes_unit_median": _("minutes a unit, median"),
        "percent": _("percent agreement"),
        "kappa": _("Cohen's κ"),
        "ac1": "AC1",
        "conger_kappa": _("Conger's κ"),
        "alpha": _("Krippendorff's α"),
    }
    return words.get(quantity, quantity)


WORDS: dict[str, Callable[[str], str]] = {
    "evaluator": evaluator_word,
    "stage": stage_word,
    "quantity": quantity_word,
    "mark": mark_word,
    "cue": cue_word,
    "scope": scope_word,
    "group": group_word,
    "label": label_word,
    "question": question_word,
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
