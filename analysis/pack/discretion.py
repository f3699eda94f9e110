"""What a pack must not say: texts that may not be shared, whoever's address, and what tells who somebody is."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from analysis.evidence import Evidence, correction_sentence, corrections_made
from items.models import KeyCorrection, Text
from items.values import body_hash
from studies.models import Annotator, AnnotatorKind, Study

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
NOT_OPAQUE = re.compile(r"[@\s]")  # codes are made of one word; what is an address or several may be a name
RUN = 5  # words in a row that say whose they are
WORD = re.compile(r"\w+")
CODED = ("frame", "every_round", "annotators", "minutes", "pairs")


@dataclass(frozen=True)
class Discretion:
    """`hidden`: ids of texts that may not be shared. `runs`: every run of five of their words. `codes`: other codes for
    people whose own may be a name. `persons`: opaque codes for the project-wide ones."""

    hidden: frozenset[str]
    runs: frozenset[tuple[str, ...]]
    codes: Mapping[str, str]
    persons: Mapping[str, str]

    def code(self, annotator: str) -> str:
        return self.codes.get(annotator, annotator)

    def about(self, text_id: str, words: str | None) -> str | None:
        """Free words of somebody or of a model about a text: a hash where the text may not be shared."""
        if not words:
            return words
        return hashed(words) if text_id in self.hidden else without_addresses(words)

    def unquoted(self, words: str) -> str:
        """Words about anything: a hash if they quote a text that may not be shared."""
        return hashed(words) if self.quotes(words) else without_addresses(words)

    def quotes(self, words: str) -> bool:
        """Whether five words in a row stand in a text that may not be shared."""
        return bool(self.runs) and not self.runs.isdisjoint(runs_of(words))

    def nested(self, text_id: str, value: Any) -> Any:
        """The same for all texts within a JSON value; of a hidden text only labels of a few words stay."""
        if isinstance(value, str):
            is_label = len(WORD.findall(value)) < RUN
            return without_addresses(value) if is_label or text_id not in self.hidden else hashed(value)
        if isinstance(value, Mapping):
            return {name: self.nested(text_id, inner) for name, inner in value.items()}
        return [self.nested(text_id, inner) for inner in value] if isinstance(value, list) else value

    def of_evidence(self, evidence: Evidence) -> Evidence:
        """The evidence under the pack's codes, and with what may be said of corrections."""
        frames = {name: getattr(evidence, name) for name in CODED}
        if self.codes:
            frames = {name: frame.assign(annotator=frame["annotator"].map(self.code)) for name, frame in frames.items()}
        said = tuple(correction_sentence(self.of_correction(made)) for made in corrections_made(evidence.study))
        return replace(evidence, corrections=said, **frames)

    def of_correction(self, correction: KeyCorrection) -> KeyCorrection:
        correction.reason = self.unquoted(correction.reason)
        return correction


def discretion_of(study: Study) -> Discretion:
    """Read from the database: a text is hidden if the version in the study, or the newest one, may not be shared."""
    ids = study.units.values("text__external_id")
    hidden = Text.objects.filter(project=study.project, external_id__in=ids).filter(
        Q(units__study=study) | Q(superseded_at=None)
    )
    names = frozenset(hidden.filter(shareable=False).values_list("external_id", flat=True))
    bodies = study.units.filter(text__external_id__in=names).values_list("text__body", flat=True)
    annotators = list(Annotator.objects.filter(study=study).order_by("pk").values_list("code", "kind", "person"))
    return Discretion(
        hidden=names,
        runs=frozenset(run for body in bodies for run in runs_of(body)),
        codes=other_codes([(code, kind) for code, kind, _person in annotators]),
        persons=numbered(dict.fromkeys(person for _code, _kind, person in annotators if person), set()),
    )


def other_codes(annotators: list[tuple[str, str]]) -> dict[str, str]:
    """Codes for the people whose own is an address or has several words."""
    named = [code for code, kind in annotators if kind == AnnotatorKind.HUMAN and NOT_OPAQUE.search(code)]
    return numbered(named, {code for code, _kind in annotators})


def numbered(names: Iterable[str], taken: set[str]) -> dict[str, str]:
    found, number = {}, 0
    for name in names:
        number += 1
        while f"person-{number}" in taken:
            number += 1
        found[name] = f"person-{number}"
    return found


def runs_of(words: str) -> set[tuple[str, ...]]:
    found = [word.casefold() for word in WORD.findall(words)]
    return {tuple(found[start : start + RUN]) for start in range(len(found) - RUN + 1)}


def without_addresses(words: str) -> str:
    return ADDRESS.sub("[e-mail]", words)


def hashed(words: str) -> str:
    """What stands for words that may not be shared: equal words give the same."""
    return words if words.startswith("sha256:") else f"sha256:{hashlib.sha256(words.encode()).hexdigest()}"


def hashed_text(text: Text) -> str:
    """The hash that stands for a text; of one that came from a pack without its words, the one it came with."""
    return text.body if text.body.startswith("sha256:") else f"sha256:{body_hash(text.body)}"
