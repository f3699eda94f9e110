"""Read YAML strictly and with a size limit; write instruments so that they read back the same; edit them in place."""

import copy
import math
import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import yaml
from django.utils.translation import gettext as _

from items.plain import make_printable

MAX_CHARACTERS = 1_000_000
MAX_DIGITS = 20
YAML_TAG = "tag:yaml.org,2002:"
PLAIN_TAGS = (None, "!", f"{YAML_TAG}str")


class NotYaml(ValueError):
    """The text cannot be read as a study file; the message says where and why."""


class StrictLoader(yaml.SafeLoader):
    """Refuses aliases (which can expand enormously), tags, overlong numbers, and duplicate keys."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            problem = _("write it out in full instead of using a YAML alias (*)")
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        if (tag := getattr(event, "tag", None)) not in PLAIN_TAGS:
            problem = _("remove the YAML tag “%(tag)s”") % {"tag": make_printable(tag.replace(YAML_TAG, "!!"))}
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError) as error:  # a day of month 13, a number of base 60 beyond all bounds
            raise yaml.MarkedYAMLError(problem=str(error), problem_mark=node.start_mark) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _value in node.value:
            name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else None
            if name in seen and name is not None:
                problem = _("“%(key)s” occurs twice here") % {"key": make_printable(key.value)}
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)

    def construct_short_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > MAX_DIGITS:
            raise yaml.MarkedYAMLError(problem=_("this number is too long"), problem_mark=node.start_mark)
        return int(self.construct_yaml_int(node))


StrictLoader.add_constructor("tag:yaml.org,2002:int", StrictLoader.construct_short_int)


def load_yaml(content: str) -> Any:
    """The value of a YAML text; `NotYaml` if it is invalid or too large."""
    if len(content) > MAX_CHARACTERS:
        raise NotYaml(_("The file is longer than %(n)d characters. Shorten it.") % {"n": MAX_CHARACTERS})
    try:
        return yaml.load(content, Loader=StrictLoader)  # noqa: S506 - a SafeLoader, made stricter
    except yaml.MarkedYAMLError as error:
        raise NotYaml(explain_yaml_error(error)) from None
    except (yaml.YAMLError, ValueError) as error:
        what = make_printable(" ".join(str(error).split()), 200)
        raise NotYaml(_("This is not valid YAML: %(what)s.") % {"what": what}) from None
    except RecursionError:
        raise NotYaml(_("The file is nested too deeply. Reduce the nesting.")) from None


def load_mapping(content: str) -> dict[Any, Any]:
    """The mapping in a YAML text; `NotYaml` if it is not one, or too large."""
    loaded = load_yaml(content)
    if not isinstance(loaded, dict):
        raise NotYaml(_("A study file is a YAML mapping that starts with slug, title and protocol."))
    return loaded


def explain_yaml_error(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return _("The file cannot be read as YAML in line %(line)d, column %(column)d: %(what)s.") % {
        "line": line,
        "column": column,
        "what": make_printable(error.problem or error.context or "", 200),
    }


ContentPath = tuple[str | int, ...]

WORD = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
# What YAML's literal blocks cannot hold, or PyYAML would write in another style.
NO_BLOCK = re.compile(
    r"\A[ \n]|[ ]\n|[ ]\Z|[\u2028\u2029]|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


def represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Words unquoted, texts of several lines as a block, everything else in quotes."""
    style = "|" if is_block(text) else None if WORD.fullmatch(text) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


Dumper.add_representer(str, represent_text)


def is_block(text: str) -> bool:
    return "\n" in text and not NO_BLOCK.search(text)


def write_yaml(content: Any) -> str:
    """The content as YAML, from which `read_yaml` returns exactly this content: every byte, and the order of keys."""
    return yaml.dump(content, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=math.inf)


def read_yaml(source: str) -> dict[str, Any]:
    """The content of a source; `NotYaml` with the line, or with the place of a value that cannot be stored."""
    content = load_yaml(source)
    if not isinstance(content, dict):
        raise NotYaml(_("An instrument is a YAML mapping that starts with name, language and title."))
    refuse_unstorable(content)
    return content


def refuse_unstorable(value: Any, path: ContentPath = ()) -> None:
    """Raises `NotYaml` for what an instrument cannot hold: a date, an infinite number, a key that is no text or has
    a dot in it."""
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str) or "." in key:
                sentence = _(
                    "The key “%(key)s” in “%(place)s” must be text without a dot. Put it in quotes, or rename it."
                )
                raise NotYaml(sentence % {"key": make_printable(str(key)), "place": join_path(path)})
            refuse_unstorable(key, path)
            refuse_unstorable(part, (*path, key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            refuse_unstorable(part, (*path, place))
    elif isinstance(value, str):
        if found := UNSTORABLE.search(value):
            sentence = _("“%(place)s” contains the character %(char)s, which cannot be stored. Remove it.")
            raise NotYaml(sentence % {"place": join_path(path), "char": make_printable(found[0])})
    elif not (value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))):
        sentence = _("“%(place)s” is a %(kind)s, which an instrument cannot contain. Put it in quotes.")
        raise NotYaml(sentence % {"place": join_path(path), "kind": type(value).__name__})


