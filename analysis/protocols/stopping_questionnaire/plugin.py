"""The plug-in of the stopping questionnaire (Horbach et al. 2020)."""

from django.utils.translation import gettext_noop

from analysis.codes import ERRORS
from analysis.plugins import (
    BOTH,
    CONTENT,
    CORRECT,
    FEATURE,
    FORM,
    GOOD,
    INPUT,
    OUTSIDE,
    OWN,
    Datasheet,
    Pages,
    ProtocolPlugin,
    PublishedStudy,
    call_later,
)

HERE = "analysis.protocols.stopping_questionnaire"

PLUGIN = ProtocolPlugin(
    "stopping-questionnaire",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.drill_down.list_tables"),
    figures=call_later(f"{HERE}.report.list_figures"),
    codes=ERRORS[:-1],
    published=PublishedStudy(
        "Horbach et al. (2020), Linguistic Appropriateness and Pedagogic Usefulness of Reading Comprehension Questions",
        (
            gettext_noop(
                "The publication has two annotations per question in each group of annotators and no "
                "intervals; κ is Cohen's κ of the first and second annotation."
            ),
            gettext_noop(
                "View “all”: a category that was not reached is a separate label. View “applicable”: "
                "both annotators reached it. The published domain was biology; another domain or edited "
                "questions make a different questionnaire."
            ),
        ),
        counted={"agreement": "n_pairs"},
        by_language=True,
    ),
    datasheet=Datasheet(
        criteria={
            "understandable": (CORRECT, BOTH, OWN),
            "domain_related": (CORRECT, CONTENT, OUTSIDE),
            "grammatical": (CORRECT, FORM, OWN),
            "clear": (GOOD, BOTH, OWN),
            "rephrase": (GOOD, BOTH, OWN),
            "answerable": (CORRECT, CONTENT, INPUT),
            "information_needed": (FEATURE, CONTENT, INPUT),
            "central": (GOOD, CONTENT, INPUT),
            "would_use": (GOOD, BOTH, INPUT),
        },
        shown="one question at a time with its text, and the questions of one gate after the other",
        aggregated="shares of single labels by category",
    ),
    design=call_later(f"{HERE}.report.describe_design"),
    agreement=call_later(f"{HERE}.report.describe_agreement"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=call_later(f"{HERE}.report.list_agreed"),
    pages=Pages(items=("error_codes",), compare=("agreement_with_humans",), coefficient="Cohen's κ"),
)
