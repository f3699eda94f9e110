"""What every way of judging says of its calls."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from evaluation.judges.setting import Asked, JudgeSetting
from items.models import Item
from llm.models import Call, Run
from llm.registry import Request
from studies.protocols.base import Value
from studies.services.judging import Judgeable, store_values

# A label and a few words around it; the engine doubles it once for a reply that was cut off.
MAX_TOKENS = 32
LABEL_PARAMS = {"temperature": 0, "max_tokens": MAX_TOKENS, "logprobs": True, "top_logprobs": 20}


class Judge(ABC):
    """One way of judging."""

    @abstractmethod
    def plan(self, setting: JudgeSetting) -> Iterator[Asked]:
        """What is asked at the start, text by text."""

    @abstractmethod
    def requests(self, setting: JudgeSetting, asked: Sequence[Asked]) -> list[Request]:
        """The prompts; ValueError with a sentence if there can be none."""

    @abstractmethod
    def read(self, setting: JudgeSetting, asked: Asked, run: Run, call: Call) -> dict[str, Any]:
        """Stores what the reply says, and returns what people are shown of it; `Unparsable` if it says nothing."""

    def most(self, setting: JudgeSetting) -> Iterator[Asked]:
        """The plan with all that `then` may add."""
        return self.plan(setting)

    def then(self, setting: JudgeSetting, asked: Asked) -> Iterable[Asked]:
        """What is asked after the answer to that."""
        return ()

    def again(self, setting: JudgeSetting, asked: Asked) -> str | None:
        """What is said after a reply without an answer; None: nothing."""
        return setting.prompts.fill("again")

    def finish(self, setting: JudgeSetting, run: Run) -> None:
        """All replies are read; in the transaction that says so."""
        return


def keep(setting: JudgeSetting, about: Judgeable, values: dict[str, Value], picks: Iterable[str] = ()) -> None:
    """The values as answers of the judge, through the gate of people."""
    store_values(setting.assignments[about.unit_id], setting.stage, about, values, picks)


def found(items: dict[int, Item], pk: int | None) -> Item:
    if pk not in items:
        raise ValueError("The item is no longer in the bank, so it cannot be asked about.")
    return items[pk]


def said_by_user(words: str, params: dict[str, Any]) -> Request:
    return Request([{"role": "user", "content": words}], params)
