"""Writing a report to a folder: every table as CSV, JSON and TeX, every figure as SVG and PNG, and report.json."""

import json
import platform
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import override

from analysis.choices import Choices
from analysis.figures import as_png, as_svg
from analysis.files import whole_file
from analysis.report import Report
from analysis.reports import build
from analysis.services.results import figure_specification
from analysis.writers import WRITERS
from studies.models import Study

LIBRARIES = ("django", "numpy", "scipy", "pandas", "altair", "vl-convert-python")


def write_report(study: Study, out: Path, choices: Choices) -> Report:
    """Write the report into the folder `out`, which is made if need be. The same answers give the same bytes."""
    with override("en"):  # files are the same whoever asks
        report = build(study, choices)
        for folder in (out / "tables", out / "figures"):
            folder.mkdir(parents=True, exist_ok=True)
        write_tables(report, out / "tables")
        write_figures(study, report, out / "figures")
    with whole_file(out / "report.json") as file:
        file.write(json.dumps(about(study, report, choices), ensure_ascii=False, indent=1) + "\n")
    return report


def write_tables(report: Report, folder: Path) -> None:
    for table in report.tables:
        for ending, written in WRITERS.items():
            with whole_file(folder / f"{table.name}.{ending}") as file:
                file.write(written(table))


def write_figures(study: Study, report: Report, folder: Path) -> None:
    for name in report.figures:
        spec = figure_specification(study, report, name)
        (folder / f"{name}.svg").write_text(as_svg(spec), encoding="utf-8")
        (folder / f"{name}.png").write_bytes(as_png(spec))


def about(study: Study, report: Report, choices: Choices) -> dict[str, Any]:
    """What was computed from what, with what: enough to do it again."""
    instrument = study.instrument_version
    return {
        "study": {
            "slug": study.slug,
            "title": study.title,
            "protocol": study.protocol,
            "language": study.language,
            "state": study.state,
            "params": study.params,
            "instrument": f"{instrument.instrument}/{instrument.version}",
            "instrument_hash": instrument.content_hash,
        },
        "convention": choices.convention,
        "seed": choices.seed,
        "included_purposes": list(choices.purposes),
        "evaluators": choices.evaluators or "all",
        "groups": choices.groups or "all",
        "n_responses": report.n_responses,
        "n_responses_left_out": dict(report.left_out),
        "key_corrections_after_launch": list(report.corrections),
        "says": list(report.sentences),
        "checks": [{"passed": check.passed, "says": check.said} for check in report.checks],
        "tables": {table.name: len(table.rows) for table in report.tables},
        "figures": list(report.figures),
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "lesart": project["version"],
        "python": platform.python_version(),
        **{library: version(library) for library in LIBRARIES},
    }
