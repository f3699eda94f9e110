"""The interface of a kind of run. Keys are opaque to the engine, which knows nothing of the domain."""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.utils.module_loading import import_string

from llm.models import Call, Run

_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def to_canonical_json(value: Any) -> str:
    """The value as JSON: the same string for equal values in every process."""
    return _encoder.encode(value)


def hash_text(text: str) -> str:
    """160 bits of a hash of the text."""
    return hashlib.blake2b(text.encode(), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Request:
    """One prompt: the messages and the parameters (temperature, max_tokens, logprobs, …) of a chat completion."""

    messages: list[dict[str, Any]]
    params: dict[str, Any] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    """Words whose probability decides; in-process models report it whatever its rank."""
    keeps_limit: bool = False
    """Whether the token limit is part of the measure, so that it is not raised for a model that reasons."""

    @cached_property
    def canonical_messages(self) -> str:
        """The messages as JSON, created once, and then hashed, stored and sent."""
        return to_canonical_json(self.messages)


class Unparsable(Exception):
    """The reply has no answer. The engine asks once more if the run kind has a second prompt, else the call failed."""


class Rejected(Exception):
    """The reply can be parsed but not used: it is kept and counted, and the next sample of the same key is
    requested."""


class Refused(Exception):
    """The model declined to answer: final, and missing in figures."""


class RunKind(ABC):
    """One kind of run. Register it with `register` when the app starts.

    All methods read only `run.project`, `run.endpoint`, `run.params` and `run.scope`, because an estimate walks the
    plan of an unsaved run. The same run gives the same plan in the same order, also after a restart.
    """

    kind = ""
    label = ""

    @abstractmethod
    def plan(self, run: Run) -> Iterable[tuple[str, int]]:
        """All (key, sample), without repetition; those with the same prompt prefix are adjacent."""

    @abstractmethod
    def render(self, run: Run, key: str, sample: int) -> Request:
        """The prompt, always the same for the same call. ValueError with a sentence if it is impossible."""

    def render_all(self, run: Run, pairs: Sequence[tuple[str, int]]) -> list[Request]:
        """Many prompts at once; override it to load what they need with few queries."""
        return [self.render(run, key, sample) for key, sample in pairs]

    @abstractmethod
    def read(self, run: Run, call: Call) -> Any:
        """Store the answer and return its description for people (JSON). Idempotent.

        Runs in a transaction after the raw reply was committed; `call.answer` and `call.answer_logprobs` are the reply
        without reasoning traces.
        Raises Unparsable, Rejected or Refused with a sentence before anything is written.
        """

    def reprompt(self, run: Run, call: Call) -> Request | None:
        """The prompt after the unparsable reply of that call; None: no second prompt, the call failed."""
        return None

    def plan_all(self, run: Run) -> Iterable[tuple[str, int]]:
        """The plan with everything that `next_calls` may add, for estimates."""
        return self.plan(run)

    def next_calls(self, run: Run, call: Call) -> Iterable[tuple[str, int]]:
        """More (key, sample) to ask after the answer of that call; called in the transaction of `read`.

        They are rendered when leased, so their prompts may depend on earlier answers. Existing ones stay.
        """
        return ()

    def may_follow_up(self, run: Run, call: Call) -> bool:
        """Whether the engine may ask again after an empty, cut-off or unparsable reply; False if a publication did
        not."""
        return True

    def conclude(self, run: Run) -> None:
        """Called when all replies are read and committed, in the transaction that marks the run as done."""
        return

    def url(self, run: Run) -> str | None:
        """The address of the answers."""
        return None


_run_kinds: dict[str, RunKind | str] = {}


def register(kind: str, run_kind: RunKind | str) -> None:
    """Register a run kind, or the path of its class, which is imported for the first run of the kind."""
    _run_kinds[kind] = run_kind


def get_run_kind(run: Run) -> RunKind:
    """The run's kind; LookupError if this process does not know it."""
    run_kind = _run_kinds.get(run.kind)
    if run_kind is None:
        raise LookupError(f"No kind of run is registered under {run.kind!r}.")
    if isinstance(run_kind, str):
        run_kind = _run_kinds[run.kind] = import_string(run_kind)()
    return run_kind
