"""Instruments as YAML: read strictly, written so that reading gives the same content back, changed in place.

A source keeps its comments and its layout when single wordings change: only what stands for them is written anew.
"""

import copy
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml
from django.utils.translation import gettext as _

from items.plain import printable
from studies.services.study_yaml import NotYaml, StudyLoader, load_yaml

Path = tuple[str | int, ...]

WORD = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
# What YAML's literal blocks cannot hold, or what PyYAML would write in another style.
NO_BLOCK = re.compile(
    r"\A[ \n]|[ ]\n|[ ]\Z|[\u2028\u2029]|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Words as they are, texts of several lines as a block, all else in quotes."""
    style = "|" if is_block(text) else None if WORD.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, represent_text)


def is_block(text: str) -> bool:
    return "\n" in text and not NO_BLOCK.search(text)


def write_yaml(content: Any) -> str:
    """Reading what is returned gives exactly this content: texts to the byte, and the order of the keys."""
    return yaml.dump(content, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=math.inf)


def read_yaml(source: str) -> dict[str, Any]:
    """The content that a source stands for; `NotYaml` with the line, or with the place of what cannot be stored."""
    content = load_yaml(source)
    if not isinstance(content, dict):
        raise NotYaml(_("An instrument is a YAML mapping that starts with name, language and title."))
    refuse_unstorable(content)
    return content


def refuse_unstorable(value: Any, path: Path = ()) -> None:
    """JSON is what the database holds: text, numbers, true, false, nothing, and lists and mappings of these."""
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str) or "." in key:
                said = _("The key “%(key)s” in “%(place)s” must be text without a dot. Put it in quotes, or rename it.")
                raise NotYaml(said % {"key": printable(str(key)), "place": dotted(path)})
            refuse_unstorable(key, path)
            refuse_unstorable(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            refuse_unstorable(part, (*path, place))
    elif isinstance(value, str):
        if found := UNSTORABLE.search(value):
            said = _("“%(place)s” holds the character %(char)s, which cannot be stored. Take it out.")
            raise NotYaml(said % {"place": dotted(path), "char": printable(found[0])})
    elif not (value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))):
        said = _("“%(place)s” is a %(kind)s, which an instrument cannot hold. Put it in quotes.")
        raise NotYaml(said % {"place": dotted(path), "kind": type(value).__name__})


def dotted(path: Path) -> str:
    return ".".join(str(part) for part in path)


def leaves(content: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every wording with its path, in order. A list of plain values is one leaf; so is an empty list or mapping."""
    if isinstance(content, dict) and content:
        for key, part in content.items():
            yield from leaves(part, (*path, key))
    elif isinstance(content, list) and any(isinstance(part, dict | list) for part in content):
        for place, part in enumerate(content):
            yield from leaves(part, (*path, place))
    else:
        yield path, content


def at(content: Any, path: Path) -> Any:
    """What stands at a path; `LookupError` or `TypeError` if nothing does."""
    for part in path:
        content = content[part]
    return content


def with_changes(source: str, changes: Mapping[Path, Any]) -> str:
    """The source with other values at these paths, all else as it was written.

    A key that is new at the top is added at the end. Where that cannot be done in place, the whole is written anew,
    which costs its comments: what it says is always right.
    """
    content = read_yaml(source)
    wanted = copy.deepcopy(content)
    for path, value in changes.items():
        at(wanted, path[:-1])[path[-1]] = value
    if wanted == content:
        return source
    try:
        written = spliced(source, content, changes)
        if read_yaml(written) == wanted:
            return written
    except (NotYaml, LookupError):
        pass
    return write_yaml(wanted)


def spliced(source: str, content: Mapping[str, Any], changes: Mapping[Path, Any]) -> str:
    root = yaml.compose(source, Loader=StudyLoader)
    spans, added = [], ""
    for path, value in changes.items():
        if path[0] in content:
            spans.append(replacement(source, root, path, value))
        else:
            added += write_yaml({path[0]: value})
    for start, end, words in sorted(spans, reverse=True):
        source = source[:start] + words + source[end:]
    return source.rstrip("\n") + "\n" + added if added else source


def replacement(source: str, root: Any, path: Path, value: Any) -> tuple[int, int, str]:
    """Where in the source the value at the path begins and ends, and what is to stand there."""
    node, column, in_flow = root, 0, False
    for part in path:
        in_flow = in_flow or bool(node.flow_style)
        column = node.start_mark.column
        node = child(node, part)
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value and isinstance(value, list) and value:
        end = node.value[-1].end_mark.index
        lines = [in_block(entry, node.start_mark.column) for entry in value]
        words = ("\n" + " " * node.start_mark.column).join(f"- {line}" for line in lines)
    elif in_flow or not isinstance(value, str):
        words = in_one_line(value)
    else:
        words = in_block(value, column)
    end = start + len(source[start:end].rstrip())
    return start, end, words


def child(node: Any, part: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: value for key, value in node.value}[part]
    return node.value[part]


def in_one_line(value: Any) -> str:
    written = yaml.dump(
        value, Dumper=yaml.SafeDumper, default_style='"' if isinstance(value, str) else None,
        default_flow_style=True, allow_unicode=True, width=math.inf,
    )  # fmt: skip
    return written.removesuffix("...\n").strip()


def in_block(text: Any, column: int) -> str:
    """A value under a parent that begins in that column; a text of several lines as a block."""
    if not (isinstance(text, str) and is_block(text)):
        return in_one_line(text)
    header, *lines = write_yaml({"x": text}).removeprefix("x: ").removesuffix("\n").split("\n")
    return "\n".join([header, *(" " * column + line if line else "" for line in lines)])
