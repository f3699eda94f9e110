"""The main result of a study, for the first line of its summary: it never claims more than its adjusted contrasts
allow.

A protocol chooses the numbers of its generators (`Outcome`); the verdict follows from these and the table of contrasts.
Everything is read from the tables of a report, nothing is recomputed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.figures.paper import Drawing, Line, Mark, Ranges
from analysis.formatting import count, format_interval, format_with_interval, number, say_generators, say_of_texts
from analysis.measures.contrasts import FEWEST_TEXTS as MIN_TEXTS
from analysis.measures.contrasts import TOO_FEW_TEXTS
from analysis.reports.evaluators import HUMAN
from analysis.reports.report import Report
from analysis.tables.spec import Row

MOST_NAMED, MOST_LETTERS = 3, 60  # generators named in a sentence, and letters of each name
MOST_MISSING = 2  # generators whose missing number is explained
LONGEST_NAME = 24
SMALL = 0.005  # smaller differences are printed as .00
FEWEST_TEXTS = 3  # with fewer, figures draw no interval


class Kind(StrEnum):
    """The class of a verdict."""

    WINNER = "winner"
    MEASURES = "measures"
    TIE = "tie"
    TOO_FEW = "too-few"
    TOO_EARLY = "too-early"
    COUNTS = "counts"  # the protocol compares no generators, or there is one only


@dataclass(frozen=True)
class Standing:
    """The number of one generator with its own interval, or the reason why it has none."""

    generator: str
    value: float | None
    low: float | None
    high: float | None
    reason: str = ""
    n_texts: int | None = None

    @property
    def is_certain(self) -> bool:
        return self.value is not None and self.low is not None

    @property
    def has_few_texts(self) -> bool:
        return self.n_texts is not None and self.n_texts < FEWEST_TEXTS

    @property
    def is_comparable(self) -> bool:
        """Whether it can be compared. It needs no interval of its own: all its judgments may be the same."""
        return self.is_certain or (self.value is not None and self.n_texts is not None and not self.has_few_texts)


@dataclass(frozen=True)
class Contrast:
    """The difference of two generators, the better first, with its adjusted interval."""

    better: str
    worse: str
    value: float
    low: float | None
    high: float | None
    n_texts: int

    @property
    def is_decided(self) -> bool:
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


@dataclass(frozen=True)
class ContrastSet:
    """The pairs that were adjusted together, the largest difference first; `reason`: why none can be compared."""

    contrasts: tuple[Contrast, ...] = ()
    size: int = 0
    reason: str = ""

    def select(self, standings: Sequence[Standing]) -> "ContrastSet":
        """The set without pairs in which a generator has no value based on enough texts."""
        known = {each.generator for each in standings if each.is_comparable}
        return replace(self, contrasts=tuple(each for each in self.contrasts if {each.better, each.worse} <= known))


@dataclass(frozen=True)
class OutcomeSentences:
    """Sentences of a protocol, marked for translation; `winner` and `among` name %(best)s, `tie` %(names)s.

    among: used if only %(n)s generators can be compared. above, unclear, below: used if 0 has a meaning; they name the
    generators whose own interval is above 0, contains 0, or is below 0.
    """

    winner: str
    among: str
    tie: str
    above: str = ""
    unclear: str = ""
    below: str = ""


@dataclass(frozen=True)
class Outcome:
    """The numbers of a study's generators by its main measure, and the figure that shows them.

    title: the title of the figure. summary: one or two sentences beneath the verdict. basis: what the figure counts.
    verdict: the first line, if the protocol compares no generators. speaker: the model that answered; empty for people.
    """

    title: str
    standings: tuple[Standing, ...]
    figure: Drawing | None
    words: OutcomeSentences | None = None
    summary: str = ""
    compared: ContrastSet = ContrastSet()
    basis: str = ""
    verdict: str = ""
    higher_is_better: bool = True
    has_zero: bool = False  # whether 0 is the value of items that have no effect
    speaker: str = ""
    n_waiting: int = 0  # written items that nobody has reviewed
    tables: tuple[str, ...] = field(default=())  # the tables behind the figure, the main one first


@dataclass(frozen=True)
class Verdict:
    kind: Kind
    sentence: str


# Reading a report -----------------------------------------------------------------------------------------------------


def build_standings(
    rows: Iterable[Row],
    value: str,
    prefix: str = "",
    *,
    higher: bool = True,
    texts: Mapping[str, int] | None = None,
) -> tuple[Standing, ...]:
    """One standing per row with a generator: the best first, those based on too few texts last.

    prefix begins the names of the columns low, high and reason. texts: the number of texts by generator, if the rows
    lack it.
    """
    found = [
        build_standing(row, value, prefix, row.get("n_texts") or (texts or {}).get(row["generator"])) for row in rows
    ]
    return tuple(sorted(found, key=lambda each: make_sort_key(each, higher)))


def build_standing(row: Row, value: str, prefix: str, n_texts: int | None) -> Standing:
    low, high = read_bounds({**row, "n_texts": n_texts}, prefix)
    return Standing(row["generator"], row[value], low, high, row.get(f"{prefix}reason") or "", n_texts)


def count_texts_by_generator(report: Report, measure: str) -> dict[str, int]:
    """The number of texts on which each generator was judged, or either generator of a pair if only pairs are known."""
    about = (measure, HUMAN)
    found: dict[str, int] = {}
    for row in find_rows(report, "contrasts"):
        if (row["measure"], row["evaluator"]) == about:
            found |= {row[side]: row["n_texts"] for side in ("generator_a", "generator_b")}
    others = find_rows(report, "generator_vs_others")
    return found | {row["generator"]: row["n_texts"] for row in others if (row["measure"], row["evaluator"]) == about}


def read_bounds(row: Row, prefix: str = "") -> tuple[float | None, float | None]:
    """The interval of a row; none if it is based on too few texts."""
    if (row.get("n_texts") or FEWEST_TEXTS) < FEWEST_TEXTS:
        return None, None
    return row[f"{prefix}low"], row[f"{prefix}high"]


def make_sort_key(standing: Standing, higher: bool) -> tuple[int, float]:
    place = 0 if standing.is_comparable else 1 if standing.value is not None else 2
    value = standing.value or 0.0
    return place, -value if higher else value


def build_contrast_set(report: Report, measure: str, evaluator: str, *, higher: bool = True) -> ContrastSet:
    """The contrasts of this measure and evaluator."""
    rows = [row for row in find_rows(report, "contrasts") if (row["measure"], row["evaluator"]) == (measure, evaluator)]
    found = [build_contrast(row, higher) for row in rows if row["difference"] is not None]
    missing = [row["reason"] for row in rows if row["low_adjusted"] is None]
    return ContrastSet(
        tuple(sorted(found, key=lambda each: (each.low is None, -abs(each.value)))),
        max((row["family_size"] or 0 for row in rows), default=0),
        find_reason(rows, missing) if rows and len(missing) == len(rows) else "",
    )


def find_reason(rows: Sequence[Row], missing: Sequence[str]) -> str:
    """Why no pair is compared: too few texts if all pairs have too few, else the first reason."""
    return TOO_FEW_TEXTS if all(row["n_texts"] < MIN_TEXTS for row in rows) else missing[0]


def build_contrast(row: Row, higher: bool) -> Contrast:
    """The contrast seen from the generator that does better."""
    value, low, high = row["difference"], row["low_adjusted"], row["high_adjusted"]
    if (value >= 0) == higher:
        return Contrast(row["generator_a"], row["generator_b"], value, low, high, row["n_texts"])
    low, high = (None, None) if low is None else (-high, -low)
    return Contrast(row["generator_b"], row["generator_a"], -value, low, high, row["n_texts"])


def find_rows(report: Report, name: str) -> Sequence[Row]:
    """The rows of the table of that name; none if the report lacks it."""
    return next((table.rows for table in report.tables if table.name == name), ())


# The verdict ----------------------------------------------------------------------------------------------------------


def assess_outcome(outcome: Outcome, *, is_running: bool) -> Verdict:
    """The class and the first line of a summary, which says if the answers are a model's."""
    verdict = decide_verdict(outcome, is_running)
    if not outcome.speaker or verdict.kind in (Kind.TOO_FEW, Kind.TOO_EARLY):
        return verdict
    sentence = _("According to %(model)s, a model: %(verdict)s")
    return replace(verdict, sentence=sentence % {"model": outcome.speaker, "verdict": verdict.sentence})


