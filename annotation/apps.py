from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self):
        from annotation.doors import install_link_redactor
        from annotation.instruments import PeopleInstruments  # models can be imported only now
        from studies.instrument_kinds import register_kind

        install_link_redactor()
        register_kind(PeopleInstruments())
