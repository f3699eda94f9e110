"""The evidence of large studies is kept in the cache in little room, so that pages need not read all answers anew."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import get_language

from analysis.choices import Choices
from analysis.frames.compact import CompactFrame, compact
from analysis.frames.evidence import Evidence, consistent_read, evidence_of
from analysis.frames.responses import latest_rounds
from analysis.services.squeezing import released, squeezed
from analysis.services.state import A_DAY, FORMAT, counted_state
from studies.models import Study

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


def those_that_matter(choices: Choices) -> Choices:
    """Without what evidence does not depend on: measures and tables look at the rest."""
    return Choices(purposes=choices.purposes, groups=choices.groups, shared_texts=choices.shared_texts)


def place_of(study: Study, choices: Choices) -> str:
    """By language, as evidence has sentences."""
    said = [FORMAT, study.pk, asdict(choices), get_language()]
    return f"evidence:{hashlib.sha256(json.dumps(said).encode()).hexdigest()}"


def packed(evidence: Evidence) -> bytes:
    rest = {field.name: getattr(evidence, field.name) for field in fields(evidence) if field.name not in NOT_KEPT}
    return squeezed(KeptEvidence(compact(rest.pop("every_round")), rest))


def unpacked(kept: bytes) -> KeptEvidence:
    found: KeptEvidence = released(kept)
    return found
