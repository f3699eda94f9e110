"""What a pack must not contain: texts that may not be shared, addresses, and whatever identifies a person."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from analysis.frames.evidence import Evidence, describe_correction, list_corrections, select_short_texts
from items.models import KeyCorrection, Text
from items.plain import CHARACTER, UNSPACED
from items.values import hash_body
from studies.models import Annotator, AnnotatorKind, Study
from studies.protocols.second_round import normalize_wording


def find_hidden_texts(study: Study) -> frozenset[str]:
    """Ids of texts that may not be shared, in the study's version or the newest one."""
    ids = study.units.values("text__external_id")
    found = Text.objects.filter(project=study.project, external_id__in=ids).filter(
        Q(units__study=study) | Q(superseded_at=None)
    )
    return frozenset(found.filter(shareable=False).values_list("external_id", flat=True))


ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
# A code that does not identify anybody: a letter, or a short word for a role and a number. Anything else may be a
# name, or the code under which a platform knows the person.
OPAQUE = re.compile(
    r"[a-z]|[a-z]{0,2}[-_. ]?[0-9]{1,6}|(pilot|preview|sim|expert|annotator|ann|rater|judge|person|participant|subject"
    r"|student|teacher|worker|user)([-_. ]?[0-9]{1,6}|[-_. ][a-z])",
    re.IGNORECASE | re.ASCII,
)
RUN = 5  # consecutive words that identify their text
WORD = re.compile(f"[{UNSPACED}]|[^\\W{UNSPACED}]+")
WITH_ANNOTATORS = ("frame", "every_round", "annotators", "times", "minutes", "verdicts", "pairs")  # of `Evidence`


@dataclass(frozen=True)
class Redactor:
    """`hidden`: ids of texts that may not be shared. `runs`: all runs of five consecutive words in them. `codes`: new
    codes for all people, if any code may be a name. `persons`: opaque codes in place of the project-wide ones."""

    hidden: frozenset[str]
    runs: frozenset[tuple[str, ...]]
    codes: Mapping[str, str]
    persons: Mapping[str, str]

    def code(self, annotator: str) -> str:
        return self.codes.get(annotator, annotator)

    def redact_about_text(self, text_id: str, words: str | None) -> str | None:
        """Free words about a text, by a person or a model: a hash if the text may not be shared."""
        if not words:
            return words
        return hash_words(words) if text_id in self.hidden else self.hash_if_quoted(words)

    def hash_if_quoted(self, words: str) -> str:
        """Words about anything: a hash if they quote a text that may not be shared."""
        return hash_words(words) if self.quotes(words) else replace_addresses(words)

    def redact_wording(self, words: str) -> str:
        """A question or option: if it quotes such a text, a hash of the same length, as lengths are in figures."""
        return hash_to_length(words) if self.quotes(words) else words

    def quotes(self, words: str) -> bool:
        """Whether five consecutive words occur in a text that may not be shared."""
        return bool(self.runs) and not self.runs.isdisjoint(list_word_runs(words))

    def redact_nested(self, text_id: str, value: Any) -> Any:
        """Redact all texts within a JSON value; about a hidden text, only labels of a few words stay."""
        if isinstance(value, str):
            is_label = len(WORD.findall(value)) < RUN
            return self.hash_if_quoted(value) if is_label or text_id not in self.hidden else hash_words(value)
        if isinstance(value, Mapping):
            return {name: self.redact_nested(text_id, inner) for name, inner in value.items()}
        return [self.redact_nested(text_id, inner) for inner in value] if isinstance(value, list) else value

    def redact_all(self, value: Any) -> Any:
        """A JSON value without quotes or addresses in any of its texts."""
        return self.redact_nested("", value)

    def redact_evidence(self, evidence: Evidence) -> Evidence:
        """The evidence as the pack has it: with its codes, and only what may be published about items and
        corrections."""
        frames = {name: getattr(evidence, name) for name in WITH_ANNOTATORS}
        if self.codes:
            frames = {name: frame.assign(annotator=frame["annotator"].map(self.code)) for name, frame in frames.items()}
        sentences = tuple(
            describe_correction(self.redact_correction(made)) for made in list_corrections(evidence.study)
        )
        if self.hidden:
            frames |= self.redact_items(evidence)
        background = {self.code(code): answers for code, answers in evidence.background.items()}
        return replace(evidence, corrections=sentences, background=background, **frames)

    def redact_items(self, evidence: Evidence) -> dict[str, Any]:
        """What figures compute from wordings and metadata, as a restored bank will have them."""
        text_of = dict(evidence.items[["item_id", "text_id"]].to_numpy())
        values = {
            item: {name: self.redact_nested(text_of.get(item, ""), value) for name, value in fields.items()}
            for item, fields in evidence.metadata.items()
        }
        return {
            "items": evidence.items.assign(stem=evidence.items["stem"].map(self.redact_wording)),
            "options": evidence.options.assign(wording=evidence.options["wording"].map(self.redact_wording)),
            "metadata": {item: select_short_texts(fields) for item, fields in values.items()},
        }

    def redact_correction(self, correction: KeyCorrection) -> KeyCorrection:
        correction.reason = self.hash_if_quoted(correction.reason)
        return correction


