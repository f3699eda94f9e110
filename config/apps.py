from django.apps import AppConfig

from config.logs import install_link_redactor


class WiringConfig(AppConfig):
    name = "config"

    def ready(self):
        import config.celery  # noqa: F401 — whoever runs Django sends messages: without our app they have no broker

        install_link_redactor()
