"""Writing the replication pack of a study: one ZIP from which every table and figure can be computed again."""

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from analysis.choices import BadChoice, Choices
from analysis.exports.codebook import build_codebook
from analysis.frames.evidence import Evidence, collect_evidence, open_consistent_read
from analysis.frames.export_rows import list_export_columns
from analysis.pack import frozen, work
from analysis.pack.archive import Archive, write_json_text
from analysis.pack.code_book import COLUMNS as COLUMNS_OF_ALL
from analysis.pack.code_book import list_entries, read_me
from analysis.pack.datasheet import as_markdown, as_objects, build_datasheet
from analysis.pack.methods import LANGUAGES, Conduct, collect_facts, describe_conduct, draft_methods
from analysis.pack.redaction import Redactor, find_hidden_texts, make_redactor
from analysis.reports.report import Report
from analysis.services.cached_results import find_subject
from analysis.services.reporting import (
    build_full_report,
    check_choices,
    describe_provenance,
    iter_figure_files,
    iter_table_files,
    list_software_versions,
)
from analysis.tables.writers import as_csv, write_cell
from evaluation.metric_values import METRIC_COLUMNS, iter_metric_rows
from evaluation.services.calls import list_unanswered_columns
from items.services.exporting import format_json_line
from jobs.files import create_file
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import delete_job, get_or_schedule, make_job
from projects.models import User
from studies.models import Purpose, Study
from studies.protocols import PROTOCOLS
from studies.strict_yaml import write_yaml

STEPS = ("texts and items", "answers", "tables", "figures", "datasheet")
Progress = Callable[[int], None]  # called with the number of STEPS that are done


def write_pack(study: Study, choices: Choices, out: IO[bytes], progress: Progress = lambda done: None) -> int:
    """Write the pack to an open file; returns the number of its answers. The same study and choices give the same
    bytes.

    Everything is read at one moment. Memory holds what a report needs, not the files.
    """
    refuse_written(study)
    archive = Archive(out)
    with override("en"):
        check_choices(study, choices)
        with open_consistent_read():
            redactor = make_redactor(study)
            write_study(archive, study, redactor)
            n_answers = write_answers(archive, study, choices, redactor)
            evidence = redactor.redact_evidence(collect_evidence(study, choices))
            conduct = describe_conduct(evidence)
        progress(2)
        report = write_report(archive, evidence, progress)
        write_documents(archive, evidence, report, conduct, redactor)
        archive.close(describe_pack(study, choices, redactor, n_answers))
        progress(len(STEPS))
    return n_answers


def refuse_written(study: Study) -> None:
    """Raises `BadChoice` for a writing study: its questions become items, which are in packs of studies about them."""
    if not PROTOCOLS[study.protocol].needs_items:
        raise BadChoice(
            _("Writing studies have no replication pack: accepted questions become items and are part of "
              "the pack of the study that evaluates them. Use export_responses to export what was "
              "written.")
        )  # fmt: skip


def write_study(archive: Archive, study: Study, redactor: Redactor) -> None:
    """Write what was asked: the study, its wordings, its units, and the bank with metrics and key corrections."""
    archive.write("study/study.yaml", write_yaml(frozen.build_study_file(study)))
    archive.write_json("study/history.json", frozen.describe_history(study))
    write_lines(archive, "study/units.jsonl", frozen.iter_units(study))
    for name, source in frozen.iter_instruments(study, redactor).items():
        archive.write(name, source)
    write_lines(archive, "bank/items.jsonl", frozen.iter_bank_objects(study, redactor))
    write_lines(archive, "bank/generators.jsonl", frozen.list_generators(study, redactor))
    write_lines(archive, "bank/metrics.jsonl", frozen.list_metrics(study))
    write_lines(archive, "bank/key_corrections.jsonl", frozen.list_corrections(study, redactor))
    archive.write_json("bank/versions.json", frozen.list_versions(study))
    write_table(archive, "bank/metrics.csv", METRIC_COLUMNS, iter_metric_rows(study))


def write_answers(archive: Archive, study: Study, choices: Choices, redactor: Redactor) -> int:
    """Write who answered what, when and in which order; returns the number of answers."""
    who = (study, (*choices.purposes, Purpose.EXPERT), redactor)
    write_lines(archive, "answers/annotators.jsonl", work.iter_annotators(*who))
    write_lines(archive, "answers/assignments.jsonl", work.iter_assignments(*who))
    write_lines(archive, "answers/submissions.jsonl", work.iter_submissions(*who))
    n_answers = write_table(archive, "answers/responses.csv", list_export_columns(study), work.iter_answers(*who))
    write_table(archive, "answers/unanswered.csv", list_unanswered_columns(study), work.iter_missing_answers(*who))
    archive.write("answers/codebook.csv", as_csv(build_codebook(study)))
    write_lines(archive, "answers/codes.jsonl", work.iter_codes(study, redactor))
    write_lines(archive, "answers/coders.jsonl", work.iter_coders(study, redactor))
    write_lines(archive, "answers/code_decisions.jsonl", work.iter_code_decisions(study, redactor))
    return n_answers


