"""What the summary of a study says around its figure: the verdict, differences, what to watch, what is counted."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.figures.paper import PAGE, PHONE, Drawing, describe, draw
from analysis.formatting import count
from analysis.plugins import find_plugin
from analysis.reports.outcome import (
    MIN_TEXTS,
    TOO_FEW_TEXTS,
    Kind,
    Outcome,
    Verdict,
    assess_outcome,
    join_names,
    join_sentences,
    name_some,
    shorten,
    write_difference,
)
from analysis.reports.report import Report
from analysis.results.forms import ResultsForm
from analysis.results.links import build_query
from analysis.words import name_evaluator
from studies.models import Study
from studies.services.states import RUNNING

MOST_DIFFERENCES, MOST_NOTES, MOST_FINDINGS = 3, 4, 4
NEXT, WARNING, PASSED, INFO = "next", "warning", "ok", "info"
SETTLED = (Kind.WINNER, Kind.COUNTS)
UNSETTLED = (Kind.MEASURES, Kind.TIE, Kind.TOO_FEW)
HOW_MANY_TEXTS = "when-would-i-see-a-difference-between-two-generators"  # the anchor of a question on the help page


def find_outcome(study: Study, report: Report, estimand: str) -> Outcome | None:
    """The main result according to the protocol's plug-in; None without a plug-in, and while effects are hidden."""
    outcome: Outcome | None = find_plugin(study.protocol).summary(report, estimand)
    return outcome


def find_verdict(study: Study, outcome: Outcome | None, counts: dict[str, int]) -> Verdict:
    is_running = study.state in RUNNING
    if outcome is not None and (counts or outcome.speaker):
        return assess_outcome(outcome, is_running=is_running)
    if not counts:
        sentence = _("Only models have answered. Their answers are under Compare.")
        return Verdict(Kind.TOO_EARLY if is_running else Kind.TOO_FEW, sentence)
    if is_running:
        return Verdict(Kind.TOO_EARLY, _("Too early to say."))
    return Verdict(Kind.TOO_FEW, _("No result yet."))


# The figure -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PageFigure:
    """A drawing as SVG for wide and narrow pages; `text` says what it shows, `files` are its downloads by width."""

    title: str
    wide: SafeString
    narrow: SafeString
    text: str
    files: list[tuple[int, list[tuple[str, str]]]]


def place_figure(study: Study, name: str, title: str, drawing: Drawing, query: str) -> PageFigure:
    description = describe(drawing)
    wide, narrow = (draw(drawing, sheet, label=f"{title}. {description}") for sheet in (PAGE, PHONE))
    # Every word of a drawing is escaped where it is written.
    return PageFigure(title, mark_safe(wide), mark_safe(narrow), description, list_files(study, name, query))  # noqa: S308


def list_files(study: Study, name: str, query: str) -> list[tuple[int, list[tuple[str, str]]]]:
    from analysis.figures.paper import FORMS, MILLIMETRES

    def address(width: int, ending: str) -> str:
        return link_page("results_paper", query, study.slug, name, width, ending)

    return [(width, [(ending.upper(), address(width, ending)) for ending in FORMS]) for width in MILLIMETRES]


# Beside it ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DifferenceLine:
    names: str
    value: str
    interval: str
    is_decided: bool


def list_differences(outcome: Outcome) -> list[DifferenceLine]:
    """The largest differences with their adjusted intervals; those that are decided come first."""
    known = [each for each in outcome.compared.contrasts if each.low is not None]
    known.sort(key=lambda each: not each.is_decided)
    return [
        DifferenceLine(
            f"{shorten(each.better)} − {shorten(each.worse)}", *write_difference(each), is_decided=each.is_decided
        )
        for each in known[:MOST_DIFFERENCES]
    ]


def say_adjusted(outcome: Outcome) -> str:
    """How many of the differences have an adjusted interval without 0, or why there are none."""
    if outcome.compared.reason:
        return _(outcome.compared.reason)
    counted = count_differences(outcome) if outcome.compared.size > 1 else ""
    is_upside_down = outcome.compared.size and not outcome.higher_is_better
    return join_sentences(counted, _("Lower is better.") if is_upside_down else "")


def count_differences(outcome: Outcome) -> str:
    n = sum(each.is_decided for each in outcome.compared.contrasts)
    if not n:
        sentence = _("None of %(all)s differs beyond doubt, adjusted for all comparisons.")
    else:
        sentence = ngettext(
            "%(n)s of %(all)s differs beyond doubt, adjusted for all comparisons.",
            "%(n)s of %(all)s differ beyond doubt, adjusted for all comparisons.",
            n,
        )
    return sentence % {"n": count(n), "all": count(outcome.compared.size)}


