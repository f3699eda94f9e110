from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"

    def ready(self):
        from evaluation.door import EvaluationDoor  # models can be imported only now
        from llm.registry import register

        register(EvaluationDoor())