def write_report(archive: Archive, evidence: Evidence, progress: Progress) -> Report:
    """Write the same files as the command `report` does, byte for byte; returns the report."""
    study, report = evidence.study, build_full_report(evidence)
    for name, content in iter_table_files(report):
        archive.write(f"report/tables/{name}", content)
    progress(3)
    for name, drawn in iter_figure_files(study, report):
        archive.write(f"report/figures/{name}", drawn)
    archive.write("report/report.json", write_json_text(describe_provenance(study, report, evidence.choices)))
    progress(4)
    return report


def write_documents(archive: Archive, evidence: Evidence, report: Report, conduct: Conduct, redactor: Redactor) -> None:
    """Write the datasheet, drafts of the methods paragraph, the code book, and how to use the pack."""
    facts = collect_facts(evidence, report, conduct)
    # Wordings may quote a hidden text.
    entries = [entry.with_answer(redactor.hash_if_quoted) for entry in build_datasheet(facts)]
    archive.write("datasheet/heds.md", as_markdown(entries))
    archive.write_json("datasheet/heds.json", as_objects(entries))
    for language in LANGUAGES:
        archive.write(f"datasheet/methods.{language}.md", draft_methods(facts, language))
    rows = (dict(zip(COLUMNS_OF_ALL, row, strict=True)) for row in list_entries(evidence.study, report))
    write_table(archive, "codebook.csv", COLUMNS_OF_ALL, rows)
    archive.write("README.md", read_me(evidence.study, evidence.choices))


def describe_pack(study: Study, choices: Choices, redactor: Redactor, n_answers: int) -> dict[str, Any]:
    """The manifest's description of the pack: its source, the choices and the software."""
    return {
        "study": study.slug,
        "seeds": {"study": study.seed, "report": choices.seed},
        "convention": choices.convention,
        "shared_texts": choices.shared_texts,
        "dropped": list(choices.dropped),
        "included_purposes": list(choices.purposes),
        "calibration": choices.calibration,
        "adjudicated": choices.adjudicated,
        "dif_by": choices.dif_by,
        "n_responses": n_answers,
        "texts_withheld": sorted(redactor.hidden),
        "codes_replaced": len(redactor.codes),
        "versions": list_software_versions(),
    }


def write_lines(archive: Archive, name: str, objects: Iterable[dict[str, Any]]) -> None:
    with archive.text(name) as out:
        for each in objects:
            out.write(format_json_line(each))


def write_table(archive: Archive, name: str, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> int:
    columns, number = tuple(columns), 0
    with archive.text(name) as out:
        writer = csv.writer(out)
        writer.writerow(map(write_cell, columns))
        for number, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
            writer.writerow([write_cell(row.get(column)) for column in columns])
    return number


# Packs requested on a page: a job builds them, and the file waits in the folder of jobs.

KIND = "pack"


def find_pack(study: Study) -> Job | None:
    """The study's pack, whoever requested it."""
    return Job.objects.filter(kind=KIND, subject=study.job_subject).first()


def request_pack(study: Study, choices: Choices, user: User | None) -> Job:
    """Request a new pack, which replaces the earlier one; returns its job, or that of the same unfinished request.

    A pack holds the rows of every evaluator, whichever were chosen.
    """
    parameters = replace(choices, evaluators=None).to_json()
    wanted = make_job(KIND, study.job_subject, parameters, study.project, language="en")
    for other in Job.objects.filter(kind=KIND, subject=wanted.subject).exclude(key=wanted.key):
        delete_job(other)
    return get_or_schedule(wanted, timezone.now().isoformat(), user)


def build_pack(job: Job, report_progress: Listener) -> Path:
    """The work of a job that builds a pack."""

    def report_step(done: int) -> None:
        report_progress(STEPS[min(done, len(STEPS) - 1)], done, len(STEPS))

    study = find_subject(job)
    job.about = {"withheld": sorted(find_hidden_texts(study))}
    report_step(0)
    try:
        with create_file() as file:
            write_pack(study, Choices.from_json(job.parameters), file, report_step)
    except BadChoice as bad:
        raise JobFailed(str(bad)) from bad
    return Path(file.name)


def has_withheld_text(pack: Job) -> bool:
    """Whether a text in the pack has been withheld since it was built."""
    return not find_hidden_texts(find_subject(pack)) <= set(pack.about["withheld"])
