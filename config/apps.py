from django.apps import AppConfig

from config.logs import install_link_redactor


class WiringConfig(AppConfig):
    name = "config"

    def ready(self):
        install_link_redactor()
