"""Whether the order of a pair decided what a judge said: read from the calls of both orders."""

from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.judges.prompts import FIRST, TIE
from evaluation.judges.setting import SWAPPED
from evaluation.models import Evaluator
from evaluation.services.evaluators import JUDGE_KIND, scope_of
from evaluation.services.judges import METHOD
from llm.models import Call
from studies.models import Study

POSITION = "position"  # in the params of an evaluator from a replication pack: the fields of Position


@dataclass(frozen=True)
class Position:
    """Of `n` pairs with an answer in both orders, in how many the two differ (`n_flipped`, counted as ties).

    Of all answers to either order that name a winner (`n_decided`), how many named the item that stood first.
    """

    n: int
    n_flipped: int
    n_first: int
    n_decided: int

    @property
    def share_flipped(self) -> float | None:
        return self.n_flipped / self.n if self.n else None

    @property
    def share_first(self) -> float | None:
        return self.n_first / self.n_decided if self.n_decided else None


def positions_of(study: Study) -> dict[str, Position]:
    """By label, of each judge of pairs."""
    judges = Evaluator.objects.filter(annotator__study=study, method=METHOD).select_related("annotator__study")
    found = {evaluator.annotator.code: position_of_judge(evaluator) for evaluator in judges}
    return {code: position for code, position in found.items() if position is not None}


def position_of_judge(evaluator: Evaluator) -> Position | None:
    """None for a judge of anything but pairs, and before the first answer.

    Of one that came with a replication pack, and so without its calls, what the pack says.
    """
    if evaluator.method != METHOD:
        return None
    said = dict(orders_of(evaluator))
    if not said and POSITION in evaluator.params:
        return Position(**evaluator.params[POSITION])
    return position_of(said) if said else None


def orders_of(evaluator: Evaluator) -> Iterator[tuple[str, dict[str, str]]]:
    """By key of the first order what was said, and whom it means, in each order that has an answer."""
    calls = Call.objects.good().filter(
        run__project=evaluator.annotator.study.project_id, run__kind=JUDGE_KIND, run__scope=scope_of(evaluator)
    )
    rows = calls.order_by("run", "turn").values_list("key", "parsed")
    yield from ((key, parsed) for key, parsed in rows if parsed and "better" in parsed)


def position_of(said: dict[str, dict[str, str]]) -> Position:
    """`said`: by key of a call, `said` as it stood in the prompt and `better` as the pair is named."""
    firsts = [(key, said.get(f"{key}{SWAPPED}")) for key in said if not key.endswith(SWAPPED)]
    both = [(said[key], other) for key, other in firsts if other is not None]
    decided = [each["said"] for each in said.values() if each["said"] != TIE]
    return Position(
        n=len(both),
        n_flipped=sum(one["better"] != other["better"] for one, other in both),
        n_first=sum(each == FIRST for each in decided),
        n_decided=len(decided),
    )
