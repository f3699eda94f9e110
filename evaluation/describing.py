"""What is special about how an evaluator is asked and read, in sentences for pages and reports."""

from collections.abc import Collection

from django.utils.translation import gettext as _

from evaluation.models import Evaluator
from evaluation.setting import BEFORE, LETTERS
from studies.models import Study


def peculiarities(evaluator: Evaluator) -> list[str]:
    """Sentences about all that differs from the default; none for most evaluators."""
    params, name = {**BEFORE, **evaluator.params}, {"label": evaluator.annotator.code}
    said = []
    if params["as_published"]:
        said.append(
            _("“%(label)s” was asked and read as published: never a second time, with at most 10 tokens to write, and "
              "of the ways to write a letter the likeliest stands for p(true), whatever its share.") % name
        )  # fmt: skip
    if params["answering"] == LETTERS:
        said.append(_("“%(label)s” was asked about all options of an item at once and listed letters.") % name)
    if params["temperature"]:
        drawn = {**name, "temperature": params["temperature"], "number": params["sample"] + 1}
        said.append(
            _("The replies of “%(label)s” were drawn at temperature %(temperature)s, as sample %(number)d: another "
              "sample may answer otherwise.") % drawn
        )  # fmt: skip
    if tuning := params.get("tuning"):
        said.append(
            _("The thresholds of “%(label)s” were chosen on the texts of “%(study)s”, none of which is in this study: "
              "those under which it was most often right there, in the middle of all that were equally good.")
            % {**name, "study": tuning["study"]}
        )  # fmt: skip
    return said


def said_of_evaluators(study: Study, purposes: Collection[str]) -> tuple[str, ...]:
    """The sentences for all evaluators of the study whose answers are in."""
    evaluators = Evaluator.objects.filter(annotator__study=study, annotator__purpose__in=purposes)
    return tuple(words for each in evaluators.select_related("annotator") for words in peculiarities(each))
