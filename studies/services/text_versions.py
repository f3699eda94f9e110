"""Studies of text versions: which versions a study compares, and which of them each reader sees.

A Latin square: reader r sees text t in version (r + t) mod V. So each reader sees all versions about equally often,
each text is read in all of them, and nobody sees a text in two.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.models import Text
from studies.models import Slot, Study
from studies.services.declarations import get_declaration
from studies.services.spec import SpecError


def list_text_versions(study: Study) -> list[str]:
    """The names of the versions that the study compares, the baseline first; none if texts have a single version."""
    return list(study.plan.get("text_versions", ()))


def label_version(name: str, version: str, versions: Sequence[str]) -> str:
    """The name of a model that reads this version: its own name for the baseline."""
    return name if version == versions[0] else f"{name} ({version})"


@dataclass(frozen=True)
class Rotation:
    """The versions that are compared, and the place of each text in the study, by primary key."""

    versions: list[str]
    places: dict[int, int]

    def choose(self, text: int, seat: int) -> str:
        """The version in which a seat reads the text; empty without versions."""
        return self.versions[(seat + self.places[text]) % len(self.versions)] if self.versions else ""


def read_rotation(study: Study) -> Rotation:
    versions = list_text_versions(study)
    texts = study.units.order_by("position").values_list("text_id", flat=True) if versions else ()
    return Rotation(versions, {text: place for place, text in enumerate(dict.fromkeys(texts))})


def keep_versions(slots: Iterable[Slot], texts: dict[int, int]) -> dict[int, str]:
    """The version of each text, by primary key, for somebody who takes these cells: that of the text's first cell.

    texts: by unit, the text.
    """
    kept: dict[int, str] = {}
    for slot in slots:
        kept.setdefault(texts[slot.unit_id], slot.text_version)
    return kept


def keep_texts_with_versions(study: Study, texts: list[Text]) -> tuple[list[Text], list[str]]:
    """The texts that have all versions that the study compares, and a sentence on the others.

    `SpecError` if the protocol shows no text, or no text has all versions.
    """
    versions = list_text_versions(study)
    if not versions:
        return texts, []
    if not any("text" in stage.shows for stage in get_declaration(study).stages):
        raise SpecError(_("This protocol shows no text, so versions of texts cannot be compared."), "text_versions")
    kept = [text for text in texts if set(versions) <= set(text.version_names)]
    names = ", ".join(versions)
    if not kept:
        message = _("No selected text has all of these versions: %(names)s. Add them on the pages of the texts.")
        raise SpecError(message % {"names": names}, "text_versions")
    left_out = len(texts) - len(kept)
    sentence = ngettext(
        "%(n)d text is left out because it does not have all of these versions: %(names)s.",
        "%(n)d texts are left out because they do not have all of these versions: %(names)s.",
        left_out,
    )
    return kept, [sentence % {"n": left_out, "names": names}] if left_out else []
