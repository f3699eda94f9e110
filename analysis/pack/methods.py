"""The paragraph of a paper that says how a study was done and what came out, drafted from its numbers."""

from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from analysis.about import method_word
from analysis.formatting import UNDEFINED, number, with_interval
from analysis.pack.facts import Facts
from analysis.reports.evaluators import HUMAN
from analysis.services.reporting import versions
from analysis.tables import Row, Table
from analysis.words import unit_word
from studies.services.declaring import declaration_of

LANGUAGES = ("en", "de")


def methods(facts: Facts, language: str) -> str:
    """The draft in Markdown, in one of `LANGUAGES`; what only the authors know stands in square brackets."""
    with override(language):
        paragraph = " ".join(filter(None, sentences(facts)))
        heading = _("Methods (draft)")
        return f"# {heading}\n\n{paragraph}\n"


def sentences(facts: Facts) -> Iterator[str]:
    yield material(facts)
    yield DESIGNS[facts.study.protocol](facts)
    yield who_answered(facts)
    yield left_out(facts)
    yield when_answered(facts)
    yield how_far(facts)
    yield orders(facts)
    yield intervals(facts)
    yield agreement(facts)
    if facts.study.protocol == "guess-then-read":
        yield informativity(facts)
    yield _("The figures were computed with Lesart %(lesart)s, numpy %(numpy)s and scipy %(scipy)s.") % versions()


def material(facts: Facts) -> str:
    by = ", ".join(f"{name} ({n})" for name, n in facts.items.items())
    values = {"items": facts.n_items, "texts": facts.n_texts, "by": by, "language": facts.study.language}
    return (
        ngettext(
            "We evaluated %(items)s items about one text (language of the study: %(language)s). Items by generator: "
            "%(by)s.",
            "We evaluated %(items)s items about %(texts)s texts (language of the study: %(language)s). Items by "
            "generator: %(by)s.",
            facts.n_texts,
        )
        % values
    )


def guess_then_read(facts: Facts) -> str:
    said = [
        _("Following Säuberli & Clematide (2024), annotators first judged every option of one generator's items "
          "without seeing the text, then those of all generators with the text."),
        _("People rated each item as well.") if any(row["n"] for row in table(facts, "ratings").rows) else "",
        _("Models and baselines judged the items of all generators in each stage that they answered.")
        if facts.evaluators else "",
        _("Text informativity is the share of options judged rightly with the text less that without it."),
    ]  # fmt: skip
    return " ".join(filter(None, said))


def dimension_ratings(facts: Facts) -> str:
    declaration = declaration_of(facts.study)
    scales = [question for question in declaration.stages[0].questions if question.kind == "scale"]
    values = {
        "dimensions": ", ".join(question.name for question in scales),
        "low": scales[0].levels[0],
        "high": scales[0].levels[-1],
        "rounds": facts.rounds,
    }
    return _("Annotators rated each question from %(low)s to %(high)s on these dimensions: %(dimensions)s (rounds of "
             "rating: %(rounds)s), as in QGEval (2024).") % values  # fmt: skip


def stopping_questionnaire(facts: Facts) -> str:
    questions = [question.name for question in declaration_of(facts.study).stages[0].questions]
    return _("Each question was judged by a questionnaire that stops where further questions make no sense (Horbach et "
             "al., 2020); it asks: %(questions)s.") % {"questions": ", ".join(questions)}  # fmt: skip


def pairwise(facts: Facts) -> str:
    said = _("Annotators compared pairs of items by different generators about the same text, and chose the better one "
             "or a tie.")  # fmt: skip
    if not facts.course.n_calibration:
        return said
    return (
        said
        + " "
        + _("%(n)s of the pairs were a calibration that all annotators did first.") % {"n": facts.course.n_calibration}
    )


DESIGNS = {
    "guess-then-read": guess_then_read,
    "dimension-ratings": dimension_ratings,
    "stopping-questionnaire": stopping_questionnaire,
    "pairwise": pairwise,
}


def who_answered(facts: Facts) -> str:
    people = ngettext("%(n)s person", "%(n)s people", facts.n_people) % {"n": facts.n_people}
    if facts.groups:
        people += f" ({', '.join(f'{name}: {n}' for name, n in facts.groups.items())})"
    who = [people]
    if facts.n_simulated:
        simulated = ngettext("%(n)s simulated annotator", "%(n)s simulated annotators", facts.n_simulated)
        who.append(simulated % {"n": facts.n_simulated})
    if facts.evaluators:
        who.append(_("models and baselines: %(names)s") % {"names": ", ".join(facts.evaluators)})
    said = _("Answers by: %(who)s; %(n)s answers in all.") % {"who": "; ".join(who), "n": f"{facts.n_responses}"}
    if facts.n_people:
        return said + " " + _("[Say how people were recruited, trained and paid.]")
    if facts.n_simulated:
        return said + " " + _("No person answered: what is said of people here is said of simulated annotators.")
    return said + " " + _("No person answered.")


def left_out(facts: Facts) -> str:
    """Answers that were given and are in no figure."""
    by = ", ".join(f"{purpose}: {n}" for purpose, n in facts.left_out.items() if n)
    return _("Answers that do not enter the figures, by purpose: %(by)s.") % {"by": by} if by else ""


