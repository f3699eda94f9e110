"""How many annotators of each group a study has, and how many of them do each unit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from studies.models import Study
from studies.services.spec import SpecError

Numbers = Mapping[str, int]


@dataclass(frozen=True)
class Quota:
    """The seats of one group of annotators, and how many of them do each unit; `per_unit` None: all of them.

    A plan without numbers per group has one quota, whose group is empty.
    """

    group: str
    seats: range
    per_unit: int | None


def has_group_quotas(study: Study) -> bool:
    """Whether the plan gives numbers per group; then everybody works on the share of their own group."""
    return any(isinstance(study.plan[name], dict) for name in ("annotators", "per_unit"))


def count_annotators(study: Study) -> int:
    """How many annotators get a link at launch; 0 where they join later."""
    planned = study.plan["annotators"]
    if planned == "open":
        return 0
    return sum(planned.values()) if isinstance(planned, dict) else int(planned)


def get_per_unit(study: Study, group: str) -> int | None:
    """How many annotators of the group do each unit; None if all do."""
    planned = study.plan["per_unit"]
    if isinstance(planned, dict):
        planned = planned[group]
    return None if planned == "all" else int(planned)


def make_quotas(study: Study, number: int | None = None) -> list[Quota]:
    """One quota per group, seats in the order of the study's groups.

    `number` replaces the plan's number of annotators (for simulated ones): it is divided in the plan's proportions,
    and no unit then needs more annotators of a group than there are.
    """
    total = count_annotators(study) if number is None else number
    if not has_group_quotas(study):
        return [Quota("", range(total), cap_per_unit(study, "", total, number))]
    quotas, start = [], 0
    for group, size in share_out(total, get_weights(study)).items():
        quotas.append(Quota(group, range(start, start + size), cap_per_unit(study, group, size, number)))
        start += size
    return quotas


def cap_per_unit(study: Study, group: str, size: int, number: int | None) -> int | None:
    per_unit = get_per_unit(study, group)
    return per_unit if per_unit is None or number is None else min(per_unit, size)


def get_weights(study: Study) -> Numbers:
    """The proportions in which annotators are divided among the groups: by their number, else by how many do a unit."""
    by_group = next(study.plan[name] for name in ("annotators", "per_unit") if isinstance(study.plan[name], dict))
    return {group: by_group[group] if by_group[group] != "all" else 1 for group in study.groups}


def share_out(number: int, weights: Numbers) -> dict[str, int]:
    """Divide `number` into whole parts by highest averages of the weights (D'Hondt); each group gets one first."""
    parts = dict.fromkeys(weights, 0)
    for _place in range(number):
        following = max(parts, key=lambda group: (parts[group] == 0, weights[group] / (parts[group] + 1)))
        parts[following] += 1
    return parts


def assign_groups(study: Study, first: int, count: int) -> list[str]:
    """The groups of `count` annotators if none is given for them: by the quotas, else in turn from seat `first` on."""
    if has_group_quotas(study):
        return [quota.group for quota in make_quotas(study, count) for _seat in quota.seats]
    return [study.groups[seat % len(study.groups)] if study.groups else "" for seat in range(first, first + count)]


def check_group(study: Study, group: str) -> None:
    """Raises `SpecError` unless somebody can join the study in this group."""
    if has_group_quotas(study) and group not in study.groups:
        raise SpecError(
            _("This study counts annotators per group. Choose the group they join: %(groups)s.")
            % {"groups": ", ".join(study.groups)}
        )


def collect_groups(plan: Mapping[str, Any], groups: Sequence[str]) -> list[str]:
    """The study's groups: those listed, else the groups with numbers in the plan.

    `SpecError` if the numbers per group contradict each other or the list.
    """
    given = {name: plan[name] for name in ("annotators", "per_unit") if isinstance(plan[name], dict)}
    listed = list(dict.fromkeys(groups)) or list(next(iter(given.values()), {}))
    for name, numbers in given.items():
        refuse_other_groups(name, numbers, listed)
    if given:
        check_numbers(plan, listed)
    return listed


def refuse_other_groups(name: str, numbers: Mapping[str, Any], groups: Sequence[str]) -> None:
    """Raises an error unless the numbers are given for exactly the groups of the study."""
    values = {"place": f"plan.{name}", "groups": ", ".join(groups)}
    for group in numbers:
        if group not in groups:
            raise SpecError(
                _("%(place)s names the group “%(group)s”, which the study does not have; its groups are: %(groups)s.")
                % (values | {"group": group})
            )
    for group in groups:
        if group not in numbers:
            raise SpecError(
                _("%(place)s has no number for the group “%(group)s”. Give one for each group.")
                % (values | {"group": group})
            )


def check_numbers(plan: Mapping[str, Any], groups: Sequence[str]) -> None:
    annotators, per_unit = plan["annotators"], plan["per_unit"]
    if isinstance(annotators, int):
        raise SpecError(
            _("plan.per_unit has numbers for each group, so plan.annotators must have them too: {%(example)s}.")
            % {"example": ", ".join(f"{group}: {per_unit[group]}" for group in groups)}
        )
    if isinstance(per_unit, int):
        raise SpecError(
            _("plan.annotators has numbers for each group, so plan.per_unit must have them too: {%(example)s}; or all.")
            % {"example": ", ".join(f"{group}: {per_unit}" for group in groups)}
        )
    for group in groups if isinstance(annotators, dict) and isinstance(per_unit, dict) else ():
        if per_unit[group] != "all" and per_unit[group] > annotators[group]:
            raise SpecError(
                _(
                    "The group “%(group)s” has %(annotators)d annotators, so %(per_unit)d of them cannot do each text."
                    " Change plan.per_unit or plan.annotators."
                )
                % {"group": group, "annotators": annotators[group], "per_unit": per_unit[group]}
            )
