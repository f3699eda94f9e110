"""What may be an id, a generator's name or a language, wherever it is typed."""

from django.utils.translation import gettext as _

from items.language import language_code
from items.models import MAX_ID
from items.plain import has_control, is_blank, printable, tidy

# Who wrote an item of which nothing is said.
UNSAID = "human"


def clean_name(value: str) -> str:
    """An id or a name: one line without control characters; raises ValueError with a sentence."""
    value = tidy(value)
    if is_blank(value):
        raise ValueError(_("This is empty. Fill it, or leave the field out if it may be missing."))
    if len(value) > MAX_ID:
        raise ValueError(too_long(value, MAX_ID))
    if has_control(value):
        raise ValueError(_("This holds control characters or line breaks. Write it without them."))
    return value


def clean_language(value: str) -> str:
    """The code of a language in any spelling; raises ValueError with a sentence."""
    if code := language_code(value):
        return code
    raise ValueError(
        _("“{name}” is no language that Lesart knows. Write a code such as de, en or eu.").format(
            name=printable(value, 30)
        )
    )


def too_long(value: str, limit: int) -> str:
    return _("This has {length:,} characters; the limit is {limit:,}. Shorten it.").format(
        length=len(value), limit=limit
    )
