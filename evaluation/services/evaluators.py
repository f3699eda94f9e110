"""Adding and removing evaluators. The definition of an evaluator never changes after it was added."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import RUN_KINDS, Evaluator
from evaluation.setting import DEFAULTS, PROBABILITY, READINGS, TEXT_VERSION
from llm.models import Endpoint, Run, RunState, Unknown
from llm.request_options import OPTIONS
from llm.services import runs
from projects.models import User
from studies.models import Annotator, AnnotatorKind, InstrumentVersion, Response, Study
from studies.prompts import BadTemplate
from studies.services.declarations import get_declaration
from studies.services.evaluating import CodeTaken, add_evaluator, remove_evaluator, reopen_assignments
from studies.services.instruments import UnknownInstrument, find_version
from studies.services.text_versions import label_version, list_text_versions

# Default names of annotators, and of people in tables.
RESERVED = re.compile(r"human(:.*)?|(P|pilot-|preview-|sim-)\d+", re.IGNORECASE)
MAX_LABEL = 200
SCOPE = "evaluator "


class CannotEvaluate(Exception):
    """The evaluator cannot answer this study in this way; the sentence says what to do."""


def refuse(*checks: tuple[bool, str]) -> None:
    """Raises `CannotEvaluate` with the sentence of the first check that is true."""
    for is_refused, sentence in checks:
        if is_refused:
            raise CannotEvaluate(sentence)


@dataclass(frozen=True)
class RunTerms:
    """What a run may cost, how to treat calls with an unknown outcome, who starts it, and whether it continues
    although its first replies are all unusable."""

    budget: Decimal | None = None
    on_unknown: str = ""
    started_by: User | None = None
    keeps_going: bool = False


@dataclass(frozen=True)
class EvaluatorSpec:
    """The definition of an evaluator. The same label with another method or `identity` is a conflict."""

    label: str
    kind: AnnotatorKind
    method: str
    model: str
    reading: str
    stages: Sequence[str]
    identity: Mapping[str, Any] = field(default_factory=dict)
    fix: Callable[[], dict[str, Any]] = dict  # parameters decided once, when it is added
    text_version: str = ""  # the version that it reads, in a study of text versions


def expand_versions(study: Study, specs: Sequence[Any]) -> list[Any]:
    """A copy of each spec for each text version of the study; unchanged specs if it has no text versions.

    “NAME” reads the first version, “NAME (VERSION)” another. specs: dataclasses with name, label and text_version.
    """
    versions = list_text_versions(study)
    if not versions:
        return list(specs)
    return [
        replace(spec, label=label_version(spec.name, version, versions), text_version=version)
        for spec in specs for version in versions
    ]  # fmt: skip


def name_text_version(version: str) -> dict[str, str]:
    """The part of an evaluator's parameters that names the text version, if it reads another than the first."""
    return {TEXT_VERSION: version} if version else {}


@transaction.atomic
def ensure_evaluator(study: Study, wanted: EvaluatorSpec) -> Evaluator:
    """The evaluator with that label, which is added if there is none; wanted stages that it lacks are added to it.

    Raises `CannotEvaluate`, or `WrongState` for a draft.
    """
    check_label(wanted.label)
    known = Evaluator.objects.select_related("annotator__study").filter(annotator__study=study)
    if evaluator := known.filter(annotator__code=wanted.label).first():
        return extend_evaluator(evaluator, wanted)
    try:
        annotator = add_evaluator(
            study, wanted.label, kind=wanted.kind, model=wanted.model, reading=wanted.reading,
            text_version=wanted.text_version,
        )  # fmt: skip
    except CodeTaken as taken:
        raise CannotEvaluate(str(taken)) from None
    params = {**wanted.identity, **wanted.fix()}
    return Evaluator.objects.create(
        annotator=annotator, method=wanted.method, stages=list(wanted.stages), params=params
    )


