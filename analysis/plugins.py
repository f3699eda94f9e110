"""What the answers of a protocol mean: `plugin.PLUGIN` in each folder of `analysis.protocols`, found automatically.

A protocol without a folder gets the defaults of `ProtocolPlugin`, which need only its declaration. Plug-ins do not
import pandas: functions that compute are given by dotted path and imported on the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from analysis.codes import Code
    from analysis.tables.spec import TableSpec

FOLDER = "analysis.protocols"


def call_later(path: str) -> Callable[..., Any]:
    """A function that imports the function at this dotted path when it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return import_string(path)(*args, **kwargs)

    return call


@dataclass(frozen=True)
class PublishedStudy:
    """The published study behind a protocol, with numbers in `analysis/published.csv`.

    source: its name. differs: sentences about differences in its method. counted: by name of a table, the column with
    the n of a number of ours, if it is not that of `reports.published.COUNTED`. by_language: whether numbers are
    comparable if their language is the study's; otherwise only the English ones are.
    """

    source: str
    differs: tuple[str, ...]
    counted: Mapping[str, str] = field(default_factory=dict)
    by_language: bool = False


CORRECT, GOOD, FEATURE = "correctness", "goodness", "feature"
FORM, CONTENT, BOTH = "form", "content", "both form and content"
OWN, INPUT, OUTSIDE = "in its own right", "relative to the input (the text)", "relative to something outside"


@dataclass(frozen=True)
class Datasheet:
    """What the datasheet of human evaluation says about a protocol; empty fields are derived from the declaration.

    criteria: by question its type of quality, aspect and frame of reference. task: the question that tests evaluators,
    if there is one. shown: what evaluators see. aggregated: how answers become scores. tested: what the sentence about
    significance adds.
    """

    criteria: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    task: str = ""
    shown: str = ""
    aggregated: str = "shares of single answers by question"
    tested: str = ""


@dataclass(frozen=True)
class Pages:
    """Which tables a report shows on which page of the results, by name; all of them are under Details.

    The first table of each page is the one that its button offers as a file. coefficient: the name of the coefficient
    in the table of agreement by question.
    """

    agreement: tuple[str, ...] = ("agreement",)
    items: tuple[str, ...] = ()
    compare: tuple[str, ...] = ("agreement_with_humans",)
    coefficient: str = "Conger's κ"


@dataclass(frozen=True)
class ProtocolPlugin:
    """What results, packs and the planner need to know about a protocol.

    report: from `Evidence` to its `Report`. tables: the declarations of its tables, with the functions that list what a
    number counts. figures: by name the table that a figure shows and the function that draws it. codes: what items may
    be coded with. has_item_lists: whether the report lists guessable and unanswerable items. has_metrics: whether it
    compares metrics with people. planner: a `planning.outlook.Planner`; None: sizes are not planned. calibration: from
    `Evidence` to rows of agreement in a calibration. design, agreement, outcome: from `pack.methods.Facts` to sentences
    of the methods draft. summary: from a report and an estimand to the `Outcome` on the summary page. agreed: from a
    report to the agreement by question that the page of agreement draws. beside: from a report to a drawing for the
    page that compares, or None. scores: from `Evidence` to people's scores of items
    (`science.scores.StudyScores.items`).
    """

    name: str
    report: Callable[..., Any] = field(default=call_later("analysis.protocols.default.build_report"))
    tables: Callable[..., Sequence[TableSpec]] = field(default=call_later("analysis.protocols.default.list_tables"))
    figures: Callable[..., Mapping[str, Any]] = dict
    codes: tuple[Code, ...] = ()
    has_item_lists: bool = False
    has_metrics: bool = False
    published: PublishedStudy | None = None
    planner: Callable[..., Any] | None = None
    calibration: Callable[..., list[Any]] = lambda evidence: []
    datasheet: Datasheet = Datasheet()
    design: Callable[..., str] = field(default=call_later("analysis.protocols.default.describe_design"))
    agreement: Callable[..., str] = field(default=call_later("analysis.protocols.default.describe_agreement"))
    outcome: Callable[..., str] = lambda facts: ""
    summary: Callable[..., Any] = field(default=call_later("analysis.protocols.default.summarize"))
    agreed: Callable[..., list[Any]] = field(default=call_later("analysis.protocols.default.list_agreed"))
    beside: Callable[..., Any] = lambda report: None
    pages: Pages = Pages()
    scores: Callable[..., Any] = field(default=call_later("analysis.science.scores.score_items"))


@cache
def load_plugins() -> dict[str, ProtocolPlugin]:
    """By the name of the protocol, what each folder has as `plugin.PLUGIN`."""
    package = find_spec(FOLDER)
    assert package is not None
    folders = [module.name for module in iter_modules(package.submodule_search_locations) if module.ispkg]
    found: list[ProtocolPlugin] = [import_module(f"{FOLDER}.{folder}.plugin").PLUGIN for folder in folders]
    return {plugin.name: plugin for plugin in found}


def find_plugin(protocol: str) -> ProtocolPlugin:
    """The plug-in of the protocol with that name, or the defaults."""
    return load_plugins().get(protocol) or ProtocolPlugin(protocol)


def has_planner(protocol: str) -> bool:
    """Whether the planner can simulate studies of this protocol."""
    return find_plugin(protocol).planner is not None
