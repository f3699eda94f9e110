"""How each kind of cached result is computed from its key (see `cached_results`)."""

from io import TextIOWrapper
from pathlib import Path
from typing import Any

from analysis.agreement.lab import add_not_applicable, build_lab, build_overview
from analysis.agreement.questions import ALL, list_questions
from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.planning.outlook import build_spread_table
from analysis.plugins import find_plugin
from analysis.science.scores import score_study
from analysis.services.cached_evidence import load_evidence
from analysis.services.cached_results import ResultKey, work_on_file, work_on_value
from analysis.services.planning import get_planner
from analysis.services.reporting import build_report, build_stand_in_report, check_choices
from jobs.files import create_file
from projects.scratch import pause_garbage_collection
from studies.models import Study
from studies.protocols import Stage
from studies.services.declarations import get_declaration, map_annotator_declarations


@work_on_value
@pause_garbage_collection()
def compute_report(key: ResultKey) -> Any:
    check_choices(key.study, key.choices)
    return build_report(load_evidence(key.study, key.choices))


@work_on_value
def compute_stand_in(key: ResultKey) -> Any:
    return build_stand_in_report(load_evidence(key.study, key.choices), *key.more)


@work_on_value
def compute_lab(key: ResultKey) -> Any:
    name, view, *annotators = key.more
    question = {question.key: question for question in list_questions(key.study)}[name].in_view(view)
    frame = load_all_answers(key)
    frame = add_not_applicable(frame, map_first_stages(key.study)) if view == ALL else frame
    return build_lab(frame, question, annotators, key.choices)


@work_on_value
def compute_lab_overview(key: ResultKey) -> Any:
    questions, stages = list_questions(key.study), map_first_stages(key.study)
    return build_overview(load_all_answers(key), questions, list(key.more), stages, key.choices)


def load_all_answers(key: ResultKey) -> Any:
    """The answers of all annotators of the chosen purposes."""
    return load_evidence(key.study, Choices(purposes=key.choices.purposes)).frame


def map_first_stages(study: Study) -> dict[str, Stage]:
    """By annotator code, the first stage as this annotator is asked it."""
    default, by_code = get_declaration(study), map_annotator_declarations(study)
    codes = study.annotators.values_list("code", flat=True)
    return {code: by_code.get(code, default).stages[0] for code in codes}


@work_on_value
def compute_planner(key: ResultKey) -> Any:
    """The components fitted to people's answers, and their table."""
    evidence, planner = load_evidence(key.study, key.choices), get_planner(key.study)
    return planner.spread(evidence), build_spread_table(planner.components(evidence))


@work_on_value
def compute_scores(key: ResultKey) -> Any:
    """People's scores of items, to set beside those of another study."""
    return score_study(load_evidence(key.study, key.choices))


@work_on_value
def compute_calibration(key: ResultKey) -> Any:
    """The rows of the agreement table over the pairs of a calibration; none without an answer to one."""
    return find_plugin(key.study.protocol).calibration(load_evidence(key.study, key.choices))


@work_on_file
def write_export(key: ResultKey) -> Path:
    """The answers in one of the formats of `analysis.exports.writing.FORMATS`."""
    (format,) = key.more
    with create_file() as file, TextIOWrapper(file, encoding="utf-8", newline="") as text:
        export_responses(key.study, format, text, key.choices.purposes)
    return Path(file.name)
