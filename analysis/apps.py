from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from jobs.kinds import Kind, register

RESULTS = ("report", "stand-in", "lab", "lab-overview", "planner", "calibration", "rows")
STEPS = {
    "answers": _("Reading answers: %(done)s of %(total)s."),
    "tables": _("Making tables: %(done)s of %(total)s."),
}
STEPS_OF_PACKS = {
    "texts and items": _("Writing texts, items and answers."),
    "answers": _("Writing texts, items and answers."),
    "tables": _("Writing tables."),
    "figures": _("Drawing figures."),
    "datasheet": _("Writing datasheet and manifest."),
}


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self):
        work = "analysis.services.cached_results.work"
        for name in RESULTS:
            register(Kind(name, work, _("Computing the results"), STEPS))
        for name in ("export", "rows-file"):
            register(Kind(name, work, _("Writing the file"), STEPS))
        register(Kind("evidence", "analysis.services.cached_evidence.read_evidence", _("Reading the answers"), STEPS))
        pack = Kind(
            "pack",
            "analysis.services.packs.build_pack",
            _("Building the replication pack"),
            STEPS_OF_PACKS,
            keep=timedelta(days=30),
        )
        register(pack)
