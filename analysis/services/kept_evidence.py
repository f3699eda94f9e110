"""The evidence of large studies is kept in the cache in little room, so that pages need not read all answers anew."""

import hashlib
import json
import pickle
import zlib
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import get_language

from analysis.choices import Choices
from analysis.compact import CompactFrame, compact
from analysis.consistency import consistent_read
from analysis.evidence import Evidence, evidence_of
from analysis.frames import latest_rounds
from analysis.services.state import A_DAY, FORMAT, counted_state
from analysis.services.wanted import Wanted
from analysis.services.working import result_now
from studies.models import Study

QUICK = 1  # the level of zlib: codes of few values shrink well at any
NOT_KEPT = ("study", "choices", "frame")  # given, or worked out of the rest
Among = Mapping[str, Collection[Any]]  # values by column of the frame


@dataclass(frozen=True)
class KeptEvidence:
    """All fields of an `Evidence` but those of `NOT_KEPT`, its answers in little room."""

    every_round: CompactFrame
    rest: dict[str, Any]

    def evidence(self, study: Study, choices: Choices, among: Among | None) -> Evidence:
        rounds = self.every_round.frame(among)
        return Evidence(study=study, choices=choices, frame=latest_rounds(rounds), every_round=rounds, **self.rest)


def evidence_now(study: Study, choices: Choices, among: Among | None = None) -> Evidence:
    """What `evidence_of` reads, of a large study from the cache where nothing has changed since it was read.

    With `among`, which large studies alone look at, only the answers that have one of the values of each of these
    columns are there; columns of `frames.ANSWERED` and of items, so that the latest round of each answer stays it.
    """
    asked = those_that_matter(choices)
    place = place_of(study, asked)
    there = cache.get(place)  # outside of the snapshot, as the cache takes out what is too old
    with consistent_read():
        state, n = counted_state(study, asked)
        if n <= settings.LESART["RESULTS_AT_ONCE"]:
            return evidence_of(study, choices)
        if there and there[0] == state:
            return unpacked(there[1]).evidence(study, choices, among)
        there = None
        read = packed(evidence_of(study, asked))
    cache.set(place, (state, read), A_DAY)
    return unpacked(read).evidence(study, choices, among)


def evidence_soon(study: Study, choices: Choices, among: Among | None = None) -> Evidence:
    """The same for a page: `BeingWorkedOut` while a worker reads a large study that is not kept."""
    asked = those_that_matter(choices)
    state, n = counted_state(study, asked)
    there = cache.get(place_of(study, asked)) if n > settings.LESART["RESULTS_AT_ONCE"] else None
    if there and there[0] == state:
        return unpacked(there[1]).evidence(study, choices, among)
    if n > settings.LESART["RESULTS_AT_ONCE"]:
        result_now(Wanted("evidence", study, asked))
    return evidence_now(study, choices, among)


def those_that_matter(choices: Choices) -> Choices:
    """Without what evidence does not depend on: measures and tables look at the rest."""
    return Choices(purposes=choices.purposes, groups=choices.groups, shared_texts=choices.shared_texts)


def place_of(study: Study, choices: Choices) -> str:
    """By language, as evidence has sentences."""
    said = [FORMAT, study.pk, asdict(choices), get_language()]
    return f"evidence:{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"


def packed(evidence: Evidence) -> bytes:
    rest = {field.name: getattr(evidence, field.name) for field in fields(evidence) if field.name not in NOT_KEPT}
    kept = KeptEvidence(compact(rest.pop("every_round")), rest)
    return zlib.compress(pickle.dumps(kept, pickle.HIGHEST_PROTOCOL), QUICK)


def unpacked(kept: bytes) -> KeptEvidence:
    """Of what was packed here and nowhere else."""
    found: KeptEvidence = pickle.loads(zlib.decompress(kept))  # noqa: S301 - the cache's own values are pickles too
    return found
