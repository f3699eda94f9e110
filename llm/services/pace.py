"""How many calls one drainer has out: carefully more while all is well, at once fewer when the server says too many."""

from collections.abc import Sequence

from llm.models import Endpoint
from llm.wire import Outcome

SLOWER = 0.8
AHEAD, MOST_AHEAD = 1 / 4, 16
AHEAD_FROM = 32  # calls at a time; with fewer, what the ledger takes is nothing beside what a reply takes


class Pace:
    """One step of +1 for each full round without a limit, × 0.8 for each episode of limits.

    An episode ends when all that was on the wire at its begin has come back: one burst is one step down.
    """

    def __init__(self, most: int, start: int | None = None):
        self.most = most
        self._limit = float(most if start is None else min(start, most))
        self._of_episode = 0

    @property
    def limit(self) -> int:
        return max(1, min(self.most, int(self._limit)))

    @property
    def ahead(self) -> int:
        """How many more may be written down as sent and wait in the wire for the next reply."""
        return min(int(self.limit * AHEAD), MOST_AHEAD) if self.limit >= AHEAD_FROM else 0

    def heard(self, outcomes: Sequence[Outcome], n_out: int) -> None:
        """`n_out` is how many were on the wire before these came back."""
        for outcome in outcomes:
            n_out -= 1
            if self._of_episode:
                self._of_episode -= 1
            elif outcome.problem is not None and outcome.problem.asks_to_wait:
                self._limit = max(1.0, min(self._limit, self.most) * SLOWER)
                self._of_episode = n_out
            if outcome.reply is not None:
                self._limit = min(float(self.most), self._limit + 1 / max(self._limit, 1.0))


def learned(endpoint: Endpoint, n_drainers: int) -> int | None:
    """Where a new drainer starts, of what the last ones found; None: at its full share."""
    now = endpoint.concurrency_now
    return None if now is None else max(1, now // max(1, n_drainers))


def keep(endpoint: Endpoint, pace: Pace, n_drainers: int) -> None:
    """Tells the drainers to come how many calls at a time the server was found to bear."""
    found = None if pace.limit >= pace.most else pace.limit * n_drainers
    Endpoint.objects.filter(pk=endpoint.pk).exclude(concurrency_now=found).update(concurrency_now=found)
