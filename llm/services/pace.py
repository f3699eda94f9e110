"""How many calls one drainer has out: carefully more while all is well, at once fewer when the server says too many."""

from collections.abc import Sequence

from llm.failures import Failure
from llm.wire import Outcome

SLOWER = 0.8


class Pace:
    """Starts at its share. One step of +1 for each full round without a limit, × 0.8 for each episode of limits."""

    def __init__(self, most: int):
        self.most = most
        self._limit = float(most)
        self._in_episode = False

    @property
    def limit(self) -> int:
        return max(1, min(self.most, int(self._limit)))

    def heard(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if outcome.problem is not None and outcome.problem.failure == Failure.LIMIT:
                if not self._in_episode:
                    self._limit = max(1.0, min(self._limit, self.most) * SLOWER)
                self._in_episode = True
            elif outcome.reply is not None:
                self._in_episode = False
                self._limit = min(float(self.most), self._limit + 1 / max(self._limit, 1.0))
