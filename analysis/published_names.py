"""Matches a study's generators with published ones: by name, or as a researcher chose.

Each choice is stored with its author and time; it is not part of the frozen study.
"""

import re
from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from analysis.models import GeneratorMatch
from items.models import Generator
from projects.models import User
from studies.models import Study, UnitItem

SEPARATORS = re.compile(r"[\s_-]+")


def fold_name(name: str) -> str:
    """The name in the form used for comparison: without case, blanks, `_` and `-`."""
    return SEPARATORS.sub("", name).casefold()


def match_generators(published: Sequence[str], own: Sequence[str], chosen: Mapping[str, str]) -> dict[str, str]:
    """The published generator of each own one, by name; each published one is matched at most once.

    `chosen`: a researcher's choices, by own generator; an empty name means none. The others are matched by name, first
    exactly, then by `fold_name`.
    """
    found = {name: chosen[name] for name in own if chosen.get(name) in published}
    for form in (str, str.casefold, fold_name):
        for name in own:
            if name not in chosen and name not in found:
                free = (each for each in published if each not in found.values() and form(each) == form(name))
                if match := next(free, ""):
                    found[name] = match
    return found


class BadMatch(ValueError):
    """A match names a generator that does not exist, or the same published generator twice; the message says which."""


def list_own_generators(study: Study) -> tuple[str, ...]:
    """The generators of the study's items, in the order of the bank."""
    used = UnitItem.objects.filter(unit__study=study).values("item__generator")
    return tuple(Generator.objects.filter(pk__in=used).order_by("pk").values_list("name", flat=True))


def read_matches(study: Study) -> dict[str, str]:
    """By generator the published name set last, "" for none; generators without a row are missing."""
    rows = GeneratorMatch.objects.filter(study=study).order_by("pk")
    return dict(rows.values_list("generator", "published"))


@transaction.atomic
def store_matches(study: Study, published: Sequence[str], matches: Mapping[str, str], user: User | None) -> int:
    """Store the new choices among `matches`, by own generator; returns their number. `BadMatch` stores nothing.

    published: the names of the published generators.
    """
    own, known = list_own_generators(study), read_matches(study)
    if unknown := [name for name in matches if name not in own]:
        raise BadMatch(_("This study has no generator “%(name)s”.") % {"name": unknown[0]})
    check_published(published, {name: chosen for name, chosen in {**known, **matches}.items() if name in own})
    new = {name: chosen for name, chosen in matches.items() if known.get(name) != chosen}
    for name, chosen in new.items():
        GeneratorMatch.objects.create(study=study, generator=name, published=chosen, made_by=user)
    return len(new)


def check_published(published: Sequence[str], matches: Mapping[str, str]) -> None:
    chosen = [name for name in matches.values() if name]
    if unknown := [name for name in chosen if name not in published]:
        raise BadMatch(
            _("No numbers of “%(name)s” are published. Choose one of these: %(names)s.")
            % {"name": unknown[0], "names": ", ".join(published) or "–"}
        )
    if twice := [name for name in chosen if chosen.count(name) > 1]:
        raise BadMatch(_("“%(name)s” is matched with two generators. Keep one match.") % {"name": twice[0]})
