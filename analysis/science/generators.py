"""Each generator against the mean of the others, by every measure that generators are compared by."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, READERS, Choices
from analysis.frames.evidence import Evidence
from analysis.reports.contrasts import Comparison, Family, adjustment_note, conventions_of
from analysis.science.tables import OTHERS
from analysis.tables.spec import Table

FEWEST = 3  # generators: of two, each one's difference to the others is that of the pair


def against_others(evidence: Evidence, comparisons: Sequence[Comparison]) -> tuple[Table, ...]:
    families = [each.family for each in comparisons if len(each.family.figures) >= FEWEST]
    rows = [row for family in families for row in family_rows(family, evidence.choices)]
    return (OTHERS.build(rows, notes=[adjustment_note(evidence.choices.convention)]),) if rows else ()


def family_rows(family: Family, choices: Choices) -> Iterator[dict[str, Any]]:
    convention = READERS if choices.convention == READERS else ANNOTATORS
    found = {
        each: family.against_others(each, choices.seed, alone=each != convention) for each in (READERS, ANNOTATORS)
    }
    chosen = found[convention]
    for place, (name, contrast) in enumerate(zip(family.figures, chosen, strict=True)):
        n = family.counts(name, name)[0]
        yield {
            "measure": family.measure, "evaluator": family.evaluator, "generator": name,
            "difference": contrast.value, "low": contrast.low, "high": contrast.high,
            "low_adjusted": contrast.low_adjusted, "high_adjusted": contrast.high_adjusted,
            "p_adjusted": contrast.p_adjusted, "adjustment": contrast.adjustment, "family_size": contrast.family_size,
            "n_texts": n, "reason": _(contrast.reason) if contrast.reason else "",
            "intervals": {"difference": conventions_of({each: found[each][place] for each in found}, n)},
        }  # fmt: skip
