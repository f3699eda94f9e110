"""Build the protocol's declaration, and the words that annotators see: of a study, or of one annotator.

Both depend only on the protocol, its parameters and the content of an instrument version, which form the cache key: an
edit makes another version, with another hash. Nothing cached here depends on the language of a request, and nobody may
change it in place.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from studies.models import Annotator, Study, Variant
from studies.protocols import PROTOCOLS, Declaration


def get_declaration(study: Study) -> Declaration:
    """The protocol of the study with its frozen parameters and wording. Annotators with a variant are asked by the
    declaration of their variant instead."""
    return declare(study, study)


def get_annotator_declaration(annotator: Annotator) -> Declaration:
    """What this annotator is asked: by their variant if they have one, else by the study."""
    return get_annotator_question_source(annotator).declaration


def list_declarations(study: Study) -> list[Declaration]:
    """All declarations by which people are asked: one per variant, or the study's own."""
    variants = study.variants.select_related("instrument_version")
    return [declare(study, variant) for variant in variants] or [get_declaration(study)]


def map_variant_declarations(study: Study) -> dict[str, Declaration]:
    """The declaration of each variant, by its name."""
    variants = study.variants.select_related("instrument_version")
    return {variant.name: declare(study, variant) for variant in variants}


def map_annotator_declarations(study: Study) -> dict[str, Declaration]:
    """The declaration of each annotator with a variant, by code; all others have the study's."""
    by_variant = map_variant_declarations(study)
    drawn = study.annotators.filter(variant__isnull=False).values_list("code", "variant__name")
    return {code: by_variant[name] for code, name in drawn}


@dataclass(frozen=True, eq=False)
class QuestionSource:
    """How somebody is asked: the protocol's declaration, and the wording with the declaration's slots filled."""

    declaration: Declaration
    wording: dict[str, Any]


@lru_cache(maxsize=256)
def get_stage_words(source: QuestionSource, stage: str) -> dict[str, Any]:
    """The wording of the stage; if it judges another stage's answers, on top of that stage's wording."""
    checked = source.declaration.stage(stage).checks
    return {**source.wording.get(checked, {}), **source.wording.get(stage, {})}


MAX_KEPT = 256
_kept: dict[tuple[str, str, str], QuestionSource] = {}


def get_question_source(study: Study, owner: Study | Variant) -> QuestionSource:
    """How the study itself, or one of its variants, asks. The wording is read if it is not cached."""
    version = owner.instrument_version
    key = (study.protocol, version.content_hash, json.dumps(owner.params, sort_keys=True))
    found = _kept.get(key)
    if found is None:
        protocol = PROTOCOLS[study.protocol]
        declaration = protocol.declare(protocol.fill(owner.params), version.content)
        found = QuestionSource(declaration, fill_wording(version.content, declaration))
        cache_value(_kept, key, found)
    return found


def cache_value(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Add the value to a cache, which is emptied first if it is full."""
    if len(kept) >= MAX_KEPT:
        kept.clear()
    kept[key] = value


def fill_wording(content: dict[str, Any], declaration: Declaration) -> dict[str, Any]:
    return dict(fill_slots(content, declaration.slots)) if declaration.slots else content


_launched: dict[tuple[int, datetime, int], QuestionSource] = {}


def get_annotator_question_source(annotator: Annotator) -> QuestionSource:
    """How this annotator is asked.

    A launched study is frozen, so neither instrument nor parameters are read again. The time of its launch and the
    version are part of the key: after an import is undone, another study may get the same primary keys.
    """
    study, owner = annotator.study, annotator.variant or annotator.study
    if owner is not study or not study.launched_at:
        return get_question_source(study, owner)
    key = study.pk, study.launched_at, study.instrument_version_id
    if key not in _launched:
        cache_value(_launched, key, get_question_source(study, study))
    return _launched[key]


def forget_launched() -> None:
    """Clear the cache when the database is replaced, as in tests, where primary keys may mean something else."""
    _launched.clear()


def declare(study: Study, owner: Study | Variant) -> Declaration:
    """The declaration of the study itself, or of one of its variants."""
    return get_question_source(study, owner).declaration


def get_wording(study: Study) -> dict[str, Any]:
    """The frozen wording of the study, as models are asked, with the declaration's slots filled."""
    return get_question_source(study, study).wording


def get_annotator_wording(annotator: Annotator) -> dict[str, Any]:
    """The frozen wording that this annotator sees, with the declaration's slots filled."""
    return get_annotator_question_source(annotator).wording


def get_version_id(annotator: Annotator) -> int:
    """The primary key of the instrument version with which this annotator is asked."""
    return (annotator.variant or annotator.study).instrument_version_id


def fill_slots(words: Any, slots: Mapping[str, str]) -> Any:
    """The words with each declared {slot} replaced, at all depths; other braces stay."""
    if isinstance(words, str):
        for name, value in slots.items():
            words = words.replace(f"{{{name}}}", value)
        return words
    if isinstance(words, Mapping):
        return {name: fill_slots(value, slots) for name, value in words.items()}
    return [fill_slots(each, slots) for each in words] if isinstance(words, list) else words