def extend_evaluator(evaluator: Evaluator, wanted: EvaluatorSpec) -> Evaluator:
    """The evaluator with these stages added; refused if its definition differs."""
    annotator = evaluator.annotator
    same = evaluator.method == wanted.method and annotator.reading == wanted.reading
    known = {**DEFAULTS, **evaluator.params}
    other = {name for name, value in wanted.identity.items() if known.get(name) != value}
    if same and other == {OPTIONS} and not has_answers(annotator):
        change_options(evaluator, wanted.identity[OPTIONS])
    elif not same or other:
        raise CannotEvaluate(
            _("The study already has a different evaluator “%(label)s”. Choose another label.")
            % {"label": annotator.code}
        )
    if not set(wanted.stages) <= set(evaluator.stages):
        names = [stage.name for stage in get_declaration(annotator.study).stages]
        evaluator.stages = [name for name in names if name in {*wanted.stages, *evaluator.stages}]
        evaluator.save(update_fields=["stages"])
        reopen_assignments(annotator)
    return evaluator


def has_answers(annotator: Annotator) -> bool:
    return Response.objects.filter(assignment__annotator=annotator).exists()


def change_options(evaluator: Evaluator, options: dict[str, Any]) -> None:
    """Change the options of an evaluator without answers, for example one whose replies were all cut off; its runs
    end."""
    for run in list_runs(evaluator):
        runs.cancel(run)
    evaluator.params = {**evaluator.params, OPTIONS: options}
    evaluator.save(update_fields=["params"])


def has_same_options(run: Run, params: Mapping[str, Any]) -> bool:
    return bool((run.params.get(OPTIONS) or {}) == (params.get(OPTIONS) or {}))


def check_label(label: str) -> None:
    """Refuse a label that does not fit into a table cell or a command, or that names people."""
    if not label or len(label) > MAX_LABEL or "," in label or not label.isprintable():
        raise CannotEvaluate(
            _("A label may have up to %(n)d characters on one line, without commas. Choose another one.")
            % {"n": MAX_LABEL}
        )
    if RESERVED.fullmatch(label):
        raise CannotEvaluate(_("Tables use “%(label)s” for people. Choose another label.") % {"label": label})


def choose_stages(study: Study, wanted: Collection[str] | None) -> list[str]:
    """The names of the wanted stages in the study's order, all if none is named; `CannotEvaluate` for unknown ones."""
    known = [stage.name for stage in get_declaration(study).stages]
    for name in wanted or ():
        if name not in known:
            raise CannotEvaluate(
                _("This study has no stage “%(name)s”. Its stages are: %(names)s.")
                % {"name": name, "names": ", ".join(known)}
            )
    return [name for name in known if not wanted or name in wanted]


def list_runs(evaluator: Evaluator) -> "list[Run]":
    """The runs in which a model answered as this evaluator, the newest first."""
    project = evaluator.annotator.study.project_id
    return list(Run.objects.filter(project=project, kind__in=RUN_KINDS, scope=make_scope(evaluator)))


def create_run(
    kind: str, study: Study, endpoint: Endpoint, label: str, params: dict[str, Any], scope: str, terms: RunTerms
) -> Run:
    try:
        return runs.create_run(
            project=study.project,
            kind=kind,
            endpoint=endpoint,
            label=label,
            params=params,
            scope=scope,
            budget=terms.budget,
            on_unknown=terms.on_unknown or Unknown.REPEAT,
            started_by=terms.started_by,
            keeps_going=terms.keeps_going,
        )
    except runs.CannotStart as error:
        raise CannotEvaluate(str(error)) from None


def knows_all_texts(run: Run, study: Study) -> bool:
    """Whether the run's plan, which is fixed, has all texts: none was added to the study since the run was created."""
    return not study.blocks or run.created_at > max(filter(None, study.block_dates.values()))