def decide_verdict(outcome: Outcome, is_running: bool) -> Verdict:
    if outcome.verdict or outcome.words is None:
        return Verdict(Kind.COUNTS, outcome.verdict)
    certain = [each for each in outcome.standings if each.is_certain]
    if len(outcome.standings) == 1 and not (outcome.has_zero and certain) and has_enough(outcome.standings[0]):
        return Verdict(Kind.COUNTS, say_single(outcome.standings[0]))
    known = {each.generator for each in certain} | set(list_comparable(outcome))
    if len(known) < min(2, len(outcome.standings)) or not known:
        return say_too_little(outcome, is_running)
    if best := find_winner(outcome):
        return Verdict(Kind.WINNER, say_winner(outcome, best))
    if outcome.has_zero and any(is_above_zero(each) for each in certain):
        return Verdict(Kind.MEASURES, say_zero(outcome))
    if not list_comparable(outcome) and not outcome.has_zero:
        return Verdict(Kind.TOO_FEW, _("Too few texts to compare the generators."))
    return Verdict(Kind.TIE, say_zero(outcome) if outcome.has_zero else say_tie(outcome))


def has_enough(standing: Standing) -> bool:
    return standing.value is not None and not standing.has_few_texts


def say_too_little(outcome: Outcome, is_running: bool) -> Verdict:
    if is_running:
        return Verdict(Kind.TOO_EARLY, _("Too early to say."))
    reasons = {each.reason for each in outcome.standings} if outcome.standings else {""}
    if len(reasons) == 1 and (reason := reasons.pop()) and all(each.value is None for each in outcome.standings):
        # the reason is not the number of texts, but a question that nobody was asked
        return Verdict(Kind.TOO_FEW, f"{capfirst(reason).rstrip('.')}.")
    if len(outcome.standings) == 1:
        return Verdict(Kind.TOO_FEW, _("Too few texts for a statement about the items."))
    return Verdict(Kind.TOO_FEW, _("Too few texts to compare the generators."))


