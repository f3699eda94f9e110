"""The plug-in of dimension ratings (QGEval, 2024)."""

from django.utils.translation import gettext_noop

from analysis.codes import ERRORS
from analysis.plugins import (
    BOTH,
    CONTENT,
    CORRECT,
    FORM,
    GOOD,
    INPUT,
    OWN,
    Datasheet,
    Pages,
    ProtocolPlugin,
    PublishedStudy,
    call_later,
)

HERE = "analysis.protocols.dimension_ratings"

PLUGIN = ProtocolPlugin(
    "dimension-ratings",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.drill_down.list_tables"),
    figures=call_later(f"{HERE}.report.list_figures"),
    codes=ERRORS,
    has_metrics=True,
    published=PublishedStudy(
        "Fu et al. (2024), QGEval: Benchmarking Multi-dimensional Evaluation for Question Generation",
        (
            gettext_noop(
                "Published α is at interval level, over 3,000 questions and 3 annotators who rated "
                "everything. Round 2 was printed after the annotators had seen disagreements, so it does "
                "not measure reliability."
            ),
            gettext_noop(
                "Published means are of round 2 on a scale of 1 to 3; on another scale only the order of "
                "generators compares. No intervals were printed. Where this study has no second round, its "
                "own means are those of round 1, and say so."
            ),
            gettext_noop(
                "Published correlations with metrics are Pearson's over all 3,000 questions, those with model "
                "judges (and three metrics again) over 450 of them; error codes are shares of 42 erroneous "
                "ones among 100 questions looked at."
            ),
            gettext_noop(
                "A metric is compared only under its published name: BLEU-4 (words) is not BLEU-4. Published means "
                "of the reference compare it with itself."
            ),
        ),
    ),
    datasheet=Datasheet(
        criteria={
            "fluency": (GOOD, FORM, OWN),
            "clarity": (GOOD, BOTH, OWN),
            "conciseness": (GOOD, FORM, OWN),
            "relevance": (GOOD, CONTENT, INPUT),
            "consistency": (CORRECT, CONTENT, INPUT),
            "answerability": (CORRECT, CONTENT, INPUT),
            "answer_consistency": (CORRECT, CONTENT, INPUT),
        },
        shown="the text, the questions about it and their expected answers, with a scale per dimension",
        aggregated="means by generator and dimension",
        tested=" Dimensions are compared by Nemenyi's test; p-values of metrics are adjusted by Holm.",
    ),
    design=call_later(f"{HERE}.report.describe_design"),
    agreement=call_later(f"{HERE}.report.describe_agreement"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=call_later(f"{HERE}.report.list_agreed"),
    pages=Pages(
        agreement=("alpha", "expert_check"),
        items=("flagged_cells", "error_codes"),
        compare=(
            "metric_correlations",
            "metric_means",
            "metric_checks",
            "metric_by_score",
            "judge_means",
            "agreement_with_humans",
        ),
        coefficient="Krippendorff's α",
    ),
)
