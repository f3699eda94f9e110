"""Reports and drill-down of any protocol; and a report as a folder: tables and figures in all formats, report.json."""

import errno
import json
import os
import platform
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from analysis.agreement import stand_in
from analysis.agreement.stand_in import build_stand_in_tables
from analysis.choices import BadChoice, Choices
from analysis.figures.registry import as_json, as_png, as_svg
from analysis.files import open_whole_file, sort_keys
from analysis.frames.evidence import Evidence, collect_evidence
from analysis.plugins import find_plugin
from analysis.reports.drill_down import DESCRIPTION, TABLES
from analysis.reports.published import add_published
from analysis.reports.report import Report, complete_report
from analysis.science import drill_down as science_drill_down
from analysis.science.report import add_science
from analysis.services.figures import specify_figure
from analysis.tables.spec import Row, Table, TableSpec
from analysis.tables.writers import WRITERS
from jobs.progress import expect_tables
from projects.scratch import pause_garbage_collection
from studies.models import Study
from studies.services.phases import list_background_questions


def build(study: Study, choices: Choices) -> Report:
    """The report of a study from the answers at one moment. `BadChoice` if a choice does not occur in the study."""
    check_choices(study, choices)
    return build_report(collect_evidence(study, choices))


def build_report(evidence: Evidence) -> Report:
    """The report computed from this evidence; nothing more is read."""
    return complete_report(build_protocol_report(evidence), evidence)


def build_protocol_report(evidence: Evidence) -> Report:
    """The report of the protocol's own module, with published numbers beside it."""
    plugin = find_plugin(evidence.study.protocol)
    elsewhere = {spec.name for spec in stand_in.list_tables()}  # on a page of their own
    with expect_tables({spec.name for spec in (*plugin.tables(), DESCRIPTION)} - elsewhere):
        return add_published(add_science(plugin.report(evidence), evidence), evidence)


def build_full_report(evidence: Evidence) -> Report:
    """The report of `build_report` with the tables that have a page of their own: for files, where nobody waits."""
    report = build_protocol_report(evidence)
    return complete_report(replace(report, tables=(*report.tables, *build_stand_in_tables(evidence))), evidence)


def build_stand_in_report(evidence: Evidence, kind: str) -> Report:
    """Whether models can replace people of this kind (see `analysis.agreement.stand_in`)."""
    return complete_report(Report(build_stand_in_tables(evidence, kind), (), ()), evidence)


def check_choices(study: Study, choices: Choices) -> None:
    """`BadChoice` for a group or background question that the study does not have."""
    known = {*study.groups, *study.annotators.values_list("group", flat=True)} - {""}
    unknown = [group for group in choices.groups or () if group not in known]
    if unknown:
        values = {"group": unknown[0], "groups": ", ".join(sorted(known)) or _("none")}
        raise BadChoice(_("There is no group “%(group)s” in this study. Its groups: %(groups)s.") % values)
    questions = [question.name for question in list_background_questions(study)]
    if choices.dif_by and choices.dif_by not in questions:
        values = {"name": choices.dif_by, "names": ", ".join(questions) or _("none")}
        raise BadChoice(
            _("There is no background question “%(name)s” with answers to choose from. There are: %(names)s.") % values
        )


# Drill-down -----------------------------------------------------------------------------------------------------------


def list_specs(protocol: str) -> dict[str, TableSpec]:
    """By name the tables whose numbers lead to answers; tables of the protocol itself take precedence."""
    specs = (*TABLES, *science_drill_down.list_tables(), *stand_in.list_tables(), *find_plugin(protocol).tables())
    return {spec.name: spec for spec in specs if spec.list_answers}


def find_shared(study: Study, name: str, row: Row) -> dict[str, tuple[str]]:
    """By column of the frame, the value that all answers behind the numbers of this row have in common."""
    spec = list_specs(study.protocol).get(name)
    return {column: (row[column],) for column in spec.shared} if spec else {}


def drill_down(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """The answers behind the number in this column of a row; `KeyError` for a table without drill-down."""
    list_answers = list_specs(evidence.study.protocol)[name].list_answers
    assert list_answers is not None
    return list_answers(evidence, row, column)


ABOUT = "report.json"
FOLDERS = {"tables": tuple(WRITERS), "figures": ("vl.json", "svg", "png")}
"""The contents of the folder besides `ABOUT`: the file endings of each table or figure."""
MOST_BYTES = 100_000_000  # a report.json has a few kilobytes; a file this large is none


def make_folders(out: Path) -> None:
    """Make the folder and its subfolders; an `OSError` names the one that is not writable."""
    for folder in (out, *(out / name for name in FOLDERS)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder)) from None
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(folder)) from None


def remove_earlier(out: Path, report: Report) -> None:
    """Remove the tables and figures listed in the folder's report.json that `report` does not have.

    Nothing else is touched: no file that report.json does not list, none outside the folder, no link and no folder.
    """
    now = {"tables": {table.name for table in report.tables}, "figures": set(report.figures)}
    for kind, names in list_names(out / ABOUT).items():
        for name in sorted(names - now[kind]):
            for path in (out / kind / f"{name}.{ending}" for ending in FOLDERS[kind]):
                if path.is_file() and not path.is_symlink() and is_inside(path, out):
                    path.unlink()


