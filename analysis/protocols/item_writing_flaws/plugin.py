"""The plug-in of item-writing flaws: how often each occurs, and how far models and rules agree with people."""

from analysis.plugins import BOTH, CORRECT, INPUT, OWN, Datasheet, Pages, ProtocolPlugin, call_later
from studies.protocols.item_writing_flaws.declaration import FLAWS, GUIDELINES

HERE = "analysis.protocols.item_writing_flaws"
OF_TEXT = (
    "implausible_distractor", "several_right", "ambiguous", "trivial_content", "copied_wording", "wrong_scope",
    "hard_vocabulary", "far_distractor",
)  # fmt: skip

PLUGIN = ProtocolPlugin(
    "item-writing-flaws",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.report.list_tables"),
    datasheet=Datasheet(
        criteria={name: (CORRECT, BOTH, INPUT if name in OF_TEXT else OWN) for name, _title in FLAWS + GUIDELINES},
        shown="one item at a time with its text and its options, the keys marked; never generators",
        aggregated="the majority of yes and no by item and flaw, ties left out",
    ),
    pages=Pages(items=("flaw_codes",), compare=("flaw_codes",)),
)