def list_comparable(outcome: Outcome) -> list[str]:
    """The generators with an adjusted interval against another one, in the order of the standings."""
    named = {name for each in outcome.compared.contrasts if each.low is not None for name in (each.better, each.worse)}
    return [each.generator for each in outcome.standings if each.generator in named]


def list_leaders(outcome: Outcome) -> list[str]:
    """The comparable generators that no other outperforms."""
    beaten = {each.worse for each in outcome.compared.contrasts if each.is_decided}
    return [name for name in list_comparable(outcome) if name not in beaten]


def find_winner(outcome: Outcome) -> str:
    """The only leader among two or more generators; empty if several can be the best."""
    leaders = list_leaders(outcome)
    return leaders[0] if len(leaders) == 1 else ""


def is_above_zero(standing: Standing) -> bool:
    return standing.low is not None and standing.low > 0


def say_winner(outcome: Outcome, best: str) -> str:
    assert outcome.words
    names, n = list_comparable(outcome), len(outcome.standings)
    sentence = outcome.words.winner if len(names) == n else outcome.words.among
    message = _(sentence) % {"best": best, "n": count(len(names))}
    own = next(each for each in outcome.standings if each.generator == best)
    if outcome.has_zero and not is_above_zero(own):
        return f"{message} {_(outcome.words.unclear) % {'names': best}}"
    return message


def say_zero(outcome: Outcome) -> str:
    """Sentences on generators that are above 0, unclear, below 0, or without an interval of their own although their
    differences have one."""
    assert outcome.words
    certain = [each for each in outcome.standings if each.is_certain]
    above = [each.generator for each in certain if is_above_zero(each)]
    below = [each.generator for each in certain if each.high is not None and each.high < 0]
    unclear = [each.generator for each in certain if each.generator not in (*above, *below)]
    named = {each.generator for each in certain}
    without = [name for name in list_comparable(outcome) if name not in named]
    parts = (
        (outcome.words.above, above), (outcome.words.unclear, unclear), (outcome.words.below, below),
        (gettext_noop("Items by %(names)s: no interval."), without),
    )  # fmt: skip
    return " ".join(_(sentence) % {"names": name_some(names)} for sentence, names in parts if names)


def say_tie(outcome: Outcome) -> str:
    assert outcome.words
    return _(outcome.words.tie) % {"names": name_some(list_leaders(outcome))}


def say_single(standing: Standing) -> str:
    sentence = _("One generator, nothing to compare: %(generator)s at %(value)s.")
    return sentence % {"generator": standing.generator, "value": write_value(standing)}


def name_some(names: Sequence[str]) -> str:
    """A few names in full, or else their number."""
    listed = join_names(names)
    return listed if len(names) <= MOST_NAMED and len(listed) <= MOST_LETTERS else say_generators(len(names))


