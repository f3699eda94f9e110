"""The threshold of p(true): chosen on the texts of another study, stored with the evaluator, shown as a curve."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import Evaluator
from evaluation.services.evaluators import CannotEvaluate
from evaluation.setting import DEFAULTS
from studies.models import Response, Study
from studies.services.evaluating import ANSWER


@dataclass(frozen=True)
class AccuracyStep:
    """Every threshold τ with low < τ ≤ high has this accuracy; in the first step also τ = 0."""

    low: float
    high: float
    accuracy: float


@dataclass(frozen=True)
class ThresholdChoice:
    """The threshold, its accuracy over `n` options, and the plateau (low, high] whose middle it is."""

    threshold: float
    accuracy: float
    low: float
    high: float
    n: int
    steps: tuple[AccuracyStep, ...]


def find_steps(probabilities: Sequence[float], keys: Sequence[bool]) -> list[AccuracyStep]:
    """The accuracy of every threshold in [0, 1], in steps; neighbors with the same accuracy form one step.

    `probabilities` and `keys`: p(true) and whether the option is a key, of the same options. ValueError for none.
    """
    if not probabilities:
        raise ValueError("There is no probability to choose a threshold from.")
    ordered = sorted(zip(probabilities, keys, strict=True))
    right, low, found = sum(keys), 0.0, list[AccuracyStep]()
    for p, options in groupby(ordered, key=lambda option: option[0]):
        append_step(found, AccuracyStep(low, p, right / len(ordered)))
        for _p, is_key in options:  # from here on they are judged incorrect
            right += -1 if is_key else 1
        low = p
    if low < 1:
        append_step(found, AccuracyStep(low, 1.0, right / len(ordered)))
    return found


def append_step(steps: list[AccuracyStep], step: AccuracyStep) -> None:
    if steps and steps[-1].accuracy == step.accuracy:
        step = AccuracyStep(steps.pop().low, step.high, step.accuracy)
    steps.append(step)


def find_middle(step: AccuracyStep) -> float:
    """The middle of the step, rounded to six digits if that is within the step."""
    middle = (step.low + step.high) / 2
    within = [threshold for threshold in (round(middle, 6), middle) if step.low < threshold <= step.high]
    return within[0] if within else step.high  # there is nothing between neighboring floats


def choose_threshold(probabilities: Sequence[float], keys: Sequence[bool]) -> ThresholdChoice:
    """The middle of the widest step with the highest accuracy, the first of equally wide ones."""
    steps = find_steps(probabilities, keys)
    best = max(step.accuracy for step in steps)
    plateau = max((step for step in steps if step.accuracy == best), key=lambda step: step.high - step.low)
    return ThresholdChoice(find_middle(plateau), best, plateau.low, plateau.high, len(probabilities), tuple(steps))


MAX_POINTS = 200


def tune_thresholds(
    study: Study, development: Study, identity: dict[str, Any], stages: Sequence[str]
) -> dict[str, Any]:
    """Choose a threshold for each stage on the answers in another study, `development`; returns what is stored of it.

    That is: the study, the evaluator whose answers were used, and per stage threshold, accuracy, plateau and curve.
    `identity`: endpoint, model, prompt and as_published, in which that evaluator must be equal. Raises `CannotEvaluate`
    if the studies share texts, or `development` has no such answers.
    """
    check_texts(study, development)
    evaluator = find_same_model(development, identity)
    chosen = {stage: choose_for_stage(evaluator, stage) for stage in stages}
    return {
        "study": development.slug,
        "evaluator": evaluator.annotator.code,
        "stages": {stage: summarize(choice, n_texts) for stage, (choice, n_texts) in chosen.items()},
    }


def check_texts(study: Study, development: Study) -> None:
    """Refuse a study of another project, or one that shares texts: on reported texts a threshold flatters the model."""
    if development.project_id != study.project_id:
        raise CannotEvaluate(
            _("“%(name)s” belongs to another project. Choose a study of this project.") % {"name": development.slug}
        )
    ours, theirs = (get_texts(each) for each in (study, development))
    bodies = set(ours.values())
    shared = [name for name, body in theirs.items() if name in ours or body in bodies]
    if shared:
        values = {"name": development.slug, "n": len(shared), "text": shared[0]}
        raise CannotEvaluate(
            _("“%(name)s” shares %(n)d texts with this study, such as “%(text)s”. Thresholds have to be "
              "chosen on other texts. Choose a study without shared texts.") % values
        )  # fmt: skip


def get_texts(study: Study) -> dict[str, str]:
    """The texts by id, with single spaces, so that a text that has two ids is recognized."""
    rows = study.units.values_list("text__external_id", "text__body")
    return {external_id: " ".join(body.split()) for external_id, body in rows}


def find_same_model(development: Study, identity: dict[str, Any]) -> Evaluator:
    """The evaluator in that study that was asked in the same way; its replies may be read differently."""
    for evaluator in Evaluator.objects.filter(annotator__study=development).select_related("annotator"):
        known = {**DEFAULTS, **evaluator.params}
        if all(known.get(name) == value for name, value in identity.items()):
            return evaluator
    raise CannotEvaluate(
        _("This model has not answered the study “%(name)s” with the same prompts. Let it answer there first.")
        % {"name": development.slug}
    )


def choose_for_stage(evaluator: Evaluator, stage: str) -> tuple[ThresholdChoice, int]:
    """The threshold of a stage, and the number of texts it was chosen on."""
    rows = list(
        Response.objects.filter(
            assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, stage=stage, question=ANSWER,
            probability__isnull=False,
        ).values_list("probability", "option__correct", "assignment__unit__text_id")
    )  # fmt: skip
    if not rows:
        raise CannotEvaluate(
            _("“%(label)s” has no probabilities in the stage “%(stage)s” of “%(name)s”. Let it answer "
              "there first, on a server that sends log-probabilities.")
            % {"label": evaluator.annotator.code, "name": evaluator.annotator.study.slug, "stage": stage}
        )  # fmt: skip
    probabilities, keys, texts = zip(*rows, strict=True)
    return choose_threshold(probabilities, keys), len(set(texts))


def summarize(choice: ThresholdChoice, n_texts: int) -> dict[str, Any]:
    return {
        "threshold": choice.threshold,
        "accuracy": choice.accuracy,
        "low": choice.low,
        "high": choice.high,
        "n": choice.n,
        "n_texts": n_texts,
        "n_steps": len(choice.steps),
        "curve": [[step.low, step.high, step.accuracy] for step in thin_steps(choice)],
    }


def thin_steps(choice: ThresholdChoice) -> Iterable[Any]:
    """The steps that a curve shows, in order: the plateau and the widest others, at most `MAX_POINTS`."""
    widest = sorted(choice.steps, key=lambda step: (step.low == choice.low, step.high - step.low))[-MAX_POINTS:]
    return sorted(widest, key=lambda step: step.low)


WIDTH, HEIGHT = 400, 200  # of the box that holds τ from 0 to 1 and accuracy from 0 to 1


@dataclass(frozen=True)
class Curve:
    """`points`: corners as `x,y x,y …` from the upper left; `x`: position of the threshold; `facts`: the record."""

    title: str
    points: str
    x: float
    y: float
    facts: dict[str, Any]


def make_curves(evaluator: Evaluator) -> list[Curve]:
    """One for each stage whose threshold was chosen on other texts."""
    titles = {"guess": _("Without the text"), "read": _("With the text")}
    stages = evaluator.params.get("tuning", {}).get("stages", {})
    return [
        Curve(titles.get(stage, stage), " ".join(iter_corners(facts["curve"])), facts["threshold"] * WIDTH,
              (1 - facts["accuracy"]) * HEIGHT, facts)
        for stage, facts in stages.items()
    ]  # fmt: skip


def iter_corners(steps: list[list[float]]) -> Iterator[str]:
    for low, high, accuracy in steps:
        y = (1 - accuracy) * HEIGHT
        yield f"{low * WIDTH:.2f},{y:.2f}"
        yield f"{high * WIDTH:.2f},{y:.2f}"
