"""What a model can judge beside options: by the shape of a declared stage, whatever the protocol is called."""

from collections.abc import Mapping

from studies.protocols import Question, Stage
from studies.protocols.base import Value

PAIRS, SCORES, GATES = "pairs", "scores", "gates"


def way_of(stage: Stage) -> str | None:
    """Which item of a pair is better, scores of an item, or a questionnaire through gates; None for anything else."""
    questions = judged_questions(stage)
    if stage.gates:
        return GATES
    if len(questions) == 1 and questions[0].kind == "pick":
        return PAIRS
    return SCORES if all(each.kind == "scale" and each.per == "item" for each in questions) else None


def judged_questions(stage: Stage) -> tuple[Question, ...]:
    """Of a pair only which item is better: what decided is asked of people. Else everything."""
    return tuple(each for each in stage.questions if each.kind == "pick") or stage.questions


def open_questions(stage: Stage, answers: Mapping[str, Value], has_expected_answer: bool) -> list[str]:
    """What is asked after these answers and has none, in order; what is behind a stop is not asked."""
    judged = judged_questions(stage)
    applying = [question for question in stage.about(has_expected_answer) if question in judged]
    return [name for name, value in stage.path(answers, applying).items() if value is None]
