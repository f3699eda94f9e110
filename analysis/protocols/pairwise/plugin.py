"""The plug-in of pairwise comparisons: which generators win more often."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from analysis.codes import ERROR, Code
from analysis.plugins import BOTH, GOOD, INPUT, Datasheet, Pages, ProtocolPlugin, PublishedStudy, call_later

HERE = "analysis.protocols.pairwise"

PLUGIN = ProtocolPlugin(
    "pairwise",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.drill_down.list_tables"),
    figures=call_later(f"{HERE}.report.list_figures"),
    codes=(
        Code("wrong_key", ERROR, _("wrong key")),
        Code("several_right", ERROR, _("another option is right too")),
        Code("beyond_passage", ERROR, _("asks beyond the passage")),
        Code("trivial", ERROR, _("too easy to tell anything")),
        Code("recall", ERROR, _("asks for recall alone")),
    ),
    published=PublishedStudy(
        gettext_noop("a study of four generators on 55 school texts (2025)"),
        (
            gettext_noop(
                "The publication has five annotators on 150 calibration pairs; intervals take pairs as independent."
            ),
            gettext_noop(
                "“Without ties” drops pairs that anybody called a tie. The publication does not say so; its number "
                "of pairs implies it."
            ),
        ),
        counted={"agreement": "n_units"},
    ),
    planner=call_later(f"{HERE}.planner.make_planner"),
    calibration=call_later(f"{HERE}.agreement.build_calibration_rows"),
    datasheet=Datasheet(
        criteria={"better": (GOOD, BOTH, INPUT)},
        shown="two items about the same text side by side, with their keys; never generators",
        aggregated="wins, losses and ties by pair of generators; strengths by Davidson's model and three others",
    ),
    design=call_later(f"{HERE}.report.describe_design"),
    agreement=call_later(f"{HERE}.report.describe_agreement"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=call_later(f"{HERE}.report.list_agreed"),
    scores=call_later(f"{HERE}.ranking.score_items"),
    pages=Pages(
        compare=("agreement_with_humans", "judge_wins", "position_bias"),
    ),
)
