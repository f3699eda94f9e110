"""The methods paragraph of a paper, drafted from a study's numbers: how it was done, and the results."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf.locale import LANG_INFO
from django.db.models import Max, Min
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from analysis.formatting import UNDEFINED, format_with_interval, number
from analysis.frames.evidence import Evidence
from analysis.frames.responses import query_submitted
from analysis.plugins import find_plugin
from analysis.reports.report import Report
from analysis.services.reporting import list_software_versions
from analysis.tables.provenance import name_method
from analysis.tables.spec import Row, Table
from analysis.words import name_code
from items.language import name_language
from studies.models import Assignment, Response, Study, StudyState
from studies.services.selection import CALIBRATION


@dataclass(frozen=True)
class Conduct:
    """The state of a study, and other facts that are only in the database.

    `first`, `last`: when people's first and last answers were handed in, if known. `n_assigned`, `n_finished`:
    assignments of people of the chosen purposes. `n_calibration`: units that everybody did first. `languages`: names
    of the texts' languages. `given_here`: whether answers were given on Lesart's pages rather than imported.
    """

    first: datetime | None
    last: datetime | None
    n_assigned: int
    n_finished: int
    n_calibration: int
    languages: tuple[str, ...]
    given_here: bool


@dataclass(frozen=True)
class Facts:
    """Counts of what is in the figures. `items`: number of items by generator. `groups`: people by group. `rounds`:
    the number of rounds with answers. `left_out`: answers of other purposes, which are not in the figures."""

    study: Study
    report: Report
    n_texts: int
    items: dict[str, int]
    n_people: int
    n_simulated: int
    groups: dict[str, int]
    evaluators: tuple[str, ...]
    n_responses: int
    minutes: float | None
    conduct: Conduct
    rounds: int
    left_out: dict[str, int]
    seed: int
    convention: str

    @property
    def is_unfinished(self) -> bool:
        return self.study.state in (StudyState.LIVE, StudyState.PAUSED)

    @property
    def n_items(self) -> int:
        return sum(self.items.values())


def collect_facts(evidence: Evidence, report: Report, conduct: Conduct) -> Facts:
    """Count the facts without reading the database, which `describe_conduct` does for `conduct`."""
    annotators = evidence.annotators
    people = annotators[annotators["kind"] == "human"]
    simulated = people["purpose"] == "simulated"
    counts = evidence.items["generator"].value_counts()
    minutes = evidence.minutes[evidence.minutes["annotator"].isin(people["annotator"])]["minutes"]
    return Facts(
        study=evidence.study,
        report=report,
        n_texts=len(evidence.texts),
        items={name: int(counts.get(name, 0)) for name in evidence.generators},
        n_people=int((~simulated).sum()),
        n_simulated=int(simulated.sum()),
        groups={str(name): int(n) for name, n in people["group"].value_counts(sort=False).items() if name},
        evaluators=tuple(annotators[annotators["kind"] != "human"]["annotator"]),
        n_responses=report.n_responses,
        minutes=float(minutes.median()) if len(minutes) else None,
        conduct=conduct,
        rounds=int(evidence.every_round["round"].max()) if len(evidence.every_round) else 1,
        left_out=evidence.left_out,
        seed=evidence.choices.seed,
        convention=evidence.choices.convention,
    )


def describe_conduct(evidence: Evidence) -> Conduct:
    study, purposes = evidence.study, evidence.choices.purposes
    answers = query_submitted(study, purposes).filter(assignment__annotator__kind="human")
    found = Response.objects.filter(pk__in=answers).aggregate(first=Min("submitted_at"), last=Max("submitted_at"))
    assigned = Assignment.objects.active().filter(
        annotator__study=study, annotator__kind="human", annotator__purpose__in=purposes, round=1
    )
    codes = study.units.order_by("text__language").values_list("text__language", flat=True).distinct()
    return Conduct(
        first=found["first"],
        last=found["last"],
        n_assigned=assigned.count(),
        n_finished=assigned.filter(finished_at__isnull=False).count(),
        n_calibration=study.units.filter(part=CALIBRATION).count(),
        languages=tuple(name_study_language(code) for code in codes),
        given_here=assigned.filter(submissions__opened_at__isnull=False).exists(),
    )


def name_study_language(code: str) -> str:
    """In English, as ISO 639-1 names it; an unknown code itself."""
    return str(LANG_INFO.get(code.partition("-")[0], {}).get("name") or code)


LANGUAGES = ("en", "de")


def draft_methods(facts: Facts, language: str) -> str:
    """The draft in Markdown, in one of `LANGUAGES`; what only the authors know is in square brackets."""
    with override(language):
        paragraph = " ".join(filter(None, iter_sentences(facts)))
        heading = _("Methods (draft)")
        return f"# {heading}\n\n{paragraph}\n"


def iter_sentences(facts: Facts) -> Iterator[str]:
    yield describe_material(facts)
    yield describe_blocks(facts)
    yield find_plugin(facts.study.protocol).design(facts)
    yield describe_people(facts)
    yield describe_left_out(facts)
    yield describe_period(facts)
    yield describe_progress(facts)
    yield describe_orders(facts)
    yield describe_intervals(facts)
    yield describe_agreement(facts)
    yield find_plugin(facts.study.protocol).outcome(facts)
    yield (
        _("The figures were computed with Lesart %(lesart)s, numpy %(numpy)s and scipy %(scipy)s.")
        % list_software_versions()
    )


def describe_material(facts: Facts) -> str:
    by = ", ".join(f"{name} ({n})" for name, n in facts.items.items())
    values = {"items": facts.n_items, "texts": facts.n_texts, "by": by, "language": name_language(facts.study.language)}
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


def describe_blocks(facts: Facts) -> str:
    """When texts were added after the launch, and how many."""
    sentence = _("%(n)s texts were added on %(day)s")
    added = [sentence % {"n": block["texts"], "day": block["added_at"][:10]} for block in facts.study.blocks]
    first = _("The texts came into the study in %(n)s blocks:") % {"n": 1 + len(added)}
    return f"{first} {'; '.join(added)}." if added else ""


def describe_people(facts: Facts) -> str:
    people = ngettext("%(n)s person", "%(n)s people", facts.n_people) % {"n": facts.n_people}
    if facts.groups:
        people += f" ({', '.join(f'{name}: {n}' for name, n in facts.groups.items())})"
    who = [people]
    if facts.n_simulated:
        simulated = ngettext("%(n)s simulated annotator", "%(n)s simulated annotators", facts.n_simulated)
        who.append(simulated % {"n": facts.n_simulated})
    if facts.evaluators:
        who.append(_("models and baselines: %(names)s") % {"names": ", ".join(facts.evaluators)})
    sentence = _("Answers by: %(who)s; %(n)s answers in all.") % {"who": "; ".join(who), "n": f"{facts.n_responses}"}
    if facts.n_people:
        return sentence + " " + _("[Say how people were recruited, trained and paid.]")
    if facts.n_simulated:
        return sentence + " " + _("No person answered; statements about people refer to simulated annotators.")
    return sentence + " " + _("No person answered.")


def describe_left_out(facts: Facts) -> str:
    """Answers that were given but are not in any figure."""
    by = ", ".join(f"{purpose}: {n}" for purpose, n in facts.left_out.items() if n)
    return _("Answers that are not included, by purpose: %(by)s.") % {"by": by} if by else ""


def describe_period(facts: Facts) -> str:
    sentences = []
    if facts.conduct.first and facts.conduct.last:
        period = {"first": f"{facts.conduct.first:%Y-%m-%d}", "last": f"{facts.conduct.last:%Y-%m-%d}"}
        sentences.append(_("People's answers were given from %(first)s to %(last)s.") % period)
    if facts.minutes is not None:
        sentences.append(_("Median time per person: %(n)s minutes.") % {"n": number(facts.minutes, 1)})
    return " ".join(sentences)


def describe_progress(facts: Facts) -> str:
    """How far the study is; empty for a finished one."""
    if not facts.is_unfinished:
        return ""
    return _("The study was still running: %(done)s of %(all)s assignments of people were finished, so these numbers "
             "are not final.") % {"done": facts.conduct.n_finished, "all": facts.conduct.n_assigned}  # fmt: skip


def describe_orders(facts: Facts) -> str:
    if not (facts.n_people or facts.n_simulated):
        return ""
    if not facts.conduct.given_here:
        return _("The answers were collected elsewhere and imported. [Say how, and in which order texts, "
                 "items and options were shown.]")  # fmt: skip
    return _("The order of texts, items and options, and the sides of pairs, was randomized for each "
             "annotator (seed of the study: %(seed)s).") % {"seed": facts.study.seed}  # fmt: skip


def describe_intervals(facts: Facts) -> str:
    """How the intervals of each table were computed, according to its numbers."""
    found: dict[str, list[str]] = {}
    for each in facts.report.tables:
        for method in dict.fromkeys(name_interval_methods(each, facts.convention)):
            found.setdefault(method, []).append(each.name)
    if not found:
        return _("No interval is defined.")
    by = "; ".join(f"{method} ({', '.join(names)})" for method, names in found.items())
    return _("Interval methods and the tables that use them: %(by)s.") % {"by": by}


def name_interval_methods(table: Table, convention: str) -> Iterator[str]:
    for row in table.rows:
        for ends in row.get("intervals", {}).values():
            interval = ends.get(convention, {})
            if "unit" in interval and interval["low"] is not None:
                yield f"{name_method(interval)}, {name_code('unit', interval['unit'])}"


def describe_agreement(facts: Facts) -> str:
    """The agreement of people, real or simulated; why it is undefined for fewer than two."""
    if facts.n_people + facts.n_simulated > 1:
        return find_plugin(facts.study.protocol).agreement(facts)
    return _("Agreement between people is not defined: it takes two, and %(n)s answered.") % {
        "n": facts.n_people + facts.n_simulated
    }


def get_table(facts: Facts, name: str) -> Table:
    return facts.report.table(name)


def write_with_interval(row: Row | None, column: str) -> str:
    """`.35 [.26, .44]`, without brackets if the interval is undefined."""
    if row is None or row[column] is None:
        return _(UNDEFINED)
    prefix = f"{column}_" if f"{column}_low" in row else ""
    return format_with_interval(row[column], row[f"{prefix}low"], row[f"{prefix}high"])


def write_value(value: Any) -> str:
    return _(UNDEFINED) if value is None else number(value)
