from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from jobs.kinds import Kind, register

RESULTS = {
    "report": "computing.compute_report",
    "stand-in": "computing.compute_stand_in",
    "lab": "computing.compute_lab",
    "lab-overview": "computing.compute_lab_overview",
    "planner": "computing.compute_planner",
    "scores": "computing.compute_scores",
    "calibration": "computing.compute_calibration",
    "rows": "drill_down.compute_sheet",
    "evidence": "cached_evidence.read_evidence",
}
FILES = {"export": "computing.write_export", "rows-file": "drill_down.write_rows"}
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
STEPS_OF_ARCHIVES = STEPS | {  # with the steps of the reports that it computes, and of the import of items ("rows")
    "studies": _("Studies and bank: %(done)s of %(total)s."),
    "rows": _("%(done)s of %(total)s rows."),
}


class AnalysisConfig(AppConfig):
    name = "analysis"

    def ready(self):
        services, a_month = "analysis.services", timedelta(days=30)
        archiving = "analysis.pack.archiving"
        register(
            *(Kind(name, f"{services}.{work}", _("Computing the results"), STEPS) for name, work in RESULTS.items()),
            *(Kind(name, f"{services}.{work}", _("Writing the file"), STEPS) for name, work in FILES.items()),
            Kind(
                "pack", "analysis.pack.building.build_pack", _("Building the replication pack"), STEPS_OF_PACKS, a_month
            ),
            Kind("archive", f"{archiving}.build_archive", _("Exporting the project"), STEPS_OF_ARCHIVES, a_month),
            Kind("archive-import", f"{archiving}.take_in", _("Importing the project"), STEPS_OF_ARCHIVES),
        )
