from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from jobs.kinds import Kind, register

STEPS_OF_PACKS = {
    "texts and items": _("texts, items and answers"),
    "answers": _("texts, items and answers"),
    "tables": _("tables"),
    "figures": _("figures"),
    "datasheet": _("datasheet and manifest"),
}


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self):
        register(
            Kind(
                "pack",
                "analysis.services.packs.build_pack",
                _("Building the replication pack"),
                STEPS_OF_PACKS,
                keep=timedelta(days=30),
            )
        )
