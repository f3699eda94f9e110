"""Prompts of judges, from an instrument: the parts for each way of judging, and their slots.

Every such instrument has `text` (how {text} is laid out, or `shown: false`), the parts of its way, and `again`, which
is sent after a reply without an answer. It may have `system`, a message before the prompt, and for scores `scale` and
prompts for single dimensions, so that published prompts can be used unchanged. There are no slots for generators,
explanations or metadata.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from evaluation.judges.scale import ANY, MAX_STEPS, Scale
from studies.models import InstrumentVersion, Study
from studies.prompts import SLOT, TEXT, TITLE, BadTemplate, Layout, check_slots, fill_template, get_part, read_layout
from studies.protocols import PROTOCOLS, Stage
from studies.services.evaluating import GATES, PAIRS, PICKS, SCORES
from studies.services.instruments import store_version
from studies.strict_yaml import read_yaml, write_yaml

Slots = tuple[tuple[str, ...], tuple[str, ...]]

PARTS: Mapping[str, Mapping[str, Slots]] = {
    PAIRS: {
        "compare": ((TEXT, "first", "second"), (TITLE, "criteria")),
        "item": (("question", "options"), ()),
        "again": ((), ()),
    },
    PICKS: {
        "choose": ((TEXT, "items", "asked"), (TITLE, "criteria", "levels")),
        "item": (("question",), ("options", "expected")),
        "expected": (("answer",), ()),
        "again": ((), ()),
    },
    SCORES: {
        "rate": (
            ("question",),
            (TEXT, TITLE, "dimension", "asked", "help", "options", "levels", "expected", "lowest", "highest"),
        ),
        "expected": (("answer",), ()),
        "own_scale": (("lowest", "highest"), ()),
        "again": ((), ("lowest", "highest")),
    },
    GATES: {
        "choose": ((TEXT, "question", "asked", "levels"), (TITLE, "options", "expected")),
        "write": ((TEXT, "question", "asked"), (TITLE, "options", "expected")),
        "expected": (("answer",), ()),
        "reworded": (("question", "rewording"), ()),
        "again": ((), ()),
    },
}
"""By way of judging and part: the required slots, and the optional ones."""

SYSTEM = "system"
SYSTEM_SLOTS = {SCORES: ("dimension", "help", "lowest", "highest")}
"""By way of judging: the slots that a system message may have."""
FILLED_SLOTS = {
    PICKS: {"expected": "expected"},
    SCORES: {"expected": "expected", "own_scale": "levels"},
    GATES: {"expected": "expected"},
}
"""By way of judging: parts that fill a slot, and so are required only if a prompt has that slot."""

FIRST, SECOND, TIE = "first", "second", "tie"
LABELS = {PAIRS: (FIRST, SECOND, TIE)}


@dataclass(frozen=True)
class JudgePrompts:
    """The parts of an instrument, its labels and its layout, checked."""

    layout: Layout
    parts: Mapping[str, str]
    labels: Mapping[str, str]
    system: str = ""
    scale: Scale | None = None
    """The scale of the scores that the prompts ask for; None: the study's."""
    rates: Mapping[str, str] | None = None
    """Prompts by dimension, if each has its own or only some are asked about; else None."""

    def asks_about(self, dimension: str) -> bool:
        return self.rates is None or dimension in self.rates

    def rate(self, dimension: str) -> str:
        return self.parts["rate"] if self.rates is None else self.rates[dimension]

    def fill(self, name: str, **values: str) -> str:
        return fill_template(self.parts[name], values)

    def with_text(self, name: str, *, title: str, body: str, **values: str) -> str:
        """A part that shows the text."""
        return fill_template(self.parts[name], self.fill_slots(title, body, values))

    def rate_with_text(self, name: str, *, title: str, body: str, **values: str) -> str:
        return fill_template(self.rate(name), self.fill_slots(title, body, values))

    def fill_slots(self, title: str, body: str, values: Mapping[str, str]) -> dict[str, str]:
        return {TEXT: self.layout.lay_out(title, body), TITLE: title, **values}


def read_judge_prompts(content: Mapping[str, Any], way: str) -> JudgePrompts:
    """The prompts of an instrument for that way of judging. Raises `BadTemplate` if they cannot be used."""
    for check in make_judge_checks(content, way):
        check()
    rates = read_rates(content) if way == SCORES else None
    parts = {
        name: get_part(content, name, str)
        for name in list_needed_parts(content, way)
        if name != "rate" or rates is None
    }
    system = get_part(content, SYSTEM, str) if SYSTEM in content else ""
    return JudgePrompts(read_layout(content), parts, read_labels(content, way), system, read_scale(content), rates)


def list_needed_parts(content: Mapping[str, Any], way: str) -> list[str]:
    """The required parts of the instrument, and the optional ones that it has."""
    parts = [content.get(name) for name in PARTS[way]]
    words = [str(each) for part in parts for each in (part.values() if isinstance(part, Mapping) else [part])]
    slots, only_with = set(SLOT.findall(" ".join(words))), FILLED_SLOTS.get(way, {})
    return [name for name in PARTS[way] if name in content or name not in only_with or only_with[name] in slots]


