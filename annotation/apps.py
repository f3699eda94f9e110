from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self):
        from studies.instrument_kinds import register_kind  # models cannot be imported earlier

        register_kind("annotation.instruments.PeopleInstruments")