@dataclass(frozen=True)
class Note:
    """Something to watch: its level, a sentence, and where to look."""

    level: str
    sentence: str
    href: str = ""
    link: str = ""


def list_notes(
    study: Study, report: Report, form: ResultsForm, outcome: Outcome | None, verdict: Verdict
) -> list[Note]:
    """The most important notes first, at most `MOST_NOTES`; the last says how many checks passed."""
    query = urlencode(build_query(form), doseq=True)
    worst = [
        *note_review(study, outcome), *note_speaker(study, outcome), *note_answers(study, report),
        *note_texts(study, outcome, verdict),
        *note_items(study, report, query),
        *note_reporting(study, report, outcome, verdict, query), *note_generators(outcome),
    ]  # fmt: skip
    worst += [Note(WARNING, check.sentence) for check in report.checks if not check.passed]
    worst.sort(key=lambda note: note.level != NEXT)
    n = sum(check.passed for check in report.checks)
    sentence = ngettext("%(n)s check passed.", "%(n)s checks passed.", n) % {"n": count(n)}
    passed = [Note(PASSED, sentence, link_checks(study, query), _("Show all checks"))] if n else []
    return [*worst[: MOST_NOTES - len(passed)], *passed]


def count_unfolded_findings(outcome: Outcome | None) -> int:
    """How many findings are not folded: none beside a figure of many generators, which fills the page."""
    return MOST_FINDINGS if outcome is None or len(outcome.standings) <= PAGE.most else 0


def list_findings(study: Study, report: Report, form: ResultsForm) -> list[tuple[str, str]]:
    """The findings beside the main result, each with the address of its table and figure."""
    query = urlencode(build_query(form), doseq=True)
    details = link_page("results_details", query, study.slug)
    return [(sentence, f"{details}#{name}") for sentence, name in report.findings]


def note_items(study: Study, report: Report, query: str) -> Iterator[Note]:
    from analysis.results.item_rows import HARD, KEY, list_flags

    flags = list_flags(study, report)
    sentences = {
        KEY: lambda n: ngettext("%(n)s item has a key that is probably wrong.",
                                "%(n)s items have a key that is probably wrong.", n),
        HARD: lambda n: ngettext("Most people get %(n)s item wrong even with the text.",
                                 "Most people get %(n)s items wrong even with the text.", n),
    }  # fmt: skip
    for flag, sentence in sentences.items():
        if n := sum(flag in each for each in flags.values()):
            href = f"{reverse('results_items', args=[study.slug])}?{query}{query and '&'}flag={flag}"
            yield Note(WARNING, sentence(n) % {"n": count(n)}, href, _("Show"))


def note_review(study: Study, outcome: Outcome | None) -> Iterator[Note]:
    """A note if items that people wrote wait for a decision."""
    if outcome is not None and (n := outcome.n_waiting):
        sentence = ngettext(
            "%(n)s item written by annotators waits for your review.",
            "%(n)s items written by annotators wait for your review.",
            n,
        )
        yield Note(NEXT, sentence % {"n": count(n)}, reverse("results_items", args=[study.slug]), _("Review"))


def note_speaker(study: Study, outcome: Outcome | None) -> Iterator[Note]:
    """What to do if the summary rests on a model's answers."""
    if outcome is not None and outcome.speaker:
        href = reverse("study_annotators", args=[study.slug])
        yield Note(NEXT, _("No person has answered. Invite some to see whether people judge alike."), href, _("People"))


def note_answers(study: Study, report: Report) -> Iterator[Note]:
    """What to do if more answers of people are still needed."""
    people = reverse("study_annotators", args=[study.slug])
    if "simulated" in report.included:
        sentence = _("The answers are simulated, so they say nothing about the items.")
        yield Note(NEXT, sentence, people, _("Invite people"))
    elif study.state in RUNNING:
        sentence = _("Answers can still come in and change this result. Close the study once all are in.")
        yield Note(NEXT, sentence, people, _("People"))
    if "pilot" in report.included:
        yield Note(WARNING, _("Pilot answers are counted."))


