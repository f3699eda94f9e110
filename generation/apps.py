from django.apps import AppConfig


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self):
        from generation.door import GenerationDoor  # models can be imported only now
        from generation.instruments import GeneratorPromptKind
        from llm.registry import register
        from studies import instrument_kinds

        register(GenerationDoor())
        instrument_kinds.register_kind(GeneratorPromptKind())
