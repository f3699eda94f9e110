"""The protocols that Lesart runs: one small module each, and this table."""

from studies.protocols.base import Declaration, InvalidAnswer, InvalidParameter, Protocol, Question, Stage
from studies.protocols.dimension_ratings import dimension_ratings
from studies.protocols.guess_then_read import guess_then_read
from studies.protocols.pairwise import pairwise
from studies.protocols.stopping_questionnaire import stopping_questionnaire
from studies.protocols.writing import writing

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (guess_then_read, dimension_ratings, stopping_questionnaire, pairwise, writing)
}


def protocol_choices() -> list[tuple[str, str]]:
    """Pairs of name and title, as Django's `choices` wants them."""
    return [(protocol.name, protocol.title) for protocol in PROTOCOLS.values()]


__all__ = [
    "PROTOCOLS",
    "Declaration",
    "InvalidAnswer",
    "InvalidParameter",
    "Protocol",
    "Question",
    "Stage",
    "protocol_choices",
]
