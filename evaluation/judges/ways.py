"""The ways of judging by name."""

from collections.abc import Mapping

from evaluation.judges.base import Judge
from evaluation.judges.gates import Gates
from evaluation.judges.pairs import Pairs
from evaluation.judges.scores import Scores
from studies.services.judgeable import GATES, PAIRS, SCORES

JUDGES: Mapping[str, Judge] = {PAIRS: Pairs(), SCORES: Scores(), GATES: Gates()}
