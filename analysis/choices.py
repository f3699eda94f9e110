"""The choices for a report or an export, parsed from words and checked."""

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Self

from django.utils.translation import gettext as _

from studies.models import Study

READERS, ANNOTATORS, PUBLISHED = CONVENTIONS = ("readers", "annotators", "published")
DEFAULT_CONVENTION = CONVENTIONS[0]
OLD_NAMES = {"clustered": ANNOTATORS}  # earlier names of conventions in addresses, commands and packs
EXTRA_PURPOSES = ("pilot", "simulated")
EXPORTED = (*EXTRA_PURPOSES, "expert")  # what an export may include besides main; a report never counts experts
DUPLICATES, REFERENCES = "duplicates", "references"
DROPPED = (DUPLICATES, REFERENCES)  # kinds of items that comparisons of metrics with people may leave out
MAX_SEED = 2**63 - 1


class BadChoice(ValueError):
    """A choice that does not exist or is impossible; the message is a sentence that names the possible ones."""


@dataclass(frozen=True)
class Choices:
    """Which answers enter a report, and which intervals are in low and high. No evaluators or groups means all."""

    convention: str = DEFAULT_CONVENTION
    purposes: tuple[str, ...] = ("main",)
    evaluators: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    seed: int = 0
    dropped: tuple[str, ...] = ()  # from DROPPED; only affects comparisons of metrics with people
    shared_texts: bool = False  # whether only texts that people and all models answered count
    calibration: bool = True  # whether answers of a calibration enter the results; agreement always includes them
    adjudicated: bool = False  # whether decisions of an adjudication replace people's answers
    dif_by: str = ""  # the background question whose answers form the groups of DIF; empty: the groups of the study

    def to_json(self) -> dict[str, Any]:
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        fields: dict[str, Any] = {
            name: tuple(each) if isinstance(each, list) else each for name, each in values.items()
        }
        return cls(**fields)

    @property
    def extra_purposes(self) -> tuple[str, ...]:
        """The purposes besides main."""
        return tuple(purpose for purpose in self.purposes if purpose != "main")


def split_list(written: str | None) -> tuple[str, ...]:
    """The words of a comma-separated list, without repetition; a word with a comma is quoted, as in CSV."""
    try:
        listed = next(csv.reader([written or ""], skipinitialspace=True), [])
    except csv.Error:  # a line break
        listed = (written or "").split(",")
    return tuple(dict.fromkeys(word.strip() for word in listed if word.strip()))


def resolve_convention(word: str) -> str:
    """The current name of a convention, also for an earlier name; other words stay unchanged."""
    return OLD_NAMES.get(word, word)


def parse_purposes(extra: Iterable[str], known: tuple[str, ...] = EXTRA_PURPOSES) -> tuple[str, ...]:
    """main and the extra purposes, in a fixed order; `BadChoice` for one that cannot be included."""
    asked = set(extra)
    if unknown := sorted(asked - set(known)):
        values = {"word": unknown[0], "known": ", ".join(known)}
        raise BadChoice(_("“%(word)s” cannot be included. Choose from, separated by commas: %(known)s.") % values)
    return ("main", *(purpose for purpose in known if purpose in asked))


def parse_dropped(asked: Iterable[str]) -> tuple[str, ...]:
    """What comparisons of metrics leave out, in a fixed order; `BadChoice` for what cannot be left out."""
    asked = set(asked)
    if unknown := sorted(asked - set(DROPPED)):
        raise BadChoice(
            _("“%(word)s” cannot be dropped. Choose duplicates, references, or both separated by a comma.")
            % {"word": unknown[0]}
        )
    return tuple(name for name in DROPPED if name in asked)


def parse_seed(written: str) -> int:
    """A whole number from 0 that seeds a random generator."""
    if written.isascii() and written.isdecimal() and len(written) < 20 and int(written) <= MAX_SEED:
        return int(written)
    raise BadChoice(_("“%(word)s” is not a seed. Write a whole number from 0.") % {"word": written})


def find_study(slug: str) -> Study:
    """The study of that short name, for commands."""
    study = Study.objects.select_related("project", "instrument_version__instrument").filter(slug=slug).first()
    if study is None:
        raise BadChoice(
            _("There is no study “%(slug)s”. The short name is in the study's address: /s/….") % {"slug": slug}
        )
    return study
