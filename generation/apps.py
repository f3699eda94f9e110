from django.apps import AppConfig


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self):
        from generation.door import GenerationDoor  # models can be imported only now
        from llm.registry import register

        register(GenerationDoor())
