"""Setting and taking back the codes of an item; every act leaves a row that says who and when."""

import re
from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.codes import is_known, title_of
from analysis.models import ItemCode
from items.models import Item, Option
from projects.models import User
from studies.models import Study


class BadCode(ValueError):
    """The code cannot be set so; the message is a sentence that says what can."""


def unknown(code: str) -> BadCode:
    return BadCode(_("There is no code “%(code)s” for this kind of study. Choose one of the list.") % {"code": code})


@transaction.atomic
def set_codes(study: Study, item: Item, codes: Iterable[str], user: User, **where: Any) -> list[ItemCode]:
    """Set several codes at one place, all or none; see `set_code`."""
    return [set_code(study, item, code, user, **where) for code in codes]


def set_code(
    study: Study, item: Item, code: str, user: User, *, option: Option | None = None, quote: str = "", note: str = ""
) -> ItemCode:
    """Set a code on an item of the study, perhaps pointing to an option and to words of the text; `BadCode` if not."""
    if not is_known(study.protocol, code):
        raise unknown(code)
    if not study.units.filter(items=item).exists():
        raise BadCode(_("This item is not in the study."))
    if option is not None and option.item_id != item.pk:
        raise BadCode(_("This option belongs to another item. Choose one of this item's options."))
    start, end = span_of(quote, item.text.body)
    try:
        with transaction.atomic():
            return ItemCode.objects.create(
                study=study, item=item, code=code, option=option, start=start, end=end, note=note.strip(), set_by=user
            )
    except IntegrityError:
        said = {"code": title_of(study.protocol, code)}
        raise BadCode(
            _("The code “%(code)s” is set already. Take it back first to point it elsewhere.") % said
        ) from None


def remove_code(code: ItemCode, user: User) -> bool:
    """Take a code back; False if somebody has done so before."""
    standing = ItemCode.objects.standing().filter(pk=code.pk)
    return bool(standing.update(removed_at=timezone.now(), removed_by=user))


def span_of(quote: str, body: str) -> tuple[int | None, int | None]:
    """Where the words stand in the text, whatever blanks or line ends part them; `BadCode` if not in one place."""
    words = quote.split()
    if not words:
        return None, None
    found = list(re.finditer(r"\s+".join(map(re.escape, words)), body))
    if not found:
        raise BadCode(_("These words are not in the text. Copy them from the text as they stand there."))
    if len(found) > 1:
        raise BadCode(
            _("These words stand in %(n)s places of the text. Copy some more words around them.") % {"n": len(found)}
        )
    return found[0].span()
