"""Adding and removing evaluators. What makes an evaluator stays as it was when it was added."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from evaluation.models import Evaluator
from evaluation.setting import BEFORE
from llm.models import Run
from llm.services import runs
from studies.models import AnnotatorKind, Study
from studies.services.declaring import declaration_of
from studies.services.evaluating import CodeTaken, add_evaluator, remove_evaluator, reopen

# What annotators are called by themselves, and what tables call people.
RESERVED = re.compile(r"human(:.*)?|(P|pilot-|preview-|sim-)\d+", re.IGNORECASE)
LONGEST = 200
RUN_KIND, JUDGE_KIND = "evaluation", "judgment"
RUN_KINDS = (RUN_KIND, JUDGE_KIND)
SCOPE = "evaluator "


class CannotEvaluate(Exception):
    """The evaluator cannot answer this study so; the sentence says what to do."""


@dataclass(frozen=True)
class Wanted:
    """An evaluator as somebody asks for it. One label with another method or other `identity` is another evaluator."""

    label: str
    kind: AnnotatorKind
    method: str
    model: str
    reading: str
    stages: Sequence[str]
    identity: Mapping[str, Any] = field(default_factory=dict)
    fix: Callable[[], dict[str, Any]] = dict  # what is decided once, when it is added


@transaction.atomic
def add(study: Study, wanted: Wanted) -> Evaluator:
    """The evaluator of that label: a new one, or the same one again. Stages it is asked for later are added to its own.

    `CannotEvaluate`, or `WrongState` for a draft.
    """
    check_label(wanted.label)
    known = Evaluator.objects.select_related("annotator__study").filter(annotator__study=study)
    if evaluator := known.filter(annotator__code=wanted.label).first():
        return extended(evaluator, wanted)
    try:
        annotator = add_evaluator(study, wanted.label, kind=wanted.kind, model=wanted.model, reading=wanted.reading)
    except CodeTaken as taken:
        raise CannotEvaluate(str(taken)) from None
    params = {**wanted.identity, **wanted.fix()}
    return Evaluator.objects.create(
        annotator=annotator, method=wanted.method, stages=list(wanted.stages), params=params
    )


def extended(evaluator: Evaluator, wanted: Wanted) -> Evaluator:
    """The evaluator, asked for these stages too; refused if it is another one."""
    annotator = evaluator.annotator
    same = evaluator.method == wanted.method and annotator.reading == wanted.reading
    known = {**BEFORE, **evaluator.params}
    if not same or any(known.get(name) != value for name, value in wanted.identity.items()):
        raise CannotEvaluate(
            _("The study has an evaluator “%(label)s” already, and it is another one. Give this one another label.")
            % {"label": annotator.code}
        )
    if not set(wanted.stages) <= set(evaluator.stages):
        names = [stage.name for stage in declaration_of(annotator.study).stages]
        evaluator.stages = [name for name in names if name in {*wanted.stages, *evaluator.stages}]
        evaluator.save(update_fields=["stages"])
        reopen(annotator)
    return evaluator


def check_label(label: str) -> None:
    """A label is a cell of tables, a word of commands, and no person."""
    if not label or len(label) > LONGEST or "," in label or not label.isprintable():
        raise CannotEvaluate(
            _("A label has up to %(n)d characters, all on one line, and no comma. Choose another one.") % {"n": LONGEST}
        )
    if RESERVED.fullmatch(label):
        raise CannotEvaluate(_("“%(label)s” is what tables call people. Choose another label.") % {"label": label})


def chosen_stages(study: Study, wanted: Collection[str] | None) -> list[str]:
    """The names of the wanted stages in the study's order, all if none is named; `CannotEvaluate` for unknown ones."""
    known = [stage.name for stage in declaration_of(study).stages]
    for name in wanted or ():
        if name not in known:
            raise CannotEvaluate(
                _("There is no stage “%(name)s” in this study; there are: %(names)s.")
                % {"name": name, "names": ", ".join(known)}
            )
    return [name for name in known if not wanted or name in wanted]


def runs_of(evaluator: Evaluator) -> "list[Run]":
    """The runs in which a model answered as this evaluator, the newest first."""
    project = evaluator.annotator.study.project_id
    return list(Run.objects.filter(project=project, kind__in=RUN_KINDS, scope=scope_of(evaluator)))


def scope_of(evaluator: Evaluator) -> str:
    return f"{SCOPE}{evaluator.pk}"


def remove(evaluator: Evaluator) -> None:
    """Take the evaluator out of the study with its answers. Its runs end; what was paid for stays in them."""
    for run in runs_of(evaluator):
        runs.cancel(run)
    remove_evaluator(evaluator.annotator)