def wake_run(run: Run, terms: RunTerms) -> Run:
    """Resume the run, or retry its failed calls. An active run is left alone, and so is one whose first replies were
    all unusable, unless the terms say to continue.

    Budget and the choice about unknown outcomes stay as they are unless the terms name them.
    """
    if terms.budget is not None:
        runs.set_budget(run, terms.budget)
    if run.state == RunState.PAUSED:
        runs.resume_if_usable(run, keeps_going=terms.keeps_going)
    elif run.is_over:
        runs.retry_failed(run)
    if terms.on_unknown:
        runs.set_on_unknown(run, terms.on_unknown)
    run.refresh_from_db()
    return run


def get_endpoint(evaluator: Evaluator) -> Endpoint:
    refuse((
        "endpoint" not in evaluator.params,
        _("“%(label)s” came from a replication pack, which does not contain the model's address. Let a "
          "model answer under another label.") % {"label": evaluator.annotator.code},
    ))  # fmt: skip
    return Endpoint.objects.get(pk=evaluator.params["endpoint"])


def find_prompt_version(
    study: Study, name: str, default: str, read: Callable[[Mapping[str, Any]], object]
) -> InstrumentVersion:
    """The prompts of that name, or the default ones, checked by `read`; `CannotEvaluate` if they do not fit."""
    try:
        version = find_version(name or default, study.project)
        read(version.content)
    except UnknownInstrument as unknown:
        if name:
            raise CannotEvaluate(str(unknown)) from None
        sentence = _("There is no prompt instrument “%(name)s”. Add it first.")
        raise CannotEvaluate(sentence % {"name": default}) from None
    except BadTemplate as error:
        raise CannotEvaluate(str(error)) from None
    return version


def check_reading(reading: str, endpoint: Endpoint) -> None:
    refuse(
        (
            reading not in READINGS,
            _("Answers are read from the label or the probability, not from “%(name)s”.") % {"name": reading},
        ),
        (
            reading == PROBABILITY and endpoint.can("logprobs") is False,
            _("“%(name)s” sends no log-probabilities. Use the written label instead.") % {"name": endpoint.name},
        ),
    )


SEEN, ALL_TEXTS = "seen_texts", "all"  # in an evaluator's params: "all", or a list of ids


def read_seen_texts(study: Study, names: Sequence[str]) -> Sequence[str] | str:
    """The ids, or "all" where this is the only name. `CannotEvaluate` for a text that the study does not have."""
    if list(names) == [ALL_TEXTS]:
        return ALL_TEXTS
    known = set(study.units.values_list("text__external_id", flat=True))
    if unknown := [name for name in names if name not in known]:
        sentence = _("This study has no text “%(name)s”. Name its texts by their ids, or write all.")
        raise CannotEvaluate(sentence % {"name": unknown[0]})
    return names


def set_seen_texts(evaluator: Evaluator, texts: Sequence[str] | str) -> Evaluator:
    """Record the texts whose human answers the model has seen because it was fitted or prompted with them, or its
    thresholds chosen on them. `texts` is what `read_seen_texts` returns: ids, or ALL_TEXTS."""
    params = {name: value for name, value in evaluator.params.items() if name != SEEN}
    evaluator.params = params | ({SEEN: texts if texts == ALL_TEXTS else list(texts)} if texts else {})
    evaluator.save(update_fields=["params"])
    return evaluator


def collect_seen_texts(study: Study) -> dict[str, frozenset[str]]:
    """The ids of the texts whose human answers an evaluator has seen, by its label; without those that saw none."""
    names = frozenset(study.units.values_list("text__external_id", flat=True))
    rows = Evaluator.objects.filter(annotator__study=study).values_list("annotator__code", "params")
    values = {code: params.get(SEEN) for code, params in rows if params.get(SEEN)}
    return {code: names if seen == ALL_TEXTS else names & set(seen) for code, seen in values.items()}


def make_scope(evaluator: Evaluator) -> str:
    return f"{SCOPE}{evaluator.pk}"


def delete_evaluator(evaluator: Evaluator) -> None:
    """Remove the evaluator with its answers from the study. Its runs end; calls that were paid for stay in them."""
    for run in list_runs(evaluator):
        runs.cancel(run)
    remove_evaluator(evaluator.annotator)
