"""The reasons that metrics give, for the translators: metrics know no Django and cannot mark them."""

from django.utils.translation import gettext_noop

REASONS = (
    gettext_noop("The question has no word."),
    gettext_noop("There is no reference question on this text."),
    gettext_noop("The question has no key and no expected answer."),
    gettext_noop("The formula is for another language than that of the text."),
)
