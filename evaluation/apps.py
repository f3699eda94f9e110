from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self):
        from evaluation.door import EvaluationDoor  # models can be imported only now
        from evaluation.instruments import ForEvaluators, ForLetters
        from evaluation.judges.door import JudgeDoor
        from evaluation.judges.instruments import ForJudges
        from llm.registry import register
        from studies import instrument_kinds

        register(EvaluationDoor())
        register(JudgeDoor())
        instrument_kinds.register(ForEvaluators())
        instrument_kinds.register(ForLetters())
        instrument_kinds.register(ForJudges())
