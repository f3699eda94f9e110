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
)
