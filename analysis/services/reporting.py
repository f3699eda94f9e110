"""Writing a report to a folder: every table and figure in all its formats, and report.json."""

import json
import platform
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import override

from analysis.choices import Choices
from analysis.evidence import evidence_of
from analysis.figures import as_json, as_png, as_svg
from analysis.files import whole_file
from analysis.report import Report
from analysis.reports import check_groups, full_report_from
from analysis.services.figures import figure_specification
from analysis.services.report_folder import ABOUT, make_ready, remove_earlier
from analysis.sorted_keys import sorted_keys
from analysis.writers import WRITERS
from studies.models import Study

LIBRARIES = ("django", "numpy", "scipy", "pandas", "altair", "vl-convert-python")


def write_report(study: Study, out: Path, choices: Choices) -> Report:
    """Write the report into the folder `out`, which is made if need be. The same answers give the same bytes.

    Tables and figures that an earlier report has left there, and this one does not have, are removed.
    """
    with override("en"):  # files are the same whoever asks
        check_groups(study, choices)
        make_ready(out)  # before the computing, which takes its time
        report = full_report_from(evidence_of(study, choices))
        write_tables(report, out / "tables")
        write_figures(study, report, out / "figures")
    remove_earlier(out, report)  # while report.json still says what was there: a run that breaks off loses no name
    with whole_file(out / ABOUT) as file:
        file.write(json.dumps(about(study, report, choices), ensure_ascii=False, indent=1) + "\n")
    return report


def write_tables(report: Report, folder: Path) -> None:
    for name, content in table_files(report):
        with whole_file(folder / name) as file:
            file.write(content)


def table_files(report: Report) -> Iterator[tuple[str, str]]:
    """Name and content of every file of the folder `tables`."""
    for table in report.tables:
        for ending, written in WRITERS.items():
            yield f"{table.name}.{ending}", written(table)


def write_figures(study: Study, report: Report, folder: Path) -> None:
    for name, content in figure_files(study, report):
        with whole_file(folder / name, "wb") as file:
            file.write(content)


def figure_files(study: Study, report: Report) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file of the folder `figures`: drawings, and the Vega-Lite specification behind them."""
    for name in report.figures:
        spec = figure_specification(study, report, name)
        yield f"{name}.vl.json", as_json(spec).encode()
        yield f"{name}.svg", as_svg(spec).encode()
        yield f"{name}.png", as_png(spec)


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
            "params": sorted_keys(study.params),
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
