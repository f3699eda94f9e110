"""The reasons that measures give, for the translators: measures know no Django and cannot mark them."""

from django.utils.translation import gettext_noop

REASONS = (
    gettext_noop("There is no judgment to compute this from."),
    gettext_noop("There is no judgment without the text, so there is no difference."),
    gettext_noop("There is no judgment with the text, so there is no difference."),
    gettext_noop("Only one text has judgments here; an interval needs at least two."),
    gettext_noop("The figure is the same in every replicate, so its spread cannot be estimated."),
    gettext_noop("Without one of its texts the figure is undefined, so the texts cannot be left out in turn."),
    gettext_noop("In more than one of a hundred draws the figure is undefined."),
    gettext_noop("The figure is undefined for these judgments."),
    gettext_noop("No unit has two values, so there is nothing to compare."),
    gettext_noop("No unit was judged by two raters, so there is nothing to compare."),
    gettext_noop("All judgments are the same, so agreement by chance is 1 and the coefficient is 0/0."),
    gettext_noop("The scale has a single category, so agreement is certain."),
    gettext_noop("A standard error needs at least two units."),
    gettext_noop("A correlation needs at least three rows with both numbers."),
    gettext_noop("One of the two columns is the same everywhere, so there is nothing to correlate."),
    gettext_noop("In no text do both columns vary, so there is no correlation within texts."),
    gettext_noop("It never lost, so no finite strength explains its results."),
    gettext_noop("It never won, so no finite strength explains its results."),
    gettext_noop("It was not compared with the others, directly or through further generators."),
    gettext_noop("Ties aside the results go one way only, so no finite strengths explain them."),
    gettext_noop("It only ever won or only ever lost against the generators that the scale rests on."),
    gettext_noop("There is no comparison to compute this from."),
)

# The words of Landis and Koch for the strength of agreement.
STRENGTHS = (
    gettext_noop("poor"),
    gettext_noop("slight"),
    gettext_noop("fair"),
    gettext_noop("moderate"),
    gettext_noop("substantial"),
    gettext_noop("almost perfect"),
)