def list_names(about: Path) -> dict[str, set[str]]:
    """The names of tables and figures in a report.json; empty if there is none, or if it is not a report's."""
    try:
        content = json.loads(about.read_bytes()) if about.stat().st_size < MOST_BYTES else None
    except (OSError, ValueError, RecursionError):
        return {}
    return {kind: set(select_plain_names(content.get(kind))) for kind in FOLDERS} if isinstance(content, dict) else {}


def select_plain_names(listed: Any) -> Iterator[str]:
    """The plain names: a name that could lead to another folder was not written by a report."""
    for name in listed if isinstance(listed, list | dict) else ():
        if isinstance(name, str) and name.isascii() and name.isidentifier():
            yield name


def is_inside(path: Path, out: Path) -> bool:
    """Whether the file is in the folder itself: `tables` may be a link to another place."""
    return os.path.realpath(path.parent) == os.path.join(os.path.realpath(out), path.parent.name)


LIBRARIES = ("django", "numpy", "scipy", "pandas", "altair", "vl-convert-python")


def write_report(study: Study, out: Path, choices: Choices) -> Report:
    """Write the report into the folder `out`, which is made if needed. The same answers give the same bytes.

    Tables and figures left there by an earlier report, which this one does not have, are removed.
    """
    with override("en"), pause_garbage_collection():  # files do not depend on the reader's language
        check_choices(study, choices)
        make_folders(out)  # before the computing, which takes its time
        report = build_full_report(collect_evidence(study, choices))
        with TemporaryDirectory(prefix=".part-", dir=out) as name:
            part = Path(name)
            make_folders(part)
            write_tables(report, part / "tables")
            write_figures(study, report, part / "figures")
            with open_whole_file(part / ABOUT) as file:
                file.write(json.dumps(describe_provenance(study, report, choices), ensure_ascii=False, indent=1) + "\n")
            remove_earlier(out, report)  # while report.json still lists the earlier files
            move_files(part, out)
    return report


def move_files(part: Path, out: Path) -> None:
    """Move the files of `part` to their places in `out`, report.json last; links stay, files keep their permissions.

    All files are written by then: a full disk or a kill during writing leaves the earlier report whole.
    """
    paths = sorted((path for path in part.rglob("*") if path.is_file()), key=lambda path: path.name == ABOUT)
    for path in paths:
        target = os.path.realpath(out / path.relative_to(part))
        if os.path.isfile(target):
            path.chmod(os.stat(target).st_mode & 0o777)
        os.replace(path, target)


def write_tables(report: Report, folder: Path) -> None:
    for name, content in iter_table_files(report):
        with open_whole_file(folder / name) as file:
            file.write(content)


def iter_table_files(report: Report) -> Iterator[tuple[str, str]]:
    """Name and content of every file of the folder `tables`."""
    for table in report.tables:
        for ending, written in WRITERS.items():
            yield f"{table.name}.{ending}", written(table)


def write_figures(study: Study, report: Report, folder: Path) -> None:
    for name, content in iter_figure_files(study, report):
        with open_whole_file(folder / name, "wb") as file:
            file.write(content)


def iter_figure_files(study: Study, report: Report) -> Iterator[tuple[str, bytes]]:
    """Name and content of every file of the folder `figures`: drawings, and the Vega-Lite specification behind them."""
    for name in report.figures:
        spec = specify_figure(study, report, name)
        yield f"{name}.vl.json", as_json(spec).encode()
        svg = as_svg(spec)
        yield f"{name}.svg", svg.encode()
        yield f"{name}.png", as_png(svg)


def describe_provenance(study: Study, report: Report, choices: Choices) -> dict[str, Any]:
    """The data, choices and versions that the report was computed from: enough to compute it again."""
    instrument = study.instrument_version
    return {
        "study": {
            "slug": study.slug,
            "title": study.title,
            "protocol": study.protocol,
            "language": study.language,
            "state": study.state,
            "params": sort_keys(study.params),
            "instrument": f"{instrument.instrument}/{instrument.version}",
            "instrument_hash": instrument.content_hash,
        },
        "convention": choices.convention,
        "seed": choices.seed,
        "included_purposes": list(choices.purposes),
        "evaluators": choices.evaluators or "all",
        "groups": choices.groups or "all",
        "adjudicated": choices.adjudicated,
        "dif_by": choices.dif_by,
        "n_responses": report.n_responses,
        "n_responses_left_out": dict(report.left_out),
        "key_corrections_after_launch": list(report.corrections),
        "says": list(report.sentences),
        "checks": [{"passed": check.passed, "says": check.sentence} for check in report.checks],
        "tables": {table.name: len(table.rows) for table in report.tables},
        "figures": list(report.figures),
        "versions": list_software_versions(),
    }


def list_software_versions() -> dict[str, str]:
    project = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "lesart": project["version"],
        "python": platform.python_version(),
        **{library: version(library) for library in LIBRARIES},
    }