def make_redactor(study: Study) -> Redactor:
    """Built from the database."""
    names = find_hidden_texts(study)
    hidden = study.units.filter(text__external_id__in=names).values_list("text__body", "text__versions").distinct()
    bodies = [words for body, versions in hidden for words in (body, *(each["text"] for each in versions))]
    annotators = list(Annotator.objects.filter(study=study).order_by("pk").values_list("code", "kind", "person"))
    return Redactor(
        hidden=names,
        runs=frozenset(run for body in bodies for run in list_word_runs(body)),
        codes=assign_codes([(code, kind) for code, kind, _person in annotators]),
        persons=number_names("person", dict.fromkeys(person for _code, _kind, person in annotators if person), set()),
    )


def assign_codes(annotators: list[tuple[str, str]]) -> dict[str, str]:
    """New codes for all people if any of theirs may be a name; in the order of the old ones, as tables sort by them."""
    people = sorted(code for code, kind in annotators if kind == AnnotatorKind.HUMAN)
    if all(map(OPAQUE.fullmatch, people)):
        return {}
    return number_names("annotator", people, {code for code, kind in annotators if kind != AnnotatorKind.HUMAN})


def number_names(word: str, names: Iterable[str], taken: set[str]) -> dict[str, str]:
    """`word-1`, `word-2`, …, all of the same length, skipping those that are taken."""
    names, found, number = list(names), {}, 0
    width = len(str(len(names) + len(taken)))
    for name in names:
        number += 1
        while f"{word}-{number:0{width}d}" in taken:
            number += 1
        found[name] = f"{word}-{number:0{width}d}"
    return found


def list_word_runs(words: str) -> set[tuple[str, ...]]:
    """All runs of five consecutive words; a character of a script without spaces counts as half a word."""
    found = [word.casefold() for word in WORD.findall(words)]
    weights = [1 if CHARACTER.match(word) else 2 for word in found]
    runs, end, weight = set(), 0, 0
    for start in range(len(found)):
        while weight < 2 * RUN and end < len(found):
            weight += weights[end]
            end += 1
        if weight < 2 * RUN:
            break
        runs.add(tuple(found[start:end]))
        weight -= weights[start]
    return runs


def replace_addresses(words: str) -> str:
    return ADDRESS.sub("[e-mail]", words)


def digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


def hash_words(words: str) -> str:
    """The substitute for words that may not be shared: equal words get the same one."""
    return words if words.startswith("sha256:") else f"sha256:{digest(words)}"


def hash_to_length(words: str) -> str:
    """A hash as long as the words; wordings that count as the same get the same beginning."""
    return f"sha256:{digest(normalize_wording(words))}".ljust(len(words), ".")[: len(words)]


def hash_text(text: Text) -> str:
    """The hash in place of a text; a text that came from a pack without its words keeps the hash from there."""
    return text.body if text.body.startswith("sha256:") else f"sha256:{hash_body(text.body)}"