def read_rates(content: Mapping[str, Any]) -> dict[str, str] | None:
    """Prompts by dimension; None if one prompt is filled in for each."""
    rates, named = content.get("rate"), content.get("dimensions")
    if isinstance(rates, Mapping):
        if not rates or not all(isinstance(name, str) and isinstance(words, str) for name, words in rates.items()):
            raise BadTemplate(_("“rate” must be one prompt, or one prompt per dimension, by name."), "rate")
        return dict(rates)
    if named is not None:
        if not isinstance(named, list) or not named or not all(isinstance(name, str) for name in named):
            raise BadTemplate(_("“dimensions” must be the list of dimensions that are asked about."), "dimensions")
        return {name: get_part(content, "rate", str) for name in named}
    if not {"dimension", "asked"} & set(SLOT.findall(get_part(content, "rate", str))):
        raise BadTemplate(
            _("The prompt does not name the dimension. Add {dimension}, or list the dimensions it is "
              "about under “dimensions”."),
            "rate",
        )  # fmt: skip
    return None


def read_scale(content: Mapping[str, Any]) -> Scale | None:
    """The scale in the instrument: lowest, highest, and a step (1), or any number between them (any)."""
    given = content.get("scale")
    if given is None:
        return None
    problem = BadTemplate(
        _("Write the scale as lowest, highest and, if needed, step, such as {lowest: 0, highest: 1, "
          "step: 0.5}; step: any allows every number in between."), "scale",
    )  # fmt: skip
    if not isinstance(given, Mapping) or not set(given) <= {"lowest", "highest", "step"}:
        raise problem
    step = 0 if given.get("step", 1) == ANY else given.get("step", 1)
    numbers = [given.get("lowest"), given.get("highest"), step]
    if any(isinstance(each, bool) or not isinstance(each, int | float) or abs(each) > 1e6 for each in numbers):
        raise problem
    scale = Scale(*(Fraction(str(each)) for each in numbers))
    is_even = not scale.step or (scale.highest - scale.lowest) % scale.step == 0
    if scale.lowest >= scale.highest or scale.step < 0 or not is_even or len(scale.levels) > MAX_STEPS:
        raise problem
    return scale


def make_judge_checks(content: Mapping[str, Any], way: str) -> Iterator[Callable[[], object]]:
    """Checks that raise `BadTemplate`, each for one part of the instrument."""
    yield partial(read_layout, content)
    yield partial(read_labels, content, way)
    for name in list_needed_parts(content, way):
        yield partial(check_part, content, way, name)
    if SYSTEM in content:
        yield partial(check_system, content, way)
    if way == SCORES:
        yield partial(read_rates, content)
        yield partial(read_scale, content)


def check_part(content: Mapping[str, Any], way: str, name: str) -> None:
    needed, optional = PARTS[way][name]
    if hides_text(content):
        needed, optional = tuple(slot for slot in needed if slot != TEXT), (*optional, TEXT)
    rates = content.get(name) if name == "rate" else None
    for words in rates.values() if isinstance(rates, Mapping) else [get_part(content, name, str)]:
        check_slots(name, str(words), needed, optional)


def hides_text(content: Mapping[str, Any]) -> bool:
    """Whether the instrument declares that its prompts do not show the text: for stages without the text."""
    layout = content.get(TEXT)
    return isinstance(layout, Mapping) and layout.get("shown") is False


def check_system(content: Mapping[str, Any], way: str) -> None:
    check_slots(SYSTEM, get_part(content, SYSTEM, str), (), SYSTEM_SLOTS.get(way, ()))


def read_labels(content: Mapping[str, Any], way: str) -> dict[str, str]:
    """The labels of a reply, all different even in lower case."""
    names = LABELS.get(way, ())
    part = get_part(content, "labels", Mapping) if names else {}
    labels = {name: str(get_part(part, name, str, f"labels.{name}")).strip() for name in names}
    if "" in labels.values() or len({label.casefold() for label in labels.values()}) < len(labels):
        raise BadTemplate(_("The labels must differ, also in lower case, and not be empty."), "labels")
    return labels


# Prompts for a protocol without its own: the questions come from the study's wording.

FOLDER, FALLBACK = Path(__file__).parent, "en"


@cache
def load_default_parts(language: str) -> dict[str, Any]:
    """The content of the file in that language, else of the English one."""
    path = FOLDER / f"default.{language}.yaml"
    return read_yaml((path if path.exists() else FOLDER / f"default.{FALLBACK}.yaml").read_text("utf-8"))


def store_default_prompts(study: Study, stage: Stage, way: str) -> InstrumentVersion:
    """Store the default prompts as an instrument of the server, PROTOCOL-judge; projects may copy and change it."""
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
    """The part without the text at its beginning."""
    return words.removeprefix(f"{{{TEXT}}}\n\n") if isinstance(words, str) else words
