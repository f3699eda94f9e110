"""From a study's row to what its protocol declares, and to the words that its annotators see."""

from collections.abc import Mapping
from typing import Any

from studies.models import Study
from studies.protocols import PROTOCOLS, Declaration, Stage


def declaration_of(study: Study) -> Declaration:
    """The protocol of the study with its frozen parameters and wording."""
    protocol = PROTOCOLS[study.protocol]
    return protocol.declare(protocol.fill(study.params), study.instrument_version.content)


def wording_of(study: Study) -> dict[str, Any]:
    """The frozen wording of the study, with the declaration's slots filled."""
    content: dict[str, Any] = study.instrument_version.content
    slots = declaration_of(study).slots
    return dict(filled(content, slots)) if slots else content


def stage_words(study: Study, stage: Stage) -> dict[str, Any]:
    """What the wording says of a stage; where it judges the answers of another, that one's words stand behind it."""
    words = wording_of(study)
    return {**words.get(stage.checks, {}), **words.get(stage.name, {})}


def filled(words: Any, slots: Mapping[str, str]) -> Any:
    """The words with each {slot} that is declared replaced, in all depths; any other brace stays."""
    if isinstance(words, str):
        for name, value in slots.items():
            words = words.replace(f"{{{name}}}", value)
        return words
    if isinstance(words, Mapping):
        return {name: filled(value, slots) for name, value in words.items()}
    return [filled(each, slots) for each in words] if isinstance(words, list) else words
