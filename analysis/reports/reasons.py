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
    gettext_noop("All judgments are the same, so agreement by chance is 1 and the coefficient is 0/0."),
    gettext_noop("A standard error needs at least two units."),
    gettext_noop("No unit has two values, so there is nothing to compare."),
    gettext_noop("The test needs at least three people, so that two remain when one is left out."),
    gettext_noop("No person shares two units with the model and another person."),
    gettext_noop("No unit was judged by two annotators, so there is nothing to compare."),
    gettext_noop("The scale has a single category, so agreement is certain."),
    gettext_noop("A correlation needs at least three rows with both numbers."),
    gettext_noop("One of the two columns is the same everywhere, so there is nothing to correlate."),
    gettext_noop("In no text do both columns vary, so there is no correlation within texts."),
    gettext_noop("This test needs the same number of ratings, two or more, for every unit."),
    gettext_noop("All ratings are the same, so there is nothing to test."),
    gettext_noop("A comparison of ranks needs at least two blocks and three columns."),
    gettext_noop("In every block all scores are equal, so there are no ranks to compare."),
    gettext_noop("An intraclass correlation needs two units that the same two or more annotators judged."),
    gettext_noop("All ratings are the same, so there is no variation to share out."),
    gettext_noop("There is no key, or nothing but keys, so right and wrong options cannot be told apart."),
    gettext_noop("A discrimination needs at least three annotators who judged this and something else."),
    gettext_noop("All annotators judged this alike, or do equally well on the rest, so nothing separates them."),
    gettext_noop("With the text no more than half of the judgments are right, so they say nothing about a key."),
    gettext_noop("Ties aside the results go one way only, so no finite strengths explain them."),
    gettext_noop("Resampling both needs at least two texts and two annotators with judgments."),
    gettext_noop("It never lost, so no finite strength explains its results."),
    gettext_noop("It never won, so no finite strength explains its results."),
    gettext_noop("It was not compared with the others, directly or through further generators."),
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
