"""Prompts for a protocol that brings none of its own: what is asked comes from the study's wording."""

from functools import cache
from pathlib import Path
from typing import Any

from studies.models import InstrumentVersion, Study
from studies.prompts import TEXT
from studies.protocols import PROTOCOLS, Stage
from studies.services.instruments import store_version
from studies.strict_yaml import read_yaml, write_yaml

FOLDER, FALLBACK = Path(__file__).parent, "en"


@cache
def load_default_parts(language: str) -> dict[str, Any]:
    """The file of that language, else the English one."""
    path = FOLDER / f"default.{language}.yaml"
    return read_yaml((path if path.exists() else FOLDER / f"default.{FALLBACK}.yaml").read_text("utf-8"))


def store_default_prompts(study: Study, stage: Stage, way: str) -> InstrumentVersion:
    """An instrument of the server, PROTOCOL-judge, as the protocols' own are: projects may copy and change it."""
    language = study.language.partition("-")[0]
    content = make_default_prompts(study.protocol, stage, way, language)
    return store_version(content["name"], language, content, source=write_yaml(content))


def make_default_prompts(protocol: str, stage: Stage, way: str, language: str) -> dict[str, Any]:
    parts = load_default_parts(language)
    shows_text = TEXT in stage.shows
    return {
        "name": f"{protocol}-judge",
        "language": language,
        "use": "judge",
        "protocol": protocol,
        "title": parts["title"].replace("{protocol}", str(PROTOCOLS[protocol].title)),
        "text": {"title": "title" in stage.shows, "paragraphs": "as they are", "shown": shows_text},
        **{name: words if shows_text else drop_text(words) for name, words in parts[way].items()},
    }


def drop_text(words: Any) -> Any:
    """The part without the text that stands above all else in it."""
    return words.removeprefix(f"{{{TEXT}}}\n\n") if isinstance(words, str) else words
