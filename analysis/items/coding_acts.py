"""Setting and taking back the codes of an item; every act leaves a row that says who and when."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.codes import find_code, get_code_title, is_known, is_single
from analysis.models import CodingAct, IndependentCoding, ItemCode
from items.models import Item, Option
from projects.models import User
from studies.models import Study, UnitItem


class BadCode(ValueError):
    """The code cannot be set this way; the message is a sentence that says what is possible."""


def make_unknown_code_error(code: str) -> BadCode:
    return BadCode(_("There is no code “%(code)s” for this kind of study. Choose one of the list.") % {"code": code})


@transaction.atomic
def set_codes(study: Study, item: Item, codes: Iterable[str], user: User, **where: Any) -> list[ItemCode]:
    """Set several codes at one place, all or none; see `set_code`."""
    return [set_code(study, item, code, user, **where) for code in codes]


def set_code(
    study: Study, item: Item, code: str, user: User, *, option: Option | None = None, quote: str = "", note: str = ""
) -> ItemCode:
    """Set a code on an item of the study, possibly pointing to an option and a quote of the text; `BadCode` if
    invalid."""
    if not is_known(study.protocol, code):
        raise make_unknown_code_error(code)
    if not study.units.filter(items=item).exists():
        raise BadCode(_("This item is not in the study."))
    if option is not None and option.item_id != item.pk:
        raise BadCode(_("This option belongs to another item. Choose one of this item's options."))
    start, end = find_span(quote, item.text.body)
    try:
        with transaction.atomic():
            return ItemCode.objects.create(
                study=study, item=item, code=code, option=option, start=start, end=end, note=note.strip(), set_by=user
            )
    except IntegrityError:
        values = {"code": get_code_title(study.protocol, code)}
        raise BadCode(
            _("The code “%(code)s” is already set. Remove it first to link it to another place.") % values
        ) from None


def remove_code(code: ItemCode, user: User) -> bool:
    """Take a code back; False if somebody has done so before."""
    standing = ItemCode.objects.current().filter(pk=code.pk)
    return bool(standing.update(removed_at=timezone.now(), removed_by=user))


def find_span(quote: str, body: str) -> tuple[int | None, int | None]:
    """The place of the quote in the text, regardless of spaces and line breaks; `BadCode` if it occurs nowhere or
    twice."""
    words = quote.split()
    if not words:
        return None, None
    found = list(re.finditer(r"\s+".join(map(re.escape, words)), body))
    if not found:
        raise BadCode(_("This passage is not in the text. Copy it exactly from the text."))
    if len(found) > 1:
        raise BadCode(_("This passage occurs %(n)s times in the text. Copy a longer passage.") % {"n": len(found)})
    return found[0].span()


BATCH = 500


@dataclass(frozen=True)
class CodePlacement:
    """A code for an item, by primary key, possibly pointing to an option and a span of the text."""

    item: int
    code: str
    option: int | None = None
    start: int | None = None
    end: int | None = None
    note: str = ""

    @property
    def place(self) -> tuple[int, str, int | None]:
        return self.item, self.code, self.option

    def says_more_than(self, standing: ItemCode) -> bool:
        """Whether it points elsewhere, or has another note, than the code already at the same place."""
        points_elsewhere = self.end is not None and (self.start, self.end) != (standing.start, standing.end)
        return points_elsewhere or bool(self.note and self.note != standing.note)


@dataclass(frozen=True)
class ActResult:
    """What an act did. `items`: those whose codes it changed; without an act nothing had to change."""

    act: CodingAct | None
    n_set: int = 0
    n_same: int = 0  # codes that were set already
    items: frozenset[int] = field(default_factory=frozenset)


@transaction.atomic
def code_items(
    study: Study, placed: Collection[CodePlacement], user: User | None, coding: IndependentCoding | None = None
) -> ActResult:
    """Set these codes for the team, or in an independent coding. If an item can have only one code of a kind, the new
    code replaces the old one.

    `BadCode` for an unknown code or an item outside the study. At each place at most one code is set.
    """
    _lock(study, coding)
    _refuse_unknown(study, placed)
    of_items = _map_codes_by_item(study, {each.item for each in placed}, coding)
    at_place = {(code.item_id, code.code, code.option_id): code for codes in of_items.values() for code in codes}
    new = [each for each in placed if each.place not in at_place or each.says_more_than(at_place[each.place])]
    wanted = {each.place for each in placed}
    replaced = {
        code.pk: code
        for each in placed
        for code in of_items.get(each.item, ())
        if _is_replaced_by(study, code, each, wanted)
    } | {at_place[each.place].pk: at_place[each.place] for each in new if each.place in at_place}
    return _carry_out(study, new, list(replaced.values()), user, coding, n_same=len(placed) - len(new))


@transaction.atomic
def remove_item_codes(
    study: Study, items: Collection[int], code: str, user: User | None, coding: IndependentCoding | None = None
) -> ActResult:
    """Remove a code from all of these items that have it, whatever part of them it points to."""
    _lock(study, coding)
    standing = _map_codes_by_item(study, set(items), coding)
    removed = [each for codes in standing.values() for each in codes if each.code == code]
    return _carry_out(study, [], removed, user, coding, n_same=len(set(items) - {each.item_id for each in removed}))


@transaction.atomic
def remove_codes_of_kind(study: Study, item: int, kind: str, user: User | None) -> ActResult:
    """Take the team's codes of a kind back from an item."""
    _lock(study, None)
    standing = _map_codes_by_item(study, {item}, None).get(item, [])
    removed = [each for each in standing if find_code(study.protocol, each.code).kind == kind]
    return _carry_out(study, [], removed, user, None, n_same=0)


