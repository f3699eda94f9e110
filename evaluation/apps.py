from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self):
        from evaluation.door import EvaluationDoor  # models can be imported only now
        from evaluation.instruments import EvaluatorPromptKind, JudgePromptKind, LetterPromptKind
        from evaluation.judges.door import JudgeDoor
        from llm.registry import register
        from studies import instrument_kinds

        register(EvaluationDoor())
        register(JudgeDoor())
        instrument_kinds.register_kind(EvaluatorPromptKind())
        instrument_kinds.register_kind(LetterPromptKind())
        instrument_kinds.register_kind(JudgePromptKind())
