"""The evidence of large studies is cached as a compact file, so that results need not read all answers anew."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from analysis.choices import Choices
from analysis.frames.compact import CompactFrame, compact
from analysis.frames.evidence import Evidence, consistent_read, evidence_of
from analysis.frames.responses import latest_rounds
from analysis.services.cached_results import ResultKey, is_large
from analysis.services.state import count_state
from jobs.files import write_value
from jobs.models import Job
from jobs.progress import Hear
from jobs.working import get_or_run
from studies.models import Study

DERIVED = ("study", "choices", "frame")  # given, or derived from the rest
Among = Mapping[str, Collection[Any]]  # values by column of the frame


@dataclass(frozen=True)
class CachedEvidence:
    """All fields of an `Evidence` but the derived ones, with its answers compact."""

    every_round: CompactFrame
    rest: dict[str, Any]

    def expand(self, study: Study, choices: Choices, among: Among | None) -> Evidence:
        rounds = self.every_round.frame(among)
        return Evidence(study=study, choices=choices, frame=latest_rounds(rounds), every_round=rounds, **self.rest)


def load_evidence(study: Study, choices: Choices, among: Among | None = None) -> Evidence:
    """What `evidence_of` reads, of a large study from its file where nothing has changed since it was read.

    With `among`, which large studies alone look at, only the answers that have one of the values of each of these
    columns are there; columns of `frames.ANSWERED` and of items, so that the latest round of each answer stays it.
    """
    key = ResultKey("evidence", study, cache_relevant(choices))
    version, n = count_state(study, key.choices)
    if not is_large(n):
        return evidence_of(study, choices)
    cached: CachedEvidence = get_or_run(key.make_job(), version).read_value()
    return cached.expand(study, choices, among)


def cache_relevant(choices: Choices) -> Choices:
    """Without what evidence does not depend on: measures and tables look at the rest."""
    return Choices(
        purposes=choices.purposes,
        groups=choices.groups,
        shared_texts=choices.shared_texts,
        adjudicated=choices.adjudicated,
    )


def read_evidence(job: Job, report_progress: Hear) -> Path:
    """The work of the kind “evidence”: its version is of the same moment as its answers."""
    key = ResultKey.of_job(job)
    with consistent_read():
        job.version, _n = count_state(key.study, key.choices)
        evidence = evidence_of(key.study, key.choices)
    rest = {field.name: getattr(evidence, field.name) for field in fields(evidence) if field.name not in DERIVED}
    return write_value(CachedEvidence(compact(rest.pop("every_round")), rest))