@transaction.atomic
def undo(study: Study, act: int, user: User, coding: IndependentCoding | None = None) -> ActResult | None:
    """Undo an act of this user: remove what it set, set again what it removed, under the name of whoever had set it.

    None if the act is somebody else's or already undone. What others have set since at the same place stays.
    """
    _lock(study, coding)
    found = CodingAct.objects.filter(study=study, coding=coding, pk=act, made_by=user, undone_at=None).first()
    return undo_act(found, user) if found else None


def undo_act(found: CodingAct, user: User) -> ActResult:
    """Undo an act, whoever made it; see `undo`."""
    study = found.study
    removed = list(ItemCode.objects.current(found.coding).filter(set_in=found))
    _remove(removed, user, None)
    before = list(ItemCode.objects.filter(removed_in=found))
    standing = _map_codes_by_item(study, {code.item_id for code in before}, found.coding)
    again = [code for code in before if _can_be_set_again(study, code, standing.get(code.item_id, ()))]
    ItemCode.objects.bulk_create([_copy(code) for code in again], batch_size=BATCH)
    CodingAct.objects.filter(pk=found.pk).update(undone_at=timezone.now())
    return ActResult(found, len(again), items=frozenset(code.item_id for code in [*removed, *again]))


def find_last_act(study: Study, user: User, coding: IndependentCoding | None = None) -> CodingAct | None:
    """The act of this person that `undo` would undo next."""
    return CodingAct.objects.filter(study=study, coding=coding, made_by=user, undone_at=None).first()


def _lock(study: Study, coding: IndependentCoding | None) -> None:
    """Allow one act at a time, so that none overlooks another's codes; `BadCode` once the coding is finished."""
    Study.objects.select_for_update().get(pk=study.pk)
    if coding and IndependentCoding.objects.filter(pk=coding.pk, finished_at__isnull=False).exists():
        raise BadCode(_("You have finished your coding. Nothing was changed."))


def _refuse_unknown(study: Study, placed: Iterable[CodePlacement]) -> None:
    for name in {each.code for each in placed}:
        if not is_known(study.protocol, name):
            raise make_unknown_code_error(name)
    known = set(UnitItem.objects.filter(unit__study=study).values_list("item", flat=True))
    if not known.issuperset(each.item for each in placed):
        raise BadCode(_("This item is not in the study."))


def _map_codes_by_item(
    study: Study, items: Collection[int], coding: IndependentCoding | None
) -> dict[int, list[ItemCode]]:
    """The current codes on these items, by item."""
    found: dict[int, list[ItemCode]] = {}
    # not filtered by item: thousands of keys are too many for a query
    for code in ItemCode.objects.current(coding).filter(study=study):
        if code.item_id in items:
            found.setdefault(code.item_id, []).append(code)
    return found


def _is_replaced_by(
    study: Study, code: ItemCode, new: CodePlacement, wanted: Collection[tuple[int, str, int | None]]
) -> bool:
    """Whether an existing code is removed because a new one of its kind replaces it."""
    kind = find_code(study.protocol, code.code).kind
    same_kind = is_single(kind) and kind == find_code(study.protocol, new.code).kind
    return same_kind and code.code != new.code and (code.item_id, code.code, code.option_id) not in wanted


def _can_be_set_again(study: Study, code: ItemCode, standing: Iterable[ItemCode]) -> bool:
    """Whether a code can be set again beside the current codes of its item."""
    kind = find_code(study.protocol, code.code).kind
    if is_single(kind):
        return kind not in {find_code(study.protocol, other.code).kind for other in standing}
    return (code.code, code.option_id) not in {(other.code, other.option_id) for other in standing}


def _carry_out(
    study: Study,
    new: Collection[CodePlacement],
    removed: Collection[ItemCode],
    user: User | None,
    coding: IndependentCoding | None,
    n_same: int,
) -> ActResult:
    if not new and not removed:
        return ActResult(None, n_same=n_same)
    act = CodingAct.objects.create(study=study, coding=coding, made_by=user)
    _remove(removed, user, act)
    ItemCode.objects.bulk_create(
        [
            ItemCode(
                study=study, item_id=each.item, code=each.code, option_id=each.option, start=each.start, end=each.end,
                note=each.note, set_by=user, set_in=act, coding=coding,
            )
            for each in new
        ],
        batch_size=BATCH,
    )  # fmt: skip
    changed = {each.item for each in new} | {code.item_id for code in removed}
    return ActResult(act, len(new), n_same, frozenset(changed))


def _remove(codes: Collection[ItemCode], user: User | None, act: CodingAct | None) -> None:
    pks, now = [code.pk for code in codes], timezone.now()
    for start in range(0, len(pks), BATCH):
        some = ItemCode.objects.filter(removed_at=None, pk__in=pks[start : start + BATCH])
        some.update(removed_at=now, removed_by=user, removed_in=act)


def _copy(code: ItemCode) -> ItemCode:
    return ItemCode(
        study_id=code.study_id, coding_id=code.coding_id, item_id=code.item_id, code=code.code,
        option_id=code.option_id, start=code.start, end=code.end, note=code.note, set_by_id=code.set_by_id,
    )  # fmt: skip
