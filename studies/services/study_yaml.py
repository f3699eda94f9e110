"""YAML from outside to a mapping: bounded in size, without what a study file never needs."""

from typing import Any

import yaml
from django.utils.translation import gettext as _

from items.plain import printable

MAX_CHARACTERS = 1_000_000
MAX_DIGITS = 20
YAML_TAG = "tag:yaml.org,2002:"
PLAIN_TAGS = (None, "!", f"{YAML_TAG}str")


class NotYaml(ValueError):
    """The text cannot be read as a study file; the message says where and why."""


class StudyLoader(yaml.SafeLoader):
    """Refuses aliases, which multiply what they stand for, tags, numbers of any length, and keys that stand twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if self.check_event(yaml.AliasEvent):
            problem = _("write it out instead of pointing to it with *")
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        if (tag := getattr(event, "tag", None)) not in PLAIN_TAGS:
            problem = _("take out the tag “%(tag)s”") % {"tag": printable(tag.replace(YAML_TAG, "!!"))}
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
                problem = _("“%(key)s” stands here twice") % {"key": printable(key.value)}
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            seen.add(name)
        return super().construct_mapping(node, deep)

    def construct_short_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > MAX_DIGITS:
            raise yaml.MarkedYAMLError(problem=_("this number is too long"), problem_mark=node.start_mark)
        return int(self.construct_yaml_int(node))


StudyLoader.add_constructor("tag:yaml.org,2002:int", StudyLoader.construct_short_int)


def load_yaml(content: str) -> Any:
    """What a YAML text stands for; `NotYaml` if it is none, or too large."""
    if len(content) > MAX_CHARACTERS:
        raise NotYaml(_("The file is longer than %(n)d characters. Shorten it.") % {"n": MAX_CHARACTERS})
    try:
        return yaml.load(content, Loader=StudyLoader)  # noqa: S506 - a SafeLoader, made stricter
    except yaml.MarkedYAMLError as error:
        raise NotYaml(sentence(error)) from None
    except (yaml.YAMLError, ValueError) as error:
        what = printable(" ".join(str(error).split()), 200)
        raise NotYaml(_("This is not YAML: %(what)s.") % {"what": what}) from None
    except RecursionError:
        raise NotYaml(_("The file is nested too deeply. Write it flatter.")) from None


def load_mapping(content: str) -> dict[Any, Any]:
    """The mapping that a YAML text is; `NotYaml` if it is none, or too large."""
    loaded = load_yaml(content)
    if not isinstance(loaded, dict):
        raise NotYaml(_("A study file is a YAML mapping that starts with slug, title and protocol."))
    return loaded


def sentence(error: yaml.MarkedYAMLError) -> str:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return _("The file cannot be read as YAML in line %(line)d, column %(column)d: %(what)s.") % {
        "line": line,
        "column": column,
        "what": printable(error.problem or error.context or "", 200),
    }
