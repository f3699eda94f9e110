"""Whose answers a row summarizes: all people, each group of people, each model and baseline."""

from dataclasses import dataclass

import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import BadChoice
from analysis.frames.evidence import Evidence
from analysis.frames.responses import keep_rows

HUMAN = "human"


@dataclass(frozen=True)
class Evaluator:
    """One line of a table: its name, its kind, how its answers were read, and the codes of its annotators."""

    name: str
    kind: str
    reading: str
    codes: frozenset[str]

    @property
    def is_fixed(self) -> bool:
        """Whether it represents only itself, like a model, rather than a population, like people."""
        return self.kind != HUMAN

    def select_rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        return keep_rows(frame, frame["annotator"].isin(self.codes))


def list_all_evaluators(evidence: Evidence) -> list[Evaluator]:
    """All people, each group if the study has several, then models and baselines in the order they were added."""
    listed = evidence.annotators[["annotator", "kind", "reading", "group"]].to_numpy().tolist()  # faster than filtering
    people = {code: group for code, kind, _reading, group in listed if kind == "human"}
    found = [Evaluator(HUMAN, "human", "ticked", frozenset(people))]
    groups = order_groups(evidence, {*people.values()})
    if len({*groups, *evidence.study.groups}) > 1:
        found += [
            Evaluator(f"{HUMAN}:{name}", "human", "ticked", frozenset(code for code in people if people[code] == name))
            for name in groups
        ]
    found += [
        Evaluator(code, kind, reading or "label", frozenset([code]))
        for code, kind, reading, _group in listed
        if kind != "human"
    ]
    return found


def find_evaluator(evidence: Evidence, name: str) -> Evaluator:
    """The evaluator that tables list under this name."""
    return next(evaluator for evaluator in list_all_evaluators(evidence) if evaluator.name == name)


def list_groups(evidence: Evidence) -> list[str]:
    """The groups of the annotators: the declared ones first, then others that occur."""
    return order_groups(evidence, set(evidence.annotators[evidence.annotators["kind"] == "human"]["group"]))


def order_groups(evidence: Evidence, occurring: set[str]) -> list[str]:
    named = occurring - {""}
    declared = [group for group in evidence.study.groups if group in named]
    return declared + sorted(named - set(declared))


def list_evaluators(evidence: Evidence) -> list[Evaluator]:
    """The chosen evaluators; `BadChoice` for an unknown name."""
    known = list_all_evaluators(evidence)
    wanted = evidence.choices.evaluators
    if wanted is None:
        return known
    names = [evaluator.name for evaluator in known]
    if unknown := [name for name in wanted if name not in names]:
        values = {"name": unknown[0], "names": ", ".join(names)}
        raise BadChoice(_("This study has no evaluator “%(name)s”. Choose from: %(names)s.") % values)
    return [evaluator for evaluator in known if evaluator.name in wanted]


def list_judges(evidence: Evidence) -> list[Evaluator]:
    """The chosen models, which are shown beside people and never enter the agreement between people."""
    return [evaluator for evaluator in list_evaluators(evidence) if evaluator.kind == "model"]


def list_compared_evaluators(evidence: Evidence) -> list[Evaluator]:
    """Those whose answers compare generators: people, or each model if no person has answered."""
    people = get_people(evidence)
    return [people] if len(people.select_rows(evidence.frame)) else list_judges(evidence) or [people]


def get_people(evidence: Evidence) -> Evaluator:
    """All people of the chosen groups, whatever evaluators were chosen."""
    return list_all_evaluators(evidence)[0]
