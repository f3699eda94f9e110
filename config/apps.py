from django.apps import AppConfig


class WiringConfig(AppConfig):
    name = "config"

    def ready(self):
        import config.celery  # noqa: F401 — whoever runs Django sends messages: without our app they have no broker
