"""Adding and removing evaluators. What makes an evaluator stays as it was when it was added."""

import re
from collections.abc import Collection, Sequence

from django.db import transaction
from django.db.models import Count, Q
from django.utils.translation import gettext as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY, NEAR
from evaluation.models import Evaluator
from studies.models import AnnotatorKind, Study, UnitItem
from studies.services.declaring import declaration_of
from studies.services.evaluating import CodeTaken, add_evaluator, remove_evaluator, reopen

BASELINES = (MAJORITY, EXACT, FUZZY)
NEED_TEXT = (EXACT, FUZZY)
BEST, THRESHOLD = "best", "threshold"
# What annotators are called by themselves, and what tables call people.
RESERVED = re.compile(r"human(:.*)?|(P|pilot-|preview-|sim-)\d+", re.IGNORECASE)
LONGEST = 200


class CannotEvaluate(Exception):
    """The evaluator cannot answer this study so; the sentence says what to do."""


def add_baseline(study: Study, method: str, *, label: str = "", stages: Sequence[str] | None = None) -> Evaluator:
    """The baseline of that label in the study: a new one, or the same one again, which goes on where it stopped.

    Without a label it is called by its method. Stages that it is asked for later are added to its own.
    `CannotEvaluate`, or `WrongState` for a draft.
    """
    label = label.strip() or method
    check_label(label)
    answered = answerable(study, method, stages)
    with transaction.atomic():
        known = Evaluator.objects.select_related("annotator").filter(annotator__study=study, annotator__code=label)
        if evaluator := known.first():
            return extended(evaluator, method, answered)
        return made(study, method, label, answered)


def made(study: Study, method: str, label: str, stages: list[str]) -> Evaluator:
    try:
        annotator = add_evaluator(study, label, kind=AnnotatorKind.BASELINE, model=method, reading="label")
    except CodeTaken as taken:
        raise CannotEvaluate(str(taken)) from None
    params = params_of(annotator.study, method)
    return Evaluator.objects.create(annotator=annotator, method=method, stages=stages, params=params)


def extended(evaluator: Evaluator, method: str, stages: list[str]) -> Evaluator:
    """The evaluator, asked for these stages too; refused if it is another one."""
    if evaluator.method != method:
        raise CannotEvaluate(
            _("The study has an evaluator “%(label)s” already, and it is another one. Give this one another label.")
            % {"label": evaluator.annotator.code}
        )
    if not set(stages) <= set(evaluator.stages):
        names = [stage.name for stage in declaration_of(evaluator.annotator.study).stages]
        evaluator.stages = [name for name in names if name in {*stages, *evaluator.stages}]
        evaluator.save(update_fields=["stages"])
        reopen(evaluator.annotator)
    return evaluator


def check_label(label: str) -> None:
    """A label is a cell of tables, a word of commands, and no person."""
    if len(label) > LONGEST or "," in label or not label.isprintable():
        raise CannotEvaluate(
            _("A label has up to %(n)d characters, all on one line, and no comma. Choose another one.") % {"n": LONGEST}
        )
    if RESERVED.fullmatch(label):
        raise CannotEvaluate(_("“%(label)s” is what tables call people. Choose another label.") % {"label": label})


def answerable(study: Study, method: str, wanted: Sequence[str] | None) -> list[str]:
    """The names of the wanted stages in which the method can answer, in the study's order; all if none is named."""
    if method not in BASELINES:
        names = ", ".join(BASELINES)
        raise CannotEvaluate(
            _("There is no baseline “%(name)s”; there are: %(names)s.") % {"name": method, "names": names}
        )
    declared = declaration_of(study).stages
    refuse_unknown(wanted or [], [stage.name for stage in declared])
    stages = [stage for stage in declared if wanted is None or stage.name in wanted]
    if method in NEED_TEXT:
        stages = [stage for stage in stages if "text" in stage.shows]
    if not stages:
        raise CannotEvaluate(
            _("“%(method)s” compares options with the text, so without the text it has no answer. Ask it to read.")
            % {"method": method}
        )
    return [stage.name for stage in stages]


def refuse_unknown(wanted: Collection[str], known: Sequence[str]) -> None:
    for name in wanted:
        if name not in known:
            raise CannotEvaluate(
                _("There is no stage “%(name)s” in this study; there are: %(names)s.")
                % {"name": name, "names": ", ".join(known)}
            )


def params_of(study: Study, method: str) -> dict[str, object]:
    """What the method fixes for a study; refuses a study in which it cannot answer."""
    if method == MAJORITY and study.units.count() < 2:
        raise CannotEvaluate(
            _("The majority label is learned on other texts, and this study has only one. Choose another baseline.")
        )
    if method == FUZZY:
        return {"rule": BEST if has_one_key_each(study) else THRESHOLD, "threshold": NEAR}
    return {}


def has_one_key_each(study: Study) -> bool:
    """Whether every item of the study has one key: a fact about the kind of items, which a test taker is told too."""
    items = UnitItem.objects.filter(unit__study=study).order_by().values("item")
    others = items.annotate(n=Count("item__options", filter=Q(item__options__correct=True))).exclude(n=1)
    return not others.exists()


def remove(evaluator: Evaluator) -> None:
    """Take the evaluator out of the study with its answers."""
    remove_evaluator(evaluator.annotator)
