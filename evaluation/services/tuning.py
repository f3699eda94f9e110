"""Thresholds of a model, chosen on the texts of another study from probabilities that are stored there."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import Evaluator
from evaluation.services.evaluators import CannotEvaluate
from evaluation.setting import BEFORE
from evaluation.thresholds import Choice, choose
from studies.models import Response, Study
from studies.services.evaluating import ANSWER

MOST_POINTS = 200


def tuned(study: Study, development: Study, identity: dict[str, Any], stages: Sequence[str]) -> dict[str, Any]:
    """What to remember of the choice: the study, whose answers, and per stage threshold, accuracy, plateau and curve.

    `identity`: endpoint, model, prompt and as_published, which the evaluator there must share. `CannotEvaluate` if its
    texts are in the study, or it has no such answers.
    """
    check_texts(study, development)
    evaluator = same_model(development, identity)
    chosen = {stage: choice_for(evaluator, stage) for stage in stages}
    return {
        "study": development.slug,
        "evaluator": evaluator.annotator.code,
        "stages": {stage: remembered(choice, n_texts) for stage, (choice, n_texts) in chosen.items()},
    }


def check_texts(study: Study, development: Study) -> None:
    """A threshold chosen on the texts that are reported on would flatter the model."""
    if development.project_id != study.project_id:
        raise CannotEvaluate(
            _("“%(name)s” is in another project. Choose thresholds on a study of this one.")
            % {"name": development.slug}
        )
    ours, theirs = (texts_of(each) for each in (study, development))
    bodies = set(ours.values())
    shared = [name for name, body in theirs.items() if name in ours or body in bodies]
    if shared:
        said = {"name": development.slug, "n": len(shared), "text": shared[0]}
        raise CannotEvaluate(
            _("“%(name)s” shares %(n)d of its texts with this study, such as “%(text)s”. Thresholds are "
              "chosen on other texts: take a study that shares none.") % said
        )  # fmt: skip


def texts_of(study: Study) -> dict[str, str]:
    """Id -> body with single blanks: the same text may be there under two ids."""
    rows = study.units.values_list("text__external_id", "text__body")
    return {external_id: " ".join(body.split()) for external_id, body in rows}


def same_model(development: Study, identity: dict[str, Any]) -> Evaluator:
    """The evaluator there that was asked in the same way, whatever it reads."""
    for evaluator in Evaluator.objects.filter(annotator__study=development).select_related("annotator"):
        known = {**BEFORE, **evaluator.params}
        if all(known.get(name) == value for name, value in identity.items()):
            return evaluator
    raise CannotEvaluate(
        _("In “%(name)s” no model has answered with this endpoint and the same prompts. Let it answer there first.")
        % {"name": development.slug}
    )


def choice_for(evaluator: Evaluator, stage: str) -> tuple[Choice, int]:
    """The threshold of a stage, and on how many texts it rests."""
    rows = list(
        Response.objects.filter(
            assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, stage=stage, question=ANSWER,
            probability__isnull=False,
        ).values_list("probability", "option__correct", "assignment__unit__text_id")
    )  # fmt: skip
    if not rows:
        raise CannotEvaluate(
            _("“%(label)s” in “%(name)s” has no probabilities in the stage “%(stage)s”. Let it answer there first, "
              "on a server that sends log-probabilities.")
            % {"label": evaluator.annotator.code, "name": evaluator.annotator.study.slug, "stage": stage}
        )  # fmt: skip
    probabilities, keys, texts = zip(*rows, strict=True)
    return choose(probabilities, keys), len(set(texts))


def remembered(choice: Choice, n_texts: int) -> dict[str, Any]:
    return {
        "threshold": choice.threshold,
        "accuracy": choice.accuracy,
        "low": choice.low,
        "high": choice.high,
        "n": choice.n,
        "n_texts": n_texts,
        "n_steps": len(choice.steps),
        "curve": [[step.low, step.high, step.accuracy] for step in thinned(choice)],
    }


def thinned(choice: Choice) -> Iterable[Any]:
    """At most `MOST_POINTS` steps, the widest, in their order: what a curve can show."""
    widest = sorted(choice.steps, key=lambda step: (step.low == choice.low, step.high - step.low))[-MOST_POINTS:]
    return sorted(widest, key=lambda step: step.low)