def note_texts(study: Study, outcome: Outcome | None, verdict: Verdict) -> Iterator[Note]:
    """A note if only more texts could show which generator is better."""
    if outcome is None or outcome.speaker or study.state in RUNNING or verdict.kind not in UNSETTLED:
        return
    compared = outcome.compared
    if compared.reason == TOO_FEW_TEXTS:
        sentence = _("Collect answers about at least %(n)s texts to compare the generators.") % {"n": MIN_TEXTS}
    elif any(each.low is not None for each in compared.contrasts):
        sentence = _("A study of more texts may tell these generators apart.")
    else:
        return
    has_planner = find_plugin(study.protocol).planner is not None
    href = reverse("study_planner", args=[study.slug]) if has_planner else f"{reverse('choosing')}#{HOW_MANY_TEXTS}"
    yield Note(NEXT, sentence, href, _("How many texts?"))


def note_reporting(
    study: Study, report: Report, outcome: Outcome | None, verdict: Verdict, query: str
) -> Iterator[Note]:
    """What to do with a result that people's answers have settled."""
    if outcome is None or outcome.speaker or "simulated" in report.included or study.state in RUNNING:
        return
    if len(outcome.standings) == 1:
        sentence = _("Compare it with another generator: put items of both into a study.")
        yield Note(NEXT, sentence, reverse("study_new", args=[study.project.slug]), _("New study"))
    elif verdict.kind in SETTLED and not all(check.passed for check in report.checks):
        yield Note(NEXT, _("Look at the checks before you report this result."), link_checks(study, query), _("Show"))
    elif verdict.kind in SETTLED:
        href = link_page("results_methods", query, study.slug)
        sentence = _("Report this result: take the figure, the table and the methods text.")
        yield Note(NEXT, sentence, href, _("Methods text"))


def link_checks(study: Study, query: str) -> str:
    return f"{link_page('results_details', query, study.slug)}#checks"


def link_page(name: str, query: str, *args: str | int) -> str:
    """The address of a results page, with the current choices."""
    return f"{reverse(name, args=args)}{query and '?'}{query}"


def note_generators(outcome: Outcome | None) -> Iterator[Note]:
    """Which generators have no interval and why; if others can be compared, which cannot."""
    if outcome is None or not any(each.is_certain for each in outcome.standings):
        return
    has_none = outcome.compared.reason
    named = {name for each in outcome.compared.contrasts if each.low is not None for name in (each.better, each.worse)}
    apart = [each for each in outcome.standings if not each.is_certain]
    if same := [
        shorten(each.generator) for each in apart if each.is_comparable and (has_none or each.generator in named)
    ]:
        sentence = ngettext(
            "%(names)s has no interval: all its answers count the same.",
            "%(names)s have no interval: all their answers count the same.",
            len(same),
        )
        yield Note(INFO, sentence % {"names": name_some(same)})
    if names := [shorten(each.generator) for each in apart if not has_none and each.generator not in named]:
        sentence = ngettext(
            "%(names)s has no interval, so it is not compared.",
            "%(names)s have no interval, so they are not compared.",
            len(names),
        )
        yield Note(WARNING, sentence % {"names": name_some(names)})


# What is counted ------------------------------------------------------------------------------------------------------


def describe_counting(study: Study, form: ResultsForm, counts: dict[str, int]) -> str:
    """Whose answers, which texts and items, which intervals: the line before “Change”."""
    choices = form.choices
    present = [name for name in ("main", "pilot", "simulated") if name in choices.purposes and counts.get(name)]
    words = {"main": _("all submitted answers"), "pilot": _("pilot answers"), "simulated": _("simulated answers")}
    parts = [join_names([words[name] for name in present]) or _("the answers of models")]
    parts.append(_("only texts that everybody answered") if choices.shared_texts else _("all texts"))
    if study.blocks:
        parts.append(_("in %(n)d blocks") % {"n": 1 + len(study.blocks)})
    if form.estimand == "matched":
        parts.append(_("only answers of one person with and without the text"))
    if choices.evaluators:
        names = join_names([name_evaluator(name) for name in choices.evaluators])
        parts.append(_("only the rows of %(names)s") % {"names": names})
    if choices.adjudicated:
        parts.append(_("decisions of the adjudication in place of what people said"))
    if not choices.calibration:
        parts.append(_("without the calibration"))
    if choices.dif_by:
        parts.append(_("groups for DIF by “%(question)s”") % {"question": form.dif_question})
    ends = {
        READERS: _("95 % intervals by readers and texts"),
        ANNOTATORS: _("95 % intervals by texts"),
        PUBLISHED: _("95 % intervals as published"),
    }
    if "convention" in form.fields:
        parts.append(ends[choices.convention])
    return _("Counting %(what)s.") % {"what": ", ".join(parts)}