def when_answered(facts: Facts) -> str:
    said = []
    if facts.course.first and facts.course.last:
        period = {"first": f"{facts.course.first:%Y-%m-%d}", "last": f"{facts.course.last:%Y-%m-%d}"}
        said.append(_("People's answers were given from %(first)s to %(last)s.") % period)
    if facts.minutes is not None:
        said.append(_("The median person took %(n)s minutes.") % {"n": f"{facts.minutes:.1f}"})
    return " ".join(said)


def how_far(facts: Facts) -> str:
    """Nothing of a study that is over."""
    if not facts.is_unfinished:
        return ""
    return _("The study was still running: %(done)s of %(all)s assignments of people were finished, so these numbers "
             "are not final.") % {"done": facts.course.n_finished, "all": facts.course.n_assigned}  # fmt: skip


def orders(facts: Facts) -> str:
    if not (facts.n_people or facts.n_simulated):
        return ""
    if not facts.course.given_here:
        return _("The answers were given elsewhere and imported. [Say how, and in which order texts, items and options "
                 "were shown.]")  # fmt: skip
    return _("The order of texts, items and options, and the side in a pair, was drawn for each annotator (seed of the "
             "study: %(seed)s).") % {"seed": facts.study.seed}  # fmt: skip


def intervals(facts: Facts) -> str:
    """How the intervals of each table came about, as its numbers say it."""
    found: dict[str, list[str]] = {}
    for each in facts.report.tables:
        for said in dict.fromkeys(interval_words(each, facts.convention)):
            found.setdefault(said, []).append(each.name)
    if not found:
        return _("No interval is defined.")
    by = "; ".join(f"{said} ({', '.join(names)})" for said, names in found.items())
    return _("How intervals came about, with the tables that have them: %(by)s.") % {"by": by}


def interval_words(of: Table, convention: str) -> Iterator[str]:
    for row in of.rows:
        for ends in row.get("intervals", {}).values():
            interval = ends.get(convention, {})
            if "unit" in interval and interval["low"] is not None:
                yield f"{method_word(interval)}, {unit_word(interval['unit'])}"


def agreement(facts: Facts) -> str:
    """Of people, or of those who stand for them; one alone agrees with nobody."""
    if facts.n_people + facts.n_simulated > 1:
        return AGREEMENTS[facts.study.protocol](facts)
    return _("Agreement between people is not defined: it takes two, and %(n)s answered.") % {
        "n": facts.n_people + facts.n_simulated
    }


def agreement_of_options(facts: Facts) -> str:
    rows = {row["stage"]: row for row in table(facts, "agreement_with_humans").rows if row["evaluator"] == HUMAN}
    values = {stage: with_ends(rows.get(stage), "kappa") for stage in ("guess", "read")}
    return _("Mean Cohen's κ between people was %(guess)s without the text and %(read)s with it.") % values


def agreement_of_dimensions(facts: Facts) -> str:
    rows = [row for row in table(facts, "alpha").rows if row["round"] == 1]
    by = ", ".join(f"{row['dimension']} {with_ends(row, 'alpha')}" for row in rows)
    return _("Krippendorff's α in the first round: %(by)s.") % {"by": by}


def agreement_of_categories(facts: Facts) -> str:
    everyone = {"group": "", "generator": "", "source": "", "view": "all"}
    rows = [
        row for row in table(facts, "agreement").rows if all(row[column] == value for column, value in everyone.items())
    ]
    by = ", ".join(f"{row['category']} {written(row['kappa'])}" for row in rows)
    return _("Cohen's κ, with “not applicable” as a label of its own: %(by)s.") % {"by": by}


def agreement_of_pairs(facts: Facts) -> str:
    rows = {row["view"]: row for row in table(facts, "agreement").rows}
    values = {
        "kappa": with_ends(rows.get("with_ties"), "conger_kappa"),
        "percent": written(rows["with_ties"]["percent"]) if "with_ties" in rows else UNDEFINED,
    }
    return _("Annotators agreed with a share of %(percent)s (Conger's κ %(kappa)s, ties included).") % values


AGREEMENTS = {
    "guess-then-read": agreement_of_options,
    "dimension-ratings": agreement_of_dimensions,
    "stopping-questionnaire": agreement_of_categories,
    "pairwise": agreement_of_pairs,
}


def informativity(facts: Facts) -> str:
    rows = [row for row in table(facts, "informativity").rows if row["evaluator"] == HUMAN]
    by = ", ".join(f"{row['generator']} {with_ends(row, 'informativity')}" for row in rows)
    return _("Text informativity by people's answers: %(by)s.") % {"by": by} if by else ""


def table(facts: Facts, name: str) -> Table:
    return facts.report.table(name)


def with_ends(row: Row | None, column: str) -> str:
    """`.35 [.26, .44]`, without the brackets where the interval is undefined."""
    if row is None or row[column] is None:
        return _(UNDEFINED)
    prefix = f"{column}_" if f"{column}_low" in row else ""
    return with_interval(row[column], row[f"{prefix}low"], row[f"{prefix}high"])


def written(value: Any) -> str:
    return _(UNDEFINED) if value is None else number(value)
