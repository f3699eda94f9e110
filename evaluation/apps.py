from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self):
        from llm.registry import register  # models can be imported only now
        from studies.instrument_kinds import register_kind

        register("evaluation", "evaluation.door.EvaluationDoor")
        register("judgment", "evaluation.judges.door.JudgeDoor")
        for name in ("EvaluatorPromptKind", "LetterPromptKind", "JudgePromptKind"):
            register_kind(f"evaluation.instruments.{name}")
