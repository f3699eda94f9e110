"""The plug-in of best–worst scaling: choices of the best and the worst item give a score of each item and generator."""

from django.utils.translation import gettext_lazy as _

from analysis.codes import ERROR, Code
from analysis.plugins import BOTH, GOOD, INPUT, Datasheet, Pages, ProtocolPlugin, call_later

HERE = "analysis.protocols.best_worst"

PLUGIN = ProtocolPlugin(
    "best-worst",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.report.list_tables"),
    figures=call_later(f"{HERE}.report.list_figures"),
    codes=(
        Code("wrong_key", ERROR, _("wrong key")),
        Code("several_right", ERROR, _("another option is right too")),
        Code("beyond_passage", ERROR, _("asks beyond the passage")),
        Code("trivial", ERROR, _("too easy to tell anything")),
        Code("recall", ERROR, _("asks for recall alone")),
    ),
    datasheet=Datasheet(
        criteria={"best": (GOOD, BOTH, INPUT), "worst": (GOOD, BOTH, INPUT)},
        shown="several items about the same text, with their keys; never generators",
        aggregated="how often an item was the best minus how often the worst, by how often it was shown; strengths by "
        "the Plackett-Luce model",
    ),
    design=call_later(f"{HERE}.report.describe_design"),
    agreement=call_later(f"{HERE}.report.describe_agreement"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=call_later(f"{HERE}.report.list_agreed"),
    scores=call_later(f"{HERE}.report.score_items"),
    pages=Pages(
        items=("item_scores", "error_codes"),
        compare=("judge_scores",),
    ),
)
