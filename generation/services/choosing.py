"""Which texts are asked for, and how many items of what size."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from generation.services.writing import CannotGenerate
from items.models import MAX_OPTIONS, Text
from items.services.bank import in_order
from projects.models import Project

MOST_ITEMS = 20
N_ITEMS = N_OPTIONS = 3


@dataclass(frozen=True)
class Size:
    """Items a text, and options an item; without options they are open questions."""

    n_items: int = N_ITEMS
    n_options: int = N_OPTIONS


def check_size(size: Size, *, may_be_open: bool) -> None:
    if not 1 <= size.n_items <= MOST_ITEMS:
        raise CannotGenerate(_("A text gets 1 to %(n)d items. Choose a number of these.") % {"n": MOST_ITEMS})
    if size.n_options == 0 and may_be_open:
        return
    if not 2 <= size.n_options <= MAX_OPTIONS:
        said = _("An item gets 2 to %(n)d options.") % {"n": MAX_OPTIONS}
        more = _(
            "Open questions come from cloze, or from an instrument that writes the question to an expected answer, such"
            " as generate-question."
        )
        raise CannotGenerate(f"{said} {_('0 options stand for open questions.') if may_be_open else more}")


def language_of(text: Text) -> str:
    """de for de-CH."""
    return text.language.partition("-")[0].lower()


def texts_called(project: Project, ids: Sequence[str] | None) -> list[Text]:
    """The current texts of these ids, all if none is named; in the order of the bank."""
    texts = list(in_order(Text.objects.filter(project=project).current().select_related("project")))
    known = {text.external_id for text in texts}
    for name in ids or ():
        if name not in known:
            raise CannotGenerate(
                _("There is no text “%(id)s” in the project. Its ids stand in the list of texts.") % {"id": name[:200]}
            )
    found = [text for text in texts if not ids or text.external_id in ids]
    if not found:
        raise CannotGenerate(_("The project has no texts. Add one first."))
    return found
