from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self):
        from studies.instrument_kinds import register_kind  # models can be imported only now

        register_kind("annotation.instruments.PeopleInstruments")