def shorten(name: str) -> str:
    """A generator's name, with the middle left out if it is very long."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}…{name[-8:]}"


def join_names(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return _("%(first)s and %(last)s") % {"first": ", ".join(names[:-1]), "last": names[-1]}


def write_value(standing: Standing) -> str:
    assert standing.value is not None
    return format_with_interval(standing.value, standing.low, standing.high)


# Sentences that protocols share ---------------------------------------------------------------------------------------

VALUE = gettext_noop("%(value)s for %(generator)s")


def write_standings(standings: Sequence[Standing]) -> str:
    """“.35 [.14, .56] for careful and …”, the best first; only the range of many generators."""
    known = [each for each in standings if each.value is not None]
    if len(known) > MOST_NAMED + 1 or sum(len(each.generator) for each in known) > MOST_LETTERS:
        values = sorted(each.value for each in known if each.value is not None)
        ends = {"low": number(values[0]), "high": number(values[-1])}
        return _("from %(low)s to %(high)s") % ends
    return join_names([_(VALUE) % {"value": write_value(each), "generator": each.generator} for each in known])


def summarize_values(sentence: str, standings: Sequence[Standing], compared: ContrastSet, **words: str) -> str:
    """`sentence` with the values and `words`; then missing values, and the largest difference if none is clear."""
    known = any(each.value is not None for each in standings)
    first = sentence % (words | {"values": write_standings(standings)}) if known else ""
    return join_sentences(first, *say_missing(standings), say_lead(compared))


def say_missing(standings: Sequence[Standing]) -> list[str]:
    """Sentences on why a few generators have no value although others have one."""
    missing = [each for each in standings if each.value is None and each.reason]
    is_few = len(missing) <= MOST_MISSING and len(missing) < len(standings)
    sentence = _("%(generator)s has no value.")
    return [f"{sentence % {'generator': shorten(each.generator)}} {each.reason}" for each in missing if is_few]


def join_sentences(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def say_lead(compared: ContrastSet) -> str:
    """A sentence on the largest difference if none is clear: its size and number of texts."""
    certain = [each for each in compared.contrasts if each.low is not None]
    if not certain or any(each.is_decided for each in certain) or abs(certain[0].value) < SMALL:
        return ""
    most = certain[0]
    sentence = ngettext(
        "The largest lead is %(value)s, of %(better)s over %(worse)s, but %(texts)s does not settle it.",
        "The largest lead is %(value)s, of %(better)s over %(worse)s, but %(texts)s do not settle it.",
        most.n_texts,
    )
    return sentence % {
        "better": shorten(most.better), "worse": shorten(most.worse),
        "value": number(abs(most.value)), "texts": say_of_texts(most.n_texts),
    }  # fmt: skip


# If only models have answered -----------------------------------------------------------------------------------------


def summarize_by_model(report: Report, measure: str, words: OutcomeSentences, *, higher: bool = True) -> Outcome | None:
    """The outcome by the first model if no person has answered: each generator against the mean of the others."""
    rows = [row for row in find_rows(report, "contrasts") if row["measure"] == measure]
    if not rows or any(row["evaluator"] == HUMAN for row in rows):
        return None
    model = rows[0]["evaluator"]
    standings = sorted(
        compare_with_others(report, [row for row in rows if row["evaluator"] == model]),
        key=lambda each: make_sort_key(each, higher),
    )
    compared = build_contrast_set(report, measure, model, higher=higher)
    values = _("Compared with the mean of the others: %(values)s.")
    return Outcome(
        title=_("Each generator against the others, by %(model)s") % {"model": model},
        standings=tuple(standings),
        figure=Ranges(
            tuple(build_line(each) for each in standings), _("difference from the mean of the others (dashed: none)"),
            _("difference"), dashed=0,
        ),
        words=words,
        summary=summarize_values(values, standings, compared),
        compared=compared,
        basis=_("No person has answered. Other models are under Compare."),
        higher_is_better=higher,
        speaker=model,
        tables=("generator_vs_others", "contrasts") if len(standings) > 2 else ("contrasts",),
    )  # fmt: skip


def compare_with_others(report: Report, contrasts: Sequence[Row]) -> Iterator[Standing]:
    """Each generator's difference from the mean of the others; of two generators their contrast in both directions."""
    about = (contrasts[0]["measure"], contrasts[0]["evaluator"])
    others = [row for row in find_rows(report, "generator_vs_others") if (row["measure"], row["evaluator"]) == about]
    if others:
        yield from build_standings(others, "difference")
        return
    for row in contrasts:
        low, high = read_bounds(row)
        a = Standing(row["generator_a"], row["difference"], low, high, row["reason"], row["n_texts"])
        yield a
        yield replace(a, generator=row["generator_b"], value=negate(a.value), low=negate(high), high=negate(low))


def negate(value: float | None) -> float | None:
    return None if value is None else -value


def build_line(standing: Standing) -> Line:
    """A row of a figure with one mark."""
    mark = Mark(standing.value, standing.low, standing.high)
    if standing.value is None:
        return Line(standing.generator, (mark,), "–", standing.reason)
    return Line(standing.generator, (mark,), number(standing.value), format_interval(standing.low, standing.high))


def write_difference(contrast: Contrast) -> tuple[str, str]:
    """A difference and its adjusted interval, as two strings."""
    return number(contrast.value), format_interval(contrast.low, contrast.high)


@dataclass(frozen=True)
class AgreementSummary:
    """The agreement of people on a question: a coefficient with its interval, the share of equal answers, AC1.

    basis: what it is computed from, in words.
    """

    question: str
    value: float | None
    low: float | None
    high: float | None
    reason: str
    percent: float | None
    ac1: float | None
    basis: str
