from django.apps import AppConfig


class GenerationConfig(AppConfig):
    name = "generation"

    def ready(self):
        from llm.registry import register  # models cannot be imported earlier
        from studies.instrument_kinds import register_kind

        register("generation", "generation.run_kind.GenerationRunKind")
        register_kind("generation.instruments.GeneratorPromptKind")
