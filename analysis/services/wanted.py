"""The results that pages ask for, by kind; how each is computed, and the latest of each that is kept."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.core.cache import cache
from django.utils import timezone
from django.utils.translation import get_language

from analysis.agreement.questions import ALL, questions_of
from analysis.choices import Choices
from analysis.plugins import find_plugin
from analysis.services.state import A_DAY, FORMAT
from studies.models import Study
from studies.protocols import Stage
from studies.services.declarations import get_declaration, map_annotator_declarations


@dataclass(frozen=True)
class Wanted:
    """A result of a kind (a name of `KINDS`) of a study under choices; `more` is what else that kind depends on."""

    kind: str
    study: Study
    choices: Choices
    more: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """A hash under which the result is kept, whatever the answers are now; by language, as tables have words."""
        said = [FORMAT, self.kind, self.study.pk, asdict(self.choices), self.more, get_language()]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def computed(self) -> Any:
        """In the words of the active language; `BadChoice` if something chosen does not occur."""
        return KINDS[self.kind](self)


@dataclass(frozen=True)
class Kept:
    """A result with the state and number of the study's answers that it is of, and when it was there."""

    result: Any
    state: str
    n: int
    made_at: datetime


def kept(wanted: Wanted) -> Kept | None:
    found: Kept | None = cache.get(f"kept:{wanted.place}")
    return found


def keep(wanted: Wanted, state: str, n: int, result: Any) -> Kept:
    """In place of the earlier result."""
    new = Kept(result, state, n, timezone.now())
    cache.set(f"kept:{wanted.place}", new, A_DAY)
    return new


def forget(wanted: Wanted) -> None:
    cache.delete(f"kept:{wanted.place}")


# numpy, scipy and pandas take a second to load: not every process that knows a page's address needs them.


def report(wanted: Wanted) -> Any:
    from analysis.reports.registry import check_groups, report_from
    from analysis.services.kept_evidence import evidence_now

    check_groups(wanted.study, wanted.choices)
    return report_from(evidence_now(wanted.study, wanted.choices))


def stand_in(wanted: Wanted) -> Any:
    from analysis.reports.registry import stand_in_report
    from analysis.services.kept_evidence import evidence_now

    return stand_in_report(evidence_now(wanted.study, wanted.choices), *wanted.more)


def lab(wanted: Wanted) -> Any:
    from analysis.agreement.lab import lab
    from analysis.agreement.lab_overview import with_not_applicable

    key, view, *annotators = wanted.more
    question = {question.key: question for question in questions_of(wanted.study)}[key].seen(view)
    frame = frame_now(wanted)
    frame = with_not_applicable(frame, stages_by_code(wanted.study)) if view == ALL else frame
    return lab(frame, question, annotators, wanted.choices)


def lab_overview(wanted: Wanted) -> Any:
    from analysis.agreement.lab_overview import overview

    questions, stages = questions_of(wanted.study), stages_by_code(wanted.study)
    return overview(frame_now(wanted), questions, list(wanted.more), stages, wanted.choices)


def frame_now(wanted: Wanted) -> Any:
    """The answers of everybody of the chosen purposes."""
    from analysis.services.kept_evidence import evidence_now

    return evidence_now(wanted.study, Choices(purposes=wanted.choices.purposes)).frame


def stages_by_code(study: Study) -> dict[str, Stage]:
    """The first stage as each annotator is asked it."""
    default, by_code = get_declaration(study), map_annotator_declarations(study)
    codes = study.annotators.values_list("code", flat=True)
    return {code: by_code.get(code, default).stages[0] for code in codes}


def planner(wanted: Wanted) -> Any:
    """What people's answers tell of the components, and the table of these."""
    from analysis.planning.assumptions import planner_of
    from analysis.planning.spread_table import spread_table
    from analysis.services.kept_evidence import evidence_now

    evidence = evidence_now(wanted.study, wanted.choices)
    planner = planner_of(wanted.study)
    return planner.spread(evidence), spread_table(planner.components(evidence))


def calibration(wanted: Wanted) -> Any:
    """The rows of the agreement table over the pairs of a calibration; none without an answer to one."""
    from analysis.services.kept_evidence import evidence_now

    return find_plugin(wanted.study.protocol).calibration(evidence_now(wanted.study, wanted.choices))


def export(wanted: Wanted) -> Any:
    from analysis.services.kept_files import written  # which asks for results itself

    (format,) = wanted.more
    return written(wanted.study, format, wanted.choices)


def behind(wanted: Wanted) -> Any:
    from analysis.services.rows_behind import sheet_behind  # which asks for results itself

    return sheet_behind(wanted)


def behind_file(wanted: Wanted) -> Any:
    from analysis.services.rows_behind import written_behind

    return written_behind(wanted)


KINDS: dict[str, Callable[[Wanted], Any]] = {
    "report": report,
    "stand-in": stand_in,
    "lab": lab,
    "lab-overview": lab_overview,
    "planner": planner,
    "calibration": calibration,
    "export": export,
    "behind": behind,
    "behind-file": behind_file,
}