def join_path(path: ContentPath) -> str:
    return ".".join(str(part) for part in path)


def iter_leaves(content: Any, path: ContentPath = ()) -> Iterator[tuple[ContentPath, Any]]:
    """Every wording with its path, in order. A list of plain values is one leaf, like an empty list or mapping."""
    if isinstance(content, dict) and content:
        for key, part in content.items():
            yield from iter_leaves(part, (*path, key))
    elif isinstance(content, list) and any(isinstance(part, dict | list) for part in content):
        for place, part in enumerate(content):
            yield from iter_leaves(part, (*path, place))
    else:
        yield path, content


def get_at(content: Any, path: ContentPath) -> Any:
    """The value at a path; `LookupError` or `TypeError` if there is none."""
    for part in path:
        content = content[part]
    return content


def apply_changes(source: str, changes: Mapping[ContentPath, Any]) -> str:
    """The source with other values at these paths, and everything else unchanged.

    A new key at the top level is added at the end. If a change cannot be made in place, the whole source is written
    anew and loses its comments; its content is always right.
    """
    content = read_yaml(source)
    wanted = copy.deepcopy(content)
    for path, value in changes.items():
        get_at(wanted, path[:-1])[path[-1]] = value
    if wanted == content:
        return source
    try:
        written = splice(source, content, changes)
        if read_yaml(written) == wanted:
            return written
    except (NotYaml, LookupError):
        pass
    return write_yaml(wanted)


ADD, REMOVE, UP, DOWN = "add", "remove", "up", "down"


def rearrange(source: str, place: str, action: str) -> str:
    """The source with the entry of a list at the place removed, moved up or down, or followed by a copy of itself; the
    same source if there is no such entry."""
    content, (*above, last) = read_yaml(source), place.split(".")
    try:
        entries = list(get_at(content, tuple(above)))
        rearrange_entries(entries, int(last), action)
    except (LookupError, TypeError, ValueError):
        return source
    return apply_changes(source, {tuple(above): entries})


def rearrange_entries(entries: list[Any], n: int, action: str) -> None:
    """Changes the list; `LookupError` if it has no entry n."""
    entry = entries[n]
    if action == ADD:
        entries.insert(n + 1, copy_entry(entry, entries))
    elif action == REMOVE:
        del entries[n]
    elif action in (UP, DOWN):
        del entries[n]
        entries.insert(max(n - 1, 0) if action == UP else n + 1, entry)


def copy_entry(entry: Any, entries: list[Any]) -> Any:
    """A copy, with a name of its own if it has one."""
    if not (isinstance(entry, dict) and "name" in entry):
        return entry
    taken = {other.get("name") for other in entries if isinstance(other, dict)}
    names = (f"{entry['name']}_{n}" for n in count(2))
    return entry | {"name": next(name for name in names if name not in taken)}


def splice(source: str, content: Mapping[str, Any], changes: Mapping[ContentPath, Any]) -> str:
    """The source with values replaced in place, and new top-level keys at the end."""
    root = yaml.compose(source, Loader=StrictLoader)
    spans, added = [], ""
    for path, value in changes.items():
        if path[0] in content:
            spans.append(plan_replacement(source, root, path, value))
        else:
            added += write_yaml({path[0]: value})
    for start, end, words in sorted(spans, reverse=True):
        source = source[:start] + words + source[end:]
    return source.rstrip("\n") + "\n" + added if added else source


def plan_replacement(source: str, root: Any, path: ContentPath, value: Any) -> tuple[int, int, str]:
    """Where the value at the path begins and ends in the source, and its replacement."""
    node, column, in_flow = root, 0, False
    for part in path:
        in_flow = in_flow or bool(node.flow_style)
        column = node.start_mark.column
        node = get_child(node, part)
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value and isinstance(value, list) and value:
        end = node.value[-1].end_mark.index
        lines = [write_block(entry, node.start_mark.column) for entry in value]
        words = ("\n" + " " * node.start_mark.column).join(f"- {line}" for line in lines)
    elif in_flow or not isinstance(value, str):
        words = write_inline(value)
    else:
        words = write_block(value, column)
    end = start + len(source[start:end].rstrip())
    return start, end, words


def get_child(node: Any, part: str | int) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: value for key, value in node.value}[part]
    return node.value[part]


def write_inline(value: Any) -> str:
    written = yaml.dump(
        value, Dumper=yaml.SafeDumper, default_style='"' if isinstance(value, str) else None,
        default_flow_style=True, allow_unicode=True, width=math.inf,
    )  # fmt: skip
    return written.removesuffix("...\n").strip()


def write_block(text: Any, column: int) -> str:
    """The YAML of a value under a parent in that column: a mapping with a line per key, a text of several lines as a
    block."""
    if isinstance(text, dict) and text:
        return write_yaml(text).rstrip("\n").replace("\n", "\n" + " " * (column + 2))
    if not (isinstance(text, str) and is_block(text)):
        return write_inline(text)
    header, *lines = write_yaml({"x": text}).removeprefix("x: ").removesuffix("\n").split("\n")
    return "\n".join([header, *(" " * column + line if line else "" for line in lines)])
