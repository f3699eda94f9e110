from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self):
        from annotation.instruments import ForPeople  # models can be imported only now
        from annotation.logs import keep_links_out
        from studies.instrument_kinds import register

        keep_links_out()
        register(ForPeople())
