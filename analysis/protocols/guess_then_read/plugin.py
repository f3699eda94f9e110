"""The plug-in of guess-then-read (Säuberli & Clematide 2024)."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from analysis.codes import GUESSABLE, TAG, TYPE, UNANSWERABLE, Code
from analysis.plugins import (
    BOTH,
    CONTENT,
    CORRECT,
    GOOD,
    INPUT,
    Datasheet,
    Pages,
    ProtocolPlugin,
    PublishedStudy,
    call_later,
)

HERE = "analysis.protocols.guess_then_read"

PLUGIN = ProtocolPlugin(
    "guess-then-read",
    report=call_later(f"{HERE}.report.build_report"),
    tables=call_later(f"{HERE}.drill_down.list_tables"),
    figures=call_later(f"{HERE}.report.list_figures"),
    codes=(
        Code("wrong_key", UNANSWERABLE, _("wrong key")),
        Code("wrong_key:none_right", UNANSWERABLE, _("wrong key: the marked option is not correct")),
        Code("unclear_option", UNANSWERABLE, _("unclear option")),
        Code("insufficient_evidence", UNANSWERABLE, _("insufficient evidence in the text")),
        Code("widely_known", GUESSABLE, _("widely known fact")),
        Code("about_text", TAG, _("asks about the text itself")),
        Code("about_content", TAG, _("asks about what the text reports")),
        Code("literal", TYPE, _("literal: stated in one place of the text")),
        Code("integration", TYPE, _("integration: joins several places of the text")),
        Code("inference", TYPE, _("inference: follows from the text, but is not stated")),
        Code("main_idea", TYPE, _("main idea: about the text as a whole")),
        Code("vocabulary", TYPE, _("vocabulary: what a word means here")),
    ),
    has_item_lists=True,
    published=PublishedStudy(
        "Säuberli & Clematide (2024), Automatic Generation and Evaluation of Reading Comprehension Test Items with "
        "Large Language Models",
        (
            gettext_noop(
                "Published intervals draw single judgments. Choose the published convention above to compare widths."
            ),
            gettext_noop(
                "Published were 10 texts for 6 people and 50 for models; here each row is over the texts that its "
                "answers are about. κ is the unweighted mean over pairs, as printed, for people the mean of each "
                "person's mean."
            ),
            gettext_noop(
                "Published n are approximate numbers of judgments with the text, derived from the "
                "printed intervals; for ratings, numbers per generator."
            ),
            gettext_noop(
                "The publication used thresholds on the models' probabilities chosen on other texts, and "
                "one option per call."
            ),
        ),
    ),
    planner=call_later(f"{HERE}.planner.make_planner"),
    datasheet=Datasheet(
        criteria={"answer": (CORRECT, CONTENT, INPUT), "rating": (GOOD, BOTH, INPUT)},
        task="answer",
        shown="first the items of one generator without the text, then the text with the items of all generators; "
        "never keys or generators",
        aggregated="shares of options judged rightly by generator, and their difference",
    ),
    design=call_later(f"{HERE}.report.describe_design"),
    agreement=call_later(f"{HERE}.report.describe_agreement"),
    outcome=call_later(f"{HERE}.report.describe_outcome"),
    summary=call_later(f"{HERE}.report.summarize"),
    agreed=call_later(f"{HERE}.report.list_agreed"),
    beside=call_later(f"{HERE}.report.draw_evaluators"),
    pages=Pages(
        agreement=("agreement_with_humans",),
        items=(
            "item_analysis",
            "guessable_items",
            "unanswerable_items",
            "flawed_items",
            "ratings",
            "accuracy_by_rating",
        ),
        compare=("agreement_with_humans", "people_and_models", "beside_accuracy", "informativity_probability"),
        coefficient="Cohen's κ",
    ),
)
