"""What the page of agreement says of a protocol's coefficients."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from analysis.figures.paper import Line, Mark, Ranges
from analysis.formatting import interval, number, with_interval
from analysis.reports.outcome import Agreed

MOST = 12  # questions in the figure


@dataclass(frozen=True)
class AgreementRow:
    question: str
    basis: str
    value: str
    interval: str
    percent: str
    ac1: str
    reason: str


def list_agreement(agreed: list[Agreed]) -> list[AgreementRow]:
    return [
        AgreementRow(
            each.question, each.basis, write(each.value), interval(each.low, each.high), write(each.percent),
            write(each.ac1), each.reason if each.value is None else "",
        )
        for each in agreed
    ]  # fmt: skip


def write(value: float | None) -> str:
    return "–" if value is None else number(value)


def draw_agreement(agreed: list[Agreed], coefficient: str) -> Ranges | None:
    """One row for each question with a value; the dashed line is chance."""
    known = [each for each in agreed if each.value is not None][:MOST]
    lines = tuple(
        Line(each.question, (Mark(each.value, each.low, each.high),), write(each.value), interval(each.low, each.high))
        for each in known
    )
    axis = _("%(coefficient)s between people (dashed: chance)") % {"coefficient": coefficient}
    return Ranges(lines, axis, dashed=0, ends=(-1, 1)) if lines else None


def say_agreement(agreed: list[Agreed], coefficient: str) -> str:
    """The first line: where people agree beyond chance, as far as the intervals say so."""
    known = [each for each in agreed if each.value is not None]
    if not known:
        return _("Agreement needs two people who answered the same.")
    if len(known) == 1:
        return say_one(known[0], coefficient)
    most, least = (choose(known, key=lambda each: each.value or 0.0) for choose in (max, min))
    values = {"coefficient": coefficient, "most": most.question, "least": least.question}
    values |= {"high": say_value(most), "low": say_value(least)}
    return _("People agree most on “%(most)s”, %(coefficient)s %(high)s, and least on “%(least)s”, %(low)s.") % values


def say_one(each: Agreed, coefficient: str) -> str:
    values = {"question": each.question, "coefficient": coefficient, "value": say_value(each)}
    if each.low is not None and each.low > 0:
        return _("People agree beyond chance: %(coefficient)s %(value)s.") % values
    if each.low is not None:
        return _("People are not shown to agree beyond chance: %(coefficient)s %(value)s.") % values
    return _("Agreement of people: %(coefficient)s %(value)s.") % values


def say_value(each: Agreed) -> str:
    assert each.value is not None
    return with_interval(each.value, each.low, each.high)
