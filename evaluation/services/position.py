"""Position bias of judges: whether the order of a pair decided the answer, from the calls in both orders."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.judges.base import SWAPPED, UNIT_KEY
from evaluation.judges.prompts import FIRST, TIE
from evaluation.models import JUDGE_KIND, Evaluator
from evaluation.services.calls import name_call
from evaluation.services.evaluators import make_scope
from evaluation.services.judges import METHOD
from llm.models import Call
from studies.models import Study

POSITION = "position"  # in the params of an evaluator from a replication pack: the fields of PositionBias


@dataclass(frozen=True)
class PositionBias:
    """`n` pairs were answered in both orders, `n_flipped` of them differently (counted as ties).

    `n_decided` answers, to either order, name a winner; `n_first` of these name the item that was shown first.
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


def get_positions(study: Study) -> dict[str, PositionBias]:
    """By label, the position bias of each judge of pairs."""
    judges = Evaluator.objects.filter(annotator__study=study, method=METHOD).select_related("annotator__study")
    found = {evaluator.annotator.code: get_position(evaluator) for evaluator in judges}
    return {code: position for code, position in found.items() if position is not None}


def get_position(evaluator: Evaluator) -> PositionBias | None:
    """The position bias of a judge; None if it does not judge pairs, or before its first answer.

    A judge from a replication pack has no calls; for it, the values are those stored in the pack.
    """
    if evaluator.method != METHOD:
        return None
    replies = get_replies(evaluator)
    if not replies and POSITION in evaluator.params:
        return PositionBias(**evaluator.params[POSITION])
    return count_positions(replies) if replies else None


@dataclass(frozen=True)
class Reply:
    """A judge's answer about a pair in one order: `choice` by the prompt's labels, `better` by the study's.

    `unit`: the primary key of the pair's unit; `text`: the reply word for word; `call`: see `name_call`.
    """

    unit: int
    is_swapped: bool
    choice: str
    better: str
    text: str
    call: str


def get_replies(evaluator: Evaluator) -> dict[str, Reply]:
    """The latest answer to each order, by the key of its call."""
    calls = Call.objects.good().filter(
        run__project=evaluator.annotator.study.project_id, run__kind=JUDGE_KIND, run__scope=make_scope(evaluator)
    )
    rows = calls.order_by("run", "turn").values_list("key", "parsed", "text", "run_id", "pk")
    return {
        key: Reply(
            unit=int(key.rpartition(UNIT_KEY)[2].partition("/")[0]),
            is_swapped=key.endswith(SWAPPED),
            choice=parsed["said"],
            better=parsed["better"],
            text=text,
            call=name_call(run, pk),
        )
        for key, parsed, text, run, pk in rows
        if parsed and "better" in parsed
    }


def pair_replies(replies: Mapping[str, Reply]) -> list[tuple[Reply, Reply]]:
    """The two replies about each pair that has both, the one in the pair's own order first."""
    return [
        (reply, other)
        for key, reply in replies.items()
        if not reply.is_swapped and (other := replies.get(f"{key}{SWAPPED}")) is not None
    ]


def list_decided(replies: Mapping[str, Reply]) -> list[Reply]:
    """The replies that name a winner."""
    return [reply for reply in replies.values() if reply.choice != TIE]


def count_positions(replies: Mapping[str, Reply]) -> PositionBias:
    both, winners = pair_replies(replies), list_decided(replies)
    return PositionBias(
        n=len(both),
        n_flipped=sum(one.better != other.better for one, other in both),
        n_first=sum(reply.choice == FIRST for reply in winners),
        n_decided=len(winners),
    )
