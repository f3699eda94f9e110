"""What may be chosen for a column, in words."""

from django.utils.translation import gettext as _

from items.formats.tables.columns import ITEM_FIELDS, KEPT, LEFT_OUT, OPTION_FIELDS, TEXT_FIELDS

Choices = list[tuple[str, str]]


def column_choices() -> list[tuple[str, str | Choices]]:
    """For a select: what to leave out or keep, then the fields of texts, items and options."""
    labels = field_labels()
    options = [(name, _("Option {n}").format(n=number)) for number, name in enumerate(OPTION_FIELDS, start=1)]
    return [
        (LEFT_OUT, _("Leave out")),
        (KEPT, _("Keep as a detail")),
        (_("Text"), [(name, labels[name]) for name in TEXT_FIELDS]),
        (_("Item"), [(name, labels[name]) for name in ITEM_FIELDS]),
        (_("Options of the item"), options),
    ]


def field_labels() -> dict[str, str]:
    return {
        "text_id": _("Id of the text"),
        "title": _("Title of the text"),
        "text": _("The text itself"),
        "language": _("Language"),
        "source": _("Source"),
        "genre": _("Genre"),
        "level": _("Level"),
        "audience": _("Audience"),
        "topic": _("Topic"),
        "licence": _("Licence"),
        "shareable": _("May be shared on (yes or no)"),
        "item_id": _("Id of the item"),
        "generator": _("Generator"),
        "question": _("Question"),
        "correct": _("Correct options"),
        "answer": _("Expected answer of an open question"),
        "reference": _("Reference item (yes or no)"),
    }
